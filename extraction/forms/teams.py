"""Choosing a team, and the forms of teams."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_lazy

from extraction.models import Role, Site, Team
from extraction.services.core.access import list_teams

ROLES = [(role.group, role.word) for role in Role]


class TeamField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """The team that something new belongs to, by its name in addresses. Somebody who can choose only one is not asked."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Team.objects.none(), to_field_name="slug", required=False, empty_label=None, label=gettext("Team"), **options)
        self.error_messages["invalid_choice"] = gettext("You cannot add to this team. Choose another.")

    def offer(self, user: User, least: Role) -> None:
        """Offer the teams in which a person has this role or a higher one."""
        self.queryset = list_teams(user, least=least)
        oldest = self.queryset.order_by("pk").first()
        self.initial = oldest.slug if oldest else None

    @property
    def asked(self) -> bool:
        """Whether there is a choice."""
        return self.queryset is not None and self.queryset.count() > 1

    def clean(self, value: Any) -> Team:
        """Return the team; the oldest one of the person if none was chosen."""
        found = super().clean(value) or (self.queryset.order_by("pk").first() if self.queryset is not None else None)
        if found is None:
            raise forms.ValidationError(gettext("There is no team in which you can add this."))
        chosen: Team = found
        return chosen


class TeamForm(forms.ModelForm[Team]):
    """The name of a team."""

    class Meta:
        model = Team
        fields = ["name"]
        labels = {"name": gettext_lazy("Name")}
        error_messages = {"name": {"unique": gettext_lazy("There is already a team with this name.")}}


class MemberForm(forms.Form):
    """Somebody who joins a team, or gets another role in it."""

    name = forms.CharField(max_length=150, error_messages={"required": gettext_lazy("Enter the name with which the person signs in.")})
    role = forms.ChoiceField(choices=ROLES)


class MoveSiteForm(forms.Form):
    """A site that comes to a team. together: also the sites that share record types with it."""

    site = forms.ModelChoiceField(Site.objects.none(), to_field_name="slug", error_messages={"required": gettext_lazy("Choose a site.")})
    together = forms.BooleanField(required=False)

    def __init__(self, *args: Any, sites: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["site"].queryset = sites  # type: ignore[attr-defined]
