"""Alerts: the channels, and what was sent to them. For admins only, because a channel's address may lead to any place on the network."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from extraction.forms.monitoring import ChannelForm
from extraction.models import Alert, AlertChannel, Role
from extraction.services.core.access import visible_to
from extraction.services.monitoring import alerts as service
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires

SHOWN = 50
"""How many alerts the page shows, the newest."""


@require_safe
@requires(Role.ADMIN)
def alerts(request: SignedInHttpRequest) -> HttpResponse:
    """The channels, and the last alerts."""
    channels = visible_to(AlertChannel.objects.select_related("team").prefetch_related("sites"), request.user, least=Role.ADMIN)
    last = visible_to(Alert.objects.select_related("channel"), request.user, least=Role.ADMIN)[:SHOWN]
    return render(request, "extraction/monitoring/alerts.html", {"channels": channels, "alerts": last})


@sensitive_post_parameters("url")
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.ADMIN)
def new(request: SignedInHttpRequest) -> HttpResponse:
    """A new channel."""
    return _edit(request, AlertChannel(created_by=request.user))


@sensitive_post_parameters("url")
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.ADMIN)
def channel(request: SignedInHttpRequest, channel_id: int) -> HttpResponse:
    """A channel; POST changes it."""
    return _edit(request, get_object_or_404(AlertChannel, pk=channel_id))


@require_POST
@requires(Role.ADMIN)
def test(request: HttpRequest, channel_id: int) -> HttpResponse:
    """Sends a test and says whether it was accepted."""
    found = get_object_or_404(AlertChannel, pk=channel_id)
    error = service.send_test_alert(found)
    if error:
        messages.error(request, gettext("The test to %(name)s was not sent: %(error)s") % {"name": found.name, "error": error})
    else:
        messages.success(request, gettext("The test to %(name)s was sent. Check whether it arrived.") % {"name": found.name})
    return redirect("alerts")


@require_POST
@requires(Role.ADMIN)
def delete(request: HttpRequest, channel_id: int) -> HttpResponse:
    """Deletes a channel and the list of its alerts."""
    found = get_object_or_404(AlertChannel, pk=channel_id)
    service.delete_channel(found)
    messages.success(request, gettext("%(name)s was deleted.") % {"name": found.name})
    return redirect("alerts")


@require_POST
@requires(Role.ADMIN)
def again(request: HttpRequest, alert_id: int) -> HttpResponse:
    """Sends an alert again that could not be sent."""
    if service.resend_alert(get_object_or_404(Alert, pk=alert_id), timezone.now()):
        messages.success(request, gettext("The alert is being sent again."))
    else:
        messages.error(request, gettext("The alert has already been sent, or is waiting to be sent."))
    return redirect("alerts")


def _edit(request: SignedInHttpRequest, found: AlertChannel) -> HttpResponse:
    name, service_name = found.name, found.service if found.pk else ""
    form = ChannelForm(request.POST if request.method == "POST" else None, instance=found, user=request.user)
    if request.method == "POST" and form.is_valid():
        service.save_channel(form.save(commit=False), form.cleaned_data["sites"])
        messages.success(request, gettext("Saved. Send a test to see whether it arrives."))
        return redirect("alerts")
    context = {"form": form, "channel": found, "name": name, "service": service_name}
    return render(request, "extraction/monitoring/alert_channel.html", context, status=400 if form.errors else 200)
