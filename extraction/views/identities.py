"""Signing in by a provider (OpenID Connect): to the provider, and back from it."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from joserfc.errors import JoseError

from extraction.models import Role
from extraction.services.core import identities
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.second_factor import continue_sign_in

TIMEOUT_S = 10

NEXT = "provider_next"
"""The entry of a session that says where to go after the sign-in."""

LINKS = "provider_links"
"""The entry of a session that says that the provider is asked in order to link it to the account that is signed in."""


@login_not_required
@require_safe
def begin(request: HttpRequest) -> HttpResponse:
    """Lead to the provider."""
    if not settings.VERTEX_OIDC_ISSUER:
        raise Http404("no provider is configured")
    if request.user.is_authenticated:
        return redirect("home")
    request.session[NEXT] = request.GET.get("next", "")
    return _ask(request)


@require_POST
@requires(Role.VIEWER)
def link(request: SignedInHttpRequest) -> HttpResponse:
    """Lead to the provider, to link it to one's own account."""
    if not settings.VERTEX_OIDC_ISSUER:
        messages.error(request, gettext("No provider is configured."))
        return redirect("account")
    request.session[LINKS] = request.user.pk
    return _ask(request)


@require_POST
@requires(Role.VIEWER)
def unlink(request: SignedInHttpRequest) -> HttpResponse:
    """End one's own sign-in by the provider."""
    try:
        if identities.unlink_person(request.user):
            messages.success(request, gettext("You sign in with your password alone now."))
    except identities.IdentityError as error:
        messages.error(request, str(error))
    return redirect("account")


def _ask(request: HttpRequest) -> HttpResponse:
    try:
        answer: HttpResponse = _make_client().authorize_redirect(request, f"{settings.VERTEX_PUBLIC_URL}{reverse('provider_back')}")
    except (requests.RequestException, AuthlibBaseError, ValueError, RuntimeError):
        return _refuse(request, gettext("The provider cannot be reached. Try again later, or sign in with your password."), status=502)
    return answer


@login_not_required
@require_safe
def finish(request: HttpRequest) -> HttpResponse:
    """Check what the provider says, and sign in, or link it to the account that is signed in."""
    if not settings.VERTEX_OIDC_ISSUER:
        raise Http404("no provider is configured")
    try:
        claims = dict(_make_client().authorize_access_token(request).get("userinfo") or {})
    except (requests.RequestException, AuthlibBaseError, JoseError, ValueError, KeyError, RuntimeError):
        return _refuse(request, gettext("The provider did not confirm who you are. Begin again."), status=400)
    if claims.get("iss") != settings.VERTEX_OIDC_ISSUER or not claims.get("sub"):
        return _refuse(request, gettext("The provider did not say who you are."), status=400)
    claims |= {"iss": str(claims["iss"]), "sub": str(claims["sub"])}
    try:
        if request.user.is_authenticated:
            return _link(request, request.user, claims)
        user = identities.find_person(claims)
    except identities.IdentityError as error:
        return _refuse(request, str(error), status=403)
    return continue_sign_in(request, user, request.session.pop(NEXT, ""))


def _link(request: HttpRequest, user: User, claims: Mapping[str, Any]) -> HttpResponse:
    """Raises IdentityError."""
    if request.session.pop(LINKS, None) == user.pk:
        identities.link_person(user, claims)
        messages.success(request, gettext("From now on, you can also sign in with %(provider)s.") % {"provider": settings.VERTEX_OIDC_NAME})
    return redirect("account")


@lru_cache(maxsize=4)
def _register(issuer: str, client_id: str, secret: str) -> Any:
    oauth = OAuth()
    oauth.register(
        "provider",
        client_id=client_id,
        client_secret=secret,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={"scope": "openid email profile", "code_challenge_method": "S256", "default_timeout": TIMEOUT_S},
    )
    return oauth.provider


def _make_client() -> Any:
    """Return the client of the provider of the settings. It keeps what the provider says about itself."""
    return _register(settings.VERTEX_OIDC_ISSUER, settings.VERTEX_OIDC_CLIENT_ID, settings.VERTEX_OIDC_CLIENT_SECRET)


def _refuse(request: HttpRequest, reason: str, *, status: int) -> HttpResponse:
    return render(request, "registration/provider.html", {"reason": reason}, status=status)
