"""The structure that a method finds on a template's sample pages."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from extraction.algorithms.alignment.methods import METHODS
from extraction.algorithms.alignment.node_patterns.patterns import written
from extraction.algorithms.alignment.schema import Structure
from extraction.algorithms.errors import AlignmentError
from extraction.models import Cluster
from extraction.services import articles, document_types, sample_roots
from extraction.services.runs import JobError

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Found:
    """What was found. urls: of the pages, in the order of the structure's rows. seconds: without reading them."""

    urls: tuple[str, ...]
    structure: Structure
    seconds: float


def find(cluster: Cluster, method: str) -> Found:
    """The structure of a template's sample pages by a method of `METHODS`.

    Raises JobError for fewer than two readable pages, or where the method gives up.
    """
    kept, roots = sample_roots.read(sample_roots.of(cluster).snapshots)
    if len(roots) < 2:
        raise JobError(f"{cluster.label} has {len(roots)} readable sample page{'' if len(roots) == 1 else 's'}; it takes two to compare")
    started = time.perf_counter()
    try:
        structure = METHODS[method](roots)
    except AlignmentError as error:
        raise JobError(f"{method} gives up on {cluster.label}: {error}") from error
    return Found(tuple(snapshot.page.url for snapshot in kept), structure, time.perf_counter() - started)


def _document_type(cluster: Cluster) -> Iterator[str]:
    """XTRACT's DTD of a template whose pages are XML."""
    found = document_types.of(cluster)
    if found is None:
        raise JobError(f"the pages of {cluster.label} are not XML")
    yield from found.text().splitlines()


def _articles(cluster: Cluster) -> Iterator[str]:
    """The node extraction pattern of the sample pages, then the title and the body of each."""
    told = articles.of(cluster)
    if told is None:
        raise JobError(f"{cluster.label} has fewer than two readable sample pages of HTML")
    yield written(told.pattern.tree)
    for snapshot in sample_roots.of(cluster).snapshots:
        found = articles.article(cluster, snapshot)
        yield f"{snapshot.page.url}"
        yield f"  title  {_short(found.title.text) if found.title else '–'}"
        yield f"  body   {_short(found.body.text) + f' ({len(found.body.text.split()):,} words)' if found.body else '–'}"


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


DESCRIPTIONS: Mapping[str, Callable[[Cluster], Iterator[str]]] = {"xtract": _document_type, "rtdm-patterns": _articles}
"""Methods that tell a template in lines of their own, not as fields and sets. They raise JobError where they do not apply."""
