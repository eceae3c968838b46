"""Lists relearned from their old rows: ``python -m tests.quality.relisted DATA --predictions OUT``.

DATA as for `records`. A list's rule is learned from two marked rows; what it gives on all pages are the old rows. Then the pages get other
designs (DESIGNS): the markup of their tables changes, one row in ten goes, and half of the rows are mentioned in a box before the list.
The list is relearned from the old rows alone. Written and printed is ``{design: {site: F1 of whole rows}}`` against the truth without the
rows that went.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path

from lxml import etree

from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.rows import select_rows
from extraction.algorithms.learning.apriori import Learned, NotLearned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.records import LearnedRecords, RowField, learn_records
from extraction.algorithms.learning.table_reader import read_page_table
from extraction.algorithms.monitoring.list_judging import find_rows, read_texts
from extraction.algorithms.monitoring.list_relearning import RelearnedList, relearn_list
from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from tests.quality.records import ANNOTATED_ROWS, UNANNOTATED, mark, read

GONE = 10
"""One row in so many is not on the new page."""

Rows = list[list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path)
    options = parser.parse_args()
    found = measure(options.data)
    for design, sites in found.items():
        print(design, {site: round(value, 3) for site, value in sites.items()})
    if options.predictions:
        options.predictions.write_text(json.dumps(found, indent=1, sort_keys=True))


def measure(data: Path) -> dict[str, dict[str, float]]:
    """{design: {site: row F1}}."""
    folders = sorted(each for each in data.iterdir() if (each / "truth").is_dir())
    return {name: {folder.name: _site(folder, change) for folder in folders} for name, change in DESIGNS.items()}


def _site(folder: Path, change: Callable[[etree._Element], None]) -> float:
    pages = read(folder)
    truth: dict[str, Rows] = {name: json.loads((folder / "truth" / f"{name}.json").read_text()) for name in sorted(pages)}
    old = _old_rule(pages, truth)
    before = {
        name: [{each.name: read_texts(row, each.name) for each in old.attributes} for row in find_rows(old, pages[name])] for name in pages
    }
    new = {name: read_page_table(_redesigned(old, page.root, change)) for name, page in pages.items()}
    names = [each.name for each in old.attributes]
    made = relearn_list(old, names, list(new.values()), [before[name] for name in new], old_pages=[pages[name] for name in new])
    if not isinstance(made, RelearnedList):
        print(f"{folder.name}: {made.reason}")
        return 0.0
    given = {
        name: [["; ".join(read_texts(row, each)) for each in names] for row in find_rows(made.rule, page)] for name, page in new.items()
    }
    return _f1({name: _left(rows) for name, rows in truth.items()}, given)


def _old_rule(pages: Mapping[str, PageTable], truth: Mapping[str, Rows]) -> ListRule:
    first = next(name for name, rows in truth.items() if len(rows) >= ANNOTATED_ROWS)
    shown = truth[first][:ANNOTATED_ROWS]
    others = [page for name, page in pages.items() if name != first][:UNANNOTATED]
    learned = learn_records([pages[first], *others], mark(pages[first], shown), [RowField(str(column)) for column in range(len(shown[0]))])
    if isinstance(learned, NotLearned):
        raise SystemExit(f"the old rule was not learned: {learned.reason}")
    return ListRule("rows", (Selector(learned.rows.xpath),), tuple(_attribute(learned, str(column)) for column in range(len(shown[0]))))


def _attribute(learned: LearnedRecords, name: str) -> AttributeRule:
    field = learned.fields[name]
    alternatives = field.alternatives if isinstance(field, Learned) else ()
    return AttributeRule(name, alternatives=tuple(Selector(each.xpath, each.part) for each in alternatives))


def _left(rows: Rows) -> Rows:
    return [row for number, row in enumerate(rows) if number % GONE != GONE - 1]


def _redesigned(old: ListRule, root: etree._Element, change: Callable[[etree._Element], None]) -> etree._Element:
    """A copy of the page in another design."""
    copy = deepcopy(root)
    rows = list(select_rows([each.xpath for each in old.rows], copy))
    names = [next((text for text in row.itertext() if any(map(str.isalpha, text))), "") for row in rows]
    for number, row in enumerate(rows):
        if number % GONE == GONE - 1 and (above := row.getparent()) is not None:
            above.remove(row)
    change(copy)
    body = copy.find("body")
    if body is not None and rows:
        box = etree.Element("aside")
        for name in names[::2]:
            etree.SubElement(box, "p").text = name
        body.insert(0, box)
    return copy


def _other_names(root: etree._Element) -> None:
    for element in elements(root):
        for name in ("class", "id"):
            if element.get(name):
                element.set(name, " ".join(f"n{len(word)}-{word[::-1]}" for word in str(element.get(name)).split()))


def _other_tags(tags: Mapping[str, str]) -> Callable[[etree._Element], None]:
    def change(root: etree._Element) -> None:
        for element in elements(root):
            element.tag = tags.get(str(element.tag), element.tag)
            if element.tag in tags.values():
                element.attrib.clear()

    return change


def _reversed_cells(root: etree._Element) -> None:
    for row in root.iter("tr"):
        row[:] = list(row)[::-1]


def _with_adverts(root: etree._Element) -> None:
    _other_tags({"table": "section", "thead": "header", "tbody": "div", "tr": "article", "td": "p", "th": "p"})(root)
    for number, row in enumerate(list(root.iter("article"))):
        if number % 5 == 4:
            advert = etree.Element("article")
            etree.SubElement(advert, "p").text = "Sponsored"
            row.addprevious(advert)


DESIGNS: dict[str, Callable[[etree._Element], None]] = {
    "other names": _other_names,
    "lists for tables": _other_tags({"table": "div", "thead": "div", "tbody": "ul", "tr": "li", "td": "span", "th": "b"}),
    "columns the other way round": _reversed_cells,
    "cards with adverts between": _with_adverts,
}


def _f1(truth: Mapping[str, Rows], given: Mapping[str, Rows]) -> float:
    wanted = Counter((name, tuple(row)) for name, rows in truth.items() for row in rows)
    found = Counter((name, tuple(row)) for name, rows in given.items() for row in rows)
    same = sum((wanted & found).values())
    return 2 * same / (sum(wanted.values()) + sum(found.values()))


if __name__ == "__main__":
    main()
