"""Compare the clusterings that different methods find for a site. Nothing is stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from extraction.algorithms.clustering.refinement import sample_evenly
from extraction.algorithms.errors import PageError
from extraction.algorithms.methods import Pages
from extraction.models import Site, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.core.stored_pages import read_bytes
from extraction.services.lab import method_process

MOST_PAGES = 600
"""The largest number of pages compared. The time of TEXT-MDL grows with the cube of their number."""

MOST_BYTES = 100_000_000
"""Bytes of these pages together. All of them are in memory at the same time."""


@dataclass(frozen=True, slots=True)
class MethodResultRow:
    """The result of one method.

    sizes: sizes of the groups of two or more pages, the largest first.
    alone: the number of pages in no such group.
    kbit: MDL cost of the groups in thousands of bits; NaN if it could not be computed.
    seconds, peak_bytes: processor time and memory used.
    reason: why the method gave up; empty if it did not.
    kbit_reason: why the cost could not be computed; empty if it was.
    notice: what the method could not do in full; empty if nothing.
    """

    method: str
    sizes: tuple[int, ...]
    alone: int
    kbit: float
    seconds: float
    peak_bytes: int
    reason: str
    kbit_reason: str
    notice: str


def compare_methods(site: Site, methods: Sequence[str], *, most: int = MOST_PAGES) -> Iterator[MethodResultRow]:
    """Yield the results of the methods one by one, on at most `most` pages. Raises JobError for a site without pages."""
    pages = read_pages(choose_pages(site, most=most))
    if not pages:
        raise JobError(gettext("site %(site)s has no pages that can be compared") % {"site": site.name})
    for method in methods:
        found = method_process.run_method(method, pages)
        sizes = sorted((len(group) for group in found.groups or [] if len(group) > 1), reverse=True)
        yield MethodResultRow(
            method=method,
            sizes=tuple(sizes),
            alone=len(pages) - sum(sizes),
            kbit=found.bits / 1000,
            seconds=found.seconds,
            peak_bytes=found.peak_bytes,
            reason=found.reason,
            kbit_reason=found.bits_reason,
            notice=found.notice,
        )


def choose_pages(site: Site, *, most: int = MOST_PAGES, most_bytes: int = MOST_BYTES) -> list[Snapshot]:
    """Return the pages to compare, in the order of the site's pages.

    These are all pages, or an evenly spread selection that keeps within both limits.
    """
    rows = list(Snapshot.objects.of_site(site).learnable().order_by("page").values_list("pk", "size_bytes"))
    sizes = dict(rows)
    count = min(most, len(rows))
    ids = sample_evenly(list(sizes), count)
    while count > 1 and sum(sizes[pk] for pk in ids) > most_bytes:
        count = count * 3 // 4
        ids = sample_evenly(list(sizes), count)
    return list(Snapshot.objects.filter(pk__in=ids).order_by("page"))


def read_pages(snapshots: Sequence[Snapshot]) -> Pages:
    """Return {page id: bytes}, without pages whose bytes are missing."""
    found = {}
    for snapshot in snapshots:
        try:
            found[str(snapshot.page_id)] = read_bytes(snapshot)
        except PageError:
            continue
    return found
