"""Channels of alerts: where people hear of breakages, runs and drifting values."""

from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from ninja import Schema, Status

from extraction.api.bodies import RequestBody
from extraction.api.operations import ApiRequest, Operations
from extraction.api.paging import Asked, Paged, take_page
from extraction.api.problems import ProblemError, refuse_form
from extraction.forms.monitoring import ChannelForm
from extraction.models import AlertChannel, Role, Site
from extraction.services.core.access import visible_to
from extraction.services.monitoring import alerts as service
from extraction.views.monitoring import alerts

operations = Operations("Alert channels")

CHANNEL = "/alert-channels/{int:channel_id}"
ALL_SITES = "A channel gets alerts about the sites of a team."


class ChannelOut(Schema):
    """Where alerts are sent. service: the kind of service; the rest of the address is secret. sites: empty for all sites of the team."""

    id: int
    name: str
    team: str
    service: str
    events: list[str]
    sites: list[str]
    enabled: bool


class ChannelChange(RequestBody):
    """Changes of a channel. Fields that are left out stay as they are.

    url: an address of Apprise, such as mailtos://user:password@mail.example.org. It is never sent back.
    events: what the channel hears of. sites: slugs; empty for all sites of the team.
    """

    name: str | None = None
    url: str | None = None
    events: list[str] | None = None
    sites: list[str] | None = None
    enabled: bool | None = None


class ChannelIn(ChannelChange):
    """A new channel. team: the slug of a team; empty for your oldest one."""

    name: str
    url: str
    events: list[str]
    team: str = ""


class ChannelTestOut(Schema):
    """Whether the service accepted a test, and why not."""

    sent: bool
    error: str


@operations.get("/alert-channels", like=alerts.alerts, response=Paged[ChannelOut])
def list_alert_channels(request: ApiRequest, paging: Asked) -> dict[str, Any]:
    """List the channels of the teams of which you are an administrator."""
    return take_page(_select(request), paging, _describe)


@operations.post("/alert-channels", like=alerts.new, response=ChannelOut, status=201)
def create_alert_channel(request: ApiRequest, body: ChannelIn) -> Status[ChannelOut]:
    """Create a channel. Send a test next."""
    _select(request)
    return Status(201, _save(request, AlertChannel(created_by=request.access.user), body))


@operations.get(CHANNEL, like=alerts.channel, response=ChannelOut)
def show_alert_channel(request: ApiRequest, channel_id: int) -> ChannelOut:
    """Show a channel."""
    return _describe(_find(request, channel_id))


@operations.change("PATCH", CHANNEL, like=alerts.channel, response=ChannelOut)
def change_alert_channel(request: ApiRequest, channel_id: int, body: ChannelChange) -> ChannelOut:
    """Change a channel."""
    return _save(request, _find(request, channel_id), body)


@operations.change("DELETE", CHANNEL, like=alerts.delete)
def delete_alert_channel(request: ApiRequest, channel_id: int) -> Status[None]:
    """Delete a channel and the list of its alerts."""
    service.delete_channel(_find(request, channel_id))
    return Status(204, None)


@operations.post(f"{CHANNEL}/test", like=alerts.test, response=ChannelTestOut)
def test_alert_channel(request: ApiRequest, channel_id: int) -> ChannelTestOut:
    """Send a test."""
    error = service.send_test_alert(_find(request, channel_id))
    return ChannelTestOut(sent=not error, error=error)


def _select(request: ApiRequest) -> QuerySet[AlertChannel]:
    request.access.refuse_site_limits(ALL_SITES)
    found = AlertChannel.objects.select_related("team").prefetch_related("sites")
    return visible_to(found, request.access.user, least=Role.ADMIN)


def _find(request: ApiRequest, channel_id: int) -> AlertChannel:
    return get_object_or_404(_select(request), pk=channel_id)


def _save(request: ApiRequest, channel: AlertChannel, body: ChannelChange) -> ChannelOut:
    """Save a channel as the dashboard's form accepts it. Raises ProblemError."""
    form = ChannelForm(_write_form(channel, body), instance=channel, user=request.access.user)
    if not form.is_valid():
        raise refuse_form(form)
    service.save_channel(form.save(commit=False), form.cleaned_data["sites"])
    return _describe(_find(request, channel.pk))


def _write_form(channel: AlertChannel, body: ChannelChange) -> QueryDict:
    """Return the fields of the dashboard's form: those of the channel as it is, with the changes."""
    enabled = channel.enabled if body.enabled is None else body.enabled
    data = QueryDict(mutable=True)
    data["name"] = channel.name if body.name is None else body.name
    data["url"] = body.url or ""
    data["team"] = getattr(body, "team", "")
    data.setlist("events", channel.events if body.events is None else body.events)
    data.setlist("sites", [str(each.pk) for each in _find_sites(channel, body.sites)])
    if enabled:
        data["enabled"] = "on"
    return data


def _find_sites(channel: AlertChannel, slugs: list[str] | None) -> list[Site]:
    """Return the sites of a channel after the change; the form says which of them it cannot have. Raises ProblemError."""
    if slugs is None:
        return list(channel.sites.all()) if channel.pk else []
    found = list(Site.objects.filter(slug__in=slugs))
    if missing := sorted(set(slugs) - {each.slug for each in found}):
        raise ProblemError(422, f"There is no site {missing[0][:80]}.")
    return found


def _describe(channel: AlertChannel) -> ChannelOut:
    return ChannelOut(
        id=channel.pk,
        name=channel.name,
        team=channel.team.slug,
        service=channel.service,
        events=channel.events,
        sites=[each.slug for each in channel.sites.all()],
        enabled=channel.enabled,
    )
