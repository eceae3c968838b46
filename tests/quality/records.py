"""Repeating records on real pages: ``python -m tests.quality.records DATA --predictions OUT``.

DATA is a folder of sites, each with pages/NAME.html and truth/NAME.json (rows of columns). Two rows of the first page
that has some are annotated: in each column the text node that an editor would click is marked. The other pages are not read before they are
extracted. Written is ``{site: {page: [[…columns…], …]}}``.

--suggested: nothing is annotated. Of the lists suggested for the first ten pages the first is taken, with the rows that a click marks (all
of the first page if it has few, and two of another); what is learned from them is extracted from all pages. Only the fields that contain
columns of the truth are written, as an editor would tick only those.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from extraction.algorithms.dom.nodes import Location, clean, texts
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.rows import Rows, select_rows
from extraction.algorithms.errors import LearningError
from extraction.algorithms.learning.apriori import Learned, NotLearned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.records import LearnedRecords, MarkedRow, RowField, learn_records, read_row_values
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.suggestion.lists import choose_rows_to_mark, suggest_lists

ANNOTATED_ROWS = 2
UNANNOTATED = 15

SUGGESTED_PAGES, SUGGESTED_MARKED, WHOLE_ROWS = 10, 2, 40
"""Pages from which lists are suggested, pages on which a click marks rows, and most rows of the first that are all marked."""


def read(folder: Path) -> dict[str, PageTable]:
    return {file.stem: read_page_table(parse(file.read_bytes()).root) for file in sorted((folder / "pages").glob("*.html"))}


def mark(page: PageTable, rows: list[list[str]]) -> list[MarkedRow]:
    """Return where an editor would click for some rows: the texts that are closest together, in page order."""
    texts_at: dict[str, list[Location]] = {}
    for node, element in enumerate(page.nodes):
        for nth, text in enumerate(texts(element), 1):
            texts_at.setdefault(clean(text), []).append(Location(node, "text", nth))
    marked, after = [], 0
    for row in rows:
        at = _closest([texts_at.get(clean(text), []) for text in row], after)
        marked.append(MarkedRow(0, {str(column): (place,) for column, place in enumerate(at)}))
        after = max(place.node for place in at)
    return marked


def _closest(choices: list[list[Location]], after: int) -> list[Location]:
    """One place of each column, all after a node, within the least span; columns stand in order."""
    best: tuple[int, list[Location]] | None = None
    for first in choices[0]:
        if first.node <= after:
            continue
        chain = [first]
        for column in choices[1:]:
            later = next((place for place in column if place > chain[-1]), None)
            if later is None:
                break
            chain.append(later)
        span = chain[-1].node - chain[0].node
        if len(chain) == len(choices) and (best is None or span < best[0]):
            best = span, chain
    if best is None:
        raise LearningError("an annotated row is not on the page")
    return best[1]


def rows_of(page: PageTable, learned: LearnedRecords, columns: Iterable[int]) -> list[list[str]]:
    """The rows that the rule gives on a page, the columns with these numbers; one without any value is none."""
    rows = Rows(list(select_rows([learned.rows.xpath], page.root)))
    found = []
    for place in range(len(rows.elements)):
        fields = [learned.fields[str(column)] for column in columns]
        row = ["; ".join(read_row_values(rows, place, field)) if isinstance(field, Learned) else "" for field in fields]
        if any(row):
            found.append(row)
    return found


def predict(folder: Path, *, explain: bool = False) -> dict[str, list[list[str]]]:
    pages = read(folder)
    truth = {name: json.loads((folder / "truth" / f"{name}.json").read_text()) for name in sorted(pages)}
    first = next(name for name, rows in truth.items() if len(rows) >= ANNOTATED_ROWS)
    shown = truth[first][:ANNOTATED_ROWS]
    others = [page for name, page in pages.items() if name != first][:UNANNOTATED]
    columns = len(shown[0])
    learned = learn_records([pages[first], *others], mark(pages[first], shown), [RowField(str(column)) for column in range(columns)])
    if isinstance(learned, NotLearned):
        print(f"{folder.name}: not learned: {learned.reason}")
        return {}
    if explain:
        print(folder.name, learned.rows.xpath, {n: f.alternatives if isinstance(f, Learned) else f for n, f in learned.fields.items()})
    return {name: rows_of(page, learned, range(columns)) for name, page in pages.items()}


def predict_suggested(folder: Path, *, explain: bool = False) -> dict[str, list[list[str]]]:
    """What the rule of the first suggested list gives, learned from the rows that one click marks."""
    pages = read(folder)
    names, tables = list(pages), list(pages.values())
    found = next(iter(suggest_lists([table.root for table in tables[:SUGGESTED_PAGES]])), None)
    if found is None:
        print(f"{folder.name}: no list is suggested")
        return {}
    numbers = [field.number for field in found.fields]
    shown = [page for page, rows in found.section.rows.items() if len(rows) > 1][:SUGGESTED_MARKED]
    whole = [at for at, page in enumerate(shown[:1]) if len(found.section.rows[page]) <= WHOLE_ROWS]
    rows = [
        MarkedRow(at, {str(number): tuple(value.place for value in row.values.get(number, ())) for number in numbers})
        for at, page in enumerate(shown)
        for row in choose_rows_to_mark(found, page, numbers, most=WHOLE_ROWS if at in whole else ANNOTATED_ROWS)
    ]
    others = [table for page, table in enumerate(tables) if page not in shown][:UNANNOTATED]
    fields = [RowField(str(field.number), field.multiple) for field in found.fields]
    learned = learn_records([*(tables[page] for page in shown), *others], rows, fields, whole=whole)
    if isinstance(learned, NotLearned):
        print(f"{folder.name}: not learned: {learned.reason}")
        return {}
    if explain:
        print(folder.name, found.name, [field.name for field in found.fields], learned.rows.xpath)
    given = {name: rows_of(page, learned, numbers) for name, page in pages.items()}
    return _as_truth(given, json.loads((folder / "truth" / f"{names[shown[0]]}.json").read_text()), names[shown[0]])


def _as_truth(given: dict[str, list[list[str]]], truth: list[list[str]], shown: str) -> dict[str, list[list[str]]]:
    """Rows with the columns that hold most of each true column on one page."""
    columns = []
    for wanted in zip(*truth, strict=True):
        counts = [(Counter(map(clean, wanted)) & Counter(map(clean, got))).total() for got in zip(*given[shown], strict=True)]
        columns.append(counts.index(max(counts)))
    return {name: [[row[column] for column in columns] for row in rows] for name, rows in given.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--explain", action="store_true", help="print the rules")
    parser.add_argument("--suggested", action="store_true", help="annotate nothing: take the first list that is suggested")
    options = parser.parse_args()
    folders = sorted(folder for folder in options.data.iterdir() if (folder / "truth").is_dir())
    predicted = predict_suggested if options.suggested else predict
    predictions = {folder.name: predicted(folder, explain=options.explain) for folder in folders}
    options.predictions.write_text(json.dumps(predictions, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
