"""A template's core: what its pages must and can have, counted out by hand and by a plain loop over sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.template_core import SCHEME, TemplateCore, find_frame, find_nearest_core

NONE = np.zeros(0, np.uint64)


def column(*numbers: int) -> np.ndarray:
    return np.array(sorted(numbers), np.uint64)


def page(*numbers: int) -> PageSteps:
    return PageSteps(column(*numbers), column(*(0 for _ in numbers)), column(*(0 for _ in numbers)))


def core(required: tuple[int, ...], known: tuple[int, ...] = (), least: float = 0.0) -> TemplateCore:
    return TemplateCore(column(*required), column(*{*required, *known}), least)


def test_nine_of_ten_pages_make_a_step_required_and_one_of_ten_makes_it_known() -> None:
    pages = [page(1, *([2] if n < 9 else []), *([3] if n < 8 else []), *([4] if n < 1 else [])) for n in range(10)]
    made = TemplateCore.of_pages(pages)
    assert made.required.tolist() == [1, 2]
    assert made.known.tolist() == [1, 2, 3, 4]
    rare = TemplateCore.of_pages([*pages, page(1)])
    assert rare.known.tolist() == [1, 2, 3], "one of eleven is fewer than one of ten"


def test_the_least_similarity_is_that_of_the_odd_page_to_the_core_of_the_others() -> None:
    """Three pages {1,2,3,4} and one {1,2,9}: against the others it has 2 of 4 required steps and 2 of its 3 are known."""
    made = TemplateCore.of_pages([page(1, 2, 3, 4)] * 3 + [page(1, 2, 9)])
    assert made.least == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3), abs=1e-6)
    assert TemplateCore.of_pages([page(1, 2)]).least == 0
    assert TemplateCore.of_pages([page(1, 2)] * 2).least == 1
    nothing = TemplateCore.of_pages([])
    assert (len(nothing.required), len(nothing.known), nothing.least) == (0, 0, 0)
    assert not nothing.covers(page(1))


@given(st.lists(st.frozensets(st.integers(1, 9), max_size=6), min_size=2, max_size=12))
def test_a_core_is_what_counting_gives(rows: list[frozenset[int]]) -> None:
    def parts(pages: list[frozenset[int]]) -> tuple[set[int], set[int]]:
        counts = {step: sum(step in each for each in pages) for step in range(1, 10)}
        need = {step for step, count in counts.items() if 10 * count >= 9 * len(pages)}
        return need, {step for step, count in counts.items() if count and 10 * count >= len(pages)}

    def alike(one: frozenset[int], need: set[int], known: set[int]) -> float:
        has, knows = (len(one & need) / len(need) if need else 0), (len(one & known) / len(one) if one else 0)
        return 2 * has * knows / (has + knows) if has and knows else 0

    made = TemplateCore.of_pages([page(*each) for each in rows])
    assert (set(made.required.tolist()), set(made.known.tolist())) == parts(rows)
    others = [rows[:place] + rows[place + 1 :] for place in range(len(rows))]
    assert made.least == pytest.approx(min(alike(one, *parts(rest)) for one, rest in zip(rows, others, strict=True)), abs=1e-6)
    assert made.similarity(page(*rows[0])) == pytest.approx(alike(rows[0], *parts(rows)))


@pytest.mark.parametrize(
    ("made", "steps", "covered"),
    [
        (core((*range(10),)), (*range(9),), True),
        (core((*range(10),)), (*range(8),), False),
        (core((0, 1)), (0, 1, 2, 3), True),
        (core((0, 1)), (0, 1, 2, 3, 4), False),
        (core((0, 1), least=0.76), (0, 1, 2, 3), True),
        (core((0, 1), least=0.78), (0, 1, 2, 3), False),
        (core(()), (), False),
    ],
    ids=["nine of ten", "eight of ten", "half known", "less than half known", "similar enough", "too unlike its pages", "nothing"],
)
def test_a_page_is_covered_within_three_bounds(made: TemplateCore, steps: tuple[int, ...], covered: bool) -> None:
    assert made.covers(page(*steps)) == covered


def test_without_the_sites_frame_a_page_must_still_fit() -> None:
    frame = column(*range(90))
    book = core((*range(100),))
    assert book.tells(page(*range(100)), frame)
    assert book.tells(page(*range(98)), frame)
    assert book.covers(page(*range(90))), "the frame alone is nine tenths of it"
    assert not book.tells(page(*range(94)), frame)
    assert not book.tells(page(*range(100), *range(200, 220)), frame), "of its own 30 steps only 10 are known"
    assert core((*range(90),)).tells(page(*range(90)), frame), "a template of nothing but the frame"


def test_what_another_template_requires_and_how_alike_two_are() -> None:
    one, other = core((1, 2, 3, 4), known=(5,)), core((1, 2, 5, 6))
    assert one.holds(other, NONE) == 3 / 4
    assert one.holds(other, column(1, 2)) == 1 / 2
    assert one.holds(other, column(1, 2, 5, 6)) == 1
    assert one.likeness(other) == other.likeness(one) == pytest.approx(2 * (2 / 4) * (3 / 4) / (2 / 4 + 3 / 4))
    assert one.likeness(core((7,))) == 0


def test_the_nearest_core_is_the_most_similar_one_that_fits_and_then_the_one_with_the_smaller_id() -> None:
    found = page(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    near, nearer, far = core((*range(1, 10),)), core((*range(1, 11),)), core((*range(20, 30),))
    assert find_nearest_core({1: near, 2: nearer, 3: far}, found) == 2
    assert find_nearest_core({5: nearer, 4: nearer, 9: nearer}, found) == 4
    assert find_nearest_core({3: far}, found) is None
    assert find_nearest_core({}, found) is None


def test_the_frame_is_what_all_templates_require() -> None:
    assert find_frame([core((1, 2, 3)), core((2, 3, 4), known=(1,)), core((2, 3))]).tolist() == [2, 3]
    assert find_frame([core((1, 2, 3))]).tolist() == []
    assert find_frame([]).tolist() == []


@given(st.frozensets(st.integers(0, 2**64 - 1), max_size=5), st.frozensets(st.integers(0, 2**64 - 1), max_size=5), st.integers(0, 10**6))
def test_a_core_is_stored_and_read_back(required: frozenset[int], known: frozenset[int], millionths: int) -> None:
    made = TemplateCore(column(*required), column(*known), millionths / 10**6)
    stored = made.to_bytes()
    assert stored.startswith(SCHEME)
    assert len(stored) == len(SCHEME) + 8 + 8 * (len(required) + len(known))
    back = TemplateCore.from_bytes(stored)
    assert (back.required.tolist(), back.known.tolist(), back.least) == (made.required.tolist(), made.known.tolist(), made.least)


@pytest.mark.parametrize("stored", [b"", b"core/1\n" + bytes(8), SCHEME, SCHEME + bytes(7), SCHEME + bytes(12)])
def test_other_bytes_are_refused_with_what_they_are(stored: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a stored core of scheme core/2: .*, \d+ bytes"):
        TemplateCore.from_bytes(stored)
