"""Second opinions on suggested columns: which methods found the same values on their own (docs/algorithms.md#roadrunner).

A method that aligns whole pages (RoadRunner, ExAlg) knows nothing of labels and names. Where a field of its structure holds the values
of a suggested column, two quite different methods found the same field.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from extraction.algorithms.alignment.schema import Structure, Value
from extraction.algorithms.suggestion.suggest import SuggestedColumn

SAME = 0.8
"""Least F1 of the values, page by page, of two columns that are the same; a field needs as much to count as found in the evaluation."""

Pages = Mapping[int, tuple[Value, ...]]


def find_agreeing_methods(columns: Sequence[SuggestedColumn], structures: Mapping[str, Structure]) -> list[tuple[str, ...]]:
    """For each column the methods that found it as well. structures: {method: what it found on the same pages}."""
    found: list[list[str]] = [[] for _ in columns]
    for method, structure in structures.items():
        read = {page for page, row in enumerate(structure.rows) if row}
        others = [_contents(pages, read) for pages in structure.columns().values()]
        for names, column in zip(found, columns, strict=True):
            mine = _contents(column.values, read)
            if any(_alike(mine, other) >= SAME for other in others):
                names.append(method)
    return [tuple(names) for names in found]


def name_fields(columns: Sequence[SuggestedColumn], structure: Structure) -> dict[str, str]:
    """{field of a structure: name of the suggested column with the same values}; the first such column where there are several."""
    read = {page for page, row in enumerate(structure.rows) if row}
    mine = [(column.name, _contents(column.values, read)) for column in columns]
    found: dict[str, str] = {}
    for field, pages in structure.columns().items():
        theirs = _contents(pages, read)
        name = next((name for name, held in mine if name not in found.values() and _alike(held, theirs) >= SAME), None)
        if name is not None:
            found[field] = name
    return found


def _contents(pages: Pages, read: set[int]) -> Counter[tuple[int, str]]:
    """How often each value stands on each of the pages that a method read."""
    return Counter((page, value.text) for page, values in pages.items() if page in read for value in values)


def _alike(one: Counter[tuple[int, str]], two: Counter[tuple[int, str]]) -> float:
    """F1, 0 for two empty ones."""
    return 2 * (one & two).total() / max(1, one.total() + two.total())
