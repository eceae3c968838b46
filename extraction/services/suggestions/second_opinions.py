"""What other methods find on a template's sample pages, computed once for all that ask."""

import threading
from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.alignment.methods import opinions
from extraction.algorithms.alignment.schema import Structure
from extraction.algorithms.suggestion.opinions import find_agreeing_methods
from extraction.models import Cluster
from extraction.services.core.recent import Recent
from extraction.services.suggestions import suggested_fields
from extraction.services.templates import sample_trees

_STRUCTURES: Recent[str, dict[str, Structure]] = Recent(20)
_ONE_AT_A_TIME = threading.Lock()
"""Fields and lists of one screen ask at the same time: the second waits for what the first computes."""


def structures(key: str, roots: Sequence[etree._Element]) -> dict[str, Structure]:
    """{method: what it found} on pages, without methods that give up. key: says which pages they are."""
    with _ONE_AT_A_TIME:
        known = _STRUCTURES.get(key)
        if known is None:
            known = _STRUCTURES.put(key, opinions(roots) if len(roots) > 1 else {})
        return known


def of_fields(cluster: Cluster) -> tuple[str, list[tuple[str, ...]]]:
    """Says of which pages, and for each suggested field the methods that found it, too. Takes some seconds the first time."""
    samples = sample_trees.of(cluster)
    return samples.key, find_agreeing_methods(
        suggested_fields.columns(cluster), structures(samples.key, sample_trees.read(samples.snapshots)[1])
    )
