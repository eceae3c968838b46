"""Title and body of a template's pages, found by node extraction patterns. Those of the last templates stay in memory."""

from dataclasses import dataclass
from threading import Condition

from cachetools import LRUCache, cached

from extraction.algorithms.alignment.node_patterns import Pattern, generalise_pages, match_page, news
from extraction.algorithms.alignment.node_patterns.page_trees import read_page_tree
from extraction.algorithms.alignment.trees import Forest
from extraction.algorithms.dom.nodes import clean, is_xml, whole_text
from extraction.models import Cluster, Snapshot
from extraction.services.core.stored_pages import read_elements
from extraction.services.templates import sample_pages


@dataclass(frozen=True, slots=True, eq=False)
class FoundArticles:
    """A template's pattern, and the places of title and body in it."""

    pattern: Pattern
    labels: news.NewsLabels


def find_articles(cluster: Cluster) -> FoundArticles | None:
    """Return the pattern that the sample pages of a template give; None for fewer than two HTML pages."""
    return _learn_pattern(sample_pages.read_samples(cluster))


def find_article(cluster: Cluster, snapshot: Snapshot) -> news.NewsArticle:
    """Return title and body of one page of a template. Raises PageError if the page cannot be read."""
    told = find_articles(cluster)
    if told is None:
        return news.NewsArticle(None, None)
    page = read_page_tree(read_elements(snapshot)[0], told.pattern.forest.copy())
    return news.extract_article(told.pattern, told.labels, match_page(told.pattern, page))


@cached(LRUCache(8), key=lambda samples: samples.key, condition=Condition())
def _learn_pattern(samples: sample_pages.Samples) -> FoundArticles | None:
    _, roots = sample_pages.read_trees(samples.snapshots)
    roots = [root for root in roots if not is_xml(root)]
    if len(roots) < 2:
        return None
    forest = Forest()
    pages = [read_page_tree(root, forest) for root in roots]
    pattern = generalise_pages(pages, forest)
    titles = [clean(whole_text(title)) if (title := root.find(".//title")) is not None else "" for root in roots]
    return FoundArticles(pattern, news.label_pattern(pattern, [match_page(pattern, page) for page in pages], titles))
