"""Entering a code of a second factor, with a limit on wrong ones."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_lazy

from extraction.models import SecondFactor
from extraction.services.core import people, second_factors, sign_ins
from extraction.services.core.sealed_secrets import SecretError

WRONG = gettext_lazy("This code is wrong, or it was used already. Wait for the next one.")


class CodeForm(forms.Form):
    """A code of the app, or a recovery code. Wrong codes are counted as wrong passwords are, under a name of their own."""

    code = forms.CharField(max_length=40, label=gettext_lazy("Code"), error_messages={"required": gettext_lazy("Enter a code.")})

    def __init__(self, *args: Any, factor: SecondFactor, address: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self._factor, self._address = factor, address

    def clean_code(self) -> str:
        code, user = self.cleaned_data["code"].strip(), self._factor.user
        name = f"code {user.get_username()}"
        if sign_ins.take_attempt(name=name, address=self._address):
            raise forms.ValidationError(gettext("There were too many wrong codes. Try again in a quarter of an hour."), code="throttled")
        try:
            accepted = self.accept(code)
        except SecretError as error:
            raise forms.ValidationError(str(error)) from error
        if not accepted:
            people.record_failed_sign_in(user.get_username(), self._address)
            raise forms.ValidationError(WRONG)
        sign_ins.give_back_attempt(name=name, address=self._address)
        return str(code)

    def accept(self, code: str) -> bool:
        """Return whether a code is right, and use it up."""
        return second_factors.check_code(self._factor, code)


class FirstCodeForm(CodeForm):
    """The first code of an app, which turns the factor on. recovery_codes: to show once."""

    recovery_codes: list[str]

    def accept(self, code: str) -> bool:
        """Turn the factor on if the code is right."""
        made = second_factors.confirm_factor(self._factor, code)
        self.recovery_codes = made or []
        return made is not None


def find_pending_user(session: Any, now: float, holds_s: int) -> User | None:
    """Return who has entered the right password in this session and not yet a code.

    None if that is longer ago than `holds_s` seconds, or the password has changed since.
    """
    said = session.get(PENDING) or {}
    if not said or now - said["at"] > holds_s:
        return None
    user = User.objects.filter(pk=said["user"], is_active=True).first()
    return user if user is not None and user.get_session_auth_hash() == said["hash"] else None


PENDING = "second_factor_pending"
"""The entry of a session for a person who has entered the right password and not yet a code."""
