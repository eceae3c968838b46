"""Permissions of users, limits of uploads, and the security headers of answers."""

import logging
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import unquote_plus

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, UnreadablePostError
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext

from extraction.forms.sign_in import find_address
from extraction.models import AuditSource, Role, Run, reach_of, role_of
from extraction.services.core import access, audit, sessions
from extraction.services.core.percent import write_number
from extraction.views.http import SignedInHttpRequest
from extraction.views.subjects import find_role

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)


View = Callable[Concatenate[HttpRequest, P], R]
SignedInView = Callable[Concatenate[SignedInHttpRequest, P], R]


FACTOR_CONFIRMED = "second_factor"
"""The entry of a session that says that a code of the second factor was entered."""


def requires(role: Role, *, everywhere: bool = False, confirmed: bool = True) -> Callable[[SignedInView[P, R]], View[P, R]]:
    """Restrict a view to users with this role or a higher one in the team of what the address names.

    Others get 403, and 404 if they are not in that team. An address that names nothing needs the role in any team; what it shows is
    then limited by `access.visible_to`. Users who are not signed in are sent to the sign-in page by the middleware. The API asks the
    view for its role (`get_required_role`), so that both permit the same.

    everywhere: only for administrators of the installation.
    confirmed: people whose team requires a second factor are sent to set it up first.
    """

    def decorate(view: SignedInView[P, R]) -> View[P, R]:
        @wraps(view)
        def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R:
            held = find_role(request)
            access.refuse_lower_role(held, role)
            if everywhere:
                access.refuse_team_admin(request.user)
            if confirmed and lacks_factor(request):
                return cast(R, redirect("factor_setup"))
            request.held_role = held  # type: ignore[attr-defined]
            return view(cast(SignedInHttpRequest, request), *args, **kwargs)

        checked.required_role, checked.everywhere = role, everywhere  # type: ignore[attr-defined]
        return checked

    return decorate


def lacks_factor(request: HttpRequest) -> bool:
    """Return whether a person must set up a second factor, or sign in again with the one that was set up elsewhere."""
    return reach_of(request.user).second_factor and not request.session.get(FACTOR_CONFIRMED)


def get_required_role(view: Callable[..., Any]) -> Role:
    """Return the role that a view needs. Raises AttributeError for a view without `requires`."""
    role: Role = view.required_role  # type: ignore[attr-defined]
    return role


def is_for_everywhere(view: Callable[..., Any]) -> bool:
    """Return whether a view is for administrators of the installation only."""
    return bool(getattr(view, "everywhere", False))


def may_control(request: HttpRequest, run: Run, *, or_refuse: bool = False) -> bool:
    """Return whether the user may cancel, pause and resume a run.

    Operators may control all runs; editors their own and those that nobody started.

    or_refuse: raise PermissionDenied instead of returning False.
    """
    role = reach_of(request.user).find_role(run.site.team_id) or 0
    allowed = role >= Role.OPERATOR or (role >= Role.EDITOR and run.created_by_id in (None, request.user.pk))
    if or_refuse and not allowed:
        raise PermissionDenied(gettext("Only an operator can stop a run that somebody else started."))
    return allowed


class ActorMiddleware:
    """Says for the audit log who sends the request, with which token. A command that calls the API in its own process stays the actor."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if audit.find_actor().source == AuditSource.COMMAND:
            return self.get_response(request)
        with audit.acting_as(lambda: _find_actor(request)):
            return self.get_response(request)


class SessionMiddleware:
    """Notes every few minutes that a person uses a session, so that it can be listed and ended."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        session = getattr(request, "session", None)
        if not hasattr(request, "access") and session and session.session_key and request.user.is_authenticated:
            now = timezone.now()
            if now.timestamp() - session.get(NOTED, 0) > sessions.NOTED_EVERY.total_seconds():
                note_use(request, request.user, now)
        return self.get_response(request)


NOTED = "noted_at"
"""The entry of a session that says when its use was last noted."""


def note_use(request: HttpRequest, user: User, now: datetime) -> None:
    """Note that a person who is signed in uses the session of a request."""
    request.session[NOTED] = now.timestamp()
    key, agent = request.session.session_key or "", request.headers.get("User-Agent", "")
    sessions.note_session(key, user, address=find_address(request), agent=agent, now=now)


def _find_actor(request: HttpRequest) -> audit.Actor:
    token = getattr(getattr(request, "access", None), "token", None)
    user = request.user if request.user.is_authenticated else None
    if token is not None:
        return audit.Actor(AuditSource.API, user, token=f"{token.name} ({token.hint}…)")
    return audit.Actor(AuditSource.DASHBOARD, user)


API_ROOT = "/api/v1/"
"""Where the addresses of the API begin."""

SMALL_BODY_BYTES = 1024**2
"""A request with a larger body is an upload. No form without a file is as large."""

FORM_BYTES = 1024**2
"""How much an upload may have besides its file."""


class UploadMiddleware:
    """Refuses large bodies before anything reads them: uploads are written to disk as they arrive.

    Only editors may upload, up to VERTEX_UPLOAD_MAX_BYTES. The server passes on no more bytes than the request's Content-Length says.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said: str = request.META.get("CONTENT_LENGTH") or "0"
        size_bytes = int(said) if said.isdecimal() and len(said) < 19 else 2**62
        if size_bytes > SMALL_BODY_BYTES:
            if (role_of(request.user) or 0) < Role.EDITOR:
                return HttpResponse(gettext("Sign in as an editor to upload files."), status=403, content_type="text/plain")
            if size_bytes > settings.VERTEX_UPLOAD_MAX_BYTES + FORM_BYTES:
                reason = gettext("An upload may have at most %(vertex_upload_max_bytes)s bytes (VERTEX_UPLOAD_MAX_BYTES).") % {
                    "vertex_upload_max_bytes": write_number(settings.VERTEX_UPLOAD_MAX_BYTES)
                }
                return HttpResponse(reason, status=413, content_type="text/plain")
        return self.get_response(request)


NUL = "\0"
"""The character that PostgreSQL neither stores nor compares, and at which SQLite ends the text of a search."""


class NulMiddleware:
    """Refuses addresses and fields of forms with NUL, and takes cookies with it for missing. No browser sends it.

    The API answers in its own form (`extraction.api.middleware`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.COOKIES = {name: value for name, value in request.COOKIES.items() if NUL not in value}
        if not _is_api(request) and NUL in unquote_plus(request.get_full_path()):
            return HttpResponse(gettext("An address cannot contain the character NUL."), status=400, content_type="text/plain")
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, _kwargs: Any) -> HttpResponse | None:
        """Look at the fields of a form, now that large bodies are refused."""
        if request.method != "POST" or _is_api(request) or not has_nul(request):
            return None
        return HttpResponse(gettext("A text cannot contain the character NUL."), status=400, content_type="text/plain")


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_ROOT)


def has_nul(request: HttpRequest) -> bool:
    """Return whether a field of a form has NUL."""
    try:
        return any(NUL in name or any(NUL in each for each in values) for name, values in request.POST.lists())
    except UnreadablePostError:  # the client has gone
        return False


class RaceMiddleware:
    """Answers a request again that failed because another one stored or deleted the same thing at the same moment.

    A form looks whether a name is free before it is stored, and PostgreSQL lets two requests look at once. The second time, the request
    sees what the other one did, and says so. What it had changed the first time was rolled back with its transaction.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Call the view once more. If it fails again, the error is no race."""
        match = request.resolver_match
        if not isinstance(exception, IntegrityError) or match is None:
            return None
        logger.info("%s %s is tried again: %s", request.method, request.path, exception)
        for file in request.FILES.values():
            file.seek(0)  # type: ignore[union-attr]
        answer: HttpResponse = match.func(request, *match.args, **match.kwargs)
        return answer


class SecurityHeadersMiddleware:
    """Gives every answer the headers that tell a browser what it may do with it, also refusals and static files.

    The dashboard's policy: everything comes from this origin, scripts and styles only from files. A view that shows an untrusted page sets
    its own policy, which is not changed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        return response


POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",
        "style-src 'self'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-src 'self'",
        "frame-ancestors 'self'",
    ]
)

SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
"""What every answer has unless its view set another value. `X-Frame-Options` comes from Django, because some views are exempt from it."""
