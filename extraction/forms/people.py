"""Forms of accounts: invitations, one's e-mail address, a role, and a password that was forgotten."""

from typing import (
    Any,
    cast,
)
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib.auth.forms import BaseUserCreationForm, PasswordResetForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from extraction.forms.sign_in import find_address
from extraction.forms.teams import ROLES, TeamField
from extraction.models import (
    ReaderSettings,
    Role,
    Team,
    reach_of,
)
from extraction.services.core import sign_ins
from extraction.services.core.invitations import Newcomer

DAYS = [("1", gettext_lazy("1 day")), ("7", gettext_lazy("7 days")), ("30", gettext_lazy("30 days"))]


class InviteForm(forms.Form):
    """A new invitation."""

    note = forms.CharField(max_length=120, error_messages={"required": gettext_lazy("Say whom it is for.")})
    email = forms.EmailField(required=False)
    team = TeamField()
    role = forms.ChoiceField(choices=ROLES, initial=Role.EDITOR.group)
    days = forms.ChoiceField(choices=DAYS, initial="7")

    def __init__(self, *args: Any, user: User, **more: Any) -> None:
        super().__init__(*args, **more)
        cast(TeamField, self.fields["team"]).offer(user, Role.ADMIN)

    def read_team(self, user: User) -> Team | None:
        """Return the team of the invitation. Where there is only one team, its administrators are those of the installation."""
        only = not cast(TeamField, self.fields["team"]).asked
        if only and self.cleaned_data["role"] == Role.ADMIN.group and reach_of(user).everywhere:
            return None
        team: Team = self.cleaned_data["team"]
        return team


class AcceptForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """The account that a person makes who was invited."""

    email = forms.EmailField(required=False, label=gettext_lazy("E-mail address"))

    class Meta:
        model = User
        fields = ["username", "email"]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["username"].label, self.fields["password2"].label = gettext("Name"), gettext("Password, once more")

    def read_newcomer(self) -> Newcomer:
        """Return what was chosen."""
        data = self.cleaned_data
        return Newcomer(data["username"], data["email"], data["password1"])


class EmailForm(forms.ModelForm[User]):
    """One's own e-mail address."""

    class Meta:
        model = User
        fields = ["email"]


class PersonForm(forms.Form):
    """The role of a person, and whether they may sign in. MEMBER: the roles that the person has in teams."""

    MEMBER = "member of teams"

    role = forms.ChoiceField(choices=[*ROLES, (MEMBER, gettext_lazy("member of teams"))])
    active = forms.BooleanField(required=False)

    def read_role(self) -> Role | None:
        """Return the chosen role; None for the roles in teams."""
        chosen: str = self.cleaned_data["role"]
        return None if chosen == self.MEMBER else Role[chosen.upper()]


class ReaderForm(forms.ModelForm):  # type: ignore[type-arg]
    """The language and the time zone in which a person reads the dashboard."""

    language = forms.ChoiceField(required=False, label=gettext_lazy("Language"))
    zone = forms.CharField(required=False, max_length=60, label=gettext_lazy("Time zone"))

    class Meta:
        model = ReaderSettings
        fields = ["language", "zone"]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        cast(forms.ChoiceField, self.fields["language"]).choices = [("", gettext("As my browser says")), *settings.LANGUAGES]

    def clean_zone(self) -> str:
        zone: str = self.cleaned_data["zone"]
        if zone and zone not in available_timezones():
            raise ValidationError(gettext("There is no such time zone. Choose one from the list, such as Europe/Berlin."))
        return zone


class ForgottenForm(PasswordResetForm):
    """Asks for a link to a new password. How often that can be asked is limited as signing in is."""

    def __init__(self, *args: Any, request: HttpRequest | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["email"].label = gettext("E-mail address")
        self._address = find_address(request)

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if sign_ins.take_attempt(name=f"reset {email}", address=self._address):
            raise ValidationError(gettext("There were too many requests. Try again in a quarter of an hour."), code="throttled")
        return email

    def save(self, *args: Any, **options: Any) -> None:
        # A link begins with the address of the settings and never with the host that a request names, which anybody can make up.
        options["extra_email_context"] = {"root": settings.VERTEX_PUBLIC_URL}
        super().save(*args, **options)
