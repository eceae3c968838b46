"""What ExAlg finds on real pages: ``python -m tests.quality.exalg DATA``.

DATA as for `tests.quality.suggest`. Nothing is annotated. An attribute is found when a column of the structure holds it with an F1 of at
least 0.8 over the pages read, the first 30 of a site; columns are not ranked. --words: values as the paper has them, without the
template's words.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from extraction.algorithms.alignment.exalg import infer_with_exalg
from extraction.algorithms.dom.parse import parse
from tests.quality.scores import f1, sites
from tests.quality.suggest import FOUND

PAGES = 30
"""Pages read of a site: one odd page among hundreds parts the classes of all."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A site: the attributes sought and found, the number of columns, and processor seconds after parsing."""

    site: str
    pages: int
    wanted: tuple[str, ...]
    found: tuple[str, ...]
    columns: int
    seconds: float


def measure(folder: Path, *, whole: bool = True, most: int = PAGES) -> Measured:
    """What ExAlg finds on the first pages of a site."""
    files = sorted((folder / "pages").glob("*.html"))[:most]
    names = {file.stem for file in files}
    roots = [parse(file.read_bytes()).root for file in files]
    started = time.process_time()
    columns = infer_with_exalg(roots, whole=whole).columns()
    seconds = time.process_time() - started
    values = [{files[page].stem: [each.text for each in row] for page, row in column.items()} for column in columns.values()]
    truth = {
        attribute: {page: texts for page, texts in pages.items() if page in names}
        for attribute, pages in json.loads((folder / "truth.json").read_text()).items()
    }
    found = tuple(attribute for attribute, pages in truth.items() if any(f1(pages, column) >= FOUND for column in values))
    return Measured(folder.name, len(files), tuple(truth), found, len(columns), seconds)


def every(data: Path, *, whole: bool = True, most: int = PAGES) -> Iterator[Measured]:
    """All sites of a data set."""
    return (measure(folder, whole=whole, most=most) for folder in sites(data))


def share(measured: list[Measured]) -> float:
    """The share of the attributes that were found."""
    return fmean(attribute in site.found for site in measured for attribute in site.wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", action="store_true", help="cut the template's words out of texts, as the paper does")
    parser.add_argument("--pages", type=int, default=PAGES, help="most pages of a site")
    options = parser.parse_args()
    print("site                      pages  found     columns  seconds  not found")
    measured = []
    for site in every(options.data, whole=not options.words, most=options.pages):
        measured.append(site)
        missing = ", ".join(attribute for attribute in site.wanted if attribute not in site.found)
        print(
            f"{site.site:25} {site.pages:5}  {len(site.found):2} of {len(site.wanted):2}  {site.columns:7}  {site.seconds:7.2f}  {missing}",
            flush=True,
        )
    print(f"found {share(measured):.3f}, columns {fmean(site.columns for site in measured):.0f} a site")


if __name__ == "__main__":
    main()
