"""What programs read: the latest files and the feed of a record type, with a token. And who has tokens."""

import base64
import binascii

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from extraction.forms.deliveries import TokenForm
from extraction.models import ReaderToken, RecordType, Role, RunRelease, reach_of
from extraction.services.core import secret_tokens
from extraction.services.deliveries.readers import feed, latest, tokens
from extraction.services.deliveries.record_lines import NotDelivered
from extraction.services.schema import versions
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import (
    lacks_factor,
    requires,
)
from extraction.views.records import resuming

RANDOM_ACCESS = frozenset({"parquet", "duckdb"})
"""Formats that programs read in parts, from places that they choose. They ask for parts without saying of which file."""

VERSIONS = 20
"""Newest versions of the schema on the page."""


@require_safe
@requires(Role.VIEWER)
def show_readers(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the addresses of the latest files and the feed, the tokens, and the versions of the schema."""
    return _show(request, get_object_or_404(RecordType, slug=slug), TokenForm())


@require_POST
@requires(Role.OPERATOR)
def create_token(request: SignedInHttpRequest, slug: str) -> HttpResponse:
    """Make a token and show it, once."""
    record_type = get_object_or_404(RecordType, slug=slug)
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _show(request, record_type, form)
    token = tokens.create_token(record_type, form.cleaned_data["name"], request.user)
    return _show(request, record_type, TokenForm(), token=token)


@require_POST
@requires(Role.OPERATOR)
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke a token."""
    token = get_object_or_404(ReaderToken.objects.select_related("record_type"), pk=token_id)
    secret_tokens.revoke_token(token)
    messages.success(request, gettext("%(token)s is revoked. Programs that use it are refused from now on.") % {"token": token.name})
    return redirect("record_type_readers", token.record_type.slug)


@login_not_required
@require_safe
def serve_latest(request: HttpRequest, slug: str, suffix: str) -> HttpResponseBase:
    """Send the latest file of a record type."""
    record_type = _find_allowed(request, slug)
    if record_type is None:
        return _ask_for_token()
    if suffix not in latest.SUFFIXES:
        raise Http404
    try:
        file = latest.find_latest(record_type, suffix, request.GET.get("list", ""))
    except NotDelivered as error:
        return HttpResponse(str(error), status=404, content_type="text/plain; charset=utf-8")
    return resuming.send_stored(request, file, same=suffix in RANDOM_ACCESS)


@login_not_required
@require_safe
def serve_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the feed of changes of a record type."""
    record_type = _find_allowed(request, slug)
    if record_type is None:
        return _ask_for_token()
    base = settings.VERTEX_PUBLIC_URL
    own, page = base + reverse("latest_feed", args=[slug]), base + record_type.get_absolute_url()
    try:
        changes = feed.find_feed_changes(record_type, request.GET.get("list", ""))
    except NotDelivered as error:
        return HttpResponse(str(error), status=404, content_type="text/plain; charset=utf-8")
    written = feed.write_feed(record_type, changes, feed.FeedAddresses(own, page, base))
    return HttpResponse(written, content_type="application/atom+xml; charset=utf-8", headers={"Cache-Control": "private, no-cache"})


@login_not_required
@require_safe
def serve_schema(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the JSON Schema of the latest files."""
    record_type = _find_allowed(request, slug)
    if record_type is None:
        return _ask_for_token()
    try:
        written = latest.write_latest_schema(record_type, request.GET.get("list", ""))
    except NotDelivered as error:
        return HttpResponse(str(error), status=404, content_type="text/plain; charset=utf-8")
    return HttpResponse(written, content_type="application/schema+json", headers={"Cache-Control": "private, no-cache"})


def _show(request: HttpRequest, record_type: RecordType, form: TokenForm, *, token: str = "") -> HttpResponse:
    base = settings.VERTEX_PUBLIC_URL
    files = [(each.label, base + reverse("latest_file", args=[record_type.slug, suffix])) for suffix, each in latest.SUFFIXES.items()]
    context = {
        "record_type": record_type,
        "files": files,
        "withheld": RunRelease.objects.withheld().filter(cluster__in=record_type.clusters.not_ignored()).select_related("cluster__site"),
        "feed": base + reverse("latest_feed", args=[record_type.slug]),
        "schema": base + reverse("latest_schema", args=[record_type.slug]),
        "tokens": record_type.tokens.select_related("created_by"),
        "versions": [versions.record_version(record_type), *record_type.versions.all()[1 : VERSIONS + 1]],
        "lists": record_type.lists.filter(attributes__is_key=True).distinct(),
        "form": form,
        "token": token,
    }
    answer = render(request, "extraction/deliveries/readers.html", context, status=400 if form.errors else 200)
    if token:
        answer.headers["Cache-Control"] = "no-store"
    return answer


def _find_allowed(request: HttpRequest, slug: str) -> RecordType | None:
    """Return the record type if the request may read it: with a token of the type, or signed in with any role in its team.

    None asks for a token.
    Somebody without either does not learn whether the record type exists.
    """
    found = RecordType.objects.filter(slug=slug).first()
    if (reach := reach_of(request.user)).highest is not None and not lacks_factor(request):
        if found is None or reach.find_role(found.team_id) is None:
            raise Http404
        return found
    text = _read_token(request)
    return found if found is not None and text and tokens.find_token(found, text) else None


def _read_token(request: HttpRequest) -> str:
    """Return the token of a request: as a bearer, as the password of any user, or as the parameter `token`."""
    scheme, _, said = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return said.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(said, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return request.GET.get("token", "")


def _ask_for_token() -> HttpResponse:
    text = "This needs a token of the record type: as the password with any user name, or as “Authorization: Bearer …”.\n"
    headers = {"WWW-Authenticate": 'Basic realm="Vertex", charset="UTF-8"'}
    return HttpResponse(text, status=401, content_type="text/plain; charset=utf-8", headers=headers)
