"""Template and content on real pages: ``python -m tests.quality.blocks DATA``.

DATA is a folder of sites with pages/, annotations.json. For InfoDiscoverer: the share of the blocks with a marked value that are
informative, and the share of the pages' text that is in redundant blocks. For comparison, the most that could be dropped: the text of
elements that at least half of the pages have word for word. For both detectors of Gibson et al.: the share of the pages that is template,
and the share of the marked values that would count as template. Nothing is learned from the annotations.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lxml import etree

from extraction.algorithms.boilerplate import entropy, template_hash, template_regions, text_windows
from extraction.algorithms.boilerplate.blocks import split_blocks
from extraction.algorithms.boilerplate.template_hash import HtmlAmount
from extraction.algorithms.dom.nodes import RAW_TEXT, clean, elements, texts
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.table_reader import read_page_table
from tests.quality.sites import folders, place

PAGES = 30
"""Pages of a site, spread evenly, as many as the dashboard looks at."""

Pages = dict[str, list[etree._Element]]


@dataclass(frozen=True)
class Figures:
    """A site. All shares; blocks: how many hold a marked value, informative: of them. template: (bytes, words, links, text)."""

    site: str
    threshold: float
    blocks: int
    informative: int
    dropped: float
    repeated: float
    template: tuple[float, float, float, float]
    values: int
    values_in_template: int


def measure(folder: Path) -> Figures:
    """The figures of a site."""
    pages, marked = read(folder)
    held = {name: split_blocks(nodes) for name, nodes in pages.items()}
    found = entropy.discover_informative([[block.features for block in page] for page in held.values()])
    with_value = informative = chars = dropped = 0
    for number, (name, page) in enumerate(held.items()):
        for place_, block in enumerate(page):
            keeps = found.informative(number, place_)
            chars, dropped = chars + block.chars, dropped + block.chars * (not keeps)
            if marked.get(name, set()) & set(block.nodes):
                with_value, informative = with_value + 1, informative + keeps
    values = sum(map(len, marked.values()))
    shares, taken = template(pages, marked)
    return Figures(
        folder.name, found.threshold, with_value, informative, dropped / chars, repeated(list(pages.values())), shares, values, taken
    )


def read(folder: Path) -> tuple[Pages, dict[str, set[int]]]:
    """(pages by name, elements whose text an editor marks on them)."""
    entries = json.loads((folder / "annotations.json").read_text())
    files = sorted((folder / "pages").glob("*.html"))
    annotated = {name for by_page in entries.values() for name, rows in by_page.items() if rows}
    chosen = [file for n, file in enumerate(files) if n % -(-len(files) // PAGES) == 0 or file.stem in annotated]
    pages = {file.stem: elements(parse(file.read_bytes()).root) for file in chosen}
    marked: dict[str, set[int]] = {}
    for name in annotated:
        page = read_page_table(pages[name][0])
        places = [place(page, entry) for by_page in entries.values() for entry in by_page.get(name, [])]
        marked[name] = {at.node for at in places if at}
    return pages, marked


def repeated(pages: Sequence[Sequence[etree._Element]]) -> float:
    """The share of the pages' text in elements whose own text stands on at least half of the pages."""
    own = [[text for node in page if node.tag not in RAW_TEXT and (text := clean(" ".join(texts(node))))] for page in pages]
    seen = Counter(text for page in own for text in set(page))
    total = sum(len(text) for page in own for text in page)
    return sum(len(text) for page in own for text in page if 2 * seen[text] >= len(pages)) / total


def template(pages: Pages, marked: dict[str, set[int]]) -> tuple[tuple[float, float, float, float], int]:
    """((bytes, words, links, text) that is template, marked values that are in template nodes)."""
    hashed = {name: template_hash.hash_nodes(nodes) for name, nodes in pages.items()}
    counted = template_hash.count_hashes(hashed.values())
    low, high = template_hash.default_bounds(len(pages))
    part, whole, taken = HtmlAmount(), HtmlAmount(), 0
    for name, page in hashed.items():
        regions = template_regions.learn_node_template(counted, low=low, high=high).mark(page)
        part, whole = sum((region.measure for region in regions), part), whole + page[0].whole
        taken += sum(any(region.start <= node < region.end for region in regions) for node in marked.get(name, ()))
    shown = [" ".join(t for e in nodes if e.tag not in RAW_TEXT for t in texts(e)) for nodes in pages.values()]
    windows = text_windows.learn_text_template(shown)
    marks = sum(end - start for text in shown for start, end in windows.mark(text))
    shares = (part.size_bytes / whole.size_bytes, part.words / whole.words, part.links / max(1, whole.links), marks / sum(map(len, shown)))
    return shares, taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    rows = []
    print("site                     threshold  informative  dropped  (repeated)  template bytes words links text  values in it")
    for folder in folders(parser.parse_args().data):
        rows.append(row := measure(folder))
        shares = " ".join(f"{share:5.2f}" for share in row.template)
        print(
            f"{row.site:25} {row.threshold:8.2f} {row.informative:8} of {row.blocks:3} {row.dropped:6.2f}  ({row.repeated:.2f})"
            f"            {shares}  {row.values_in_template} of {row.values}",
            flush=True,
        )
    for figure, value in summary(rows).items():
        print(f"{figure}: {value:.3f}")


def summary(rows: Sequence[Figures]) -> dict[str, float]:
    """The figures of all sites together."""
    return {
        "blocks with values, informative": sum(row.informative for row in rows) / sum(row.blocks for row in rows),
        "text dropped, median site": median(row.dropped for row in rows),
        "repeated text, median site": median(row.repeated for row in rows),
        "template bytes, median site": median(row.template[0] for row in rows),
        "template words, median site": median(row.template[1] for row in rows),
        "template links, median site": median(row.template[2] for row in rows),
        "template text by windows, median site": median(row.template[3] for row in rows),
        "values outside template nodes": 1 - sum(row.values_in_template for row in rows) / sum(row.values for row in rows),
    }


if __name__ == "__main__":
    main()
