"""The templates that Algorithm 1 finds in a crawl, as a line of JSON for each site. `vertex_spark` writes them, the dashboard reads."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.arrays import I64, U64
from extraction.algorithms.clustering.masked_shingles import MaskClustering, Masks, PageCluster
from extraction.algorithms.errors import VertexError
from extraction.algorithms.json_values import JsonShapeError, JsonValue
from extraction.algorithms.rules.url_patterns import SplitAddress
from extraction.algorithms.sketches.shingles import SCHEME, Mask

FORMAT = 1
KIND = "vertex-crawl-templates"

MAX_BYTES = 64 * 1024**2
"""The longest line that is read. A site of a thousand templates has some 3 MB."""


class CrawlTemplatesError(VertexError):
    """A line that is not of a site's templates, or of another release. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlTemplate(JsonValue):
    """A template of a crawl. mask: as text. pages: how many pages it got. addresses: some of them. patterns: learned from those."""

    mask: str
    pages: int
    addresses: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlTemplates(JsonValue):
    """The templates of a site, in the order in which a page takes the first whose mask covers it.

    site: as `name_site`.
    scheme: how the shingle vectors were made.
    pages, unclustered: numbers of pages.
    threshold: the fewest pages of a template.
    """

    site: str
    pages: int
    unclustered: int
    threshold: int
    templates: tuple[CrawlTemplate, ...]
    scheme: str = SCHEME
    kind: str = KIND
    format: int = FORMAT

    def place_pages(self, vectors: Sequence[tuple[int, int]]) -> MaskClustering[int]:
        """Return the clusters of pages, as the third pass places them. vectors: (page, shingle vector)."""
        masks = Masks.of(tuple(Mask.from_text(each.mask) for each in self.templates), tuple(each.pages for each in self.templates))
        places = masks.assign(np.array([vector for _, vector in vectors], np.uint64))
        members: list[list[int]] = [[] for _ in self.templates]
        left: list[int] = []
        for (page, _), place in zip(vectors, places.tolist(), strict=True):
            (members[place] if place >= 0 else left).append(page)
        rows = zip(masks.masks, members, masks.counts, strict=True)
        return MaskClustering(tuple(PageCluster(mask, tuple(pages), count) for mask, pages, count in rows if pages), tuple(left))


def name_site(url: str) -> str:
    """Return the name of the site that an address is of: its host without "www."; empty if it has no host."""
    return SplitAddress.parse(url).host.removeprefix("www.")


def write_crawl_templates(found: CrawlTemplates) -> str:
    """Return the line, without its end."""
    return json.dumps(found.as_json(), ensure_ascii=True)


def read_crawl_templates(line: bytes) -> CrawlTemplates:
    """Return what `write_crawl_templates` wrote. Raises CrawlTemplatesError for anything else."""
    if len(line) > MAX_BYTES:
        raise CrawlTemplatesError(f"the line has {len(line):,} bytes; at most {MAX_BYTES:,} are read")
    try:
        found = CrawlTemplates.from_json(json.loads(line))
    except (ValueError, JsonShapeError, RecursionError) as error:
        raise CrawlTemplatesError(f"it is not a line of templates: {str(error)[:200]}") from error
    if found.kind != KIND or found.format != FORMAT:
        raise CrawlTemplatesError(f"it is of kind {found.kind[:40]!r}, format {found.format}; this release reads {KIND!r}, format {FORMAT}")
    if found.scheme != SCHEME:
        raise CrawlTemplatesError(f"its shingle vectors are of the scheme {found.scheme[:40]!r}; this release makes {SCHEME!r}")
    try:
        masks = [Mask.from_text(each.mask) for each in found.templates]
    except ValueError as error:
        raise CrawlTemplatesError(str(error)[:200]) from error
    if len(set(masks)) < len(masks):
        raise CrawlTemplatesError("two of its templates have the same mask")
    return found


def cluster_distinct(vectors: U64, counts: I64, threshold: int) -> tuple[Masks, I64, I64]:
    """Return (masks that got pages, the place of each vector's mask or -1, how many pages each mask got).

    vectors: distinct, ascending. counts: how many pages have each.
    """
    masks = Masks.select(vectors, counts, threshold=threshold)
    places = masks.assign(vectors)
    sizes = np.zeros(len(masks.masks), np.int64)
    np.add.at(sizes, places[places >= 0], counts[places >= 0])
    kept = np.flatnonzero(sizes)
    renumbered = np.full(len(masks.masks) + 1, -1, np.int64)
    renumbered[kept] = np.arange(len(kept))
    chosen = Masks.of(tuple(masks.masks[place] for place in kept.tolist()), tuple(masks.counts[place] for place in kept.tolist()))
    return chosen, renumbered[places], sizes[kept]
