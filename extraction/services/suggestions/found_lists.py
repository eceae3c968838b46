"""The lists of sample pages, found once for all who ask: what is offered as a list, and which suggested fields are columns of one."""

from collections.abc import Sequence
from threading import Lock

from cachetools import LRUCache
from lxml import etree

from extraction.algorithms.suggestion.lists import SuggestedList, suggest_lists

_FOUND: LRUCache[str, tuple[SuggestedList, ...]] = LRUCache(20)
_ONE_AT_A_TIME = Lock()


def find_lists(key: str, roots: Sequence[etree._Element]) -> tuple[SuggestedList, ...]:
    """The lists of pages. key: says which pages they are."""
    with _ONE_AT_A_TIME:
        if key not in _FOUND:
            _FOUND[key] = tuple(suggest_lists(roots))
        return _FOUND[key]
