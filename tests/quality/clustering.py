"""python -m tests.quality.clustering DATA --predictions OUT [--seeds 9]: clusters of labelled sites.

DATA holds a folder a site with `pages/` and `labels.tsv` (page, template, URL). OUT gets {site: {page: cluster}} for every page; an
unclustered page gets a label of its own. With --seeds N the clustering is repeated with N seeds of the shingle hashes (the
shipped one first) and the median and the worst of each measure are printed: one seed can be lucky.
"""

import argparse
import json
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import astuple, dataclass, fields
from math import log
from pathlib import Path
from statistics import median

from extraction.algorithms.clustering.masked_shingles import DEFAULT_THRESHOLD, cluster
from extraction.algorithms.sketches.shingles import SEED, vectors

Labels = Mapping[str, Hashable]


@dataclass(frozen=True, slots=True)
class Quality:
    """Shares from 0 to 1. An unclustered page is a cluster of its own in all but the last."""

    purity: float
    pair_precision: float
    pair_recall: float
    v_measure: float
    clustered: float


def predict(pages: Mapping[str, bytes], *, threshold: int = DEFAULT_THRESHOLD, seed: int = SEED) -> dict[str, str]:
    """{page: the text of its cluster's mask}; ``alone-page`` where it has none."""
    found = cluster(dict(zip(pages, vectors(pages.values(), seed=seed), strict=True)), threshold=threshold)
    labels = {page: group.mask.text() for group in found.clusters for page in group.members}
    return {page: labels.get(page, f"alone-{page}") for page in pages}


def quality(truth: Labels, predicted: Labels) -> Quality:
    """The measures of one clustering against true labels of the same pages."""
    cells = Counter((truth[page], predicted[page]) for page in truth)
    rows, columns = Counter(truth.values()), Counter(predicted[page] for page in truth)
    best: dict[Hashable, int] = {}
    for (_, column), count in cells.items():
        best[column] = max(count, best.get(column, 0))
    homogeneity = 1 - (_entropy(cells) - _entropy(columns)) / (_entropy(rows) or 1)
    completeness = 1 - (_entropy(cells) - _entropy(rows)) / (_entropy(columns) or 1)
    return Quality(
        purity=sum(best.values()) / len(truth),
        pair_precision=_pairs(cells) / (_pairs(columns) or 1),
        pair_recall=_pairs(cells) / (_pairs(rows) or 1),
        v_measure=2 * homogeneity * completeness / ((homogeneity + completeness) or 1),
        clustered=1 - sum(str(predicted[page]).startswith("alone-") for page in truth) / len(truth),
    )


def _entropy(counts: Counter[Hashable]) -> float:
    total = counts.total()
    return -sum(count / total * log(count / total) for count in counts.values())


def _pairs(counts: Counter[Hashable]) -> float:
    return sum(count * (count - 1) / 2 for count in counts.values())


def _sites(data: Path) -> dict[str, tuple[dict[str, bytes], dict[str, str]]]:
    """{site: (pages, labels)} of the labelled folders under `data`."""
    sites = {}
    for folder in sorted(path.parent for path in data.glob("*/labels.tsv")):
        rows = [line.split("\t") for line in (folder / "labels.tsv").read_text().splitlines() if line]
        pages = {path.name: path.read_bytes() for path in sorted((folder / "pages").iterdir())}
        sites[folder.name] = (pages, {row[0]: row[1] for row in rows})
    return sites


def _report(site: str, qualities: list[Quality]) -> None:
    print(f"{site}, {len(qualities)} seeds, threshold {DEFAULT_THRESHOLD}:  shipped seed   median    worst")
    for field, *values in zip(fields(Quality), *map(astuple, qualities), strict=True):
        print(f"  {field.name:<32} {values[0]:>10.3f} {median(values):>8.3f} {min(values):>8.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    sites = _sites(options.data)
    options.predictions.write_text(json.dumps({site: predict(pages) for site, (pages, _) in sites.items()}, indent=1))
    for site, (pages, labels) in sites.items():
        predictions = [predict(pages, seed=SEED + number) for number in range(max(options.seeds, 1))]
        _report(site, [quality(labels, predicted) for predicted in predictions])


if __name__ == "__main__":
    main()
