"""Propose joins of a site from its records: lists whose links lead to pages of a template, and lists whose keys a template's pages have."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from extraction.algorithms.records.join import Partner, ThingIndex
from extraction.algorithms.records.keys import Values, make_key
from extraction.models import Attribute, Cluster, Record, RecordList, Site
from extraction.services.joins import pairing, plans
from extraction.services.joins.plans import JoinPlan, ListingPlan, ReadyListing
from extraction.services.records.keys import UNLIKELY

MAX_ROWS = 500
"""Rows of each list that a proposal is judged by, the first ones."""

MAX_PAGES = 50_000
"""Pages of a site that links are compared with."""

MAX_RECORDS = 2_000
"""Records of each template that keys are compared with."""

LEAST_SHARE = 0.3
"""The smallest share of rows that must find a page. Below it, rows meet pages by chance or lead to many kinds of pages."""

KEY_FACTOR = 1.5
"""How many times as many pages as a link a key must find to be proposed in its place: a site made the link, and values may be equal by
chance."""


@dataclass(frozen=True, slots=True)
class ProposedListing:
    """A list that can be joined. by: the names of its link or key attributes. matched of rows find a page."""

    cluster: Cluster
    list_name: str
    by: tuple[str, ...]
    by_key: bool
    rows: int
    matched: int
    plan: ListingPlan

    @property
    def share(self) -> float:
        """The share of rows that find a page."""
        return self.matched / self.rows if self.rows else 0.0


@dataclass(frozen=True, slots=True)
class JoinProposal:
    """Lists whose rows lead to pages of one template, those that find most pages first."""

    detail: Cluster
    listings: tuple[ProposedListing, ...]
    plan: JoinPlan


@dataclass(frozen=True, slots=True)
class Proposals:
    """found: best first. cut: not all pages of the site were looked at."""

    found: Sequence[JoinProposal]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class _Listed:
    """A list with some of its rows: (address of the page, values)."""

    cluster: Cluster
    listed: RecordList
    attributes: Sequence[Attribute]
    rows: Sequence[tuple[str, Values]]


def propose_joins(site: Site) -> Proposals:
    """Return the joins that the records of a site suggest. Joins that exist are among them."""
    clusters = {each.pk: each for each in site.clusters.not_ignored().exclude(record_type=None).select_related("site", "record_type")}
    lists = _read_lists(clusters.values())
    if not lists:
        return Proposals(())
    index, cut = _index_pages(site)
    found: dict[int, dict[tuple[int, int], ProposedListing]] = {}
    for each in [*_propose_links(lists, index), *_propose_keys(lists, clusters.values())]:
        detail, listing = each
        place = (listing.cluster.pk, listing.plan.list or 0)
        best = found.setdefault(detail, {}).setdefault(place, listing)
        factor = KEY_FACTOR if listing.by_key and not best.by_key else 1.0
        if listing.matched > factor * best.matched:
            found[detail][place] = listing
    proposals = [_make_proposal(clusters[pk], list(many.values())) for pk, many in found.items() if pk in clusters]
    return Proposals(sorted(proposals, key=lambda each: (-max(one.share for one in each.listings), each.detail.number)), cut)


def _read_lists(clusters: Iterable[Cluster]) -> list[_Listed]:
    found, clusters = [], list(clusters)
    types = {cluster.record_type_id for cluster in clusters}
    lists = list(RecordList.objects.filter(record_type__in=types - {None}).prefetch_related("attributes"))
    for cluster in clusters:
        for listed in (each for each in lists if each.record_type_id == cluster.record_type_id):
            ready = ReadyListing(cluster, listed.name, "", (), ())
            rows = [(url, row) for _, url, _, row in islice(pairing.read_rows(ready), MAX_ROWS)]
            if rows:
                found.append(_Listed(cluster, listed, list(listed.attributes.all()), rows))
    return found


def _index_pages(site: Site) -> tuple[ThingIndex, bool]:
    """Return which template each address of the site leads to, and whether pages were left out."""
    index, count = ThingIndex(), 0
    records = Record.objects.filter(cluster__site=site).now().given().order_by("pk")
    fields = ("cluster_id", "snapshot__page__url", "canonical")
    for cluster, url, canonical in records.values_list(*fields)[:MAX_PAGES].iterator(chunk_size=2_000):
        count += 1
        index.add_address(url, cluster)
        if canonical:
            index.add_address(canonical, cluster, canonical=True)
    index.add_redirects(pairing.read_redirects(site))
    return index, count == MAX_PAGES


def _propose_links(lists: Iterable[_Listed], index: ThingIndex) -> Iterable[tuple[int, ProposedListing]]:
    """Yield (template, list) for each list of which enough rows lead to pages of the template by one attribute."""
    for each in lists:
        for attribute in (one for one in each.attributes if one.type == Attribute.Type.URL):
            ready = ReadyListing(each.cluster, each.listed.name, attribute.name, (), ())
            found = [index.find_links(pairing.list_links(ready, url, row)) for url, row in each.rows]
            counts = Counter(one.thing for one in found if isinstance(one, Partner))
            plan = ListingPlan(each.cluster.pk, each.listed.pk, link=attribute.pk)
            for cluster, count in counts.items():
                if count >= LEAST_SHARE * len(each.rows):
                    yield (
                        cluster,
                        ProposedListing(
                            each.cluster, each.listed.name, (attribute.name,), by_key=False, rows=len(each.rows), matched=count, plan=plan
                        ),
                    )


def _propose_keys(lists: Iterable[_Listed], clusters: Iterable[Cluster]) -> Iterable[tuple[int, ProposedListing]]:
    """Yield (template, list) for each list of which enough rows have a key that exactly one record of the template has."""
    listed = list(lists)
    for cluster in clusters:
        of_page = [one for one in Attribute.objects.of_cluster(cluster).of_page() if one.type not in UNLIKELY and not one.multiple]
        values = list(Record.objects.filter(cluster=cluster).now().given().order_by("pk").values_list("values", flat=True)[:MAX_RECORDS])
        known = {one.pk: _count_keys(values, one.name) for one in of_page} if values else {}
        for each in (one for one in listed if one.cluster.pk != cluster.pk and known):
            best = _find_best_pair(each, of_page, known)
            if best:
                yield cluster.pk, best


def _find_best_pair(each: _Listed, of_page: Sequence[Attribute], known: Mapping[int, Counter[str]]) -> ProposedListing | None:
    best: ProposedListing | None = None
    likely = [one for one in each.attributes if one.type not in UNLIKELY and not one.multiple]
    for row_attribute in sorted(likely, key=lambda one: not one.is_key):
        texts = [_write_key(row, row_attribute.name) for _, row in each.rows]
        if len(set(texts) - {""}) < 2:
            continue
        for attribute in (one for one in of_page if one.type == row_attribute.type):
            matched = sum(known[attribute.pk].get(text) == 1 for text in texts if text)
            if matched >= LEAST_SHARE * len(texts) and (best is None or matched > best.matched):
                plan = ListingPlan(each.cluster.pk, each.listed.pk, by_key=True, keys=((row_attribute.pk, attribute.pk),))
                by = (row_attribute.name,) if row_attribute.name == attribute.name else (row_attribute.name, attribute.name)
                best = ProposedListing(each.cluster, each.listed.name, by, by_key=True, rows=len(texts), matched=matched, plan=plan)
    return best


def _count_keys(records: Iterable[Values], name: str) -> Counter[str]:
    found = Counter(_write_key(values, name) for values in records)
    found.pop("", None)
    return found


def _write_key(values: Values, name: str) -> str:
    key = make_key(values, [name])
    return key.parts[0] if key else ""


def _make_proposal(detail: Cluster, listings: Sequence[ProposedListing]) -> JoinProposal:
    ordered = sorted(listings, key=lambda each: (-each.matched, each.cluster.number, each.list_name))
    name = plans.name_join(detail, [each.list_name for each in ordered])
    return JoinProposal(detail, tuple(ordered), JoinPlan(name, detail.pk, listings=tuple(each.plan for each in ordered)))
