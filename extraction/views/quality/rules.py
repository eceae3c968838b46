"""Quality rules: the list of a record type, the form of one rule, trying it, and suggestions."""

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.core import join_errors
from extraction.forms.quality import QualityRuleForm, RuleChoiceForm
from extraction.models import Cluster, QualityRule, RecordType, Role, TrackedRecord
from extraction.services.quality import edit_rules as service
from extraction.services.quality import try_rule as trying
from extraction.services.quality.edit_rules import QualityRuleError
from extraction.services.quality.rule_words import describe_fault
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.quality import rule_view

EDIT = ("GET", "HEAD", "POST")

SHOWN_FAULTS = 20
"""Failing records that are shown while a person tries a rule."""


@require_safe
@requires(Role.VIEWER)
def list_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules of a record type."""
    return _render_list(request, get_object_or_404(RecordType, slug=slug))


def _render_list(request: HttpRequest, record_type: RecordType) -> HttpResponse:
    everywhere, own = rule_view.list_type_rules(record_type)
    context = {
        "record_type": record_type,
        "rows": everywhere,
        "own": own,
        "options": rule_view.list_options(record_type),
        "kinds": QualityRule.Kind,
        "users": record_type.clusters.select_related("site").order_by("site__name", "number"),
    }
    return render(request, "extraction/quality/rules.html", context)


@require_http_methods(EDIT)
@requires(Role.EDITOR)
def create_rule(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Show the form of a new rule. `kind=` and `about=` say what it is, `template=` the only template that it is for."""
    record_type = get_object_or_404(RecordType, slug=slug)
    cluster = find_template(record_type, request.GET.get("template", ""))
    choice = RuleChoiceForm(request.GET, record_type)
    if "kind" not in request.GET:
        return _render_list(request, record_type)
    if not choice.is_valid():
        messages.error(request, join_errors(choice))
        return redirect(lead_back(record_type, cluster))
    posted = request.POST if request.method == "POST" else None
    form = QualityRuleForm(posted, kind=choice.cleaned_data["kind"], attribute=choice.attribute, of_list=choice.list)
    if form.is_valid():
        try:
            service.create_rule(record_type, form.draft, request.user, cluster=cluster)
        except QualityRuleError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, gettext("The rule is stored. It judges the next run."))
            return redirect(lead_back(record_type, cluster))
    return _render_form(request, record_type, form, cluster)


@require_http_methods(EDIT)
@requires(Role.EDITOR)
def edit_rule(request: SignedInHttpRequest, rule_id: int) -> HttpResponse:
    """Show the form of a rule. With `template=`, a rule for all templates is changed for this one only."""
    rule = get_object_or_404(QualityRule.objects.with_names(), pk=rule_id)
    cluster = rule.cluster or find_template(rule.record_type, request.GET.get("template", ""))
    posted = request.POST if request.method == "POST" else None
    form = QualityRuleForm(posted, kind=rule.kind, attribute=rule.attribute, of_list=rule.list, rule=rule)
    if form.is_valid():
        try:
            service.update_rule(rule, form.draft, request.user, cluster=cluster)
        except QualityRuleError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, gettext("Saved. The rule judges the next run."))
            return redirect(lead_back(rule.record_type, cluster))
    return _render_form(request, rule.record_type, form, cluster, rule)


@require_POST
@requires(Role.EDITOR)
def delete_rule(request: HttpRequest, rule_id: int) -> HttpResponse:
    """Delete a rule. A template's own rule gives way to the one that it replaces."""
    rule = get_object_or_404(QualityRule.objects.select_related("record_type", "cluster__site"), pk=rule_id)
    service.delete_rule(rule)
    messages.success(
        request, gettext("The rule for all templates applies here again.") if rule.overrides_id else gettext("The rule was deleted.")
    )
    return redirect(lead_back(rule.record_type, rule.cluster))


@require_POST
@requires(Role.EDITOR)
def switch_rule(request: SignedInHttpRequest, rule_id: int) -> HttpResponse:
    """Switch a rule on (`on=1`) or off; with `template=`, only there."""
    rule = get_object_or_404(QualityRule.objects.with_names(), pk=rule_id)
    cluster = rule.cluster or find_template(rule.record_type, request.POST.get("template", ""))
    service.switch_rule(rule, request.user, enabled=request.POST.get("on") == "1", cluster=cluster)
    return redirect(lead_back(rule.record_type, cluster))


@require_safe
@requires(Role.EDITOR)
def try_rule(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the rule in the form finds among the first records that are there now, with `many=1` among more of them."""
    record_type = get_object_or_404(RecordType, slug=slug)
    choice = RuleChoiceForm(request.GET, record_type)
    cluster = trying.find_template_to_try(record_type, request.GET.get("template", ""))
    if not choice.is_valid() or cluster is None:
        error = join_errors(choice) or gettext("No template of this type has records yet.")
        return render(request, "extraction/quality/_tried.html", {"error": error})
    form = QualityRuleForm(request.GET, kind=choice.cleaned_data["kind"], attribute=choice.attribute, of_list=choice.list)
    if not form.is_valid():
        return render(request, "extraction/quality/_tried.html", {"error": join_errors(form)})
    limit = trying.MAX_TRIED if request.GET.get("many") == "1" else trying.SOON_TRIED
    tried = trying.try_rule(form.draft.make_row(record_type, cluster), cluster, limit=limit)
    faults = [(place, describe_fault(fault)) for place, fault in tried.score.faults[:SHOWN_FAULTS]]
    more = trying.MAX_TRIED if limit < trying.MAX_TRIED and not tried.measured.complete else None
    context = {"tried": tried, "faults": faults, "limit": limit, "more": more, "record_type": record_type}
    return render(request, "extraction/quality/_tried.html", context)


def find_template(record_type: RecordType, wanted: str) -> Cluster | None:
    """Return the template of a record type with this id, None if the text is empty. Raises Http404 for any other text."""
    if not wanted:
        return None
    if not wanted.isdecimal() or len(wanted) > 18:
        raise Http404(gettext("There is no such template."))
    return get_object_or_404(record_type.clusters.select_related("site", "record_type"), pk=wanted)


def lead_back(record_type: RecordType, cluster: Cluster | None) -> str:
    """Return the address of the rules of a template, or else of a record type."""
    if cluster:
        return reverse("quality", args=[cluster.site.slug, cluster.number])
    return reverse("record_type_quality", args=[record_type.slug])


def _render_form(
    request: HttpRequest, record_type: RecordType, form: QualityRuleForm, cluster: Cluster | None, rule: QualityRule | None = None
) -> HttpResponse:
    about = f"attribute-{form.attribute.pk}" if form.attribute else f"list-{form.list.pk}" if form.list else "records"
    context = {
        "record_type": record_type,
        "form": form,
        "rule": rule,
        "row": rule_view.describe_rule(rule) if rule else None,
        "cluster": cluster,
        "kind": QualityRule.Kind(form.kind),
        "about": about,
        "back": lead_back(record_type, cluster),
        "templates": _list_followed_templates(record_type),
    }
    return render(request, "extraction/quality/rule.html", context, status=400 if request.method == "POST" else 200)


def _list_followed_templates(record_type: RecordType) -> QuerySet[Cluster]:
    """Return the templates that have records over time, by site."""
    known = TrackedRecord.objects.filter(cluster=OuterRef("pk"))
    return record_type.clusters.filter(Exists(known)).select_related("site").order_by("site__name", "number")
