"""What other methods find on a template's sample pages, computed once for all that ask."""

from collections.abc import Sequence
from threading import Lock

from cachetools import LRUCache
from lxml import etree

from extraction.algorithms.alignment.methods import collect_opinions
from extraction.algorithms.alignment.schema import Structure
from extraction.algorithms.suggestion.opinions import find_agreeing_methods
from extraction.models import Cluster
from extraction.services.suggestions import suggested_fields
from extraction.services.templates import sample_trees

_STRUCTURES: LRUCache[str, dict[str, Structure]] = LRUCache(20)
_ONE_AT_A_TIME = Lock()
"""Fields and lists of one screen ask at the same time: the second waits for what the first computes."""


def find_structures(key: str, roots: Sequence[etree._Element]) -> dict[str, Structure]:
    """{method: what it found} on pages, without methods that give up. key: says which pages they are."""
    with _ONE_AT_A_TIME:
        if key not in _STRUCTURES:
            _STRUCTURES[key] = collect_opinions(roots) if len(roots) > 1 else {}
        return _STRUCTURES[key]


def find_opinions(cluster: Cluster) -> tuple[str, list[tuple[str, ...]]]:
    """Says of which pages, and for each suggested field the methods that found it, too. Takes some seconds the first time."""
    samples = sample_trees.read_samples(cluster)
    return samples.key, find_agreeing_methods(
        suggested_fields.find_columns(cluster), find_structures(samples.key, sample_trees.read_trees(samples.snapshots)[1])
    )
