"""Create, change and delete record types."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone, translation
from django.utils.translation import gettext, ngettext

from extraction.models import (
    Attribute,
    AuditKind,
    Cluster,
    DeliveryTarget,
    Label,
    RecordType,
    Rule,
    Team,
)
from extraction.models.team import find_first_team
from extraction.services.core import audit, signals
from extraction.services.core.access import visible_to
from extraction.services.core.slugs import find_free_slug
from extraction.services.schema import record_lists, renaming, versions


class InUse(Exception):  # noqa: N818
    """The change would delete something that people made. The message says what."""


@dataclass(frozen=True, slots=True)
class AttributeDraft:
    """An attribute as a person wants it.

    id: the attribute to change, None for a new one.
    list: the list whose rows it belongs to, "" for the page itself.
    """

    id: int | None
    name: str
    type: str
    multiple: bool = False
    mandatory: bool = False
    hotkey: str = ""
    list: str = ""


@dataclass(frozen=True, slots=True)
class RecordTypeRow:
    """A record type with its attributes and the number of templates that use it."""

    record_type: RecordType
    attributes: list[Attribute]
    templates: int


def list_record_types(user: User) -> list[RecordTypeRow]:
    """Return the record types of a person's teams, by name, in a constant number of queries."""
    found = visible_to(RecordType.objects.select_related("team"), user).annotate(templates=Count("clusters")).prefetch_related("attributes")
    return [RecordTypeRow(row, list(row.attributes.all()), row.templates) for row in found]


def create_record_type(
    name: str, description: str, attributes: Sequence[AttributeDraft], *, slug: str = "", team: Team | None = None
) -> RecordType:
    """Create a record type with its attributes in the given order.

    slug: one that no type has; "" to make one from the name.
    team: the team that it belongs to; None for the oldest.
    """
    with transaction.atomic():
        slug = slug or find_free_slug(RecordType, name, default="record-type", max_length=80)
        record_type = RecordType.objects.create(
            name=name, description=description, slug=slug, team_id=team.pk if team else find_first_team()
        )
        _write(record_type, attributes, {})
        audit.record(AuditKind.RECORD_TYPE_CREATED, record_type, text="attributes: " + ", ".join(each.name for each in attributes))
    return record_type


def update_record_type(
    record_type: RecordType, name: str, description: str, attributes: Sequence[AttributeDraft], *, drop_labels: bool = False
) -> bool:
    """Change a record type. Return whether a live rule now judges values differently, so that its records should be extracted again.

    This is the case if a type, `multiple` or `mandatory` changed. Rules and records take over new names in the same
    transaction. Raises InUse if labels or attributes of live rules would be lost and `drop_labels` is not set.
    """
    with transaction.atomic():
        before = _describe_schema(RecordType.objects.get(pk=record_type.pk))
        wanted = {draft.id: draft.list for draft in attributes if draft.id}
        lists = record_lists.find_renamed_lists(record_type, wanted, _list_names(attributes))
        gone = record_type.attributes.exclude(pk__in=list(wanted))
        moved = record_lists.find_moved_attributes(record_type, wanted, lists)
        lost = record_type.attributes.filter(Q(pk__in=gone) | Q(pk__in=[each.pk for each in moved]))
        labels = dict(lost.order_by("position", "id").values_list("name").annotate(n=Count("labels")))
        used = [
            ngettext("%(name)s has %(n)s marked value", "%(name)s has %(n)s marked values", n) % {"name": name, "n": n}
            for name, n in labels.items()
            if n
        ]
        used += _describe_live(record_type, list(gone.values_list("name", flat=True)))
        if used and not drop_labels:
            raise InUse("; ".join(used))
        gone.delete()
        record_lists.drop_labels(moved)
        names = dict(record_type.attributes.values_list("pk", "name"))
        renamed = {names[draft.id]: draft.name for draft in attributes if draft.id in names and names[draft.id] != draft.name}
        RecordType.objects.filter(pk=record_type.pk).update(name=name, description=description)
        _write(record_type, attributes, lists)
        versions.follow_changes(record_type)
        judged = renaming.rename_in_rules_and_records(record_type, renamed, lists)
        signals.schema_changed.send(RecordType, record_type=record_type)
        if changed := audit.describe_differences(before, _describe_schema(RecordType.objects.get(pk=record_type.pk))):
            audit.record(AuditKind.RECORD_TYPE_CHANGED, record_type, text=changed)
    return judged


def add_attributes(record_type: RecordType, drafts: Sequence[AttributeDraft]) -> None:
    """Add the attributes whose names are new, and their lists. Existing attributes stay as they are."""
    old = list(record_type.attributes.select_related("list"))
    known = {each.name.lower() for each in old}
    kept = [
        AttributeDraft(each.pk, each.name, each.type, each.multiple, each.mandatory, each.hotkey, each.list.name if each.list else "")
        for each in old
    ]
    new = [draft for draft in drafts if draft.name.lower() not in known]
    if new:
        update_record_type(record_type, record_type.name, record_type.description, [*kept, *new])


def delete_record_type(record_type: RecordType) -> None:
    """Delete a record type. Raises InUse while a template uses it or its records are delivered."""
    with transaction.atomic():
        users = Cluster.objects.filter(record_type=record_type).select_related("site")
        if users:
            raise InUse(
                gettext("used by %(users)s")
                % {
                    "users": ", ".join(
                        gettext("%(cluster)s of %(site)s") % {"cluster": cluster.label, "site": cluster.site} for cluster in users[:5]
                    )
                }
            )
        targets = DeliveryTarget.objects.filter(record_type=record_type)
        if targets:
            raise InUse(gettext("delivered to %(targets)s") % {"targets": ", ".join(target.name for target in targets[:5])})
        audit.record(AuditKind.RECORD_TYPE_DELETED, record_type)
        record_type.delete()


def count_labels(record_type: RecordType) -> dict[int, int]:
    """Return {attribute id: number of marked values}; that a value is not on a page counts nothing."""
    found = Label.objects.filter(attribute__record_type=record_type, location__isnull=False)
    return dict(found.values_list("attribute").order_by().annotate(n=Count("pk")))


def _describe_schema(record_type: RecordType) -> dict[str, str]:
    """Return what the audit log compares: names and settings, as texts."""
    found = record_type.attributes.select_related("list").order_by("position", "id")
    marks = {"multiple": "several values", "mandatory": "mandatory"}
    with translation.override("en"):
        return {
            "name": record_type.name,
            "description": record_type.description,
            **{
                f"attribute {each.list.name + ' › ' if each.list else ''}{each.name}": ", ".join(
                    [each.get_type_display(), *(words for name, words in marks.items() if getattr(each, name))]
                )
                for each in found
            },
        }


def _describe_live(record_type: RecordType, names: Sequence[str]) -> list[str]:
    """Return which of these attributes live rules give, in words."""
    if not names:
        return []
    serving = Rule.objects.serving().filter(cluster__record_type=record_type)
    counts = Counter(each["name"] for rule in serving for each in _list_entries(rule.definition) if each.get("name") in names)
    return [
        ngettext("%(name)s is in %(n)s live rule", "%(name)s is in %(n)s live rules", n) % {"name": name, "n": n}
        for name, n in sorted(counts.items())
    ]


def _list_entries(definition: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the attributes of a stored rule, also those of its lists."""
    return [*definition.get("attributes", ()), *(each for one in definition.get("lists", ()) for each in one.get("attributes", ()))]


def _list_names(attributes: Sequence[AttributeDraft]) -> list[str]:
    """Return the lists that attributes name, in the order of first use."""
    return list(dict.fromkeys(draft.list for draft in attributes if draft.list))


def _write(record_type: RecordType, attributes: Sequence[AttributeDraft], renamed_lists: Mapping[str, str]) -> None:
    lists = record_lists.write_lists(record_type, _list_names(attributes), renamed_lists)
    # Two attributes may swap their names. The unique constraint is checked row by row, so each gets a free name first.
    kept = record_type.attributes.in_bulk([draft.id for draft in attributes if draft.id])
    for attribute in kept.values():
        Attribute.objects.filter(pk=attribute.pk).update(name=f" {attribute.pk}")
    for position, draft in enumerate(attributes):
        row = kept.get(draft.id or 0) or Attribute(record_type=record_type, created_at=timezone.now())
        row.name, row.type, row.position = draft.name, draft.type, position
        row.multiple, row.mandatory, row.hotkey = draft.multiple, draft.mandatory, draft.hotkey
        row.list = lists.get(draft.list)
        row.save()
    record_lists.sweep_lists(record_type, list(lists))
