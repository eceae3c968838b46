"""The structure that a method finds on a template's sample pages."""

import time
from dataclasses import dataclass

from extraction.algorithms.alignment.methods import METHODS
from extraction.algorithms.alignment.schema import Structure
from extraction.models import Cluster
from extraction.services import sample_roots
from extraction.services.runs import JobError


@dataclass(frozen=True, slots=True)
class Found:
    """What was found. urls: of the pages, in the order of the structure's rows. seconds: without reading them."""

    urls: tuple[str, ...]
    structure: Structure
    seconds: float


def find(cluster: Cluster, method: str) -> Found:
    """The structure of a template's sample pages by a method of `METHODS`. Raises JobError for fewer than two readable pages."""
    kept, roots = sample_roots.read(sample_roots.of(cluster).snapshots)
    if len(roots) < 2:
        raise JobError(f"{cluster.label} has {len(roots)} readable sample page{'' if len(roots) == 1 else 's'}; it takes two to compare")
    started = time.perf_counter()
    structure = METHODS[method](roots)
    return Found(tuple(snapshot.page.url for snapshot in kept), structure, time.perf_counter() - started)
