"""Known values that stand on pages of a group where the rule finds nothing.

A rule that asks for the label "Bulb" finds nothing on German pages, and the first pages that a person marked may all lack a bulb. That some
pages lack it says nothing then. But where "E27" is a bulb on English pages, a German page on which "E27" stands probably has one, too.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from extraction.algorithms.learning.page_groups import MIN_PAGES, PageGroup
from extraction.algorithms.learning.value_doubts import ValueDoubt

MIN_CHARS, MAX_CHARS = 2, 80
"""Shorter texts may mean anything; longer ones do not come twice."""

MIN_SHARE = 0.2
"""The share of the pages of a group that must show a known value."""

MAX_READ = 40
"""How many pages of a group, and how many others that lack the value, are read."""


def find_stray_values(
    values: Mapping[int, Sequence[str]], group: PageGroup, *, said: Collection[int], read_texts: Callable[[int], Collection[str]]
) -> ValueDoubt | None:
    """Return the doubt about an attribute that has no value on any page of a group, None if nothing speaks for one there.

    values: {page: its values}, also for pages without any.
    said: the pages on which a person said what the value is or that there is none.
    read_texts: gives the texts of a page.
    """
    if any(each for page, each in values.items() if page in group.pages):
        return None
    known = {text for each in values.values() for text in each if MIN_CHARS <= len(text) <= MAX_CHARS}
    lacking = sorted(page for page, each in values.items() if not each)
    asked = [page for page in lacking if page in group.pages and page not in said]
    if not known or len(asked) < MIN_PAGES:
        return None
    for page in [page for page in lacking if page in said or page not in group.pages][:MAX_READ]:
        known.difference_update(read_texts(page))  # a text that stands on pages without the value means something else
    shown = {page: known.intersection(read_texts(page)) for page in asked[:MAX_READ]}
    pages = tuple(page for page, texts in shown.items() if texts)
    if len(pages) < max(MIN_PAGES, MIN_SHARE * len(shown)):
        return None
    words = (
        f"no value on any of the {sum(page in group.pages for page in lacking):,} pages {group.name}, "
        f"though “{min(shown[pages[0]])}” stands on one of them"
    )
    return ValueDoubt("missing", words, pages, len(pages))


def list_texts(texts: Collection[str]) -> frozenset[str]:
    """Return the texts of a page that can be values, with single spaces."""
    return frozenset(text for each in texts if MIN_CHARS <= len(text := " ".join(each.split())) <= MAX_CHARS)
