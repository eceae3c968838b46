"""Quality: rules about the records of a type, and suggestions for them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from ninja import Field, Schema, Status

from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.records.quality.checks import Fault
from extraction.algorithms.records.quality.demands import RuleLimits
from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations, find_cluster
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.quality import FIELDS, QualityRuleForm, RuleChoiceForm, make_initial
from extraction.models import Attribute, Cluster, QualityRule, RecordList, RecordType
from extraction.services.quality import edit_rules as service
from extraction.services.quality import effective_rules, rule_words, suggest_rules, try_rule
from extraction.services.quality.edit_rules import QualityRuleError, RuleDraft
from extraction.services.quality.subjects import Place
from extraction.services.quality.suggest_rules import SuggestedRule
from extraction.views.quality import releases, rules, suggested

operations = Operations("Quality rules")

TYPE = "/record-types/{slug:slug}/quality-rules"
SHARED = "Rules for all templates of a type concern all sites. Name one template with `site` and `template`, or use a token for all sites."

Weight = Literal["note", "warn", "block"]


class LimitsIn(RequestBody):
    """The limits of a rule. Each kind has its own; the others must be left out.

    pattern: pattern. range: low, high and, for prices, currency. values: values. length: shortest, longest. language: languages.
    monotony: direction (up or down). relation: operator. count: least, most and runs (multiples of the median of so many runs).
    """

    pattern: str | None = None
    low: str | None = None
    high: str | None = None
    currency: str | None = None
    values: list[str] | None = None
    shortest: int | None = None
    longest: int | None = None
    languages: list[str] | None = None
    direction: str | None = None
    operator: str | None = None
    least: float | None = None
    most: float | None = None
    runs: int | None = None


class RuleIn(RequestBody):
    """A quality rule.

    kind: required, range, values, pattern, length, unique, language, relation, monotony, change or count.
    attribute: its name; empty for a rule about whole records.
    list_name: the list of the attribute, or the list whose rows a rule without an attribute is about; empty for the page itself.
    other: the attribute on the right of a relation.
    allowed_fraction: the largest share of records that may fail, from 0 to 1. For change: the share that may change at once.
    weight: note (it is shown), warn (people are told) or block (the run's records are held back).
    """

    kind: str
    attribute: str = ""
    list_name: str = ""
    other: str = ""
    limits: LimitsIn = LimitsIn()
    allowed_fraction: float = Field(0.0, ge=0, le=1)
    weight: Weight = "warn"


class TriedIn(RuleIn):
    """A rule to try. site, template: on which records; without them, on those of the template with the most records."""

    site: str = ""
    template: int | None = None


class RuleChange(RequestBody):
    """Changes of a rule. Fields that are left out stay as they are. enabled: false switches the rule off."""

    limits: LimitsIn | None = None
    other: str | None = None
    allowed_fraction: float | None = Field(None, ge=0, le=1)
    weight: Weight | None = None
    enabled: bool | None = None


class BasisOut(Schema):
    """Where the limits of a suggested rule come from. records: how many, or how many runs, were looked at."""

    records: int
    seen: str
    margin: str


class QualityRuleOut(Schema):
    """A quality rule.

    text: the rule in words.
    site, template: the only template that it is for; null for all templates of the record type.
    overrides: the rule for all templates that it replaces in its template.
    basis: where its limits come from, if it was suggested and not changed since.
    """

    id: int
    record_type: str
    kind: str
    attribute: str
    list_name: str
    other: str
    limits: dict[str, Any]
    allowed_fraction: float
    weight: str
    enabled: bool
    text: str
    site: str | None
    template: int | None
    overrides: int | None
    basis: BasisOut | None


class SuggestionOut(Schema):
    """A rule that the records suggest. name: tells it apart; take it over with this name."""

    name: str
    text: str
    kind: str
    attribute: str
    list_name: str
    other: str
    limits: dict[str, Any]
    allowed_fraction: float
    weight: str
    basis: BasisOut


class SuggestionsOut(Schema):
    """Suggestions.

    records: how many records and rows were looked at; complete: these are all of the templates that were looked at.
    known: suggestions that are left out, because there is such a rule.
    """

    suggestions: list[SuggestionOut]
    records: int
    complete: bool
    known: int


class TakeIn(RequestBody):
    """Which suggestions to take over. weight: for all of them; without it, each has the weight that was suggested."""

    names: list[str] = Field(min_length=1, max_length=500)
    weight: Weight | None = None


class FaultOut(Schema):
    """A record that fails. record: its id over time, null for a row that is not followed; page: its id; reason: with the value."""

    record: int | None
    page: int | None
    list_name: str
    reason: str


class TriedOut(Schema):
    """What a rule finds among the records that are there.

    finding: in words; empty if nothing fails. broken: more fail than the rule allows.
    unread: those whose value cannot be read; undecided: those that nobody can tell of.
    judged: records and rows that were looked at; complete: these are all.
    faults: the first ones.
    """

    site: str
    template: int
    finding: str
    broken: bool
    checked: int
    failing: int
    unread: int
    undecided: int
    judged: int
    complete: bool
    faults: list[FaultOut]


def describe_rule(rule: QualityRule) -> QualityRuleOut:
    """Return what the API says about a quality rule."""
    try:
        text, basis = rule_words.write_rule(rule.read_demand()), rule.read_basis()
    except JsonShapeError as error:
        text, basis = f"The rule cannot be read: {error}", None
    return QualityRuleOut(
        id=rule.pk,
        record_type=rule.record_type.slug,
        **_describe_subject(rule),
        limits=rule.limits,
        allowed_fraction=rule.allowed_fraction,
        weight=rule.weight,
        enabled=rule.enabled,
        text=text,
        site=rule.cluster.site.slug if rule.cluster else None,
        template=rule.cluster.number if rule.cluster else None,
        overrides=rule.overrides_id,
        basis=BasisOut(**basis.as_json()) if basis else None,
    )


@operations.get(TYPE, like=rules.list_rules, response=Paged[QualityRuleOut])
def list_quality_rules(request: ApiRequest, slug: str, paging: Asked) -> dict[str, Any]:
    """List the quality rules of a record type: those for all templates, and those of single templates."""
    record_type = get_object_or_404(RecordType, slug=slug)
    return take_page(_select(request).filter(record_type=record_type), paging, describe_rule)


@operations.get(
    "/sites/{slug:slug}/templates/{int:number}/quality-rules",
    like=releases.show_quality,
    response=list[QualityRuleOut],
)
def list_template_quality_rules(request: ApiRequest, slug: str, number: int) -> list[QualityRuleOut]:
    """List the rules by which the records of a template are judged, in the order in which they are shown."""
    return [describe_rule(each) for each in effective_rules.find_effective_rules(find_cluster(request, slug, number))]


@operations.get("/quality-rules/{int:rule_id}", like=rules.list_rules, response=QualityRuleOut)
def show_quality_rule(request: ApiRequest, rule_id: int) -> QualityRuleOut:
    """Show a quality rule."""
    return describe_rule(get_object_or_404(_select(request), pk=rule_id))


@operations.post(TYPE, like=rules.create_rule, response=QualityRuleOut, status=201)
def create_quality_rule(
    request: ApiRequest, slug: str, body: RuleIn, site: str = "", template: int | None = None
) -> Status[QualityRuleOut]:
    """Create a quality rule. It judges the next run.

    `site` and `template` name the only template that it is for.
    """
    record_type = get_object_or_404(RecordType, slug=slug)
    cluster = _find_scope(request, record_type, site, template)
    draft = _read_draft(record_type, body)
    return Status(201, _store(lambda: service.create_rule(record_type, draft, request.access.user, cluster=cluster)))


@operations.change("PATCH", "/quality-rules/{int:rule_id}", like=rules.edit_rule, response=QualityRuleOut)
def change_quality_rule(request: ApiRequest, rule_id: int, body: RuleChange, site: str = "", template: int | None = None) -> QualityRuleOut:
    """Change a quality rule, or switch it off or on.

    With `site` and `template`, a rule for all templates is changed for this one only: the answer is the rule that replaces it there.
    """
    rule = get_object_or_404(_select(request), pk=rule_id)
    cluster = rule.cluster or _find_scope(request, rule.record_type, site, template)
    if not body.model_dump(exclude_unset=True, exclude_none=True):
        return describe_rule(rule)
    wanted = {"enabled": rule.enabled} | body.model_dump(exclude_unset=True, exclude_none=True)
    if wanted.keys() == {"enabled"}:
        return _store(lambda: service.switch_rule(rule, request.access.user, enabled=wanted["enabled"], cluster=cluster))
    whole = RuleIn(
        **_describe_subject(rule) | {"other": wanted.get("other", rule.other.name if rule.other else "")},
        limits=LimitsIn(**wanted.get("limits", rule.limits)),
        allowed_fraction=wanted.get("allowed_fraction", rule.allowed_fraction),
        weight=wanted.get("weight", rule.weight),
    )
    draft = replace(_read_draft(rule.record_type, whole), enabled=wanted["enabled"])
    return _store(lambda: service.update_rule(rule, draft, request.access.user, cluster=cluster))


@operations.change("DELETE", "/quality-rules/{int:rule_id}", like=rules.delete_rule)
def delete_quality_rule(request: ApiRequest, rule_id: int) -> Status[None]:
    """Delete a quality rule, and those that replace it in templates. What it found in earlier runs stays."""
    rule = get_object_or_404(_select(request), pk=rule_id)
    if rule.cluster is None:
        request.access.refuse_site_limits(SHARED)
    service.delete_rule(rule)
    return Status(204, None)


@operations.post(f"{TYPE}/try", like=rules.try_rule, response=TriedOut)
def try_quality_rule(request: ApiRequest, slug: str, body: TriedIn) -> TriedOut:
    """Judge the records that are there by a rule, without storing it."""
    record_type = get_object_or_404(RecordType, slug=slug)
    draft = _read_draft(record_type, body)
    if body.site or body.template is not None:
        cluster: Cluster | None = _find_scope(request, record_type, body.site, body.template)
    else:
        cluster = try_rule.find_template_to_try(record_type, sites=request.access.list_sites())
    if cluster is None:
        raise ProblemError(409, "No template of this type has records yet.")
    tried = try_rule.try_rule(draft.make_row(record_type, cluster), cluster)
    score = tried.score
    return TriedOut(
        site=cluster.site.slug,
        template=cluster.number,
        finding=tried.finding,
        broken=score.broken,
        checked=score.checked,
        failing=score.failing,
        unread=score.unread,
        undecided=score.undecided,
        judged=tried.measured.judged,
        complete=tried.measured.complete,
        faults=[_describe_fault(*each) for each in score.faults[: rules.SHOWN_FAULTS]],
    )


@operations.get(f"{TYPE}/suggestions", like=suggested.suggest_rules, response=SuggestionsOut)
def suggest_quality_rules(request: ApiRequest, slug: str, site: str = "", template: int | None = None) -> SuggestionsOut:
    """List the rules that the records, their changes and their runs suggest.

    `site` and `template` name the only template that is looked at.
    """
    record_type = get_object_or_404(RecordType, slug=slug)
    found = suggest_rules.suggest_rules(record_type, _find_scope(request, record_type, site, template))
    shown = [_describe_suggestion(each) for each in found.rules]
    return SuggestionsOut(suggestions=shown, records=found.records, complete=found.complete, known=found.known)


@operations.post(f"{TYPE}/suggestions", like=suggested.suggest_rules, response=list[QualityRuleOut], status=201)
def take_quality_rules(
    request: ApiRequest, slug: str, body: TakeIn, site: str = "", template: int | None = None
) -> Status[list[QualityRuleOut]]:
    """Take over rules that the records suggest. They judge the next run. The answer is 409 if the records suggest something else now."""
    record_type = get_object_or_404(RecordType, slug=slug)
    cluster = _find_scope(request, record_type, site, template)
    found = {_name_suggestion(each.draft): each for each in suggest_rules.suggest_rules(record_type, cluster).rules}
    if missing := [name for name in body.names if name not in found]:
        raise ProblemError(409, f"The records do not suggest “{missing[0]}” (any more). List the suggestions again.")
    made = []
    for name in dict.fromkeys(body.names):
        draft = replace(found[name].draft, weight=body.weight or found[name].offer.weight)
        made.append(_store(lambda draft=draft: service.create_rule(record_type, draft, request.access.user, cluster=cluster)))
    return Status(201, made)


def _select(request: ApiRequest) -> "QuerySet[QualityRule]":
    mine = Q(cluster=None) | Q(cluster__site__in=request.access.list_sites())
    return QualityRule.objects.filter(mine).select_related("attribute__list", "other", "list", "record_type", "cluster__site")


def _find_scope(request: ApiRequest, record_type: RecordType, site: str, template: int | None) -> Cluster | None:
    """Return the template that a request names, None for all. Raises ProblemError, PermissionDenied or Http404."""
    if not site and template is None:
        request.access.refuse_site_limits(SHARED)
        return None
    if not site or template is None:
        raise ProblemError(422, "Give both the site and the number of a template, or neither.")
    cluster = find_cluster(request, site, template)
    if cluster.record_type_id != record_type.pk:
        raise ProblemError(422, f"{cluster.label} has not the record type {record_type.name}.")
    return cluster


def _store(store: Any) -> QualityRuleOut:
    try:
        row: QualityRule = store()
    except QualityRuleError as error:
        raise ProblemError(422, str(error)) from error
    return describe_rule(QualityRule.objects.with_names().get(pk=row.pk))


def _read_draft(record_type: RecordType, body: RuleIn) -> RuleDraft:
    """Return a rule as the dashboard's form accepts it. Raises ProblemError."""
    attribute = _find_attribute(record_type, body.attribute, body.list_name) if body.attribute else None
    of_list = _find_list(record_type, body.list_name) if body.list_name and not attribute else None
    about = f"attribute-{attribute.pk}" if attribute else f"list-{of_list.pk}" if of_list else "records"
    choice = RuleChoiceForm({"kind": body.kind, "about": about}, record_type)
    if not choice.is_valid():
        raise refuse_form(choice)
    limits = body.limits.model_dump(exclude_none=True)
    if strange := sorted(limits.keys() - set(FIELDS.get(body.kind, ()))):
        raise ProblemError(422, f"A rule of the kind {body.kind} has no limit {strange[0]}.")
    other = _find_attribute(record_type, body.other, body.list_name) if body.other else None
    if other and body.kind != "relation":
        raise ProblemError(422, f"A rule of the kind {body.kind} is not compared with another attribute.")
    row = QualityRule(kind=body.kind, attribute=attribute, other=other, list=of_list, weight=body.weight)
    row.limits, row.allowed_fraction = RuleLimits.from_json(limits).as_json(), body.allowed_fraction
    form = QualityRuleForm(make_initial(row), kind=body.kind, attribute=attribute, of_list=of_list)
    if "currency" in limits and "currency" not in form.fields:
        raise ProblemError(422, "Only a range of prices has a currency.")
    if not form.is_valid():
        raise refuse_form(form, prefix="body.limits")
    return form.draft


def _find_attribute(record_type: RecordType, name: str, list_name: str) -> Attribute:
    found = record_type.attributes.select_related("list").filter(name=name, list__name=list_name or None).first()
    if found is None:
        where = f"the list {list_name} of {record_type.name}" if list_name else record_type.name
        raise ProblemError(422, f"There is no attribute {name} in {where}.")
    return found


def _find_list(record_type: RecordType, name: str) -> RecordList:
    found = record_type.lists.filter(name=name).first()
    if found is None:
        raise ProblemError(422, f"{record_type.name} has no list {name}.")
    return found


def _describe_fault(place: Place, fault: Fault) -> FaultOut:
    return FaultOut(record=place.record_id, page=place.page_id, list_name=place.list_name, reason=rule_words.describe_fault(fault))


def _describe_subject(rule: QualityRule | RuleDraft) -> dict[str, Any]:
    of_list = rule.attribute.list if rule.attribute else rule.list
    return {
        "kind": rule.kind,
        "attribute": rule.attribute.name if rule.attribute else "",
        "list_name": of_list.name if of_list else "",
        "other": rule.other.name if rule.other else "",
    }


def _describe_suggestion(found: SuggestedRule) -> SuggestionOut:
    draft = found.draft
    return SuggestionOut(
        name=_name_suggestion(draft),
        text=found.text,
        **_describe_subject(draft),
        limits=draft.limits.as_json(),
        allowed_fraction=draft.allowed_fraction,
        weight=found.offer.weight,
        basis=BasisOut(**found.offer.basis.as_json()),
    )


def _name_suggestion(draft: RuleDraft) -> str:
    """Return a name that the same suggestion has again, and another one has not."""
    said: Mapping[str, Any] = _describe_subject(draft) | {"limits": draft.limits.as_json(), "share": draft.allowed_fraction}
    return f"{draft.kind}-{hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]}"
