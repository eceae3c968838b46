"""The tasks of `make quality`: each measures something on the evaluation pages, or on pages that it makes itself, and gives figures."""

import hashlib
import io
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from extraction.algorithms.methods import METHODS
from tests.quality import (
    absence,
    blocks,
    clusterings,
    exalg,
    extraction,
    mutation,
    named,
    relisted,
    roadrunner,
    scores,
    sections,
    suggest,
    templates,
    values,
    year,
)
from tests.quality.floors import DIGESTS
from tests.quality.sites import read_site

Row = tuple[str, str, float]
"""(task, figure, value)"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task gave.

    rows: its figures; none if the folder of its pages is missing.
    printed: what it printed.
    known: whether the pages are those that the floors were reached on.
    """

    rows: tuple[Row, ...]
    printed: str
    known: bool


def measure_task(data: Path, name: str) -> Outcome:
    """Do one task, in a process of its own."""
    folder, measure = TASKS[name]
    printed = io.StringIO()
    with redirect_stdout(printed):
        known = _check_pages(data, folder)
        rows = () if known is None else tuple(measure(data / folder))
    return Outcome(rows, printed.getvalue(), bool(known))


def _check_pages(data: Path, folder: str) -> bool | None:
    """Return whether the floors hold for the pages of a folder; None if there are no pages.

    folder: empty for a task that makes its own pages.
    """
    if not folder:
        return True
    if not (data / folder).is_dir():
        print(f"{folder}: skipped, there is no folder {data / folder}")
        return None
    known = digest(data / folder) == DIGESTS.get(folder)
    if not known:
        print(f"{folder}: other pages than the floors were reached on; no floor holds")
    return known


def _templates(_data: Path) -> Iterator[Row]:
    """The templates of made-up sites, which need no data."""
    for kind, found in templates.measure_kinds():
        for figure, value in templates.figures(kind, found).items():
            yield f"templates, {kind}", figure, value


def _year(_data: Path) -> Iterator[Row]:
    """Made-up shops, which need no pages."""
    year.set_up_django()
    for figure, value in year.list_figures(year.simulate_shops(1)):
        yield "year", figure, value


def digest(folder: Path) -> str:
    """A sha256 over all files below a folder, their names included."""
    whole = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        whole.update(f"{file.relative_to(folder)} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def _extraction(data: Path) -> Iterator[Row]:
    for count in (2, 5):
        yield from _extracted(data, "extraction", count, by=lambda site, attribute: site.split("-")[0])


def _modern(data: Path) -> Iterator[Row]:
    yield from _extracted(data, "modern", 1, by=lambda site, attribute: attribute)


def _extracted(data: Path, name: str, count: int, *, by: Callable[[str, str], str]) -> Iterator[Row]:
    """Learns each site once and takes all figures from the same rules."""
    task, given, kept_out = f"{name}, {count} annotated", {}, {}
    changed: list[tuple[float, float]] = []
    repeated: list[bool] = []
    for folder in scores.sites(data):
        site = read_site(folder)
        rules = extraction.learned(site, count)
        given[site.name] = extraction.predict(site, rules)
        kept_out[site.name] = absence.predict(site, rules, count)
        changed += mutation.measure(site, rules, count).values()
        repeated += extraction.reproduced(site, rules, count).values()
    found = scores.extraction(data, given, annotated_pages=count)
    yield task, "macro F1", fmean(found.values())
    groups: dict[str, list[float]] = defaultdict(list)
    for (site_name, attribute), value in found.items():
        groups[by(site_name, attribute)].append(value)
    for group, scored in sorted(groups.items()):
        yield task, group, fmean(scored)
    yield task, "annotations given back", fmean(repeated)
    yield task, "nothing said where nothing is", 1 - fmean(scores.absence(data, kept_out, annotated_pages=count).values())
    yield task, "F1 kept on changed pages", 1 - fmean(before - after for before, after in changed)


def _clustering(data: Path) -> Iterator[Row]:
    predictions = _predictions("clustering", data, "--seeds", "1", "--stage", "both")
    for folder in sorted(folder for folder in data.iterdir() if (folder / "labels.tsv").is_file()):
        lines = (folder / "labels.tsv").read_text().splitlines()
        labels = dict(line.split("\t")[:2] for line in lines if line)
        for figure, value in scores.clustering(labels, predictions[folder.name]).items():
            yield f"clustering {folder.name}", figure, value


def _clusterings(data: Path) -> Iterator[Row]:
    """Prints the table of all methods; TEXT-HASH's cost is to be within 5 % of TEXT-MDL's."""
    sets = {folder.name: clusterings.labelled(folder) for folder in sorted(data.iterdir()) if (folder / "labels.tsv").is_file()}
    if (data.parent / "extraction").is_dir():
        sets["mixed sites"] = clusterings.mixed(data.parent / "extraction")
    for name, (pages, labels) in sets.items():
        found = clusterings.report(name, pages, labels, list(METHODS))
        yield f"clusterings {name}", "TEXT-MDL's cost of TEXT-HASH's", found["text-mdl"].kbit / found["text-hash"].kbit


def _relisted(data: Path) -> Iterator[Row]:
    for design, found in relisted.measure(data).items():
        yield f"relisted, {design}", "mean row F1", fmean(found.values())


def _records(data: Path) -> Iterator[Row]:
    task = "records, 2 rows annotated"
    found = scores.records(data, _predictions("records", data), annotated_pages=1)
    yield task, "mean row F1", fmean(found.values())
    for site, value in sorted(found.items()):
        yield task, site, value


def _lists(data: Path) -> Iterator[Row]:
    found = scores.records(data, _predictions("records", data, "--suggested"), annotated_pages=0)
    yield "records, nothing annotated", "mean row F1", fmean(found.values())
    yield "sections, nothing annotated", "mean row F1", fmean(each.f1 for each in sections.every(data))


def _roadrunner(data: Path) -> Iterator[Row]:
    yield "roadrunner, nothing annotated", "attributes found", roadrunner.figures(data)["found"]


def _exalg(data: Path) -> Iterator[Row]:
    yield "exalg, nothing annotated", "attributes found", exalg.share(list(exalg.every(data)))


def _suggest(data: Path) -> Iterator[Row]:
    for figure, value in suggest.figures(data).items():
        yield "suggest, nothing annotated", figure, value


def _named_alone(data: Path) -> Iterator[Row]:
    yield from _named(data, "names alone", [])


def _named_with_others(data: Path) -> Iterator[Row]:
    yield from _named(data, "names and other sites", [named.read_examples(folder) for folder in scores.sites(data)])


def _named(data: Path, task: str, others: Sequence[named.Examples]) -> Iterator[Row]:
    outcomes = [outcome for folder in scores.sites(data) for outcome in named.run_site(folder, others)[0]]
    for figure, value in named.summarise(outcomes).items():
        yield f"named {data.name}, {task}", figure, value


def _values(data: Path) -> Iterator[Row]:
    for name, counts in values.measure(data).items():
        yield f"values, {name}", "right", counts["right"] / counts.total()
        yield f"values, {name}", "not wrong", 1 - counts["wrong"] / counts.total()


def _redesign(data: Path) -> Iterator[Row]:
    found = scores.redesign(data, _predictions("redesign", data))
    yield "redesign", "breaks caught", found.caught / found.breaks if found.breaks else 1.0
    yield "redesign", "alarms that were right", found.caught / (found.caught + found.false) if found.caught + found.false else 1.0
    yield "redesign", "breaks repaired", found.repaired / found.breaks if found.breaks else 1.0


def _relocate(data: Path) -> Iterator[Row]:
    found = scores.relocate(data, _predictions("relocate", data))
    yield "relocate", "exact", fmean(value == 1 for value in found)
    yield "relocate", "macro F1", fmean(found)


def _blocks(data: Path) -> Iterator[Row]:
    for figure, value in blocks.summary([blocks.measure(folder) for folder in scores.sites(data)]).items():
        yield "template and content", figure, value


def _predictions(task: str, data: Path, *options: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "predictions.json"
        subprocess.run(
            [sys.executable, "-m", f"tests.quality.{task}", str(data), "--predictions", str(out), *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return json.loads(out.read_text())


TASKS: dict[str, tuple[str, Callable[[Path], Iterator[Row]]]] = {
    "named extraction, with others": ("extraction", _named_with_others),
    "named extraction": ("extraction", _named_alone),
    "extraction": ("extraction", _extraction),
    "modern": ("modern", _modern),
    "named modern, with others": ("modern", _named_with_others),
    "named modern": ("modern", _named_alone),
    "year": ("", _year),
    "templates": ("", _templates),
    "clustering": ("clustering", _clustering),
    "clusterings": ("clustering", _clusterings),
    "records": ("records", _records),
    "lists": ("records", _lists),
    "relisted": ("records", _relisted),
    "redesign": ("redesign", _redesign),
    "relocate": ("relocate", _relocate),
    "blocks": ("extraction", _blocks),
    "suggest": ("extraction", _suggest),
    "exalg": ("extraction", _exalg),
    "roadrunner": ("extraction", _roadrunner),
    "values": ("values", _values),
}
"""{name: (folder of its pages, what measures it)}. The slowest come first, so that no processor waits for them at the end."""
