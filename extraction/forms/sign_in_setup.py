"""The forms that set up a sign-in: the address of its page, and what goes where on it."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.json_texts import parse_json
from extraction.forms.core import join_errors
from extraction.forms.fetching import FetchingForm
from extraction.models import Site
from extraction.services.sites import sign_in_setup
from extraction.services.sites.fetching import store_session
from extraction.services.sites.sign_in_setup import SignInChoice, TriedSteps

MAX_CHOICES = 20_000
"""The most characters of the fields that a page offers."""


class SignInAddressForm(forms.Form):
    """The address of the page to sign in."""

    address = forms.CharField(
        label=gettext_lazy("Address of the page to sign in"),
        max_length=2000,
        error_messages={"required": gettext_lazy("Enter the address of the page to sign in.")},
    )


class SignInChoiceForm(SignInAddressForm):
    """Which field is for the name, which for the password, what goes into them, and which button sends them.

    password_field: empty if the password is on the page that follows the click.
    choices: the fields and buttons that the page offered, as JSON, so that they can be offered again if the steps fail.
    anyway: whether to save the steps even if they fail.
    """

    name_field = forms.CharField(label=gettext_lazy("Field for the name"), max_length=1000, required=False)
    name = forms.CharField(label=gettext_lazy("Name"), max_length=500, required=False, strip=False)
    password_field = forms.CharField(label=gettext_lazy("Field for the password"), max_length=1000, required=False)
    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=500,
        strip=False,
        error_messages={"required": gettext_lazy("Enter the password.")},
    )
    button = forms.CharField(label=gettext_lazy("Button"), max_length=1000)
    choices = forms.CharField(max_length=MAX_CHOICES, required=False)
    anyway = forms.BooleanField(label=gettext_lazy("Save the steps even if they fail"), required=False)

    saved = False
    """Whether the steps are those of the site now."""

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or self.cleaned_data
        if data.get("name_field") and not data.get("name"):
            self.add_error("name", gettext("Enter the name."))
        if not data.get("name_field") and not data.get("password_field"):
            self.add_error("name_field", gettext("Choose the field for the name, or that for the password."))
        return data

    def try_and_save(self, site: Site) -> TriedSteps | None:
        """Try the steps; save them if they work, or anyway if that is wanted. Return what came of them.

        Return None and add errors if there are no steps to try.
        """
        values = {name: self.cleaned_data[name] for name in ("address", "name_field", "password_field", "button", "name", "password")}
        choice = SignInChoice(**values)
        try:
            self._check(site, sign_in_setup.write_steps(choice))
            tried = sign_in_setup.try_choice(site, choice)
            settings = self._check(site, tried.steps) if tried.steps else None
        except (ValueError, sign_in_setup.SetupError) as error:
            self.add_error(None, str(error))
            return None
        if settings and (self.cleaned_data["anyway"] or not tried.said.failure):
            settings.save()
            self.saved = True
        if tried.session:
            store_session(site, tried.session)
        return tried

    @staticmethod
    def _check(site: Site, steps: str) -> FetchingForm:
        """Return the settings of a site with these steps. Raises ValueError if they cannot be stored."""
        settings = FetchingForm.with_changes(site, {"steps": steps})
        if not settings.is_valid():
            raise ValueError(join_errors(settings))
        return settings

    def read_choices(self) -> dict[str, Any]:
        """Return the fields and buttons that the page offered; none if they were changed on the way."""
        try:
            found = parse_json(self.data.get("choices") or "{}")
            return {name: [(str(at), str(label)) for at, label in found[name]] for name in ("texts", "passwords", "buttons")}
        except (ValueError, TypeError, KeyError, AttributeError):
            given = {"texts": "name_field", "passwords": "password_field", "buttons": "button"}
            return {name: [(self.data[key], self.data[key])] if self.data.get(key) else [] for name, key in given.items()}
