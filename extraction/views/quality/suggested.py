"""Quality rules that the data suggests."""

from dataclasses import replace

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from extraction.algorithms.records.quality import offers
from extraction.forms.core import join_errors
from extraction.forms.quality import SuggestionsForm
from extraction.models import Cluster, QualityRule, RecordType, Role, RunRelease
from extraction.services.quality import edit_rules
from extraction.services.quality import suggest_rules as service
from extraction.services.quality.edit_rules import QualityRuleError
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.quality import rule_view
from extraction.views.quality.rules import find_template, lead_back


@require_http_methods(("GET", "HEAD", "POST"))
@requires(Role.EDITOR)
def suggest_rules(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Show the rules that the records suggest. POST takes some of them over. `template=` is the only template that they are for."""
    record_type = get_object_or_404(RecordType, slug=slug)
    cluster = find_template(record_type, request.GET.get("template", ""))
    found = service.suggest_rules(record_type, cluster)
    form = SuggestionsForm(request.POST if request.method == "POST" else None, [each.name for each in found.rules])
    if form.is_valid():
        taken = form.cleaned_data["taken"]
        for each in (one for one in found.rules if one.name in taken):
            _take_rule(request, record_type, replace(each.draft, weight=form.read_weight(each.name, each.offer.weight)), cluster)
        messages.success(
            request,
            ngettext("%(taken)s rule stored. They judge the next run.", "%(taken)s rules stored. They judge the next run.", len(taken))
            % {"taken": len(taken)},
        )
        return redirect(lead_back(record_type, cluster))
    among = Q(cluster=cluster) if cluster else Q(cluster__record_type=record_type, cluster__ignored=False)
    context = {
        "record_type": record_type,
        "cluster": cluster,
        "back": lead_back(record_type, cluster),
        "found": found,
        "withheld": RunRelease.objects.withheld().filter(among).select_related("cluster__site").order_by("pk"),
        "rows": [(each, rule_view.describe_demand(each.offer.demand)) for each in found.rules],
        "weights": QualityRule.Weight,
        "least": offers.MIN_RECORDS,
        "runs": offers.MIN_RUNS,
        "change_runs": offers.MIN_CHANGE_RUNS,
        "error": join_errors(form) if form.is_bound else "",
    }
    return render(request, "extraction/quality/suggested.html", context, status=400 if form.is_bound else 200)


def _take_rule(request: SignedInHttpRequest, record_type: RecordType, draft: edit_rules.RuleDraft, cluster: Cluster | None) -> None:
    try:
        edit_rules.create_rule(record_type, draft, request.user, cluster=cluster)
    except QualityRuleError as error:
        messages.error(request, str(error))
