"""The clusterings that different methods find in a site, side by side; nothing is written."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.algorithms.methods import METHODS, mdl_bits
from extraction.models import Site
from extraction.services import clusters, contents
from extraction.services.runs import JobError

MOST_PAGES = 600
"""Pages that are compared: TEXT-MDL's time grows with their third power, and all are held in memory."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What one method found. sizes: of the groups of two pages and more, the largest first. alone: pages in no such group.

    kbit: MDL cost of the groups in thousands of bits. seconds: of this process, reading the pages' trees included.
    """

    method: str
    sizes: tuple[int, ...]
    alone: int
    kbit: float
    seconds: float


def compare(site: Site, methods: Sequence[str], *, most: int = MOST_PAGES) -> Iterator[Compared]:
    """The methods' results one after the other, on the first `most` kept pages. Raises JobError for a site without pages."""
    rows = clusters.kept(site).filter(error="").order_by("page").values_list("page", "sha256")[:most]
    pages = {f"{page:012}": contents.get(sha256) for page, sha256 in rows}
    if not pages:
        raise JobError(f"site {site.name} has no pages that could be compared")
    for method in methods:
        started = time.process_time()
        groups = METHODS[method](pages)
        seconds = time.process_time() - started
        sizes = sorted((len(group) for group in groups if len(group) > 1), reverse=True)
        yield Compared(method, tuple(sizes), len(pages) - sum(sizes), mdl_bits(pages, groups) / 1000, seconds)
