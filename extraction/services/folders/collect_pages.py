"""The pages of a site as documents: those that people worked on, or all."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import F, Q

from extraction.models import Correction, Label, OfferedRows, Page, Placement, Site, Snapshot
from extraction.services.folders.documents import ContentDocument, PageDocument

PageChoice = Literal["marked", "all"]
"""Which pages a folder has: those with marks, corrections or a template that a person chose, or all whose content is kept."""

CHUNK = 500


@dataclass(frozen=True, slots=True)
class CollectedPages:
    """Pages in the order in which Vertex got to know them, because records come in this order.

    not_kept: how many contents are left out because their bytes are not kept.
    """

    pages: tuple[PageDocument, ...]
    not_kept: int


def collect_pages(site: Site, choice: PageChoice) -> CollectedPages:
    """Return the pages of a site with their contents."""
    marked = _find_marked_contents(site)
    corrected = set(Correction.objects.open().filter(page__site=site).values_list("page", flat=True))
    placed = _read_placements(site)
    wanted = Q(pk__in={page for page, _ in marked} | corrected | set(placed))
    rows = Page.objects.filter(site=site).order_by("pk")
    rows = rows if choice == "all" else rows.filter(wanted)
    contents = {pk for _, pk in marked}
    found, not_kept = [], 0
    for chunk in _cut(rows.values_list("pk", "url", "current")):
        current = {now for pk, _, now in chunk if now is not None and (choice == "all" or pk in corrected)}
        stored = _read_contents({pk for pk, _, _ in chunk}, contents | current)
        for pk, url, now in chunk:
            own = sorted(stored[pk], key=lambda row: (row["pk"] == now, row["fetched_at"], row["sha256"]))
            not_kept += sum(not row["kept"] for row in own)
            belongs, refused = placed.get(pk, (None, ()))
            documents = tuple(_describe(row) for row in own if row["kept"])
            if documents or pk in placed or pk in corrected:
                found.append(PageDocument(url=url, belongs_to=belongs, not_in=tuple(sorted(refused)), contents=documents))
    return CollectedPages(tuple(found), not_kept)


def _find_marked_contents(site: Site) -> set[tuple[int, int]]:
    """Return (page, snapshot) of all contents that people marked values on."""
    labels = Label.objects.filter(cluster__site=site).order_by().values_list("snapshot__page", "snapshot").distinct()
    offers = OfferedRows.objects.filter(cluster__site=site).order_by().values_list("snapshot__page", "snapshot").distinct()
    return {*labels, *offers}


def _read_placements(site: Site) -> dict[int, tuple[int | None, list[int]]]:
    """Return {page: (the template that it belongs to, those that it is not in)}, as numbers."""
    found: dict[int, tuple[int | None, list[int]]] = {}
    rows = Placement.objects.filter(page__site=site).values_list("page", "cluster__number", "belongs")
    for page, number, belongs in rows:
        home, refused = found.get(page, (None, []))
        found[page] = (number if belongs else home, refused if belongs else [*refused, number])
    return found


def _read_contents(pages: set[int], only: set[int]) -> dict[int, list[dict[str, Any]]]:
    """Return {page: its contents}, those in `only`, oldest first."""
    rows = Snapshot.objects.filter(page__in=pages).order_by("fetched_at", "sha256")
    fields = ("pk", "page", "sha256", "content_type", "kept", "fetched_at")
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows.values(*fields, number=F("cluster__number")):
        if row["pk"] in only:
            found[row["page"]].append(row)
    return found


def _describe(row: dict[str, Any]) -> ContentDocument:
    return ContentDocument(sha256=row["sha256"], type=row["content_type"], template=row["number"])


def _cut(rows: Iterable[Any]) -> Iterable[list[Any]]:
    chunk: list[Any] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
