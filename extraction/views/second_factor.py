"""The second factor: asked after the password, set up and removed on one's account page, reset by an administrator."""

import time
from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from extraction.forms.core import join_errors
from extraction.forms.second_factor import PENDING, CodeForm, FirstCodeForm, find_pending_user
from extraction.forms.sign_in import SignInForm, find_address
from extraction.models import Role, SecondFactor, reach_of
from extraction.services.core import second_factors
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import FACTOR_CONFIRMED, requires

HOLDS_S = 300
"""How long a code can be entered after the password."""

BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignInView(LoginView):
    """The sign-in page. Somebody with a second factor is not signed in yet when the password is right."""

    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in, or ask for a code first."""
        return continue_sign_in(self.request, form.get_user(), self.get_redirect_url())

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Add the provider with which people may also sign in."""
        provider = settings.VERTEX_OIDC_NAME if settings.VERTEX_OIDC_ISSUER else ""
        return super().get_context_data(**more) | {"provider": provider}


def continue_sign_in(request: HttpRequest, user: User, following: str) -> HttpResponse:
    """Sign a person in whose password is right, or whom a provider has confirmed; ask for a code first if they have a second factor.

    following: where to go then; only addresses of this installation count.
    """
    if second_factors.find_factor(user) is None:
        login(request, user, backend=BACKEND)
        return _go_on(request, following)
    request.session.cycle_key()
    request.session[PENDING] = {"user": user.pk, "hash": user.get_session_auth_hash(), "at": time.time(), "next": following}
    return redirect("second_factor")


def _go_on(request: HttpRequest, following: str) -> HttpResponse:
    safe = url_has_allowed_host_and_scheme(following, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return redirect(following if following and safe else settings.LOGIN_REDIRECT_URL)


@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def ask_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code after the password, and sign in."""
    user = find_pending_user(request.session, time.time(), HOLDS_S)
    factor = second_factors.find_factor(user) if user else None
    if user is None or factor is None:
        request.session.pop(PENDING, None)
        return redirect("login")
    form = CodeForm(request.POST if request.method == "POST" else None, factor=factor, address=find_address(request))
    if request.method == "POST" and form.is_valid():
        following = request.session.pop(PENDING)["next"]
        login(request, user, backend=BACKEND)
        request.session[FACTOR_CONFIRMED] = True
        return _go_on(request, following)
    return render(request, "registration/second_factor.html", {"form": form}, status=400 if form.errors else 200)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires(Role.VIEWER, confirmed=False)
def set_up(request: SignedInHttpRequest) -> HttpResponse:
    """Show the picture for the app, and turn the factor on with its first code."""
    try:
        factor = second_factors.begin_factor(request.user)
    except second_factors.FactorError as error:
        if not request.session.get(FACTOR_CONFIRMED):  # it was set up in another browser: sign in again, with a code
            logout(request)
            return redirect("login")
        messages.info(request, str(error))
        return redirect("account")
    form = FirstCodeForm(request.POST if request.method == "POST" else None, factor=factor, address=find_address(request))
    if request.method == "POST" and form.is_valid():
        request.session[FACTOR_CONFIRMED] = True
        return _show_codes(request, form.recovery_codes)
    address = second_factors.write_address(factor, _name_installation(request))
    context = {
        "form": form,
        "required": reach_of(request.user).second_factor,
        "picture": segno.make(address).svg_data_uri(scale=5, border=3, light="#fff"),
        "secret": second_factors.read_secret(factor),
    }
    answer = render(request, "extraction/people/second_factor.html", context, status=400 if form.errors else 200)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@require_POST
@requires(Role.VIEWER)
def remove(request: SignedInHttpRequest) -> HttpResponse:
    """Remove one's own second factor, with a code."""
    factor = get_object_or_404(SecondFactor, user=request.user)
    if reach_of(request.user).second_factor:
        messages.error(
            request, gettext("One of your teams requires a second factor. An administrator can reset it if you change your phone.")
        )
        return redirect("account")
    form = CodeForm(request.POST, factor=factor, address=find_address(request))
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect("account")
    second_factors.remove_factor(request.user, by=request.user)
    messages.success(request, gettext("Your second factor is removed. The password is enough from now on."))
    return redirect("account")


@require_POST
@requires(Role.VIEWER)
def renew_codes(request: SignedInHttpRequest) -> HttpResponse:
    """Make new recovery codes, with a code, and show them once."""
    factor = get_object_or_404(SecondFactor, user=request.user)
    form = CodeForm(request.POST, factor=factor, address=find_address(request))
    if not form.is_valid():
        messages.error(request, join_errors(form))
        return redirect("account")
    return _show_codes(request, second_factors.renew_codes(factor))


@require_POST
@requires(Role.ADMIN, everywhere=True)
def reset(request: SignedInHttpRequest, person_id: int) -> HttpResponse:
    """Remove the second factor of somebody who has lost it."""
    found = get_object_or_404(User, pk=person_id)
    if found.pk == request.user.pk:
        messages.error(request, gettext("Remove your own second factor on the page of your account, with a code."))
        return redirect("people")
    if second_factors.remove_factor(found, by=request.user):
        messages.success(
            request,
            gettext("%(username)s signs in with the password alone now, and is signed out everywhere.")
            % {"username": found.get_username()},
        )
    else:
        messages.info(request, gettext("%(username)s has no second factor.") % {"username": found.get_username()})
    return redirect("people")


def _show_codes(request: HttpRequest, codes: list[str]) -> HttpResponse:
    answer = render(request, "extraction/people/recovery_codes.html", {"codes": codes})
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _name_installation(request: HttpRequest) -> str:
    return f"Vertex {request.get_host().partition(':')[0]}"
