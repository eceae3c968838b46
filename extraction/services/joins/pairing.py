"""Find the page of each row of a join, and put the values of both sides together.

Only ids and 8-byte hashes of all pages and rows are in memory at once; values are read in batches.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice

from extraction.algorithms.records.addresses import find_forms, join_to_file
from extraction.algorithms.records.join import Found, NoPartner, Partner, ThingIndex, Way, find_differences, merge_values
from extraction.algorithms.records.keys import Values, make_key
from extraction.models import CrawlAddress, Page, Record, RecordSource, Site, TrackedRecord
from extraction.models.join import JoinedState, NoPageReason
from extraction.services.joins.plans import ReadyJoin, ReadyListing

BATCH = 200
"""Joined records whose values are in memory at once."""

MAX_WHY = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a listing and what it leads to. listing: its place in `ReadyJoin.listings`. record, place: where it stands."""

    listing: int
    record: int
    place: int
    way: Way | None
    reason: NoPageReason | None
    things: int = 0


@dataclass(slots=True)
class Pairing:
    """Which rows lead to which things.

    pages: {thing: (its record, its page)}.
    groups: {thing, or a text that tells rows without a page apart: its rows}, in the order of the listings.
    rows: how many rows were read. complete: these are all.
    """

    pages: dict[int, tuple[int, int]]
    groups: dict[int | str, list[Entry]] = field(default_factory=dict)
    rows: int = 0
    complete: bool = True

    def list_lonely_pages(self) -> Iterator[int]:
        """Return the things without a row."""
        return (thing for thing in self.pages if thing not in self.groups)


@dataclass(frozen=True, slots=True)
class RowDraft:
    """A row of a joined record. problem: what it disagrees about with the first row."""

    listing: int
    page_id: int
    place: int
    values: Values
    problem: str = ""


@dataclass(frozen=True, slots=True)
class JoinedDraft:
    """A joined record, not yet stored: the fields of `JoinedRecord` and its rows."""

    digest: str
    state: JoinedState
    page_id: int | None
    values: Values
    conflicts: tuple[str, ...]
    rows: tuple[RowDraft, ...]
    way: str = ""
    reason: str = ""
    why: str = ""
    complete: bool = True
    text: str = ""


def pair_sides(join: ReadyJoin, *, most_rows: int | None = None) -> Pairing:
    """Return which rows lead to which things. most_rows: stop after so many rows."""
    index, pages = read_things(join)
    pairing = Pairing(pages)
    for number, listing in enumerate(join.listings):
        lonely: Counter[str] = Counter()
        for record, url, place, row in read_rows(listing):
            if most_rows is not None and pairing.rows >= most_rows:
                pairing.complete = False
                return pairing
            pairing.rows += 1
            found, name, reason = _find_page(index, listing, url, row)
            if isinstance(found, Partner):
                pairing.groups.setdefault(found.thing, []).append(Entry(number, record, place, found.way, None))
                continue
            if not name:  # nothing tells it apart but its place and what it says
                own = json.dumps([record, row], sort_keys=True)
                name, lonely[own] = f"row {own} {lonely[own]}", lonely[own] + 1
            pairing.groups.setdefault(name, []).append(Entry(number, record, place, None, reason, found.things))
    return pairing


def read_things(join: ReadyJoin) -> tuple[ThingIndex, dict[int, tuple[int, int]]]:
    """Return how things are found, and {thing: (its record, its page)}. A record over time that has several pages is one thing."""
    keys = {tuple(page for _, page in each.keys) for each in join.listings if each.keys}
    by_address = any(not each.keys for each in join.listings)
    tracked = _read_tracked(join)
    index, pages = ThingIndex(), dict[int, tuple[int, int]]()
    fields = ("pk", "snapshot__page_id", "snapshot__page__url", "canonical", *(("values",) if keys else ()))
    records = Record.objects.filter(cluster=join.detail).now().given().order_by("pk")
    for pk, page_id, url, canonical, *values in records.values_list(*fields).iterator(chunk_size=BATCH):
        thing, main = tracked.get(page_id, (-page_id, page_id))
        if thing not in pages or main == page_id:
            pages[thing] = (pk, page_id)
        index.add_address(url, thing)
        if canonical:
            index.add_address(canonical, thing, canonical=True)
        for names in keys:
            if text := _write_key(values[0], names, names):
                index.add_key(text, thing)
    if by_address:
        index.add_redirects(read_redirects(join.site))
    return index, pages


def _read_tracked(join: ReadyJoin) -> dict[int, tuple[int, int | None]]:
    """Return {page: (its record over time, the main page of that)}."""
    sources = RecordSource.objects.filter(record__cluster=join.detail, record__list_name="").exclude(
        record__state=TrackedRecord.State.JOINED
    )
    rows = sources.order_by("-pk").values_list("page_id", "record_id", "record__page_id")
    return {page: (record, main) for page, record, main in rows.iterator(chunk_size=2_000)}


def read_redirects(site: Site) -> dict[str, str]:
    """Return {address: where it leads}, as crawls of the site last found it."""
    found = CrawlAddress.objects.filter(run__site=site).exclude(final_url="").order_by("pk")
    return dict(found.values_list("url", "final_url").iterator(chunk_size=2_000))


def read_rows(listing: ReadyListing) -> Iterator[tuple[int, str, int, Values]]:
    """Yield (record, address of its page, place, values) of each row."""
    records = Record.objects.filter(cluster=listing.cluster).now().given().order_by("pk")
    for pk, url, rows in records.values_list("pk", "snapshot__page__url", "rows").iterator(chunk_size=BATCH):
        for place, row in enumerate(rows.get(listing.list_name, ())):
            yield pk, url, place, row


def list_links(listing: ReadyListing, url: str, row: Values) -> list[str]:
    """Return the addresses that a row links to. url: of its page; links on pages from an archive lead to other names in it."""
    found = []
    for each in row.get(listing.link, ()):
        value = each.get("value") or (None if "://" in url else join_to_file(url, str(each["raw"])))
        if value:
            found.append(str(value))
    return found


def _find_page(index: ThingIndex, listing: ReadyListing, url: str, row: Values) -> tuple[Found, str, NoPageReason]:
    """Return (what the row leads to, what tells it apart without a page or "" if nothing does, why it has none)."""
    if listing.keys:
        text = _write_key(row, [name for name, _ in listing.keys], [name for _, name in listing.keys])
        found = index.find_key(text) if text else NoPartner()
        without = NoPageReason.NO_MATCH if text else NoPageReason.NO_KEY
        name = f"key {text}" if text else ""
    else:
        links = list_links(listing, url, row)
        forms = find_forms(links[0]) if links else None
        found = index.find_links(links)
        without = NoPageReason.UNKNOWN if forms else NoPageReason.NO_LINK
        name = f"address {forms.exact}" if forms else ""
    doubtful = isinstance(found, NoPartner) and found.things
    return found, name, NoPageReason.AMBIGUOUS if doubtful else without


def _write_key(values: Values, names: Sequence[str], on_page: Sequence[str]) -> str:
    """Return the key that these attributes give, as a text; "" if one is missing. on_page: what they are compared with."""
    key = make_key(values, names)
    return json.dumps([list(on_page), list(key.parts)], ensure_ascii=False) if key else ""


def read_drafts(join: ReadyJoin, pairing: Pairing, names: Iterable[int | str]) -> Iterator[list[JoinedDraft]]:
    """Yield the joined records of these groups and lonely pages in batches. What was deleted since the pairing is left out."""
    waiting = iter(names)
    while some := list(islice(waiting, BATCH)):
        pages = _read_pages([pairing.pages[name][0] for name in some if isinstance(name, int)])
        listed = _read_listed({entry.record for name in some for entry in pairing.groups.get(name, ())})
        drafts = []
        for name in some:
            rows = _make_rows(join, pairing.groups.get(name, ()), listed)
            page = pages.get(pairing.pages[name][0]) if isinstance(name, int) else None
            if isinstance(name, int) and page:
                drafts.append(_make_draft(join, name, page, rows, pairing.groups.get(name, ())))
            elif isinstance(name, str) and rows:
                drafts.append(_make_lonely(join, name, rows, pairing.groups[name][0]))
        yield _explain(join, drafts, listed)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A record of either side."""

    pk: int
    page_id: int
    url: str
    state: str
    values: Values
    rows: Mapping[str, Sequence[Values]] = field(default_factory=dict)


def _read_pages(records: Sequence[int]) -> dict[int, _Shown]:
    return _read_records(records, rows=False)


def _read_listed(records: Iterable[int]) -> dict[int, _Shown]:
    return _read_records(sorted(records), rows=True)


def _read_records(records: Sequence[int], *, rows: bool) -> dict[int, _Shown]:
    found = Record.objects.filter(pk__in=records).given()
    fields = ("pk", "snapshot__page_id", "snapshot__page__url", "state", "values", *(("rows",) if rows else ()))
    return {row[0]: _Shown(*row) for row in found.values_list(*fields)}


def _make_rows(join: ReadyJoin, entries: Iterable[Entry], listed: Mapping[int, _Shown]) -> tuple[RowDraft, ...]:
    found: list[RowDraft] = []
    links = {each.link for each in join.listings}
    for entry in entries:
        listing, shown = join.listings[entry.listing], listed.get(entry.record)
        rows = shown.rows.get(listing.list_name, ()) if shown else ()
        if shown is None or entry.place >= len(rows):
            continue
        own = {name: shown.values[name] for name in listing.own if name in shown.values}
        row = rows[entry.place]
        names = find_differences(found[0].values, row) if found else []
        # The page's own values say where a row stands, and a link may be written in several ways, so these may differ.
        names = [name for name in names if name not in listing.own and name not in links]
        problem = f"{', '.join(names)} differ{'s' if len(names) == 1 else ''}"[:500] if names else ""
        found.append(RowDraft(entry.listing, shown.page_id, entry.place, {**own, **row}, problem))
    return tuple(found)


def _make_draft(join: ReadyJoin, thing: int, page: _Shown, rows: tuple[RowDraft, ...], entries: Sequence[Entry]) -> JoinedDraft:
    merged = merge_values(rows[0].values if rows else {}, page.values, join.shared)
    way = entries[0].way if rows else None
    return JoinedDraft(
        _digest(f"thing {thing}"),
        JoinedState.JOINED if rows else JoinedState.PAGE,
        page.page_id,
        merged.values,
        merged.conflicts,
        rows,
        way=way.name.lower() if way is not None else "",
        complete=page.state == Record.State.COMPLETE,
        text=_write_text(merged.values, page.url),
    )


def _make_lonely(join: ReadyJoin, name: str, rows: tuple[RowDraft, ...], first: Entry) -> JoinedDraft:
    merged = merge_values(rows[0].values, {}, join.shared)
    reason = first.reason or NoPageReason.UNKNOWN
    why = f"{first.things:,} pages fit, and none of them can be preferred" if reason == NoPageReason.AMBIGUOUS else reason.label
    if reason == NoPageReason.NO_MATCH:
        why = f"No page has these values: {', '.join(json.loads(name.removeprefix('key '))[1])}"
    text = _write_text(merged.values, name)
    return JoinedDraft(_digest(name), JoinedState.ROW, None, merged.values, (), rows, reason=reason, why=why[:MAX_WHY], text=text)


def _explain(join: ReadyJoin, drafts: list[JoinedDraft], listed: Mapping[int, _Shown]) -> list[JoinedDraft]:
    """Say more about addresses that lead to no record: the page may be in another template, or have failed."""
    urls = {each.page_id: each.url for each in listed.values()}
    wanted: dict[str, str] = {}
    for draft in drafts:
        if draft.reason == NoPageReason.UNKNOWN:
            row = draft.rows[0]
            wanted[draft.digest] = next(iter(list_links(join.listings[row.listing], urls.get(row.page_id, ""), row.values)), "")
    if not wanted:
        return drafts
    exact = {url: forms.exact for url in wanted.values() if (forms := find_forms(url))}
    pages = Page.objects.filter(site=join.site, url__in={*exact.keys(), *exact.values()})
    known = {page.url: page for page in pages.select_related("current__cluster", "current__record")}
    return [_explain_one(join, each, wanted, exact, known) for each in drafts]


def _explain_one(
    join: ReadyJoin, draft: JoinedDraft, wanted: Mapping[str, str], exact: Mapping[str, str], known: Mapping[str, Page]
) -> JoinedDraft:
    url = wanted.get(draft.digest)
    if url is None:
        return draft
    page = known.get(url) or known.get(exact.get(url, ""))
    reason, why = NoPageReason.UNKNOWN, f"No page is stored under {url}"
    if page and page.current and page.current.cluster_id == join.detail.pk:
        record = getattr(page.current, "record", None)
        reason = NoPageReason.FAILED
        why = f"Its page gave no record: {record.reason}" if record and record.reason else "Its page has no record yet"
    elif page:
        where = page.current.cluster.label if page.current and page.current.cluster else "no template"
        reason, why = NoPageReason.ELSEWHERE, f"Its page is in {where}, not in {join.detail.label}"
    return replace(draft, reason=reason, why=why[:MAX_WHY])


def _write_text(values: Values, place: str) -> str:
    """Return the text that is searched: all raw values and the address, case folded."""
    return "\n".join([*(str(each["raw"]) for many in values.values() for each in many), place]).casefold()


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
