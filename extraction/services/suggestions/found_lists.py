"""The lists of sample pages, found once for all who ask: what is offered as a list, and which suggested fields are columns of one."""

import threading
from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.suggestion.lists import SuggestedList, suggest_lists
from extraction.services.core.recent import Recent

_FOUND: Recent[str, tuple[SuggestedList, ...]] = Recent(20)

_ONE_AT_A_TIME = threading.Lock()


def of(key: str, roots: Sequence[etree._Element]) -> tuple[SuggestedList, ...]:
    """The lists of pages. key: says which pages they are."""
    with _ONE_AT_A_TIME:
        known = _FOUND.get(key)
        return _FOUND.put(key, tuple(suggest_lists(roots))) if known is None else known
