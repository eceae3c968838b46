"""The figures of merit on pages with truth, for `make quality` and the pinned floors."""

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extraction.algorithms.dom.nodes import clean

Values = Mapping[str, Sequence[str]]
"""{page: values}"""


def sites(data: Path) -> list[Path]:
    """The folders of an extraction data set, by name."""
    return sorted(folder for folder in data.iterdir() if (folder / "truth.json").is_file())


def annotated(truth: Values, count: int) -> list[str]:
    """The first `count` pages by name that have a value: what an editor annotates."""
    return [page for page, values in sorted(truth.items()) if values][:count]


def f1(truth: Values, predicted: Values, *, skip: Iterable[str] = ()) -> float:
    """Micro F1 of value sets over the pages that are not skipped; 1 where there is nothing to find and nothing found."""
    both = said = there = 0
    for page in truth.keys() - set(skip):
        true, got = {clean(v) for v in truth[page]}, {clean(v) for v in predicted.get(page, ())}
        both, said, there = both + len(true & got), said + len(got), there + len(true)
    return 2 * both / (said + there) if said + there else 1.0


def extraction(data: Path, predictions: Mapping[str, Mapping[str, Values]], *, annotated_pages: int) -> dict[tuple[str, str], float]:
    """{(site, attribute): F1} on the pages that were not annotated."""
    scores = {}
    for folder in sites(data):
        for attribute, truth in json.loads((folder / "truth.json").read_text()).items():
            shown = annotated(truth, annotated_pages)
            if len(truth) > len(shown):
                scores[folder.name, attribute] = f1(truth, predictions.get(folder.name, {}).get(attribute, {}), skip=shown)
    return scores


def records(data: Path, predictions: Mapping[str, Mapping[str, Sequence[Sequence[str]]]], *, annotated_pages: int) -> dict[str, float]:
    """{site: F1 of whole rows, as often as they stand there} on the pages that were not annotated."""
    found = {}
    for folder in sorted(folder for folder in data.iterdir() if (folder / "truth").is_dir()):
        both = said = there = 0
        for file in sorted((folder / "truth").glob("*.json"))[annotated_pages:]:
            true = Counter(tuple(map(clean, row)) for row in json.loads(file.read_text()))
            got = Counter(tuple(map(clean, row)) for row in predictions.get(folder.name, {}).get(file.stem, ()))
            both, said, there = both + (true & got).total(), said + got.total(), there + true.total()
        found[folder.name] = 2 * both / (said + there) if said + there else 1.0
    return found


def absence(data: Path, predictions: Mapping[str, Mapping[str, Values]], *, annotated_pages: int) -> dict[tuple[str, str], float]:
    """{(site, attribute): share of the pages with a value, not annotated, for which there is a prediction}: all of it is wrong."""
    shares = {}
    for folder in sites(data):
        for attribute, truth in json.loads((folder / "truth.json").read_text()).items():
            pages = [page for page, values in truth.items() if values and page not in annotated(truth, annotated_pages)]
            given = predictions.get(folder.name, {}).get(attribute, {})
            if pages:
                shares[folder.name, attribute] = sum(any(map(clean, given.get(page, ()))) for page in pages) / len(pages)
    return shares


@dataclass(frozen=True)
class Redesigns:
    """Over all attributes of all pairs: broken ones (F1 of the old rule under 0.9), those that were said to be, attributes said to be
    broken that are not, and broken ones whose repaired rule reaches 0.95."""

    breaks: int
    caught: int
    false: int
    repaired: int


def redesign(data: Path, predictions: Mapping[str, Any]) -> Redesigns:
    """The findings and repairs of monitoring on pairs of old and new pages."""
    rows = []
    for folder in sites(data):
        truth, mine = json.loads((folder / "truth.json").read_text())["new"], predictions[folder.name]
        for attribute in sorted({name for page in truth.values() for name in page}):
            true = {page: values.get(attribute, []) for page, values in truth.items()}
            old, new = (f1(true, mine[rule].get(attribute, {})) for rule in ("old_rule_on_new", "repaired_on_new"))
            rows.append((old < 0.9, mine["verdict"][attribute] != "ok", new >= 0.95))
    return Redesigns(
        breaks=sum(broken for broken, _, _ in rows),
        caught=sum(broken and said for broken, said, _ in rows),
        false=sum(said and not broken for broken, said, _ in rows),
        repaired=sum(broken and repaired for broken, _, repaired in rows),
    )


def relocate(data: Path, predictions: Mapping[str, Mapping[str, Sequence[str]]]) -> list[float]:
    """F1 of each attribute of each case."""
    return [
        f1({"new": values}, {"new": predictions.get(folder.name, {}).get(name, ())})
        for folder in sites(data)
        for name, values in json.loads((folder / "truth.json").read_text()).items()
    ]


def clustering(labels: Mapping[str, Hashable], clusters: Mapping[str, Hashable]) -> dict[str, float]:
    """Pair precision and recall, purity and V-measure of one site's clustering. A page without a cluster is one of its own."""
    cluster = {page: clusters.get(page, ("alone", page)) for page in labels}
    cells = Counter((labels[page], cluster[page]) for page in labels)
    by_label, by_cluster = Counter(labels.values()), Counter(cluster.values())
    pages = len(labels)
    same = _pairs(cells.values())
    joint, of_labels, of_clusters = (_entropy(counts.values(), pages) for counts in (cells, by_label, by_cluster))
    homogeneity = 1 - (joint - of_clusters) / of_labels if of_labels else 1.0
    completeness = 1 - (joint - of_labels) / of_clusters if of_clusters else 1.0
    largest = Counter({key: max(n for (_, k), n in cells.items() if k == key) for key in by_cluster})
    return {
        "pair precision": same / (_pairs(by_cluster.values()) or 1),
        "pair recall": same / (_pairs(by_label.values()) or 1),
        "purity": largest.total() / pages,
        "V": 2 * homogeneity * completeness / ((homogeneity + completeness) or 1),
    }


def _pairs(counts: Iterable[int]) -> float:
    return sum(n * (n - 1) / 2 for n in counts)


def _entropy(counts: Iterable[int], total: int) -> float:
    return -sum(n / total * math.log(n / total) for n in counts)
