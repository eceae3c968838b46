"""The form for a token of the API."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_lazy

from extraction.forms.core import RowsField
from extraction.models import (
    ApiScope,
    Role,
    Site,
    role_of,
)
from extraction.services.core.access import visible_to

LIFETIMES = {
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
    "365": gettext_lazy("a year"),
    "": gettext_lazy("until I revoke it"),
}
"""{days: words}."""

NEEDED = {ApiScope.EDIT: Role.EDITOR, ApiScope.OPERATE: Role.OPERATOR, ApiScope.ADMINISTER: Role.ADMIN}


class ApiTokenForm(forms.Form):
    """A token: what uses it, what for, on which sites and how long."""

    name = forms.CharField(max_length=80, error_messages={"required": gettext_lazy("Say what will use the token.")})
    scopes = forms.MultipleChoiceField(
        choices=ApiScope.choices, widget=forms.CheckboxSelectMultiple, error_messages={"required": gettext_lazy("Choose at least one use.")}
    )
    days = forms.ChoiceField(choices=list(LIFETIMES.items()), required=False)
    sites: "RowsField[Site]" = RowsField(
        Site.objects.none(),
        required=False,
        error_messages={"invalid_choice": gettext_lazy("One of the sites no longer exists. Choose again.")},
    )

    def __init__(self, data: Any = None, *, user: User) -> None:
        super().__init__(data, initial={"scopes": [ApiScope.READ, ApiScope.RECORDS], "days": "90"})
        self.fields["sites"].queryset = visible_to(Site.objects.order_by("name"), user)  # type: ignore[attr-defined]
        permitted = [each for each in ApiScope if NEEDED.get(each, Role.VIEWER) <= (role_of(user) or 0)]
        self.fields["scopes"].choices = [(each.value, each.label) for each in permitted]  # type: ignore[attr-defined]

    def read_expiry(self) -> datetime | None:
        """Return when the token expires; None for never."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None
