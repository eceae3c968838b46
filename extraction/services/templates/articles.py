"""Title and body of a template's pages by node extraction patterns, kept in memory for the templates looked at last."""

from dataclasses import dataclass
from threading import Condition

from cachetools import LRUCache, cached

from extraction.algorithms.alignment.node_patterns import Pattern, generalise, match, news
from extraction.algorithms.alignment.node_patterns.trees import Grove
from extraction.algorithms.dom.nodes import clean, is_xml, whole_text
from extraction.models import Cluster, Snapshot
from extraction.services.core.stored_pages import read_elements
from extraction.services.templates import sample_trees


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A template's pattern, and where title and body stand in it."""

    pattern: Pattern
    labels: news.Labels


def of(cluster: Cluster) -> Told | None:
    """What the sample pages of a template tell; None for fewer than two of HTML."""
    return _read(sample_trees.of(cluster))


def article(cluster: Cluster, snapshot: Snapshot) -> news.Article:
    """Title and body of one page of a template. Raises PageError when it cannot be read."""
    told = of(cluster)
    if told is None:
        return news.Article(None, None)
    page = told.pattern.grove.copy().page(read_elements(snapshot)[0])
    return news.article(told.pattern, told.labels, match(told.pattern, page))


@cached(LRUCache(8), key=lambda samples: samples.key, condition=Condition())
def _read(samples: sample_trees.Samples) -> Told | None:
    _, roots = sample_trees.read(samples.snapshots)
    roots = [root for root in roots if not is_xml(root)]
    if len(roots) < 2:
        return None
    grove = Grove()
    pages = [grove.page(root) for root in roots]
    pattern = generalise(pages, grove)
    titles = [clean(whole_text(title)) if (title := root.find(".//title")) is not None else "" for root in roots]
    return Told(pattern, news.label(pattern, [match(pattern, page) for page in pages], titles))
