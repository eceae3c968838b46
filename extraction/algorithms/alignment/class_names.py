"""Class names that belong to the template: they name the kind of an element, not the individual element."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from lxml import etree

SHARED = 0.5
"""Share of the pages that must have a class name for it to belong to the template. At least two pages must have it."""

MAX_ELEMENTS = 200_000
"""The largest number of elements of a page whose class names are read."""

MAX_LENGTH = 5_000
"""The largest number of characters of a class attribute that are read."""

_WHICH = "odd|even|alt|alternate|first|last|active|current|selected"
_OF = "row|line|item|cell|col|column|entry|record"
_UNSTEADY = re.compile(rf"(?i)(?:{_WHICH})(?:[-_]?(?:{_OF}))?|(?:{_OF})[-_]?(?:{_WHICH})|.*\d.*")
"""Names that say which row of many it is. They separate rows that are alike."""


def find_shared_names(roots: Sequence[etree._Element]) -> frozenset[str]:
    """Return the class names of pages that belong to their template."""
    counts: Counter[str] = Counter()
    for root in roots:
        counts.update({name for element in islice(root.iter(etree.Element), MAX_ELEMENTS) for name in _names(element)})
    return frozenset(name for name, count in counts.items() if count >= max(min(2, len(roots)), SHARED * len(roots)))


def name_step(element: etree._Element, names: frozenset[str]) -> str:
    """Return an element's name, followed by those of its classes that are in `names`: ``li.offer``."""
    return ".".join((str(element.tag), *sorted({each for each in _names(element) if each in names})))


def read_classes(step: str) -> frozenset[str]:
    """Return the classes of a step that `name_step` wrote."""
    return frozenset(step.split("[")[0].split(".")[1:])


def _names(element: etree._Element) -> list[str]:
    found = element.get("class")
    return [name for name in found[:MAX_LENGTH].split() if not _UNSTEADY.fullmatch(name)] if found else []
