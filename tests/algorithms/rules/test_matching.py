"""A page goes to the most specific rule that its URL and then its shingle vector allow."""

from itertools import permutations

import pytest

from extraction.algorithms.rules.matching import Candidate, Match, NoMatch, match
from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.algorithms.sketches.shingles import Mask

BOOK = 0x1111111111111111
URL = "http://example.com/book/7"


def rule(id: int, *patterns: str, masks: tuple[Mask, ...] = (Mask(BOOK),), size: int = 10) -> Candidate:
    return Candidate(id, tuple(UrlPattern.from_text(text) for text in patterns), masks, size)


def open_byte(places: int) -> Mask:
    wild = (1 << 8 * places) - 1
    return Mask(BOOK & ~wild, wild)


def test_url_and_vector_must_both_fit() -> None:
    book = rule(1, "example.com/book/*")
    assert match(URL, BOOK, [book]) == Match(1)
    assert match("http://example.com/film/7", BOOK, [book]) == NoMatch("url")
    assert match(URL, BOOK + 1, [book]) == NoMatch("shingle")
    assert match(URL, BOOK, []) == NoMatch("url")


def test_any_pattern_and_any_mask_of_a_rule_will_do() -> None:
    both = rule(1, "example.com/film/*", "example.com/book/*", masks=(Mask(5), open_byte(1)))
    assert match(URL, BOOK + 1, [both]) == Match(1)


def test_a_rule_without_urls_takes_any() -> None:
    assert match(URL, BOOK, [rule(1)]) == Match(1)


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        (rule(2, "example.com/*/*"), rule(1, "example.com/book/*", masks=(open_byte(1),), size=99)),
        (rule(2, "example.com/book/*"), rule(1, "example.com/*/*", size=99)),
        (rule(2, "example.com/*/*"), rule(1, size=99)),
        (rule(2, "example.com/book/*", size=11), rule(1, "example.com/book/*", size=10)),
        (rule(1, "example.com/book/*"), rule(2, "example.com/book/*")),
    ],
    ids=["fewer wildcards", "narrower pattern", "a pattern at all", "larger", "smaller id"],
)
def test_the_most_specific_wins_in_any_order(winner: Candidate, loser: Candidate) -> None:
    for order in permutations([winner, loser, rule(9, "example.com/film/*")]):
        assert match(URL, BOOK, order) == Match(winner.id)
