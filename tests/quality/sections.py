"""Sections and their records found by MSE: ``python -m tests.quality.sections DATA``.

DATA as for `tests.quality.records`; nothing is annotated. A row of the truth is found when a record of the best section of the site holds
its texts, in order, and those of no other row. The made listings of tests/algorithms/learning are measured beside them: there a row is
found when its title stands in a record alone.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from extraction.algorithms.alignment.mse import Section, find_sections
from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.parse import parse
from tests.algorithms.learning.listings import MARKUPS, Markup, items

COUNTS = (7, 12, 9, 5)
"""Items of each page of a made listing."""

Truth = Mapping[int, Sequence[tuple[str, ...]]]
"""{page: rows}"""


@dataclass(frozen=True, slots=True)
class Measured:
    """right: records that are rows; given: all records of the section; there: true rows. seconds: of the processor, after parsing."""

    name: str
    sections: int
    right: int
    given: int
    there: int
    seconds: float = 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall of rows."""
        return 2 * self.right / max(self.given + self.there, 1)


def measure(name: str, contents: Sequence[bytes], truth: Truth) -> Measured:
    """The section of pages that holds most of the true rows."""
    roots = [parse(content).root for content in contents]
    started = time.process_time()
    sections = [section for section in find_sections(roots) if section.several]
    seconds = time.process_time() - started
    there = sum(map(len, truth.values()))
    counts = [_count(section, truth) for section in sections]
    right, given = max(counts, key=lambda pair: 2 * pair[0] / (pair[1] + there), default=(0, 0))
    return Measured(name, len(sections), right, given, there, seconds)


def _count(section: Section, truth: Truth) -> tuple[int, int]:
    right = given = 0
    for page, rows in section.rows.items():
        given += len(rows)
        left = list(truth.get(page, ()))
        for row in rows:
            texts = [clean(value.text) for values in row.values.values() for value in values]
            held = [each for each in left if _holds(texts, each)]
            if len(held) == 1:
                right += 1
                left.remove(held[0])
    return right, given


def _holds(texts: Sequence[str], row: Sequence[str]) -> bool:
    """Whether the row's texts are among these, in order."""
    rest = iter(texts)
    return all(any(clean(wanted) == text for text in rest) for wanted in row)


def site(folder: Path) -> Measured:
    """A site with the truth of its rows."""
    files = sorted((folder / "pages").glob("*.html"))
    truth = {n: [tuple(row) for row in json.loads((folder / "truth" / f"{file.stem}.json").read_text())] for n, file in enumerate(files)}
    return measure(folder.name, [file.read_bytes() for file in files], truth)


def listing(markup: Markup) -> Measured:
    """Four pages of a made listing."""
    contents, truth = [], {}
    for page, count in enumerate(COUNTS):
        rng = random.Random(f"{markup.name} {page}")
        some = items(rng, count, markup.missing)
        contents.append(markup.body(some, rng).encode())
        truth[page] = [(item.title,) for item in some]
    return measure(markup.name, contents, truth)


def every(data: Path | None = None) -> Iterator[Measured]:
    """The sites of a data set, then the made listings."""
    if data is not None:
        yield from (site(folder) for folder in sorted(data.iterdir()) if (folder / "truth").is_dir())
    yield from map(listing, MARKUPS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    print("pages                    sections  precision  recall     F1  seconds")
    for each in every(options.data):
        precision, recall = each.right / max(each.given, 1), each.right / max(each.there, 1)
        print(f"{each.name:25}{each.sections:8}{precision:11.3f}{recall:8.3f}{each.f1:7.3f}{each.seconds:9.2f}", flush=True)


if __name__ == "__main__":
    main()
