"""Rules of a template: versions, one version, trying an XPath, publishing, retiring, learning and running."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules.exports import FORMS
from extraction.forms.rules import XPathForm
from extraction.models import Role, Rule
from extraction.services.core import stored_texts
from extraction.services.core.runs import JobError
from extraction.services.learning import learn_rule
from extraction.services.monitoring import lost_values
from extraction.services.records import extract_records
from extraction.services.rules import doubts, export_rule
from extraction.services.rules import rules as service
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.rules import rule_history, rule_view
from extraction.views.templates import cluster_view
from extraction.views.templates.clusters import cluster_of


def find_rule(slug: str, number: int, version: int) -> Rule:
    """Return the rule at an address. Raises Http404 if there is none."""
    found = Rule.objects.select_related("cluster__site", "cluster__record_type", "created_by")
    return get_object_or_404(found, cluster__site__slug=slug, cluster__number=number, version=version)


@require_safe
@requires(Role.VIEWER)
def list_rules(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show all versions, newest first, with what changed from one to the next."""
    cluster = cluster_of(slug, number)
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "view": cluster_view.build_cluster_view(cluster),
        "versions": rule_history.list_versions(cluster),
    }
    return render(request, "extraction/rules/rules.html", context)


@require_safe
@requires(Role.VIEWER)
def show_rule(request: HttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Show one version: each attribute's XPath, how certain it is, what it gives and where it gives nothing."""
    return _render_rule(request, find_rule(slug, number, version))


@require_safe
@requires(Role.VIEWER)
def show_difference(request: HttpRequest, slug: str, number: int, version: int, other: int) -> HttpResponse:
    """Show how a version differs from another one. `attribute=` asks for the part with that attribute's values by both."""
    old, new = find_rule(slug, number, other), find_rule(slug, number, version)
    name = request.GET.get("attribute", "")
    if name:
        effect = rule_history.compare_versions(old, new, name)
        versions = {
            "before": gettext("Version %(version)s") % {"version": old.version},
            "after": gettext("Version %(version)s") % {"version": new.version},
        }
        return render(request, "extraction/rules/_effect.html", {"effect": effect, "error": effect.error, **versions})
    context = {
        "site": new.cluster.site,
        "cluster": new.cluster,
        "old": old,
        "new": new,
        "differences": rule_history.list_differences(old, new),
    }
    return render(request, "extraction/rules/rule_difference.html", context)


@require_safe
@requires(Role.VIEWER)
def download_rule(request: HttpRequest, slug: str, number: int, version: int, form: str) -> HttpResponse:
    """Send the rule as a file that runs without Vertex."""
    found = find_rule(slug, number, version)
    known = next((each for each in FORMS if each == form), None)
    if known is None:
        raise Http404(gettext("rules are not exported as %(form)s") % {"form": form})
    try:
        exported = export_rule.export_rule(found, known)
    except (RuleError, XPathError) as error:
        messages.error(request, gettext("This version cannot be exported: %(error)s") % {"error": error})
        return redirect(found)
    headers = {"Content-Disposition": f'attachment; filename="{exported.name}"'}
    return HttpResponse(exported.text, content_type=f"{exported.content_type}; charset=utf-8", headers=headers)


@require_POST
@requires(Role.EDITOR)
def preview_xpath(request: HttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Show what another XPath would give, page by page. Nothing is saved."""
    found = find_rule(slug, number, version)
    form = XPathForm(request.POST)
    if not form.is_valid():
        return render(
            request,
            "extraction/rules/_effect.html",
            {"site": found.cluster.site, "error": gettext("Enter an XPath to see the values it gives.")},
        )
    effect = service.preview_xpath(found, form.cleaned_data["attribute"], form.cleaned_data["xpath"])
    return render(request, "extraction/rules/_effect.html", {"site": found.cluster.site, "effect": effect, "error": effect.error})


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def edit_xpath(request: SignedInHttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Save another XPath as a new draft version. A GET, as after a refused POST, leads to the rule."""
    found = find_rule(slug, number, version)
    if request.method != "POST":
        return redirect(found)
    form = XPathForm(request.POST)
    if not form.is_valid():
        return _render_rule(request, found, error=gettext("Enter an XPath before you save."), name=request.POST.get("attribute", ""))
    name, xpath = form.cleaned_data["attribute"], form.cleaned_data["xpath"]
    try:
        draft = service.edit_xpath(found, name, xpath, request.user)
    except (RuleError, XPathError) as error:
        return _render_rule(request, found, error=stored_texts.tell(str(error)), name=name, xpath=xpath)
    messages.success(request, gettext("Saved as version %(version)s, a draft. Publish it to use it.") % {"version": draft.version})
    return redirect(draft)


@require_POST
@requires(Role.EDITOR)
def publish_rule(request: SignedInHttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Make a draft or a retired version the live rule. Whoever may publish may also undo it, so retired ones are allowed.

    A draft with doubtful values is published only with `despite_doubts`; without it, the answer shows what to look at.
    """
    found = find_rule(slug, number, version)
    try:
        if not request.POST.get("despite_doubts"):
            doubts.refuse_doubtful(found)
        service.publish_rule(found, request.user)
        messages.success(request, gettext("Version %(version)s is live. Run it on all pages to get records.") % {"version": found.version})
    except service.StateError as error:
        messages.error(request, str(error))
    except doubts.Doubtful:
        return _render_rule(request, found, asks=True)
    return redirect(found)


@require_POST
@requires(Role.OPERATOR)
def retire_rule(request: SignedInHttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Take the live rule out of use."""
    found = find_rule(slug, number, version)
    try:
        service.retire_rule(found, request.user)
        messages.success(
            request, gettext("Version %(version)s is retired. The template has no live rule now.") % {"version": found.version}
        )
    except service.StateError as error:
        messages.error(request, str(error))
    return redirect(found)


@require_POST
@requires(Role.EDITOR)
def acknowledge_losses(request: HttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Say that one knows which attributes a repair left out, so that the home page does not list them any more."""
    if lost_values.acknowledge_losses(find_rule(slug, number, version)):
        messages.success(request, gettext("The template is left out of the list. A later repair that leaves values out is listed again."))
    else:
        messages.info(request, gettext("This was acknowledged before, or another version of the rule is live now."))
    return redirect("home")


@require_POST
@requires(Role.EDITOR)
def start_learning(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Learn the rule from what is annotated."""
    cluster = cluster_of(slug, number)
    try:
        return redirect(learn_rule.start_learning(cluster, request.user))
    except JobError as error:
        messages.error(request, str(error))
    return redirect(cluster)


@require_POST
@requires(Role.EDITOR)
def start_extraction(request: SignedInHttpRequest, slug: str, number: int) -> HttpResponse:
    """Run the live rule over all matching pages."""
    cluster = cluster_of(slug, number)
    try:
        return redirect(extract_records.start_extraction(cluster, request.user))
    except JobError as error:
        messages.error(request, str(error))
    return redirect(cluster)


def _render_rule(
    request: HttpRequest, found: Rule, *, error: str = "", name: str = "", xpath: str = "", asks: bool = False
) -> HttpResponse:
    """Show a version. asks: whether to ask if it is to be published although values are doubtful."""
    cluster, rows, lists = found.cluster, rule_view.list_attributes(found), rule_view.list_lists(found)
    context = {
        "site": cluster.site,
        "cluster": cluster,
        "rule": found,
        "report": found.read_report(),
        "view": cluster_view.build_cluster_view(cluster),
        "rows": rows,
        "lists": lists,
        "cleaned": any(row.cleanup for row in rows) or any(column.cleanup for one in lists for column in one.columns),
        "coverage": rule_view.build_group_table(found),
        "doubts": rule_view.list_doubts(found),
        "asks": asks,
        "versions": rule_history.list_versions(cluster),
        "events": rule_history.list_events(found),
        "earlier_breakages": rule_history.count_earlier_breakages(found),
        "edit_error": error,
        "edit_name": name,
        "edit_xpath": xpath,
    }
    return render(request, "extraction/rules/rule.html", context, status=400 if error else 200)
