"""Template and content of a template's pages: what is dimmed, how much of the pages is template, where the main text is.

This is judged from at most `PAGES` pages. What is read from a page is stored under its sha256; the results for the last
templates stay in memory. Pages that came later are judged by the same pages. Earlier content of a page is judged by other
content of its time.
"""

import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import QuerySet
from lxml import etree

from extraction.algorithms.boilerplate import entropy, main_content, template_hash, template_regions
from extraction.algorithms.boilerplate.blocks import Block, split_blocks
from extraction.algorithms.boilerplate.template_hash import HashedNode, HashedText, HtmlAmount
from extraction.algorithms.boilerplate.words import DEFAULT_LANGUAGE
from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.errors import PageError
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.spread_pages import select_current
from extraction.services.core.stored_pages import Stored, StoredPage, read_elements
from extraction.services.templates import articles

PAGES = 30
"""The number of pages compared. The experiments in the paper take ten and see little change up to forty."""

SCHEME = "blocks/2"
"""Part of the name under which what is read from a page is stored. Change it when the result of `read_parts` changes."""

MAIN_TEXT_NAMES = frozenset(
    {"body", "text", "content", "main text", "article", "full text", "body text", "article body", "description long", "long description"}
)
"""Attribute names for which the main text is offered. A plain description is as often one line of metadata."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What is read from one page."""

    nodes: list[HashedNode]
    blocks: list[Block]


@dataclass(frozen=True, slots=True)
class Shares:
    """How much of the pages is template, as fractions.

    pages: number of pages compared.
    """

    pages: int
    size: float
    words: float
    links: float


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTemplate:
    """The result of comparing the pages.

    features: entropies.
    counted: hashes of nodes.
    """

    pages: int
    threshold: float
    features: Mapping[str, float]
    counted: Counter[int]
    shares: Shares


def measure_shares(cluster: Cluster) -> Shares | None:
    """Return how much of a template's pages is template; None for fewer than two pages."""
    return measure_shares_of_pages(select_current(cluster, most=PAGES))


def measure_shares_of_pages(pages: QuerySet[Snapshot]) -> Shares | None:
    """Return how much of some pages is template; None for fewer than two pages."""
    judged = _judge_pages(_choose_contents(pages))
    return judged.shares if judged.pages > 1 else None


def choose_pages(cluster: Cluster, *, most: int = PAGES) -> tuple[StoredPage, ...]:
    """Return the pages of a template that are compared, at most so many."""
    return _choose_contents(select_current(cluster, most=most), most=most)


def find_dimmed(cluster: Cluster, snapshot: Snapshot) -> list[int]:
    """Return the elements of a page to dim, none within another; none if there is no second page. Raises PageError."""
    page, judged = read_parts(snapshot), _judge_pages(_choose_comparison(cluster, snapshot))
    if judged.pages < 2:
        return []
    template = find_template_nodes(page, judged.counted, judged.pages)
    return main_content.find_dimmed_elements(page.nodes, page.blocks, find_informative(page, judged), template)


def find_main_text(cluster: Cluster, snapshot: Snapshot) -> Location | None:
    """Return the element with the main text of a page: the body of an article, else by blocks. Raises PageError."""
    article = articles.find_article(cluster, snapshot)
    if article.body:
        return article.body.place
    page, judged = read_parts(snapshot), _judge_pages(_choose_comparison(cluster, snapshot))
    node = main_content.find_main_text(page.nodes, page.blocks, find_informative(page, judged)) if judged.pages > 1 else None
    return None if node is None else Location(node)


def wants_main_text(attribute: Attribute) -> bool:
    """Return whether an attribute's name says that it is the text of a page."""
    plain = attribute.type == Attribute.Type.TEXT and not attribute.multiple and not attribute.list_id
    return plain and attribute.name.replace("_", " ").replace("-", " ").strip().lower() in MAIN_TEXT_NAMES


def read_parts(page: Stored) -> Parts:
    """Return what is read from a page, from the cache in the storage or from the page itself. Raises PageError."""
    name = f"{SCHEME}/{page.sha256[:2]}/{page.sha256[2:]}.gz"
    try:
        with default_storage.open(name, "rb") as file:
            return _parse_parts(json.loads(gzip.decompress(file.read())))
    except (FileNotFoundError, ValueError, KeyError, TypeError, EOFError, gzip.BadGzipFile):  # not stored yet, or damaged
        found = _read(page)
    rows = {
        "nodes": [[n.hash, n.parent, n.end, *astuple(n.whole), *astuple(n.tail), *_write_texts(n)] for n in found.nodes],
        "blocks": [[b.node, b.nodes, b.chars, b.features] for b in found.blocks],
    }
    stored_bytes.keep_file(name, gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), mtime=0))
    return found


def _parse_parts(rows: Any) -> Parts:
    nodes = [
        HashedNode(row[0], row[1], row[2], HtmlAmount(*row[3:6]), HtmlAmount(*row[6:9]), _parse_texts(row[9:])) for row in rows["nodes"]
    ]
    return Parts(nodes, [Block(node, tuple(held), chars, Counter(found)) for node, held, chars, found in rows["blocks"]])


def _write_texts(node: HashedNode) -> list[int]:
    return [number for text in node.texts for number in (text.hash, text.at, text.measure.size_bytes, text.measure.words)]


def _parse_texts(row: Sequence[int]) -> tuple[HashedText, ...]:
    return tuple(HashedText(row[n], row[n + 1], HtmlAmount(row[n + 2], row[n + 3])) for n in range(0, len(row), 4))


def judge_parts(pages: Sequence[Parts]) -> JudgedTemplate:
    """Return the result of comparing pages of one template."""
    found = entropy.discover_informative([[block.features for block in page.blocks] for page in pages])
    counted = template_hash.count_hashes(page.nodes for page in pages)
    part, whole = HtmlAmount(), HtmlAmount()
    low, high = template_hash.default_bounds(len(pages))
    template = template_regions.learn_node_template(counted, low=low, high=high)
    for page in pages:
        part = sum((region.measure for region in template.mark(page.nodes)), part)
        whole += page.nodes[0].whole
    return JudgedTemplate(len(pages), found.threshold, found.features, counted, share(part, whole, pages=len(pages)))


def share(part: HtmlAmount, whole: HtmlAmount, *, pages: int) -> Shares:
    """Return which fractions of the whole a part is: of its size, its words and its links."""
    size, words, links = (mine / all_ if all_ else 0.0 for mine, all_ in zip(astuple(part), astuple(whole), strict=True))
    return Shares(pages, size, words, links)


def find_template_nodes(page: Parts, counted: Counter[int], pages: int) -> list[int]:
    """Return the elements of a page that other pages have, too, none within another.

    counted: the number of pages that have each hash.
    pages: number of pages compared.
    """
    low, high = template_hash.default_bounds(pages)
    return template_hash.find_template_nodes(page.nodes, counted, low=low, high=high)


def find_informative(page: Parts, judged: JudgedTemplate) -> list[bool]:
    """Return for each block of a page whether it is informative, that is, not template."""
    return [entropy.measure_block(block.features, judged.features) <= judged.threshold for block in page.blocks]


def _read(page: Stored) -> Parts:
    return build_parts(read_elements(page))


def build_parts(nodes: list[etree._Element]) -> Parts:
    """Return what is read from the elements of a page."""
    return Parts(template_hash.hash_nodes(nodes), split_blocks(nodes, language=detect_language(nodes[0]) or DEFAULT_LANGUAGE))


_FIELDS = ("pk", "sha256", "content_type", "size_bytes")


def _choose_contents(pages: QuerySet[Snapshot], *, most: int = PAGES) -> tuple[StoredPage, ...]:
    """Return the pages to compare: different contents, spread evenly over all pages."""
    rows = pages.filter(error="").order_by("pk").values_list(*_FIELDS)
    found = list({page.sha256: page for page in (StoredPage(*row) for row in rows)}.values())
    return tuple(found[:: max(1, -(-len(found) // most))])


def _choose_comparison(cluster: Cluster, snapshot: Snapshot) -> tuple[StoredPage, ...]:
    """Return the pages to compare a page with.

    The earlier content of a page may have a design that the current pages do not have. So it is compared with the earlier
    content of other pages, the nearest before and after it, if there is any.
    """
    if snapshot.page.current_id != snapshot.pk:
        then = cluster.snapshots.readable().outdated()
        before = then.filter(pk__lte=snapshot.pk).order_by("-pk").values_list(*_FIELDS)[: PAGES // 2]
        after = then.filter(pk__gt=snapshot.pk).order_by("pk").values_list(*_FIELDS)[: PAGES // 2]
        found = {page.sha256: page for page in (StoredPage(*row) for row in [*reversed(before), *after])}
        if len(found) > 1:
            return tuple(found.values())
    return _choose_contents(select_current(cluster, most=PAGES))


@lru_cache(maxsize=4)
def _judge_pages(chosen: tuple[StoredPage, ...]) -> JudgedTemplate:
    # Cached because each page of a template asks for the same result. A result takes some megabytes.
    pages = []
    for page in chosen:
        try:
            pages.append(read_parts(page))
        except PageError:
            continue  # the page's own screen says why; compare the others without it
    return judge_parts(pages)
