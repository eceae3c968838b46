"""A column is known to be missing only where its language is spoken and its label is not."""

from dataclasses import dataclass, field

from lxml import etree, html

from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.suggestion.absences import find_absences


@dataclass(frozen=True)
class Column:
    words: str
    values: dict[int, tuple[Value, ...]]
    multiple: bool = False
    texts: frozenset[str] = field(default=frozenset())
    further: bool = False

    @property
    def pages(self) -> set[int]:
        return set(self.values)


def page(language: str, *cells: str) -> etree._Element:
    return html.document_fromstring(f"<html lang={language}><body><dl>{''.join(f'<dt>{each}</dt><dd>x</dd>' for each in cells)}</dl>")


def test_a_column_is_missing_where_its_language_is_spoken_and_its_label_is_not() -> None:
    value = (Value("450 g", Location(0)),)
    pages = [page("de", "Gewicht"), page("de", "Material"), page("en", "Weight"), page("de", "Gewicht :"), page("de-AT", "Gewichtung")]
    assert find_absences([Column("Gewicht", {0: value})], pages) == [{1, 4}]
    assert find_absences([Column("", {0: value})], pages) == [{1, 3, 4}], "a column without a label"
    assert find_absences([Column("Gewicht:", {0: value, 2: value})], pages) == [{1, 4}], "values in both languages"


def test_degenerate_columns_and_pages() -> None:
    assert find_absences([], []) == []
    assert find_absences([Column("Gewicht", {})], [page("de")]) == [set()]
    assert find_absences([Column("Gewicht", {0: ()})], [page("de")]) == [set()]
