"""Find the lists of sample pages, once for each set of pages.

Suggested lists come from here, and suggested fields are checked here for being columns of a list.
"""

from collections.abc import Sequence
from threading import Lock

from cachetools import LRUCache
from lxml import etree

from extraction.algorithms.suggestion.lists import SuggestedList, suggest_lists

_FOUND: LRUCache[str, tuple[SuggestedList, ...]] = LRUCache(20)
_ONE_AT_A_TIME = Lock()


def find_lists(key: str, roots: Sequence[etree._Element]) -> tuple[SuggestedList, ...]:
    """Return the lists of pages. key: identifies the pages."""
    with _ONE_AT_A_TIME:
        if key not in _FOUND:
            _FOUND[key] = tuple(suggest_lists(roots))
        return _FOUND[key]
