"""Choose what tells the records of a type apart: figures from the data, a proposal, and the choice of a person."""

from collections import Counter
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass

from django.db import transaction

from extraction.algorithms.records.keys import KeyFigures, Values, judge_key, propose_key
from extraction.models import Attribute, AuditKind, Cluster, Record, RecordChange, RecordCount, RecordList, RecordType
from extraction.services.core import audit
from extraction.services.records import rekeying
from extraction.services.records.rekeying import Rekeyed

MAX_RECORDS = 400
"""The largest number of records or rows that a key is judged by, the first of the largest template."""

MAX_CHANGES = 400
"""Newest changes that show which attributes change."""

_WITH_VALUES = tuple(kind for kind in RecordChange.Kind.values if kind != RecordChange.Kind.ADDED)

UNLIKELY = frozenset({Attribute.Type.PRICE, Attribute.Type.BOOLEAN, Attribute.Type.IMAGE})
"""Types that are not proposed: they may differ by chance, and they change."""


@dataclass(frozen=True, slots=True)
class KeyOption:
    """An attribute that can be part of a key, and how well it tells records apart alone."""

    attribute: Attribute
    figures: KeyFigures


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """The key of the records of a type, or of the rows of one of its lists.

    of_list: None for the records of pages.
    cluster: the template whose records the figures come from, None if there are none.
    chosen: figures of the present key, None without one.
    proposal: figures of the proposed key, None if no attributes fit.
    per_page: the proposal tells only the rows of one page apart.
    """

    of_list: RecordList | None
    cluster: Cluster | None
    options: Sequence[KeyOption]
    chosen: KeyFigures | None
    proposal: KeyFigures | None
    per_page: bool = False

    @property
    def is_proposal_chosen(self) -> bool:
        """Whether the proposed key is the present one."""
        same = bool(self.proposal and self.chosen and set(self.proposal.attributes) == set(self.chosen.attributes))
        return same and (self.of_list is None or self.of_list.key_per_page == self.per_page)

    def use_proposal(self, keys: Set[int], lists: Set[int]) -> tuple[set[int], set[int]]:
        """Return the chosen attributes, and the lists whose keys count within a page, with the proposal in place of what is chosen here."""
        proposed = self.proposal.attributes if self.proposal else ()
        kept = set(keys) - {each.attribute.pk for each in self.options}
        own = {self.of_list.pk} if self.of_list else set()
        within = (set(lists) - own) | (own if self.per_page else set())
        return kept | {each.attribute.pk for each in self.options if each.attribute.name in proposed}, within


def list_choices(record_type: RecordType) -> list[KeyChoice]:
    """Return the choice for the pages' records and for each list, if they have attributes."""
    cluster = _find_largest(record_type)
    attributes = list(record_type.attributes.select_related("list"))
    changed = _count_changes(cluster) if cluster else Counter[str]()
    found = []
    for each in (None, *record_type.lists.all()):
        own = [one for one in attributes if one.list_id == (each and each.pk)]
        if own:
            found.append(_make_choice(each, cluster, own, changed))
    return found


def _find_largest(record_type: RecordType) -> Cluster | None:
    """Return the template of the type with the most records, None without records."""
    counts = RecordCount.objects.filter(cluster__record_type=record_type).totals("cluster")
    largest = min(counts, key=lambda pk: (-counts[pk], pk), default=None)
    return Cluster.objects.filter(pk=largest).select_related("site").first() if largest else None


def _make_choice(of: RecordList | None, cluster: Cluster | None, attributes: Sequence[Attribute], changed: Counter[str]) -> KeyChoice:
    pages = _read_values(cluster, of.name if of else "") if cluster else []
    records = [values for page in pages for values in page][:MAX_RECORDS]
    names = [each.name for each in attributes if each.is_key]
    likely = [each.name for each in attributes if each.type not in UNLIKELY and not each.multiple]
    proposal, per_page = propose_key(records, likely, changed=changed, most=1), False
    if of and proposal is None:
        proposal = _propose_per_page(pages, likely, changed)
        per_page = proposal is not None
    proposal = proposal or propose_key(records, likely, changed=changed)
    return KeyChoice(
        of,
        cluster,
        [KeyOption(each, judge_key(records, [each.name], changed=changed)) for each in attributes],
        chosen=judge_chosen(pages, names, per_page=bool(of and of.key_per_page), changed=changed) if names else None,
        proposal=proposal,
        per_page=per_page,
    )


def judge_chosen(pages: Sequence[Sequence[Values]], names: Sequence[str], *, per_page: bool, changed: Counter[str]) -> KeyFigures:
    """Return how well the attributes tell records apart, or only the rows of each page."""
    if not per_page:
        return judge_key([values for page in pages for values in page][:MAX_RECORDS], names, changed=changed)
    judged = [judge_key(page, names) for page in pages]
    return KeyFigures(
        tuple(names),
        records=sum(each.records for each in judged),
        present=sum(each.present for each in judged),
        distinct=sum(each.distinct for each in judged),
        repeated=sum(each.repeated for each in judged),
        conflicts=sum(each.conflicts for each in judged),
        changed=sum(changed[name] for name in names),
    )


def _propose_per_page(pages: Sequence[Sequence[Values]], names: Sequence[str], changed: Counter[str]) -> KeyFigures | None:
    judged = (judge_chosen(pages, [name], per_page=True, changed=changed) for name in names)
    return next((each for each in judged if each.fits), None)


def _read_values(cluster: Cluster, list_name: str) -> list[list[Values]]:
    """Return the values of a template's present records by page, or of the rows of a list. Pages that are gone would repeat records."""
    records = Record.objects.filter(cluster=cluster, snapshot__page__gone_at=None).now().given().order_by("pk")[:MAX_RECORDS]
    if not list_name:
        return [[values] for values in records.values_list("values", flat=True)]
    return [list(rows.get(list_name, ())) for rows in records.values_list("rows", flat=True)]


def _count_changes(cluster: Cluster) -> Counter[str]:
    """Return {attribute: how many of the newest changes changed it on the page}."""
    newest = RecordChange.objects.filter(cluster=cluster, kind__in=_WITH_VALUES).exclude(values={}).order_by("-pk")[:MAX_CHANGES]
    rows = newest.values_list("values", flat=True)
    return Counter(name for values in rows for name, change in values.items() if change["cause"] in ("page", "both"))


def find_conflicts(record_type: RecordType, keys: Collection[int], per_page: Collection[int]) -> list[tuple[str, KeyFigures]]:
    """Return (list, figures) for each key that different records would share. The list is "" for the records of pages.

    keys: ids of attributes.
    per_page: ids of the lists whose keys count within a page only.
    """
    found = []
    for choice in list_choices(record_type):
        names = [each.attribute.name for each in choice.options if each.attribute.pk in keys]
        if names and choice.cluster:
            pages = _read_values(choice.cluster, choice.of_list.name if choice.of_list else "")
            within = bool(choice.of_list and choice.of_list.pk in per_page)
            figures = judge_chosen(pages, names, per_page=within, changed=Counter())
            if figures.conflicts:
                found.append((choice.of_list.name if choice.of_list else "", figures))
    return found


def save_keys(record_type: RecordType, keys: Collection[int], per_page: Collection[int], *, gone_after: int) -> Rekeyed:
    """Store the choice of a person, and give known records their new keys."""
    with transaction.atomic():
        before = _describe_keys(record_type)
        RecordType.objects.filter(pk=record_type.pk).update(gone_after=gone_after)
        record_type.attributes.update(is_key=False)
        record_type.attributes.filter(pk__in=keys).update(is_key=True)
        record_type.lists.update(key_per_page=False)
        record_type.lists.filter(pk__in=per_page).update(key_per_page=True)
        audit.record(AuditKind.KEYS_CHANGED, record_type, text=audit.describe_differences(before, _describe_keys(record_type)))
        return rekeying.apply_keys(list(record_type.clusters.order_by("pk").values_list("pk", flat=True)))


def _describe_keys(record_type: RecordType) -> dict[str, object]:
    found = RecordType.objects.get(pk=record_type.pk)
    return {
        "key attributes": list(found.attributes.filter(is_key=True).values_list("name", flat=True)),
        "keys of one page": list(found.lists.filter(key_per_page=True).values_list("name", flat=True)),
        "gone after": found.gone_after,
    }
