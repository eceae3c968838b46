"""Known values on pages where a rule finds nothing: in doubt, unless the text means something else there."""

from extraction.algorithms.learning.page_groups import PageGroup
from extraction.algorithms.learning.stray_values import find_stray_values, list_texts

BULBS = ("E27", "E14", "GU10")
GERMAN = PageGroup("in the language de", frozenset(range(20, 40)))
VALUES = {page: [BULBS[page % 3]] if page < 20 and page % 2 else [] for page in range(40)}


def read(page: int) -> frozenset[str]:
    """Every other page has a bulb; all of them name the makers."""
    return list_texts(["Fenwick", f"Lamp {page}", *([f" {BULBS[page % 3]}\n"] if page % 2 else [])])


def test_a_known_value_on_pages_of_a_language_without_any_value_is_in_doubt_whatever_was_said_on_others() -> None:
    found = find_stray_values(VALUES, GERMAN, said=range(20, 30, 2), read_texts=read)
    assert found is not None
    assert (found.kind, found.pages[:3], found.count) == ("missing", (21, 23, 25), 10)
    assert found.words == "no value on any of the 20 pages in the language de, though “E27” stands on one of them"


def test_a_text_that_stands_on_pages_without_the_value_is_no_sign_of_it() -> None:
    makers = {page: ["Fenwick"] if page < 20 and page % 2 else [] for page in range(40)}
    assert find_stray_values(makers, GERMAN, said=(), read_texts=read) is None
    assert find_stray_values(VALUES, GERMAN, said=[21, 23, 25], read_texts=read) is None  # a person said what these texts are not


def test_a_group_with_a_value_is_not_looked_at() -> None:
    assert find_stray_values(VALUES | {30: ["E27"]}, GERMAN, said=(), read_texts=read) is None
    assert find_stray_values({}, GERMAN, said=(), read_texts=read) is None
