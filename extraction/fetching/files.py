"""From the files of an archive to its pages: what zip, tar and folder have in common."""

from collections.abc import Iterable, Iterator

from extraction.algorithms.dom import media
from extraction.fetching.items import AssetItem, Budget, Entry, EntryError, Item, PageItem, Refused, Skipped, Wanted
from extraction.fetching.manifest import Manifest, Row, place
from extraction.fetching.names import Kind, kind, looks_like_page, other, printable, safe_name, typed


def read(entries: Iterable[Entry], manifest: Manifest, budget: Budget, wanted: Wanted | None) -> Iterator[Item]:
    """The pages, or only the files that are `wanted` by pages that were read before."""
    yield from items(entries, manifest, budget) if wanted is None else assets(entries, manifest, wanted)


def assets(entries: Iterable[Entry], manifest: Manifest, wanted: Wanted) -> Iterator[AssetItem]:
    """The files that pages need. What cannot be read is left out: the page is shown without it."""
    for entry in entries:
        try:
            name = safe_name(entry.raw_name)
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


def items(entries: Iterable[Entry], manifest: Manifest, budget: Budget) -> Iterator[Item]:
    """The pages among the entries, one at a time, and what was refused or skipped.

    A page is what the manifest lists; of the other files, those named as HTML, and those without a telling suffix whose
    content is HTML or XML. Of two files of one name the first is read. Files that the manifest lists and nobody saw come last.
    """
    yield from manifest.problems
    # Hashes instead of names: a third of the memory for a million files; two names meet in one once in 10^7 such archives.
    seen: set[int] = set()
    for entry in entries:
        try:
            name = safe_name(entry.raw_name)
        except ValueError as error:
            yield Refused(printable(entry.raw_name)[:2000] or "(no name)", str(error))
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


def _item(entry: Entry, name: str, row: Row | None, budget: Budget) -> Item | None:
    what = kind(name)
    if row is None and (what is Kind.LITTER or place(name) is not None):
        return None
    if row is None and what is Kind.OTHER:
        return Skipped(name, other(name))
    if entry.problem:
        return Refused(name, entry.problem)
    if row is None and what is Kind.ARCHIVE:
        return Refused(name, "an archive within an archive is not opened")
    too_large = budget.too_large(entry.size_bytes)
    if too_large:
        return Refused(name, too_large)
    return _page(entry, name, row, budget, sure=row is not None or what is Kind.PAGE)


def _page(entry: Entry, name: str, row: Row | None, budget: Budget, *, sure: bool) -> Item:
    try:
        content = entry.read(budget.limits.page_bytes + 1)
    except EntryError as error:
        return Refused(name, str(error))
    too_large = budget.too_large(len(content))
    if too_large:
        return Refused(name, too_large)
    content_type = typed(name, row.content_type if row else "")
    if not sure and not looks_like_page(content, content_type):
        return Skipped(name, other(name))
    return PageItem(name, row.url if row else None, content, content_type)
