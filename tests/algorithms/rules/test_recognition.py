"""Which template a page belongs to: patterns and masks first, then the nearest core, and nothing is read that is not needed."""

from collections.abc import Mapping

import numpy as np
import pytest

from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.rules.matching import RuleCandidate
from extraction.algorithms.rules.recognition import list_fitting, recognise_address, recognise_page
from extraction.algorithms.rules.url_patterns import SplitAddress, UrlPattern
from extraction.algorithms.sketches.shingles import Mask

URL = "http://example.com/book/7"
VECTOR = 0x1111111111111111


def template(id: int, *patterns: str, mask: int = VECTOR, size: int = 10) -> RuleCandidate:
    return RuleCandidate(id, tuple(map(UrlPattern.from_text, patterns)), (Mask(mask),), size)


def steps(*numbers: int) -> PageSteps:
    column = np.array(numbers, np.uint64)
    return PageSteps(column, np.zeros_like(column), column)


def core(*numbers: int) -> TemplateCore:
    column = np.array(numbers, np.uint64)
    return TemplateCore(column, column)


def refuse() -> int:
    raise AssertionError("read though it is not needed")


def recognise(candidates: list[RuleCandidate], cores: Mapping[int, TemplateCore], page: PageSteps, url: str = URL) -> int | None:
    return recognise_page(candidates, lambda: cores, url=url, read_vector=lambda: VECTOR, read_steps=lambda: page)


def test_a_page_whose_mask_fits_is_recognised_without_its_steps_or_any_core() -> None:
    known = [template(1, "example.com/book/*"), template(2, "example.com/film/*")]
    assert recognise_page(known, refuse, url=URL, read_vector=lambda: VECTOR, read_steps=refuse) == 1  # type: ignore[arg-type]


def test_a_page_whose_address_fits_no_pattern_is_not_read_at_all() -> None:
    known = [template(2, "example.com/film/*")]
    assert recognise_page(known, refuse, url=URL, read_vector=refuse, read_steps=refuse) is None  # type: ignore[arg-type]


def test_a_page_that_no_mask_covers_goes_to_the_nearest_core_whose_address_fits() -> None:
    book, film, other = (template(n, f"example.com/{name}/*", mask=5) for n, name in enumerate(("book", "film", "*"), 1))
    cores = {1: core(1, 2, 3, 4, 5, 6), 2: core(1, 7, 8, 9), 3: core(1, 2, 3, 4, 5)}
    page = steps(1, 2, 3, 4, 5)
    assert recognise([book, film, other], cores, page) == 3
    assert recognise([book, film, other], {2: core(1, 2, 3, 4, 5)}, page) is None, "the film's pattern does not fit"
    assert recognise([book, film, other], {}, page) is None


@pytest.mark.parametrize(
    ("candidates", "found"),
    [
        ([], None),
        ([template(1)], None),
        ([template(1, "example.com/film/*")], None),
        ([template(1, "example.com/*/*"), template(2, "example.com/book/*", size=1)], 2),
        ([template(1, "example.com/*/*", "example.com/book/*", size=1), template(2, "example.com/*/*")], 1),
        ([template(1, "example.com/book/*", size=3), template(2, "example.com/book/*", size=4)], 2),
        ([template(2, "example.com/book/*"), template(1, "example.com/book/*")], 1),
        ([template(1, size=99), template(2, "example.com/*/*")], 2),
    ],
    ids=["none", "no patterns", "another address", "narrower", "any of its patterns", "larger", "smaller id", "a pattern at all"],
)
def test_an_address_alone_shows_a_template_only_by_a_pattern(candidates: list[RuleCandidate], found: int | None) -> None:
    assert recognise_address(candidates, URL) == found
    assert recognise_address(candidates[::-1], URL) == found


def test_templates_without_patterns_fit_any_address() -> None:
    known = [template(1), template(2, "example.com/film/*"), template(3, "example.com/book/*")]
    assert [each.id for each in list_fitting(known, SplitAddress.parse(URL))] == [1, 3]
