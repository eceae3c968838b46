"""Which files of an archive are pages: what the readers of zip files, tar files and folders have in common."""

from collections.abc import Iterable, Iterator

from extraction.algorithms.dom import media
from extraction.fetching.items import ArchiveEntry, AssetItem, Budget, EntryError, Item, PageItem, Refused, Skipped, Wanted
from extraction.fetching.manifest import Manifest, ManifestRow, find_manifest
from extraction.fetching.names import (
    Kind,
    classify_name,
    describe_other,
    guess_content_type,
    looks_like_page,
    make_printable,
    make_safe_name,
)


def read_files(entries: Iterable[ArchiveEntry], manifest: Manifest, budget: Budget, wanted: Wanted | None) -> Iterator[Item]:
    """Yield the pages or, if `wanted` is given, only the files that pages read earlier need."""
    yield from read_items(entries, manifest, budget) if wanted is None else read_assets(entries, manifest, wanted)


def read_assets(entries: Iterable[ArchiveEntry], manifest: Manifest, wanted: Wanted) -> Iterator[AssetItem]:
    """Yield the files that pages need. Files that cannot be read are left out; the page is then shown without them."""
    for entry in entries:
        try:
            name = make_safe_name(entry.raw_name)
        except ValueError:
            continue
        row = manifest.rows.get(name)
        need = (wanted(row.url) if row and row.url else None) or wanted(name)
        if need is None or entry.problem or entry.size_bytes > media.MAX_BYTES[need.kind]:
            continue
        try:
            yield AssetItem(name, need, entry.read(media.MAX_BYTES[need.kind] + 1))
        except EntryError:
            continue


def read_items(entries: Iterable[ArchiveEntry], manifest: Manifest, budget: Budget) -> Iterator[Item]:
    """Yield the pages among the entries, one at a time, and an item for each refused or skipped file.

    A file is a page if the manifest lists it, if its name ends like HTML, or if its suffix says nothing and its content is HTML or XML.
    If two files have the same name, the first one is read. Files that the manifest lists but the archive does not have come last.
    """
    yield from manifest.problems
    # Hashes take a third of the memory of names for a million files. Two names share a hash in one of 10^7 such archives.
    seen: set[int] = set()
    for entry in entries:
        try:
            name = make_safe_name(entry.raw_name)
        except ValueError as error:
            yield Refused(make_printable(entry.raw_name)[:2000] or "(no name)", str(error))
            continue
        if hash(name) in seen:
            yield Refused(name, "an earlier file has the same name; that one was read")
            continue
        seen.add(hash(name))
        item = _item(entry, name, manifest.rows.get(name), budget)
        if item is not None:
            yield item
    for name in manifest.rows:
        if hash(name) not in seen:
            yield Refused(name, "the manifest lists it, but it is missing")


def _item(entry: ArchiveEntry, name: str, row: ManifestRow | None, budget: Budget) -> Item | None:
    what = classify_name(name)
    if row is None and (what is Kind.LITTER or find_manifest(name) is not None):
        return None
    if row is None and what is Kind.OTHER:
        return Skipped(name, describe_other(name))
    if entry.problem:
        return Refused(name, entry.problem)
    if row is None and what is Kind.ARCHIVE:
        return Refused(name, "an archive within an archive is not opened")
    too_large = budget.too_large(entry.size_bytes)
    if too_large:
        return Refused(name, too_large)
    return _page(entry, name, row, budget, sure=row is not None or what is Kind.PAGE)


def _page(entry: ArchiveEntry, name: str, row: ManifestRow | None, budget: Budget, *, sure: bool) -> Item:
    try:
        content = entry.read(budget.limits.page_bytes + 1)
    except EntryError as error:
        return Refused(name, str(error))
    too_large = budget.too_large(len(content))
    if too_large:
        return Refused(name, too_large)
    content_type = guess_content_type(name, row.content_type if row else "")
    if not sure and not looks_like_page(content, content_type):
        return Skipped(name, describe_other(name))
    return PageItem(name, row.url if row else None, content, content_type)
