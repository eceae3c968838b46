"""RoadRunner on real pages: ``python -m tests.quality.roadrunner DATA``.

DATA is a folder of sites, each with pages/NNNN.html and truth.json. For the first 3, 10 and 20 pages of each site (fewer where it has no
more): whether they come to one wrapper without the last resort; at how many places it was taken where it is allowed, which finds more
fields; the time of the process from trees to data; and the share of the attributes that some column holds with F1 of at least 0.8 over
the pages that the wrapper matches. An attribute with the same value on all of them is not a field for RoadRunner and is not found.

*5 of 10* is what the dashboard does: the wrapper of five pages, read from ten.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from lxml import etree

from extraction.algorithms.alignment.roadrunner.infer import PAGES, Inference, infer_from_few_pages
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import AlignmentError
from tests.quality.scores import f1, sites

FOUND = 0.8
NUMBERS = (3, 10, 20)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one site. strict: whether it aligns without the last resort. resorts: places where that was taken. read: pages matched."""

    site: str
    pages: int
    strict: bool
    resorts: int
    read: int
    seconds: float
    columns: int
    sets: int
    found: tuple[bool, ...]


def outcome(folder: Path, count: int, *, most: int | None = None, last_resort: bool = True) -> Outcome:
    """Return the result for the first `count` pages, of which `most` make the wrapper (all if None); empty if RoadRunner gives up."""
    files = sorted((folder / "pages").glob("*.html"))[:count]
    roots = [parse(file.read_bytes()).root for file in files]
    started = time.process_time()
    strict = _strict(roots, most)
    between = time.process_time()
    found = infer_from_few_pages(roots, most=most or len(roots)) if last_resort else strict
    seconds = time.process_time() - between if last_resort else between - started
    held = _held(folder, [file.stem for file in files], found)
    if found is None:
        return Outcome(folder.name, len(files), False, 0, 0, seconds, 0, 0, held)
    columns, sets = found.structure.columns(), found.structure.tables()
    read = len(files) - len(found.unread)
    return Outcome(folder.name, len(files), strict is not None, found.resorts, read, seconds, len(columns), len(sets), held)


def _strict(roots: Sequence[etree._Element], most: int | None) -> Inference | None:
    try:
        return infer_from_few_pages(roots, most=most or len(roots), last_resort=False)
    except AlignmentError:
        return None


def _held(folder: Path, names: Sequence[str], found: Inference | None) -> tuple[bool, ...]:
    truths = json.loads((folder / "truth.json").read_text()).values()
    if found is None:
        return tuple(False for _ in truths)
    columns = [
        {names[page]: [value.text for value in values] for page, values in pages.items()} for pages in found.structure.columns().values()
    ]
    read = {name for number, name in enumerate(names) if number not in found.unread}
    shown = [{page: values for page, values in truth.items() if page in read} for truth in truths]
    return tuple(any(f1(truth, column) >= FOUND for column in columns) for truth in shown if truth)


def figures(data: Path) -> dict[str, float]:
    """For `make quality`: the share of the attributes found from as many pages as the dashboard takes."""
    rows = [outcome(folder, PAGES) for folder in sites(data)]
    return {"found": fmean(hit for row in rows for hit in row.found)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--each", action="store_true", help="a line for each site")
    parser.add_argument("--without-last-resort", action="store_true", help="give up where it would be taken")
    options = parser.parse_args()
    print("| pages | sites | without the last resort | places it is taken, median | pages read | seconds, median | seconds, most | found |")
    print("|---|---|---|---|---|---|---|---|")
    for name, count, most in [*((f"{count}", count, None) for count in NUMBERS), (f"{PAGES} of 10", 10, PAGES)]:
        rows = [outcome(folder, count, most=most, last_resort=not options.without_last_resort) for folder in sites(options.data)]
        for row in rows if options.each else ():
            print(f"  {row}")
        seconds = [row.seconds for row in rows]
        print(
            f"| {name} | {len(rows)} | {sum(row.strict for row in rows)} | {median(row.resorts for row in rows):.0f} "
            f"| {fmean(row.read / row.pages for row in rows):.2f} | {median(seconds):.2f} | {max(seconds):.2f} "
            f"| {fmean(hit for row in rows for hit in row.found):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
