"""Delete stored bytes after the rows that had them.

Two sites may have the same bytes, and an import may store them again at this moment. So the transaction that deletes the rows only notes
their digests. Later, bytes that no row has are moved to the bin (`stored_bytes`), which gives them back if they are needed after all.
"""

from collections.abc import Iterable

from django.db.models import QuerySet

from extraction.models import Asset, LeftBytes, PagePicture, Preview, Site, Snapshot
from extraction.services.core import stored_bytes

CHUNK = 500

OWNERS: tuple[tuple[type[Snapshot | PagePicture | Asset | Preview], str], ...] = (
    (Snapshot, "sha256"),
    (Snapshot, "received"),
    (PagePicture, "sha256"),
    (Asset, "sha256"),
    (Preview, "sha256"),
    (Preview, "dimmed"),
)
"""The columns that name stored bytes."""


def note_site(site: Site) -> None:
    """Note the bytes of a site, in the transaction that deletes it."""
    places = {Snapshot: "page__site", PagePicture: "snapshot__page__site", Asset: "site", Preview: "cluster__site"}
    for model, column in OWNERS:
        _note(model._default_manager.filter(**{places[model]: site}), column)


def note_snapshots(snapshots: "QuerySet[Snapshot]") -> None:
    """Note the bytes of snapshots, in the transaction that deletes them."""
    for column in ("sha256", "received"):
        _note(snapshots, column)
    _note(PagePicture.objects.filter(snapshot__in=snapshots), "sha256")


def collect_left() -> int:
    """Move noted bytes that no row has to the bin. Return how many. Being stopped in between, or running twice at once, does no harm."""
    moved, last = 0, ""
    while some := list(LeftBytes.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        last = some[-1]
        for sha256 in sorted(set(some) - find_wanted(some)):
            stored_bytes.throw_away(sha256)
            moved += 1
        LeftBytes.objects.filter(pk__in=some).delete()
    return moved


def find_wanted(sha256s: Iterable[str]) -> set[str]:
    """Return those of the digests whose bytes a page, a style, a picture or a preview has."""
    some, found = list(sha256s), set[str]()
    for at in range(0, len(some), CHUNK):
        part = some[at : at + CHUNK]
        for model, column in OWNERS:
            rows = model._default_manager.filter(**{f"{column}__in": part}).order_by()
            found |= set(rows.values_list(column, flat=True))
    return found


def _note(rows: "QuerySet[Snapshot] | QuerySet[PagePicture] | QuerySet[Asset] | QuerySet[Preview]", column: str) -> None:
    digests = rows.exclude(**{column: ""}).order_by().values_list(column, flat=True).distinct()
    some: list[str] = []
    for sha256 in digests.iterator(chunk_size=CHUNK):
        some.append(sha256)
        if len(some) == CHUNK:
            _store(some)
            some = []
    _store(some)


def _store(sha256s: list[str]) -> None:
    LeftBytes.objects.bulk_create([LeftBytes(sha256=sha256) for sha256 in sha256s], ignore_conflicts=True)
