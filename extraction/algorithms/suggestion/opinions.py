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
    """Return, for each column, the methods that found it as well. structures: {method: what it found on the same pages}."""
    found: list[list[str]] = [[] for _ in columns]
    for method, structure in structures.items():
        read = {page for page, row in enumerate(structure.rows) if row}
        others = [_count_values(pages, read) for pages in structure.columns().values()]
        for names, column in zip(found, columns, strict=True):
            mine = _count_values(column.values, read)
            if any(_measure_agreement(mine, other) >= SAME for other in others):
                names.append(method)
    return [tuple(names) for names in found]


def name_fields(columns: Sequence[SuggestedColumn], structure: Structure) -> dict[str, str]:
    """Return {field of a structure: name of the suggested column with the same values}, the first such column if there are several."""
    read = {page for page, row in enumerate(structure.rows) if row}
    mine = [(column.name, _count_values(column.values, read)) for column in columns]
    found: dict[str, str] = {}
    for field, pages in structure.columns().items():
        theirs = _count_values(pages, read)
        name = next((name for name, held in mine if name not in found.values() and _measure_agreement(held, theirs) >= SAME), None)
        if name is not None:
            found[field] = name
    return found


def _count_values(pages: Pages, read: set[int]) -> Counter[tuple[int, str]]:
    """Return how often each value is on each of the pages that a method read."""
    return Counter((page, value.text) for page, values in pages.items() if page in read for value in values)


def _measure_agreement(one: Counter[tuple[int, str]], two: Counter[tuple[int, str]]) -> float:
    """Return the F1 of two columns, 0 if both are empty."""
    return 2 * (one & two).total() / max(1, one.total() + two.total())
