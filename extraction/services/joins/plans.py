"""The settings of a join as a value: read, checked against the record types as they are now, and stored.

A plan names rows by their ids, so it follows when templates, lists and attributes are renamed. What was removed or no longer fits is a
problem with a sentence for people; nothing is joined until somebody has chosen again.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.algorithms.records.join import SharedAttribute, Side
from extraction.models import Attribute, AuditKind, Cluster, Join, JoinKey, JoinListing, RecordList, Site
from extraction.models.join import JoinColumn
from extraction.services.core import audit


@dataclass(frozen=True, slots=True)
class ListingPlan:
    """A list whose rows take part. Ids are None for what was removed.

    link: the attribute with the page's address; only used without `by_key`.
    keys: pairs of (attribute of the rows, attribute of the page).
    with_page: the listing page's own values go with each row.
    """

    cluster: int | None
    list: int | None
    by_key: bool = False
    link: int | None = None
    keys: tuple[tuple[int | None, int | None], ...] = ()
    with_page: bool = False


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """The settings of a join. turned: attributes of the page for which the side that is not `winner` counts."""

    name: str
    detail: int | None
    winner: Side = "page"
    turned: frozenset[int] = frozenset()
    listings: tuple[ListingPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadyListing:
    """A list that can be joined, with the present names of its attributes.

    keys: pairs of names; empty if the join is by `link`.
    own: the names of the page's own attributes that go with its rows.
    """

    cluster: Cluster
    list_name: str
    link: str
    keys: tuple[tuple[str, str], ...]
    own: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadyJoin:
    """A join that can be made.

    shared: attributes that both sides have. columns: those of the joined records. settings: `JoinResult.settings`.
    """

    site: Site
    detail: Cluster
    listings: tuple[ReadyListing, ...]
    shared: tuple[SharedAttribute, ...]
    columns: tuple[JoinColumn, ...]
    settings: str

    @property
    def sides(self) -> list[Cluster]:
        """The templates that take part, each once."""
        return list({each.pk: each for each in (*(listing.cluster for listing in self.listings), self.detail)}.values())


@dataclass(frozen=True, slots=True)
class Problems:
    """Why a plan cannot be joined, a sentence each."""

    sentences: tuple[str, ...]


class _Schema:
    """The clusters, lists and attributes that a plan names, read in three queries."""

    def __init__(self, site: Site, plan: JoinPlan) -> None:
        clusters = [pk for pk in (plan.detail, *(each.cluster for each in plan.listings)) if pk is not None]
        found = Cluster.objects.filter(site=site, pk__in=clusters).select_related("site", "record_type")
        self.clusters: Mapping[int | None, Cluster] = {each.pk: each for each in found}
        types = {each.record_type_id for each in self.clusters.values()} - {None}
        self.lists: Mapping[int | None, RecordList] = {each.pk: each for each in RecordList.objects.filter(record_type__in=types)}
        attributes = Attribute.objects.filter(record_type__in=types).order_by("position", "id")
        self.attributes: Mapping[int | None, Attribute] = {each.pk: each for each in attributes}

    def of_page(self, cluster: Cluster) -> list[Attribute]:
        found = self.attributes.values()
        return [each for each in found if each.record_type_id == cluster.record_type_id and each.list_id is None]

    def of_list(self, listed: RecordList) -> list[Attribute]:
        return [each for each in self.attributes.values() if each.list_id == listed.pk]


def read_plan(join: Join) -> JoinPlan:
    """Return the stored settings of a join."""
    listings = tuple(
        ListingPlan(
            each.cluster_id,
            each.list_id,
            each.by_key,
            each.link_id,
            tuple((key.in_list_id, key.on_page_id) for key in each.keys.all()),
            each.with_page,
        )
        for each in join.listings.prefetch_related("keys")
    )
    winner: Side = "listing" if join.winner == Join.Winner.LISTING else "page"
    return JoinPlan(join.name, join.detail_id, winner, frozenset(join.turned.values_list("pk", flat=True)), listings)


def check_plan(site: Site, plan: JoinPlan) -> ReadyJoin | Problems:
    """Return the plan with everything that it names, or why it cannot be joined."""
    schema = _Schema(site, plan)
    detail = schema.clusters.get(plan.detail)
    problems = []
    if detail is None:
        problems.append(
            gettext("Choose the template of the pages.")
            if plan.detail is None
            else gettext("The template of the pages is no longer there.")
        )
    elif detail.record_type_id is None:
        problems.append(gettext("%(detail)s has no record type. Choose one first.") % {"detail": detail.label})
    if not plan.listings:
        problems.append(gettext("Choose a list."))
    ready = []
    for each in plan.listings:
        found = _check_listing(schema, detail, each)
        if isinstance(found, str):
            problems.append(found)
        else:
            ready.append(found)
    if problems or detail is None:
        return Problems(tuple(dict.fromkeys(problems)))
    return _make_ready(site, plan, schema, detail, ready)


def _check_listing(schema: _Schema, detail: Cluster | None, plan: ListingPlan) -> ReadyListing | str:
    cluster, listed = schema.clusters.get(plan.cluster), schema.lists.get(plan.list)
    if cluster is None:
        return gettext("The template of a list is no longer there. Choose another.")
    if listed is None or listed.record_type_id != cluster.record_type_id:
        return gettext("%(cluster)s no longer has the list of this join. Choose another.") % {"cluster": cluster.label}
    names = {each.name for each in schema.of_list(listed)}
    own = tuple(each.name for each in schema.of_page(cluster) if each.name not in names) if plan.with_page else ()
    if plan.by_key:
        keys = _check_keys(schema, detail, listed, plan)
        return keys if isinstance(keys, str) else ReadyListing(cluster, listed.name, "", keys, own)
    link = schema.attributes.get(plan.link)
    if link is None or link.list_id != listed.pk:
        return gettext("The link attribute of %(listed)s was removed or moved. Choose another.") % {"listed": listed.name}
    if link.type != Attribute.Type.URL:
        return gettext("%(link)s of %(listed)s is not of the type URL, so it cannot be a link. Change its type or choose another.") % {
            "link": link.name,
            "listed": listed.name,
        }
    return ReadyListing(cluster, listed.name, link.name, (), own)


def _check_keys(schema: _Schema, detail: Cluster | None, listed: RecordList, plan: ListingPlan) -> tuple[tuple[str, str], ...] | str:
    pairs = []
    for row_id, page_id in plan.keys:
        in_list, on_page = schema.attributes.get(row_id), schema.attributes.get(page_id)
        if in_list is None or in_list.list_id != listed.pk:
            return gettext("An attribute of %(listed)s by whose value rows find their page was removed or moved. Choose another.") % {
                "listed": listed.name
            }
        if on_page is None or on_page.list_id is not None or (detail and on_page.record_type_id != detail.record_type_id):
            return gettext("The page’s attribute that %(in_list)s is compared with was removed or moved. Choose another.") % {
                "in_list": in_list.name
            }
        pairs.append((in_list.name, on_page.name))
    return tuple(pairs) or gettext("Choose the attributes by whose values a row of %(listed)s finds its page.") % {"listed": listed.name}


def _make_ready(site: Site, plan: JoinPlan, schema: _Schema, detail: Cluster, listings: Sequence[ReadyListing]) -> ReadyJoin:
    of_page = {each.name: each for each in schema.of_page(detail)}
    of_rows: dict[str, Attribute] = {}
    for each, ready in zip(plan.listings, listings, strict=True):
        listed = schema.lists[each.list]
        for attribute in [*schema.of_list(listed), *(one for one in schema.of_page(ready.cluster) if one.name in ready.own)]:
            of_rows.setdefault(attribute.name, attribute)
    shared: list[SharedAttribute] = []
    taken = {*of_rows, *of_page}
    for name in of_rows:
        if name in of_page:
            winner: Side = plan.winner if of_page[name].pk not in plan.turned else "listing" if plan.winner == "page" else "page"
            other = find_free_name(f"{name}_{'page' if winner == 'listing' else 'listing'}", taken)
            taken.add(other)
            shared.append(SharedAttribute(name, other, winner))
    columns = _make_columns(of_rows, of_page, shared)
    text = json.dumps([plan.detail, [each.as_json() for each in columns], [_describe(each) for each in listings]])
    return ReadyJoin(site, detail, tuple(listings), tuple(shared), columns, hashlib.sha256(text.encode()).hexdigest())


def _describe(listing: ReadyListing) -> list[object]:
    return [listing.cluster.pk, listing.list_name, listing.link, listing.keys, listing.own]


def _make_columns(
    of_rows: Mapping[str, Attribute], of_page: Mapping[str, Attribute], shared: Sequence[SharedAttribute]
) -> tuple[JoinColumn, ...]:
    both = {each.name: each for each in shared}
    found = []
    for name, row in of_rows.items():
        page = of_page.get(name)
        if name not in both or page is None:
            found.append(JoinColumn(name=name, source=name, type=row.type, multiple=row.multiple, side="listing"))
            continue
        loser, side = (page, "page") if both[name].winner == "listing" else (row, "listing")
        kind = row.type if row.type == page.type else Attribute.Type.TEXT.value
        found.append(JoinColumn(name=name, source=name, type=kind, multiple=row.multiple or page.multiple, side="both"))
        found.append(JoinColumn(name=both[name].other, source=name, type=loser.type, multiple=loser.multiple, side=side))
    own = [JoinColumn(name=name, source=name, type=page.type, multiple=page.multiple) for name, page in of_page.items() if name not in both]
    return (*found, *own)


def find_free_name(name: str, taken: set[str]) -> str:
    """Return the name, with a number behind it if it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def name_join(detail: Cluster, lists: Sequence[str]) -> str:
    """Return a name for a join of these lists with a template's pages."""
    return f"{', '.join(dict.fromkeys(lists))} with {detail.stored_label}"[:120]


def save_plan(site: Site, plan: JoinPlan, join: Join | None = None, user: User | None = None) -> Join:
    """Store the settings of a new join or of an existing one."""
    with transaction.atomic():
        join = join or Join(site=site, created_by=user)
        join.name, join.detail_id, join.winner = plan.name, plan.detail, plan.winner
        join.save()
        join.turned.set(plan.turned)
        kept = list(join.listings.all())
        for position, each in enumerate(plan.listings):
            listing = kept.pop(0) if kept else JoinListing(join=join)
            listing.position, listing.cluster_id, listing.list_id = position, each.cluster, each.list
            listing.by_key, listing.link_id, listing.with_page = each.by_key, None if each.by_key else each.link, each.with_page
            listing.save()
            listing.keys.all().delete()
            pairs = enumerate(each.keys if each.by_key else ())
            JoinKey.objects.bulk_create(
                JoinKey(listing=listing, in_list_id=row, on_page_id=page, position=place) for place, (row, page) in pairs
            )
        for listing in kept:
            listing.delete()
        audit.record(AuditKind.JOIN_SAVED, join)
    return join


def delete_join(join: Join) -> None:
    """Delete a join with its records. The records of both sides stay."""
    with transaction.atomic():
        audit.record(AuditKind.JOIN_DELETED, join)
        join.delete()
