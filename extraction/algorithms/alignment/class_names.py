"""Class names that are the template's: what its author called an element, and not which of many it is."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from lxml import etree

SHARED = 0.5
"""Share of the pages that have to have a class name for it to be the template's; two pages at least."""

MAX_ELEMENTS = 200_000
"""Elements of a page whose class names are looked at."""

MAX_LENGTH = 5_000
"""Characters of a class attribute that are read."""

_WHICH = "odd|even|alt|alternate|first|last|active|current|selected"
_OF = "row|line|item|cell|col|column|entry|record"
_UNSTEADY = re.compile(rf"(?i)(?:{_WHICH})(?:[-_]?(?:{_OF}))?|(?:{_OF})[-_]?(?:{_WHICH})|.*\d.*")
"""Names that say which row of many it is: they part rows that are alike."""


def find_shared_names(roots: Sequence[etree._Element]) -> frozenset[str]:
    """The class names of pages that are their template's."""
    counts: Counter[str] = Counter()
    for root in roots:
        counts.update({name for element in islice(root.iter(etree.Element), MAX_ELEMENTS) for name in _names(element)})
    return frozenset(name for name, count in counts.items() if count >= max(min(2, len(roots)), SHARED * len(roots)))


def name_step(element: etree._Element, names: frozenset[str]) -> str:
    """An element's name with those of its class names that are among these: ``li.offer``."""
    return ".".join((str(element.tag), *sorted({each for each in _names(element) if each in names})))


def _names(element: etree._Element) -> list[str]:
    found = element.get("class")
    return [name for name in found[:MAX_LENGTH].split() if not _UNSTEADY.fullmatch(name)] if found else []
