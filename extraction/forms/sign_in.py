"""Signing in, with a limit on failed attempts."""

import math
from typing import Any

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext

from extraction.models import reach_of
from extraction.services.core import people, sign_ins
from extraction.services.core.second_factors import find_factor


class SignInForm(AuthenticationForm):
    """The form of the dashboard. refusal: why the password was not even checked; empty if it was."""

    refusal = ""

    def clean(self) -> dict[str, Any]:
        name, address = self.cleaned_data.get("username") or "", find_address(self.request)
        wait_s = sign_ins.take_attempt(name=name, address=address)
        if wait_s:
            minutes = math.ceil(wait_s / 60)
            self.refusal = ngettext(
                "There were too many failed attempts. Try again in %(minutes)s minute.",
                "There were too many failed attempts. Try again in %(minutes)s minutes.",
                minutes,
            ) % {"minutes": minutes}
            raise ValidationError(self.refusal, code="throttled")
        try:
            cleaned = super().clean()
        except ValidationError:
            people.record_failed_sign_in(name, address)
            raise
        if settings.HTTPS and sign_ins.is_demo_password(self.cleaned_data.get("password") or ""):
            self.user_cache = None
            self.refusal = "This is the demo's password, which is kept in a file. Set another: manage.py create_user NAME --role ROLE."
            raise ValidationError(self.refusal, code="demo_password")
        if self.user_cache is not None:
            sign_ins.give_back_attempt(name=name, address=address)
        return cleaned


class AdminSignInForm(SignInForm, AdminAuthenticationForm):
    """The form of the admin site. It cannot ask for a code, so people with a second factor sign in on the dashboard's page."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        user = self.user_cache
        if user is not None and (reach_of(user).second_factor or find_factor(user) is not None):
            self.user_cache = None
            self.refusal = gettext("Sign in on the sign-in page of the dashboard, which asks for your second factor. Then come back here.")
            raise ValidationError(self.refusal, code="second_factor")
        return cleaned


class OwnPasswordForm(PasswordChangeForm):
    """The form for one's own password. Guessing the old one is limited as signing in is."""

    def __init__(self, *args: Any, request: HttpRequest, **more: Any) -> None:
        super().__init__(*args, **more)
        self._address = find_address(request)

    def clean_old_password(self) -> str:
        name = self.user.get_username()
        if sign_ins.take_attempt(name=name, address=self._address):
            raise ValidationError(gettext("There were too many failed attempts. Try again later."), code="throttled")
        password: str = super().clean_old_password()
        sign_ins.give_back_attempt(name=name, address=self._address)
        return password


def find_address(request: HttpRequest | None) -> str:
    """Return the IP address of the person who sent a request.

    Behind the proxy that VERTEX_HTTPS announces, it is the last entry of X-Forwarded-For, which that proxy wrote. Anything before it can be
    made up.
    """
    if request is None:
        return ""
    forwarded: str = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.SECURE_PROXY_SSL_HEADER else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")
