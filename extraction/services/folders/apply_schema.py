"""Create and change the record types and quality rules of a folder."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from django.contrib.auth.models import User
from django.utils.translation import gettext

from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.records.quality.demands import RuleLimits
from extraction.algorithms.records.quality.offers import RuleBasis
from extraction.models import (
    Attribute,
    Cluster,
    QualityRule,
    RecordList,
    RecordType,
    Team,
)
from extraction.services.folders.collect_schema import collect_rules_by_name, find_common_rule
from extraction.services.folders.documents import AttributeDocument, QualityDocument, RecordTypeDocument
from extraction.services.folders.entries import Key
from extraction.services.folders.errors import FolderError
from extraction.services.folders.quality_names import name_rules
from extraction.services.quality import edit_rules
from extraction.services.records import keys
from extraction.services.schema import record_types
from extraction.services.schema.record_types import AttributeDraft, InUse

Keys = Collection[Key]


def apply_record_type(document: RecordTypeDocument, chosen: Keys, team: Team) -> bool:
    """Create or change a record type of a team. Return whether records should be extracted again. Raises FolderError."""
    row = RecordType.objects.filter(slug=document.slug).first()
    key = ("record type", document.slug)
    named = RecordType.objects.filter(name=document.name, team=team).exclude(slug=document.slug).first()
    if named and (row is None or key in chosen):
        reason = gettext("there is already a record type %(record_type)s with the slug %(slug)s")
        raise FolderError(reason % {"record_type": document.name, "slug": named.slug}, document.where)
    if row is None:
        drafts = [_draft(each) for each in document.attributes]
        row = record_types.create_record_type(document.name, document.description, drafts, slug=document.slug, team=team)
        _save_keys(row, document, {each.name for each in document.attributes}, {each.name for each in document.lists})
        return False
    parts = {each[2] if len(each) > 2 else "" for each in chosen if each[:2] == key}
    if not parts & {"", "order", "attribute", "list"}:
        return False
    head = document if key in chosen else RecordTypeDocument(slug=row.slug, name=row.name, description=row.description)
    try:
        judged = record_types.update_record_type(row, head.name, head.description, _merge(row, document, chosen))
    except InUse as error:
        reason = gettext("the record type cannot be changed like this: %(error)s") % {"error": error}
        raise FolderError(reason, document.where) from error
    row.refresh_from_db()
    if key in chosen:
        row.gone_after = document.gone_after
    attributes = {each[3] for each in chosen if each[:3] == (*key, "attribute")}
    _save_keys(row, replace(document, gone_after=row.gone_after), attributes, {each[3] for each in chosen if each[:3] == (*key, "list")})
    return judged


def remove_attributes(document: RecordTypeDocument, removed: Keys) -> None:
    """Remove attributes that the folder does not have. Raises FolderError while other marks or rules need them."""
    row = RecordType.objects.get(slug=document.slug)
    names = {each[3] for each in removed if each[:3] == ("record type", document.slug, "attribute")}
    rows = list(Attribute.objects.filter(record_type=row).select_related("list"))
    if not names:
        return
    try:
        record_types.update_record_type(row, row.name, row.description, [_keep(each) for each in rows if each.name not in names])
    except InUse as error:
        reason = gettext("attributes that are only here cannot be removed: %(error)s") % {"error": error}
        raise FolderError(reason, document.where) from error


def apply_quality(
    documents: Collection[QualityDocument],
    record_type: RecordType,
    cluster: Cluster | None,
    chosen: Collection[str],
    removed: Collection[str],
    user: User | None,
) -> None:
    """Create, change and delete the quality rules of a record type or of one template.

    chosen, removed: their names (`quality_names`).
    """
    known = collect_rules_by_name(record_type, cluster)
    for name in removed:
        if name in known:
            edit_rules.delete_rule(known[name])
    for name, document in name_rules(documents).items():
        if name in chosen:
            _write_rule(document, record_type, cluster, known.get(name), user)


def _draft(document: AttributeDocument, pk: int | None = None) -> AttributeDraft:
    return AttributeDraft(pk, document.name, document.type, document.multiple, document.mandatory, document.hotkey, document.list)


def _keep(row: Attribute) -> AttributeDraft:
    list_name = row.list.name if row.list else ""
    return AttributeDraft(row.pk, row.name, row.type, row.multiple, row.mandatory, row.hotkey, list_name)


def _merge(row: RecordType, document: RecordTypeDocument, chosen: Keys) -> list[AttributeDraft]:
    """Return the attributes that the type is to have: those of the folder where they were chosen, and those that are only here."""
    key = ("record type", document.slug)
    here = {each.name: each for each in Attribute.objects.filter(record_type=row).select_related("list")}
    kept = {name: _keep(each) for name, each in here.items()}
    theirs = [each.name for each in document.attributes]
    for each in document.attributes:
        if (*key, "attribute", each.name) in chosen:
            kept[each.name] = _draft(each, here[each.name].pk if each.name in here else None)
    used = {draft.hotkey for name, draft in kept.items() if name in here and draft.hotkey}
    for name, draft in kept.items():
        if name not in here and draft.hotkey in used:
            kept[name] = replace(draft, hotkey="")  # another attribute here has the key
    order = [*theirs, *here] if (*key, "order") in chosen else _insert(list(here), theirs)
    place = {name: number for number, name in reversed(list(enumerate(order)))}
    return sorted(kept.values(), key=lambda draft: place[draft.name])


def _insert(here: list[str], theirs: list[str]) -> list[str]:
    """Return the names that are here, and the new ones each behind the one that it follows in the folder."""
    for number, name in enumerate(theirs):
        if name not in here:
            here.insert(here.index(theirs[number - 1]) + 1 if number else 0, name)
    return here


def _save_keys(row: RecordType, document: RecordTypeDocument, attributes: Collection[str], lists: Collection[str]) -> None:
    """Set which attributes tell records apart, of those that were chosen; the others stay as they are."""
    wanted = {each.name: each.key for each in document.attributes if each.name in attributes}
    within = {each.name: each.key_per_page for each in document.lists if each.name in lists}
    rows = list(row.attributes.values_list("pk", "name", "is_key"))
    own = list(row.lists.values_list("pk", "name", "key_per_page"))
    is_key = {pk for pk, name, now in rows if wanted.get(name, now)}
    per_page = {pk for pk, name, now in own if within.get(name, now)}
    unchanged = is_key == {pk for pk, _, now in rows if now} and per_page == {pk for pk, _, now in own if now}
    if not unchanged or RecordType.objects.filter(pk=row.pk).exclude(gone_after=document.gone_after).exists():
        keys.save_keys(row, is_key, per_page, gone_after=document.gone_after)


def _write_rule(
    document: QualityDocument, record_type: RecordType, cluster: Cluster | None, known: QualityRule | None, user: User | None
) -> None:
    try:
        draft = _read_draft(document, record_type)
        if known is not None:
            row = edit_rules.update_rule(known, draft, user)
        elif document.replaces and cluster is not None:
            common = find_common_rule(record_type, document.replaces)
            if common is None:
                reason = gettext("%(record_type)s has no quality rule %(rule)s")
                raise FolderError(reason % {"record_type": record_type.slug, "rule": repr(document.replaces)}, document.where)
            row = edit_rules.update_rule(common, draft, user, cluster=cluster)
        else:
            row = edit_rules.create_rule(record_type, draft, user, cluster=cluster)
    except (edit_rules.QualityRuleError, JsonShapeError) as error:
        raise FolderError(gettext("the quality rule cannot be used: %(error)s") % {"error": error}, document.where) from error
    basis = RuleBasis.from_json(document.basis).as_json() if document.basis else {}
    QualityRule.objects.filter(pk=row.pk).update(basis=basis)


def _read_draft(document: QualityDocument, record_type: RecordType) -> edit_rules.RuleDraft:
    limits = RuleLimits.from_json(document.limits)
    strange = sorted(set(document.limits) - set(limits.as_json()) - {name for name, held in document.limits.items() if held is None})
    if strange:
        raise FolderError(gettext("%(name)s is not a limit") % {"name": repr(strange[0])}, document.where)
    if not 0 <= document.allowed_fraction <= 1 or document.weight not in QualityRule.Weight.values:
        raise FolderError(gettext("'allowed_fraction' is from 0 to 1, and 'weight' is note, warn or block"), document.where)
    attributes: Mapping[str, Attribute] = {each.name: each for each in record_type.attributes.select_related("list")}
    return edit_rules.RuleDraft(
        kind=document.kind,
        attribute=attributes.get(document.attribute),
        other=attributes.get(document.other),
        list=RecordList.objects.filter(record_type=record_type, name=document.list).first() if document.list else None,
        limits=limits,
        allowed_fraction=document.allowed_fraction,
        weight=document.weight,
        enabled=document.enabled,
        basis=RuleBasis.from_json(document.basis) if document.basis else None,
    )
