"""Edit the clean-up of an attribute's values, with what each step does to the values of the column."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.json_values import JsonShapeError
from extraction.algorithms.rules.cleanup_xslt import explain_missing
from extraction.algorithms.rules.rule import AttributeRule
from extraction.algorithms.values.cleanup.chain import MAX_STEPS, CleanupStep
from extraction.forms.cleanups import CleanupForm, StepFields
from extraction.models import QualityRule, Role, Rule
from extraction.services.core import stored_texts
from extraction.services.quality.effective_rules import find_rules_about
from extraction.services.quality.rule_words import write_rule
from extraction.services.rules import cleanup_chains
from extraction.services.rules import cleanups as service
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.rules import cleanup_words
from extraction.views.rules.rules import find_rule
from extraction.views.schema.shown_attributes import find_attributes


def _find(slug: str, number: int, version: int, name: str) -> tuple[Rule, AttributeRule]:
    """Return a version and one of its attributes, the first without a name. Raises Http404 if there is none."""
    found = find_rule(slug, number, version)
    try:
        definition = found.read_definition()
        return found, cleanup_chains.find_attribute(definition, name or next((each.name for each in definition.every), ""))
    except (RuleError, XPathError) as error:
        raise Http404(str(error)) from error


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.EDITOR)
def edit_cleanup(request: SignedInHttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Show the chain of an attribute with its preview. POST saves it as a new draft, or adds, removes or moves a step."""
    asked = request.POST if request.method == "POST" else request.GET
    rule, attribute = _find(slug, number, version, asked.get("attribute", ""))
    if request.method != "POST":
        return _render_editor(request, rule, attribute, [StepFields.of_step(step) for step in attribute.cleanup], attribute.cleanup)
    form = CleanupForm(request.POST)
    if request.POST.get("do", "save") != "save":
        edited = form.edited(request.POST["do"])
        return _render_editor(request, rule, attribute, edited, None)
    if not form.is_valid:
        return _render_editor(request, rule, attribute, form.fields, None, status=400)
    if tuple(form.steps) == attribute.cleanup:
        messages.info(request, gettext("Nothing has changed, so no version was saved."))
        return redirect(rule)
    draft = service.save_cleanup(rule, attribute.name, form.steps, request.user)
    messages.success(request, gettext("Saved as version %(version)s, a draft. Publish it to use it.") % {"version": draft.version})
    return redirect(draft)


@require_POST
@requires(Role.EDITOR)
def preview_cleanup(request: HttpRequest, slug: str, number: int, version: int) -> HttpResponse:
    """Show what a chain makes of the values of the column. Nothing is saved."""
    rule, attribute = _find(slug, number, version, request.POST.get("attribute", ""))
    form = CleanupForm(request.POST)
    return render(request, "extraction/rules/_cleanup_preview.html", _preview(rule, attribute, form.fields, form.steps))


def _render_editor(
    request: HttpRequest,
    rule: Rule,
    attribute: AttributeRule,
    fields: Sequence[StepFields],
    steps: Sequence[CleanupStep] | None,
    *,
    status: int = 200,
) -> HttpResponse:
    """Render the page, or only the editor for a request of htmx. steps: the chain; None to read it from the fields."""
    if steps is None:
        form = CleanupForm(_write_fields(fields))
        steps = form.steps
        fields = form.fields if status == 400 else fields
    (shown,) = find_attributes(rule.cluster, [attribute.name]) or (None,)
    context = {
        "site": rule.cluster.site,
        "cluster": rule.cluster,
        "rule": rule,
        "attribute": attribute,
        "shown": shown,
        "fields": fields,
        "kinds": cleanup_words.KINDS,
        "full": len(fields) >= MAX_STEPS,
        "most": MAX_STEPS,
        "judging": _list_judging(rule, attribute.name),
        "added": request.POST.get("do", "").startswith("add "),
        **_preview(rule, attribute, fields, steps),
    }
    page = "_cleanup_editor.html" if request.headers.get("HX-Request") else "cleanup.html"
    return render(request, f"extraction/rules/{page}", context, status=status if page == "cleanup.html" else 200)


def _list_judging(rule: Rule, attribute: str) -> list[tuple[QualityRule, str]]:
    """Return the quality rules that judge the values of an attribute after its clean-up, each in words."""
    found = []
    for each in find_rules_about(rule.cluster, attribute):
        try:
            found.append((each, write_rule(each.read_demand())))
        except JsonShapeError as error:
            found.append((each, gettext("a rule that cannot be read: %(error)s") % {"error": error}))
    return found


def _write_fields(fields: Sequence[StepFields]) -> dict[str, str]:
    """Return fields as a form sends them."""
    data: dict[str, str] = {}
    for n, each in enumerate(fields):
        data |= {f"kind-{n}": each.kind, f"text-{n}": each.text, f"by-{n}": each.by, f"pairs-{n}": each.pairs}
        data |= {f"{name}-{n}": "1" for name in ("pattern", "keep") if getattr(each, name)}
    return data


def _preview(rule: Rule, attribute: AttributeRule, fields: Sequence[StepFields], steps: Sequence[CleanupStep]) -> dict[str, object]:
    """Return what the preview shows. Steps that cannot be read yet are left out, from the first of them on."""
    ready = list(steps) if len(steps) == len(fields) else _read_first(fields)
    context: dict[str, object] = {
        "unready": len(ready) + 1 if len(ready) < len(fields) else 0,
        "words": cleanup_words.describe_chain(ready),
    }
    if context["unready"]:
        context["problem"] = next((each.error for each in fields if each.error), "")
    try:
        preview = service.preview_cleanup(rule, attribute.name, ready)
    except (RuleError, XPathError) as error:
        return context | {"error": stored_texts.tell(str(error))}
    chained = AttributeRule(attribute.name, attribute.type, cleanup=tuple(ready))
    return context | {"preview": preview, "missing": explain_missing(chained)}


def _read_first(fields: Sequence[StepFields]) -> list[CleanupStep]:
    """Return the steps before the first that cannot be read."""
    ready = list[CleanupStep]()
    for each in fields:
        form = CleanupForm(_write_fields([each]))
        if not form.is_valid:
            break
        ready += form.steps
    return ready
