"""A page goes to the most specific rule that its URL and then its shingle vector allow."""

from itertools import permutations

import pytest

from extraction.algorithms.rules.matching import NoRuleMatch, RuleCandidate, RuleMatch, match_page
from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.algorithms.sketches.shingles import Mask

BOOK = 0x1111111111111111
URL = "http://example.com/book/7"


def rule(id: int, *patterns: str, masks: tuple[Mask, ...] = (Mask(BOOK),), size: int = 10) -> RuleCandidate:
    return RuleCandidate(id, tuple(UrlPattern.from_text(text) for text in patterns), masks, size)


def open_byte(places: int) -> Mask:
    wild = (1 << 8 * places) - 1
    return Mask(BOOK & ~wild, wild)


def test_url_and_vector_must_both_fit() -> None:
    book = rule(1, "example.com/book/*")
    assert match_page(URL, BOOK, [book]) == RuleMatch(1)
    assert match_page("http://example.com/film/7", BOOK, [book]) == NoRuleMatch("url")
    assert match_page(URL, BOOK + 1, [book]) == NoRuleMatch("shingle")
    assert match_page(URL, BOOK, []) == NoRuleMatch("url")


def test_any_pattern_and_any_mask_of_a_rule_will_do() -> None:
    both = rule(1, "example.com/film/*", "example.com/book/*", masks=(Mask(5), open_byte(1)))
    assert match_page(URL, BOOK + 1, [both]) == RuleMatch(1)


def test_a_rule_without_urls_takes_any() -> None:
    assert match_page(URL, BOOK, [rule(1)]) == RuleMatch(1)


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
def test_the_most_specific_wins_in_any_order(winner: RuleCandidate, loser: RuleCandidate) -> None:
    for order in permutations([winner, loser, rule(9, "example.com/film/*")]):
        assert match_page(URL, BOOK, order) == RuleMatch(winner.id)
