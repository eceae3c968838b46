"""Targets: where records are delivered, and what was delivered there."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.algorithms.refresh.times import ScheduleError
from extraction.forms.core import DeleteForm, join_errors
from extraction.forms.deliveries import TargetForm, TargetKindForm
from extraction.forms.repeating import list_zones
from extraction.models import Attribute, Delivery, DeliveryTarget, RecordType, Role
from extraction.services.core import stored_texts
from extraction.services.core.access import visible_to
from extraction.services.core.repeating import list_next
from extraction.services.deliveries import connect, outbox, previews, targets
from extraction.services.deliveries.record_lines import ABOUT
from extraction.services.deliveries.senders.folder import list_roots
from extraction.views.deliveries import target_view
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires

SHOWN = 50
"""How many deliveries a page shows, the newest."""

SHOWN_TEMPLATES = 20
"""How many templates a dry run names, with the runs whose records they would bring."""

EDIT = ("GET", "HEAD", "POST")


@require_safe
@requires(Role.VIEWER)
def list_targets(request: SignedInHttpRequest) -> HttpResponse:
    """Show the targets of the person's teams with their last deliveries."""
    found = list(visible_to(DeliveryTarget.objects.select_related("record_type"), request.user))
    types = visible_to(RecordType.objects.all(), request.user).exists()
    return render(request, "extraction/deliveries/targets.html", {"rows": target_view.list_rows(found), "types": types})


def _choose(request: SignedInHttpRequest) -> HttpResponse:
    """Ask what is to be delivered, and what kind of target gets it."""
    types = list(visible_to(RecordType.objects.order_by("name"), request.user, least=Role.OPERATOR))
    chosen = next((each for each in types if each.slug == request.GET.get("type")), types[0] if types else None)
    context = {
        "types": types,
        "kinds": [(kind, target_view.KIND_NOTES[kind]) for kind in DeliveryTarget.Kind],
        "chosen": chosen.slug if chosen else "",
        "lists": target_view.list_lists(chosen) if chosen else [],
    }
    return render(request, "extraction/deliveries/choose.html", context)


@sensitive_post_parameters()
@require_http_methods(EDIT)
@requires(Role.OPERATOR)
def create_target(request: SignedInHttpRequest) -> HttpResponse:
    """Create a target of the kind and for the record type that the address names; ask for them if it names none."""
    choice = TargetKindForm(request.GET, user=request.user)
    if not choice.is_valid():
        return _choose(request)
    data = choice.cleaned_data
    of = data["type"]
    if data["list"] and not of.lists.filter(name=data["list"]).exists():
        messages.error(request, gettext("%(of)s has no list “%(data)s”.") % {"of": of.name, "data": data["list"]})
        return _choose(request)
    zone = timezone.get_default_timezone_name()
    return _edit(request, DeliveryTarget(record_type=of, kind=data["kind"], list_name=data["list"], zone=zone, created_by=request.user))


@require_safe
@requires(Role.VIEWER)
def show_target(request: HttpRequest, target_id: int) -> HttpResponse:
    """Show a target, and what was delivered there."""
    target = _find(target_id)
    deliveries = target.deliveries.select_related("run__site", "created_by")[: SHOWN + 1]
    context = {
        "target": target,
        "place": target_view.describe_place(target),
        "when": target_view.describe_when(target),
        "content": target_view.describe_content(target),
        "next_times": list_next(target, due=target.next_due_at if target.enabled else None, now=timezone.now()),
        "unrefreshed": target_view.list_unrefreshed(target.record_type),
        "deliveries": deliveries[:SHOWN],
        "cut": len(deliveries) > SHOWN,
        "busy": any(not each.finished for each in deliveries),
    }
    name = "_deliveries.html" if request.headers.get("HX-Request") else "target.html"
    return render(request, f"extraction/deliveries/{name}", context)


@sensitive_post_parameters()
@require_http_methods(EDIT)
@requires(Role.OPERATOR)
def edit_target(request: HttpRequest, target_id: int) -> HttpResponse:
    """Change a target."""
    return _edit(request, _find(target_id))


@require_safe
@requires(Role.OPERATOR)
def preview_target(request: HttpRequest, target_id: int) -> HttpResponse:
    """Show what the next delivery would bring, without sending it."""
    target = _find(target_id)
    preview = previews.preview_target(target)
    context = {
        "target": target,
        "preview": preview,
        "templates": preview.templates[:SHOWN_TEMPLATES],
        "more_templates": len(preview.templates[SHOWN_TEMPLATES:]),
        "rows": target_view.show_cells(preview),
        "most": previews.MOST,
    }
    return render(request, "extraction/deliveries/preview.html", context)


@require_POST
@requires(Role.OPERATOR)
def deliver_now(request: SignedInHttpRequest, target_id: int) -> HttpResponse:
    """Queue a delivery. With `everything`, the receiver gets all records again."""
    target = _find(target_id)
    if request.POST.get("everything"):
        targets.forget_all(target)
    outbox.queue_by_hand(target, request.user)
    messages.success(request, gettext("The delivery is queued."))
    return redirect(target)


@require_POST
@requires(Role.OPERATOR)
def test_target(request: HttpRequest, target_id: int) -> HttpResponse:
    """Reach the target without delivering anything, and say whether it worked."""
    target = _find(target_id)
    error = connect.send_test(target)
    if error:
        messages.error(request, gettext("The test of %(target)s failed: %(error)s") % {"target": target.name, "error": error})
    else:
        messages.success(request, gettext("The test of %(target)s worked. Nothing was delivered.") % {"target": target.name})
    return redirect(target)


@require_POST
@requires(Role.OPERATOR)
def retry_delivery(request: HttpRequest, delivery_id: int) -> HttpResponse:
    """Send a delivery again that failed, or one that waits at once."""
    delivery = get_object_or_404(Delivery.objects.select_related("target"), pk=delivery_id)
    if outbox.retry_delivery(delivery, timezone.now()):
        messages.success(request, gettext("The delivery is sent again."))
    else:
        messages.error(request, gettext("The delivery is being sent, or has been sent."))
    return redirect(delivery.target)


@require_POST
@requires(Role.OPERATOR)
def delete_target(request: HttpRequest, target_id: int) -> HttpResponse:
    """Delete a target and the list of its deliveries. What was delivered stays where it is."""
    target = _find(target_id)
    form = DeleteForm(request.POST, wanted=target.name)
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect("delivery_target_edit", target.pk)
    targets.delete_target(target)
    messages.success(request, gettext("%(target)s was deleted. What was delivered stays where it is.") % {"target": target.name})
    return redirect("deliveries")


def _find(target_id: int) -> DeliveryTarget:
    return get_object_or_404(DeliveryTarget.objects.select_related("record_type"), pk=target_id)


def _edit(request: HttpRequest, target: DeliveryTarget) -> HttpResponse:
    known = targets.list_columns(target)
    name = target.name
    form = TargetForm(request.POST if request.method == "POST" else None, target=target, known=known)
    if request.method == "POST" and form.is_valid() and (saved := _save(form)):
        messages.success(request, gettext("Saved. %(saved)s") % {"saved": saved})
        return redirect(target)
    chosen = form["columns"].value() or known
    ordered = [*(each for each in chosen if each in known), *(each for each in known if each not in chosen)]
    context = {
        "form": form,
        "target": target,
        "name": name,
        "note": target_view.KIND_NOTES[DeliveryTarget.Kind(target.kind)],
        "columns": [(each, each in chosen) for each in ordered],
        "about": [(each, meaning, each in (form["about"].value() or ())) for each, meaning in ABOUT.items()],
        "zones": list_zones(),
        "roots": list_roots(),
        "asks_first": targets.can_start_empty(target),
        "has_prices": Attribute.objects.filter(record_type=target.record_type, type="price").exists(),
    }
    return render(request, "extraction/deliveries/edit.html", context, status=400 if form.errors else 200)


def _save(form: TargetForm) -> str:
    """Save a target. Return what to tell the person about it, "" if it was not saved; then the form says why."""
    try:
        saved = targets.save_target(form.target, form.read_draft())
    except ScheduleError as error:
        form.add_error(None, stored_texts.tell(str(error)))
        return ""
    if saved.noted:
        return gettext("The present records are noted. Deliveries bring what changes from now on.")
    if saved.moved:
        return gettext("The destination has changed, so the next delivery brings everything.")
    return gettext("Send a test to see whether it is reached.")
