"""Sites of the evaluation pages as the quality tasks read them: pages as tables, and the nodes that an editor would mark."""

import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from extraction.algorithms.dom.nodes import RAW_TEXT, Location, clean, string_value, texts, whole_text
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.apriori import Example
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table

UNANNOTATED = 30
"""Other pages given to the learner, evenly spread over the site."""


@dataclass(frozen=True)
class Site:
    """A site's pages by name, and what an editor would mark on the first of them."""

    name: str
    pages: dict[str, PageTable]
    annotations: dict[str, dict[str, list[dict[str, Any]]]]
    truth: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """{attribute: {page: values}}: never for learning."""


def read_site(folder: Path, *, most: int | None = None) -> Site:
    """A site's pages, the first `most` of them."""
    pages = {file.stem: read_page_table(parse(file.read_bytes()).root) for file in sorted((folder / "pages").glob("*.html"))[:most]}
    annotations, truth = (json.loads((folder / name).read_text()) for name in ("annotations.json", "truth.json"))
    return Site(folder.name, pages, annotations, truth)


def seen(element: etree._Element) -> bool:
    """Whether an element is in the body and outside what is no running text."""
    chain = [element, *element.iterancestors()]
    return any(e.tag == "body" for e in chain) and not any(e.tag in RAW_TEXT for e in chain)


def shown(text: str) -> str:
    """A text as the annotations compare it: some pages escape their entities twice."""
    return clean(html.unescape(text))


def place(page: PageTable, entry: dict[str, Any]) -> Location | None:
    """The node that an entry of annotations.json means."""
    wanted, nodes = shown(entry["value"]), page.nodes
    if entry.get("kind") == "element":
        equal = {row for row, e in enumerate(nodes) if wanted in (shown(string_value(e)), shown(whole_text(e))) and seen(e)}
        innermost = [row for row in sorted(equal) if not any(n in equal for n in range(row + 1, int(page.elements.end[row])))]
        return Location(innermost[entry["nth"]]) if entry["nth"] < len(innermost) else None
    found = [
        Location(row, "text", nth)
        for row, element in enumerate(nodes)
        for nth, text in enumerate(texts(element), 1)
        if shown(text) == wanted and seen(element)
    ]
    found = sorted(found, key=lambda location: order(page, location))
    return found[entry["nth"]] if entry["nth"] < len(found) else None


def order(page: PageTable, location: Location) -> tuple[int, ...]:
    """A key that sorts text nodes in document order."""
    element, last = page.nodes[location.node], location.node
    nth = 1 if element.text else 0
    if nth == location.text and element.text:
        return (last, 0, 0)
    for child in element:
        nth += bool(child.tail)
        if child.tail and nth == location.text:
            before = child if isinstance(child.tag, str) else None
            row = page.nodes.index(before) if before is not None else last
            return (int(page.elements.end[row]) - 1 if before is not None else row, 1, location.text)
    return (last, 0, 0)


def sample(names: Sequence[str], annotated: Sequence[str]) -> list[str]:
    others = [name for name in names if name not in annotated]
    return others[:: max(1, -(-len(others) // UNANNOTATED))][:UNANNOTATED]


@dataclass(frozen=True)
class Lesson:
    """What the learner is given for one attribute: pages by name, annotated ones first, and what is marked on them."""

    attribute: str
    names: list[str]
    examples: tuple[Example, ...]
    multiple: bool


def lessons(site: Site, annotated: int) -> Iterator[Lesson]:
    """The lesson of each attribute from the first `annotated` pages that have it."""
    for attribute in site.annotations:
        yield lesson(site, attribute, annotated)


def lesson(site: Site, attribute: str, annotated: int) -> Lesson:
    """The lesson of one attribute."""
    entries = site.annotations[attribute]
    chosen = [name for name in sorted(entries) if entries[name]][:annotated]
    multiple, clicked = examples(site, attribute, chosen)
    return Lesson(attribute, [*chosen, *sample(list(site.pages), chosen)], clicked, multiple)


def examples(site: Site, attribute: str, chosen: Sequence[str]) -> tuple[bool, tuple[Example, ...]]:
    """(whether the attribute takes several values, what is marked on the chosen pages, which are the first of the learner's)."""
    entries = site.annotations[attribute]
    multiple = any(len({clean(e["value"]) for e in entries[name]}) > 1 for name in chosen)
    made = []
    for number, name in enumerate(chosen):
        found = [place(site.pages[name], entry) for entry in entries[name]]
        made.append(Example(number, tuple(location for location in (found if multiple else found[:1]) if location)))
    return multiple, tuple(made)


def folders(data: Path) -> list[Path]:
    """The sites of a data set, by name."""
    return sorted(folder for folder in data.iterdir() if (folder / "annotations.json").is_file())
