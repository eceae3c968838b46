"""Suggested fields on real pages: ``python -m tests.quality.suggest DATA --predictions OUT``.

DATA is a folder of sites, each with pages/NNNN.html and truth.json. Nothing is annotated and the truth is not read for the proposal.
The output is ``{site: [{page: [values]}, …]}``, with an object for each proposed column, the best first. With ``--names`` the name of
each column that holds an attribute is printed.

A column that holds an attribute (F1 of at least 0.8; of several the first) has a sensible name when the two names share a word,
either directly or by `SYNONYMS`.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns
from tests.quality.scores import f1, sites

FOUND = 0.8
SYNONYMS = {
    "title": {"name", "heading", "headline", "model", "job", "product", "make"},
    "name": {"title", "heading", "company", "organization", "player", "school"},
    "author": {"writer", "by", "contributor"},
    "publisher": {"vendor", "imprint"},
    "publication": {"published", "release", "publisher"},
    "date": {"posted", "published", "year", "day"},
    "price": {"msrp", "cost", "amount"},
    "manufacturer": {"brand", "maker", "mfg", "vendor"},
    "model": {"title", "name", "product"},
    "fuel": {"mpg", "mileage"},
    "economy": {"mpg", "mileage"},
    "mpaa": {"rating", "rated", "certificate"},
    "phone": {"telephone", "tel", "fax", "call"},
    "website": {"web", "url", "site", "homepage", "www"},
    "address": {"street", "location", "adr"},
    "location": {"city", "address", "place", "region"},
    "company": {"employer", "organization", "name"},
    "team": {"club"},
    "type": {"control", "category", "kind"},
    "cuisine": {"food", "category", "kitchen"},
    "director": {"directed"},
    "genre": {"category"},
}
"""Words that mean an attribute's word, too."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was proposed for a site: its page names and the columns."""

    pages: Sequence[str]
    columns: Sequence[SuggestedColumn]

    def values(self) -> list[dict[str, list[str]]]:
        """The columns as the scorer takes them."""
        return [{self.pages[page]: [each.text for each in row] for page, row in column.values.items()} for column in self.columns]


def propose(folder: Path) -> Proposal:
    """The columns of a site from all of its pages."""
    files = sorted((folder / "pages").glob("*.html"))
    return Proposal([file.stem for file in files], suggest_columns([parse(file.read_bytes()).root for file in files]))


def held(folder: Path, proposal: Proposal) -> Iterator[tuple[str, int | None]]:
    """(attribute, place of the first column that holds it, None for none)."""
    columns = proposal.values()
    for attribute, truth in json.loads((folder / "truth.json").read_text()).items():
        yield attribute, next((place for place, column in enumerate(columns) if f1(truth, column) >= FOUND), None)


def figures(data: Path) -> dict[str, float]:
    """Shares: attributes found among the first 60 and 20 columns, of these those with a sensible name, columns that are constant."""
    places, named, constants = [], [], []
    for folder in sites(data):
        proposal = propose(folder)
        constants += [column.constant for column in proposal.columns]
        for attribute, place in held(folder, proposal):
            places.append(math.inf if place is None else place)
            if place is not None:
                named.append(sensible(attribute, proposal.columns[place].name))
    return {
        "found among 60": fmean(place < 60 for place in places),
        "found among 20": fmean(place < 20 for place in places),
        "sensibly named": fmean(named),
        "not constant": 1 - fmean(constants),
    }


def sensible(attribute: str, name: str) -> bool:
    """Whether the names share a word, directly or by `SYNONYMS`; a plural is the same word."""
    wanted = {word for part in attribute.split("_") for word in (part, *SYNONYMS.get(part, ()))}
    return any(word in wanted or word.removesuffix("s") in wanted for word in name.split("_"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--names", action="store_true", help="print the names of the columns that hold attributes")
    options = parser.parse_args()
    predictions = {}
    for folder in sites(options.data):
        started = time.perf_counter()
        proposal = propose(folder)
        predictions[folder.name] = proposal.values()
        print(
            f"{folder.name}: {len(proposal.pages)} pages read, {len(proposal.columns)} columns in {time.perf_counter() - started:.2f} s",
            flush=True,
        )
        for attribute, place in held(folder, proposal) if options.names else ():
            name = "" if place is None else proposal.columns[place].name
            print(f"  {attribute}: {name or 'not found'}{'' if not name or sensible(attribute, name) else '   (not sensible)'}")
    options.predictions.write_text(json.dumps(predictions, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
