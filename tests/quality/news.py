"""Title and body from node extraction patterns: ``python -m tests.quality.news DATA [--sites N]``.

DATA is a folder of sites with pages/ and truth.json; the pattern is generalised over the first ten pages of each and matched with the
next ten, too. Title: mean F1 of its words, beside that of the page's first h1. Body: mean F1 of its words with those of the attribute that
holds a page's long text, beside that of the whole element around it, and of the main text by blocks (`boilerplate`). Before that, the
same on news sites made for it.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from time import process_time

from lxml import etree

from extraction.algorithms.alignment.node_patterns import generalise_pages, match_page, news
from extraction.algorithms.alignment.node_patterns.page_trees import read_page_tree
from extraction.algorithms.alignment.trees import Forest
from extraction.algorithms.boilerplate import entropy, main_content, template_hash
from extraction.algorithms.boilerplate.blocks import split_blocks
from extraction.algorithms.dom.nodes import clean, elements, whole_text
from extraction.algorithms.dom.parse import parse
from tests.fixtures import news_site

PAGES = 10
LONG = ("instructions_list", "instructions")

Truth = Mapping[str, Sequence[str]]
"""{field: the text it has on each page, "" for none}"""


@dataclass
class Figures:
    """The figures of a site: mean F1 by field on the pages of the pattern, on later pages, and of the other methods.

    strict: share of the later pages that the pattern describes.
    """

    site: str
    seconds: float = 0.0
    strict: float = 0.0
    seen: dict[str, float] = field(default_factory=dict)
    apart: dict[str, float] = field(default_factory=dict)
    others: dict[str, float] = field(default_factory=dict)
    element: dict[str, float] = field(default_factory=dict)


def f1(one: str, other: str) -> float:
    """Return the F1 of the words of two texts, as bags of words."""
    first, second = (Counter(re.findall(r"\w+", text.lower())) for text in (one, other))
    both = (first & second).total()
    return 2 * both / (first.total() + second.total()) if both else 0.0


def measure(site: str, roots: Sequence[etree._Element], truth: Truth) -> Figures:
    """The figures of a site, of whose pages the first ten make the pattern."""
    forest, began = Forest(), process_time()
    placed = [read_page_tree(root, forest) for root in roots]
    pattern = generalise_pages(placed[:PAGES], forest)
    matches = [match_page(pattern, page) for page in placed]
    labels = news.label_pattern(pattern, matches[:PAGES], [clean(root.findtext(".//title") or "") for root in roots[:PAGES]])
    found = [news.extract_article(pattern, labels, each) for each in matches]
    given = {
        "title": [each.title.text if each.title else "" for each in found],
        "body": [each.body.text if each.body else "" for each in found],
    }
    strict = [each.strict for each in matches[PAGES:]]
    figures = Figures(site, process_time() - began, fmean(strict) if strict else 0.0)
    others = {"title": [_heading(root) for root in roots], "body": main_texts(roots)}
    whole = {"title": given["title"], "body": [_around(root, each) for root, each in zip(roots, found, strict=True)]}
    first, rest, every = slice(0, PAGES), slice(PAGES, None), slice(None)
    parts = ((first, figures.seen, given), (rest, figures.apart, given), (every, figures.others, others), (every, figures.element, whole))
    for name, texts in truth.items():
        for part, into, rows in parts:
            scores = [f1(mine, true) for mine, true in zip(rows[name][part], texts[part], strict=True) if true]
            if scores:
                into[name] = fmean(scores)
    return figures


def _around(root: etree._Element, found: news.NewsArticle) -> str:
    return clean(whole_text(elements(root)[found.body.place.node])) if found.body else ""


def _heading(root: etree._Element) -> str:
    found = next(root.iter("h1"), None)
    return clean(whole_text(found)) if found is not None else ""


def main_texts(roots: Sequence[etree._Element]) -> list[str]:
    """The main text of each page, as the dashboard offers it."""
    nodes = [elements(root) for root in roots]
    held = [split_blocks(page) for page in nodes]
    judged = entropy.discover_informative([[block.features for block in page] for page in held])
    found = []
    for number, (page, own) in enumerate(zip(nodes, held, strict=True)):
        node = main_content.find_main_text(
            template_hash.hash_nodes(page), own, [judged.informative(number, place) for place in range(len(own))]
        )
        found.append("" if node is None else clean(whole_text(page[node])))
    return found


def real(folder: Path) -> Figures | None:
    """The figures of a site's first twenty pages; None where its truth has neither a title nor a long text."""
    files = sorted((folder / "pages").glob("*.html"))[: 2 * PAGES]
    truth = json.loads((folder / "truth.json").read_text())
    body = next((name for name in LONG if name in truth), None)
    fields = {name: truth[key] for name, key in (("title", "title"), ("body", body)) if key in truth}
    if not fields or len(files) < 2:
        return None
    texts = {name: [" ".join(rows.get(file.stem, [])) for file in files] for name, rows in fields.items()}
    return measure(folder.name, [parse(file.read_bytes()).root for file in files], texts)


def made(design: str) -> Figures:
    """The figures of a news site made for it; the pages kept apart are other stories."""
    pages = [*news_site.pages(design), *news_site.pages(design, seed=2)]
    truth = {"title": [page.title for page in pages], "body": [page.body for page in pages]}
    return measure(f"news, {design}", [parse(page.content).root for page in pages], truth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sites", type=int, help="so many sites, spread evenly (default: all)")
    options = parser.parse_args()
    folders = sorted(folder for folder in options.data.iterdir() if (folder / "truth.json").is_file())
    folders = folders[:: max(1, len(folders) // options.sites)] if options.sites else folders
    print("site                                title: seen apart   h1   body: seen apart element blocks  strict  seconds")
    rows = [_said(made(design)) for design in news_site.DESIGNS]
    rows = [_said(found) for folder in folders if (found := real(folder))]
    for name in ("title", "body"):
        for kind in ("seen", "apart", "element", "others"):
            held = [getattr(row, kind)[name] for row in rows if name in getattr(row, kind)]
            print(f"{name}, {kind}: {fmean(held):.3f} on {len(held)} sites" if held else f"{name}, {kind}: none")


def _said(row: Figures) -> Figures:
    kinds = {"title": (row.seen, row.apart, row.others), "body": (row.seen, row.apart, row.element, row.others)}
    cells = (each.get(name) for name, rows in kinds.items() for each in rows)
    shown = " ".join("   –  " if cell is None else f"{cell:6.3f}" for cell in cells)
    print(f"{row.site[:36]:36} {shown} {row.strict:6.2f} {row.seconds:7.2f}", flush=True)
    return row


if __name__ == "__main__":
    main()
