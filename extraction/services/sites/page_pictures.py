"""The pictures of pages beside their snapshots: stored as bytes, counted with them, and deleted with them.

A snapshot keeps the first picture that was taken of its content. Bytes go to the storage before the rows that name them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from extraction.fetching.items import PageItem
from extraction.models import PagePicture, Site, Snapshot
from extraction.services.core import stored_bytes


@dataclass(frozen=True, slots=True)
class TakenPicture:
    """A picture that was asked for. content: None if there is none. note: why, or what is missing in it."""

    content: bytes | None
    note: str


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """A picture whose bytes are stored. sha256: "" if there is none."""

    sha256: str
    size_bytes: int
    note: str


Content = tuple[str, str]
"""The address of a page and the sha256 of its content."""


def choose_new(site: Site, taken: Mapping[Content, PageItem]) -> dict[Content, TakenPicture]:
    """Return the pictures of contents that have none yet. taken: the items that are kept."""
    found = {content: picture for content, item in taken.items() if (picture := _read(item)) is not None}
    if not found:
        return {}
    urls = {url for url, _ in found}
    rows = PagePicture.objects.filter(snapshot__page__site=site, snapshot__page__url__in=urls).exclude(sha256="")
    known = set(rows.values_list("snapshot__page__url", "snapshot__sha256"))
    return {content: picture for content, picture in found.items() if content not in known}


def measure(pictures: Iterable[TakenPicture]) -> int:
    """Return how many bytes pictures have."""
    return sum(len(each.content) for each in pictures if each.content is not None)


def keep_bytes(pictures: Mapping[Content, TakenPicture]) -> dict[Content, KeptPicture]:
    """Store the bytes of pictures."""
    return {
        content: KeptPicture(stored_bytes.put_bytes(each.content) if each.content else "", len(each.content or b""), each.note)
        for content, each in pictures.items()
    }


def write_rows(pictures: Mapping[Content, KeptPicture], rows: Mapping[Content, Snapshot]) -> None:
    """Write the rows of pictures. A picture takes the place of the reason why there was none; a reason does not replace a picture."""
    fresh = [_make_row(rows[content], each) for content, each in pictures.items() if content in rows]
    PagePicture.objects.bulk_create([row for row in fresh if not row.sha256], ignore_conflicts=True)
    PagePicture.objects.bulk_create(
        [row for row in fresh if row.sha256],
        update_conflicts=True,
        unique_fields=["snapshot"],
        update_fields=["sha256", "size_bytes", "note"],
    )


def list_digests(snapshots: Sequence[Snapshot]) -> set[str]:
    """Return the digests of the pictures of snapshots."""
    rows = PagePicture.objects.filter(snapshot__in=[each.pk for each in snapshots]).exclude(sha256="")
    return set(rows.values_list("sha256", flat=True))


def read_picture(snapshot: Snapshot) -> bytes:
    """Return the picture of a snapshot, a JPEG. Raises FileNotFoundError if there is none."""
    row = PagePicture.objects.filter(snapshot=snapshot).exclude(sha256="").first()
    if row is None:
        raise FileNotFoundError("this version of the page has no picture")
    return stored_bytes.get_bytes(row.sha256)


def _read(item: PageItem) -> TakenPicture | None:
    answer = item.answer
    if answer is None or (answer.picture is None and not answer.picture_note):
        return None
    return TakenPicture(answer.picture, answer.picture_note[:300])


def _make_row(snapshot: Snapshot, each: KeptPicture) -> PagePicture:
    return PagePicture(snapshot=snapshot, sha256=each.sha256, size_bytes=each.size_bytes, note=each.note)
