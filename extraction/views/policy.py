"""Permissions of users, limits of uploads, and the security headers of answers."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from extraction.models import Role, Run, role_of
from extraction.views.http import SignedInHttpRequest

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)


View = Callable[Concatenate[HttpRequest, P], R]
SignedInView = Callable[Concatenate[SignedInHttpRequest, P], R]


def requires(role: Role) -> Callable[[SignedInView[P, R]], View[P, R]]:
    """Restrict a view to users with this role or a higher one.

    Others get 403. Users who are not signed in are sent to the sign-in page by the middleware.
    """

    def decorate(view: SignedInView[P, R]) -> View[P, R]:
        @wraps(view)
        def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R:
            held = role_of(request.user)
            if held is None or held < role:
                raise PermissionDenied(f"This needs the role {role.group}.")
            return view(cast(SignedInHttpRequest, request), *args, **kwargs)

        return checked

    return decorate


def may_control(request: HttpRequest, run: Run, *, or_refuse: bool = False) -> bool:
    """Return whether the user may cancel, pause and resume a run.

    Operators may control all runs; editors their own and those that nobody started.

    or_refuse: raise PermissionDenied instead of returning False.
    """
    role = role_of(request.user) or 0
    allowed = role >= Role.OPERATOR or (role >= Role.EDITOR and run.created_by_id in (None, request.user.pk))
    if or_refuse and not allowed:
        raise PermissionDenied("Only an operator can stop a run that somebody else started.")
    return allowed


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
                return HttpResponse("Sign in as an editor to upload files.", status=403, content_type="text/plain")
            if size_bytes > settings.VERTEX_UPLOAD_MAX_BYTES + FORM_BYTES:
                reason = f"An upload may have {settings.VERTEX_UPLOAD_MAX_BYTES:,} bytes (VERTEX_UPLOAD_MAX_BYTES)."
                return HttpResponse(reason, status=413, content_type="text/plain")
        return self.get_response(request)


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
