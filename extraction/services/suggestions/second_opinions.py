"""Find what other methods say about a template's sample pages, once for each set of pages."""

from collections.abc import Sequence
from threading import Lock

from cachetools import LRUCache
from lxml import etree

from extraction.algorithms.alignment.methods import collect_opinions
from extraction.algorithms.alignment.schema import Structure
from extraction.algorithms.suggestion.opinions import find_agreeing_methods
from extraction.models import Cluster
from extraction.services.suggestions import suggested_fields
from extraction.services.templates import sample_pages

_STRUCTURES: LRUCache[str, dict[str, Structure]] = LRUCache(20)
_ONE_AT_A_TIME = Lock()
"""A screen asks for fields and lists at the same time. The second request waits for the result of the first."""


def find_structures(key: str, roots: Sequence[etree._Element]) -> dict[str, Structure]:
    """Return {method: what it found} for pages, without methods that give up. key: identifies the pages."""
    with _ONE_AT_A_TIME:
        if key not in _STRUCTURES:
            _STRUCTURES[key] = collect_opinions(roots) if len(roots) > 1 else {}
        return _STRUCTURES[key]


def find_opinions(cluster: Cluster) -> tuple[str, list[tuple[str, ...]]]:
    """Return the key of the sample pages and, for each suggested field, the other methods that found it.

    The first call for a set of pages takes some seconds.
    """
    samples = sample_pages.read_samples(cluster)
    return samples.key, find_agreeing_methods(
        suggested_fields.find_columns(cluster), find_structures(samples.key, sample_pages.read_trees(samples.snapshots)[1])
    )
