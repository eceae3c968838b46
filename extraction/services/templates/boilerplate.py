"""Template and content of a template's pages: what is dimmed, how much of the pages is template, where the main text stands.

Told from at most `PAGES` pages. What is read of a page is kept in the storage under its sha256; what follows from all of them stays in
memory for the templates looked at last. A page that came later is judged by them, too; one as it was before its site changed by
pages of that time.
"""

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import F, QuerySet

from extraction.algorithms.boilerplate import areas, entropy, template_hash
from extraction.algorithms.boilerplate.blocks import Block, blocks
from extraction.algorithms.boilerplate.template_hash import HashedNode, Measure
from extraction.algorithms.boilerplate.words import DEFAULT_LANGUAGE
from extraction.algorithms.dom.nodes import Location, elements
from extraction.algorithms.errors import PageError
from extraction.algorithms.rules.language import detect_language
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.stored_pages import StoredContent, read_root
from extraction.services.templates import articles, clusters

PAGES = 30
"""Pages looked at; the paper's experiments take ten, and see little change up to forty."""

SCHEME = "blocks/1"
"""Part of the name under which what is read of a page is kept; to be changed with what `boilerplate` makes of a page."""

MAIN_TEXT_NAMES = frozenset(
    {"body", "text", "content", "main text", "article", "full text", "body text", "article body", "description long", "long description"}
)
"""Names of attributes for which the main text is offered. A description alone is as often one line of meta data."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What is read of one page."""

    nodes: list[HashedNode]
    blocks: list[Block]


@dataclass(frozen=True, slots=True)
class Shares:
    """How much of the pages is template, as fractions. pages: looked at."""

    pages: int
    size: float
    words: float
    links: float


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What follows from all pages looked at. features: entropies. counted: hashes of nodes."""

    pages: int
    threshold: float
    features: Mapping[str, float]
    counted: Counter[int]
    shares: Shares


def shares(cluster: Cluster) -> Shares | None:
    """How much of the template's pages is template; None where there are fewer than two to compare."""
    return shares_of(clusters.members(cluster))


def shares_of(pages: QuerySet[Snapshot]) -> Shares | None:
    """How much of some pages is their template."""
    judged = _judged(_contents(pages))
    return judged.shares if judged.pages > 1 else None


def looked_at(cluster: Cluster) -> tuple[tuple[str, str], ...]:
    """(sha256, content type) of the pages of a template that tell what of them is template."""
    return _contents(clusters.members(cluster))


def dimmed(cluster: Cluster, snapshot: Snapshot) -> list[int]:
    """The elements of a page to dim, none within another; nothing where there is no second page. Raises PageError."""
    page, judged = parts(snapshot.sha256, snapshot.content_type), _judged(_beside(cluster, snapshot))
    if judged.pages < 2:
        return []
    low, high = template_hash.default_bounds(judged.pages)
    template = template_hash.template_nodes(page.nodes, judged.counted, low=low, high=high)
    return areas.dimmed(page.nodes, page.blocks, _informative(page, judged), template)


def main_text(cluster: Cluster, snapshot: Snapshot) -> Location | None:
    """The element that holds the page's main text: the body of an article, else by blocks. Raises PageError."""
    article = articles.article(cluster, snapshot)
    if article.body:
        return article.body.place
    page, judged = parts(snapshot.sha256, snapshot.content_type), _judged(_beside(cluster, snapshot))
    node = areas.main_text(page.nodes, page.blocks, _informative(page, judged)) if judged.pages > 1 else None
    return None if node is None else Location(node)


def wants_main_text(attribute: Attribute) -> bool:
    """Whether an attribute is named like the text of a page."""
    plain = attribute.type == Attribute.Type.TEXT and not attribute.multiple and not attribute.list_id
    return plain and attribute.name.replace("_", " ").replace("-", " ").strip().lower() in MAIN_TEXT_NAMES


def parts(sha256: str, content_type: str) -> Parts:
    """What is read of a content, from the cache in the storage or from the page. Raises PageError."""
    name = f"{SCHEME}/{sha256[:2]}/{sha256[2:]}.gz"
    try:
        with default_storage.open(name, "rb") as file:
            return _stored(json.loads(gzip.decompress(file.read())))
    except (FileNotFoundError, ValueError, KeyError, TypeError, EOFError, gzip.BadGzipFile):  # not there yet, or not whole
        found = _read(sha256, content_type)
    rows = {
        "nodes": [[n.hash, n.parent, n.end, *astuple(n.whole), *astuple(n.tail)] for n in found.nodes],
        "blocks": [[b.node, b.nodes, b.chars, b.features] for b in found.blocks],
    }
    stored_bytes.keep(name, gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), mtime=0))
    return found


def _stored(rows: Any) -> Parts:
    nodes = [HashedNode(row[0], row[1], row[2], Measure(*row[3:6]), Measure(*row[6:9])) for row in rows["nodes"]]
    return Parts(nodes, [Block(node, tuple(held), chars, Counter(found)) for node, held, chars, found in rows["blocks"]])


def _read(sha256: str, content_type: str) -> Parts:
    root = read_root(StoredContent(sha256, content_type))
    nodes = elements(root)
    return Parts(template_hash.hashed(nodes), blocks(nodes, language=detect_language(root) or DEFAULT_LANGUAGE))


def _contents(pages: QuerySet[Snapshot]) -> tuple[tuple[str, str], ...]:
    """(sha256, content type) of the pages looked at: different contents, spread evenly over all."""
    rows = dict(pages.filter(error="").order_by("pk").values_list("sha256", "content_type"))
    found = list(rows.items())
    return tuple(found[:: max(1, -(-len(found) // PAGES))])


def _beside(cluster: Cluster, snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
    """(sha256, content type) of the pages that tell what of this one is template.

    What stood at a page before is of a design that the pages of today may not have: it is compared with what stood at others then, the
    nearest before and after it, as far as there is any.
    """
    if snapshot.page.current_id != snapshot.pk:
        then = Snapshot.objects.filter(cluster=cluster, kept=True, error="").exclude(page__current=F("pk"))
        before = then.filter(pk__lte=snapshot.pk).order_by("-pk").values_list("sha256", "content_type")[: PAGES // 2]
        after = then.filter(pk__gt=snapshot.pk).order_by("pk").values_list("sha256", "content_type")[: PAGES // 2]
        found = dict([*reversed(before), *after])
        if len(found) > 1:
            return tuple(found.items())
    return _contents(clusters.members(cluster))


@lru_cache(maxsize=4)
def _judged(chosen: tuple[tuple[str, str], ...]) -> Judged:
    # Kept because each page of a template asks for the same; some megabytes each.
    pages = []
    for sha256, content_type in chosen:
        try:
            pages.append(parts(sha256, content_type))
        except PageError:
            continue  # its screen says why it cannot be read; the others are compared without it
    found = entropy.discover([[block.features for block in page.blocks] for page in pages])
    counted = template_hash.counts(page.nodes for page in pages)
    return Judged(len(pages), found.threshold, found.features, counted, _shares(pages, counted))


def _shares(pages: list[Parts], counted: Counter[int]) -> Shares:
    low, high = template_hash.default_bounds(len(pages))
    part, whole = Measure(), Measure()
    for page in pages:
        template = template_hash.template_nodes(page.nodes, counted, low=low, high=high)
        part = sum((region.measure for region in template_hash.regions(page.nodes, template)), part)
        whole += page.nodes[0].whole
    of = [mine / all_ if all_ else 0.0 for mine, all_ in zip(astuple(part), astuple(whole), strict=True)]
    return Shares(len(pages), *of)


def _informative(page: Parts, judged: Judged) -> list[bool]:
    return [entropy.block_entropy(block.features, judged.features) <= judged.threshold for block in page.blocks]
