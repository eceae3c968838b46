"""The forms for alert channels and for the checks of a site. The address of a channel is never shown; an empty field leaves it as it is."""

from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_lazy

from extraction.forms.core import RowsField, word_number_errors
from extraction.forms.teams import TeamField
from extraction.models import AlertChannel, Event, Monitor, Role, Site
from extraction.services.core.access import visible_to
from extraction.services.monitoring import alerts


class MonitorForm(forms.ModelForm[Monitor]):
    """When a site's rules are checked, and what a repair may do."""

    class Meta:
        model = Monitor
        fields = ["enabled", "every_hours", "auto_repair"]
        labels = {
            "enabled": gettext_lazy("Check automatically"),
            "every_hours": gettext_lazy("Hours between checks"),
            "auto_repair": gettext_lazy("Automatically publish repairs that pass every test"),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        word_number_errors(self)


class ChannelForm(forms.ModelForm[AlertChannel]):
    """The name, address, events and sites of a channel."""

    url = forms.CharField(max_length=2000, required=False, label=gettext_lazy("Address"))
    events = forms.MultipleChoiceField(
        choices=Event.choices,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one, or disable the channel.")},
    )
    team = TeamField()
    sites = RowsField(Site.objects.none(), required=False, widget=forms.CheckboxSelectMultiple)

    class Meta:
        model = AlertChannel
        fields = ["name", "events", "sites", "enabled"]
        labels = {"name": gettext_lazy("Name")}

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            del self.fields["team"]
            sites = Site.objects.filter(team=self.instance.team_id)
        else:
            cast(TeamField, self.fields["team"]).offer(user, Role.ADMIN)
            sites = visible_to(Site.objects.all(), user, least=Role.ADMIN)
        self.fields["sites"].queryset = sites.order_by("name")  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Check that the channel, its name and its sites go together."""
        data = super().clean() or self.cleaned_data
        self.instance.team = team = data.get("team") or self.instance.team
        if AlertChannel.objects.filter(team=team, name=data.get("name")).exclude(pk=self.instance.pk).exists():
            self.add_error("name", gettext("There is already a channel with this name."))
        if foreign := [each.name for each in data.get("sites", []) if each.team_id != team.pk]:
            self.add_error(
                "sites",
                gettext("%(foreign)s is not a site of %(team)s. A channel gets alerts about the sites of its own team only.")
                % {"foreign": foreign[0], "team": team},
            )
        return data

    def clean_url(self) -> str:
        """Return the new address, or the stored one if the field is empty. Errors do not repeat what was typed."""
        url: str = self.cleaned_data["url"].strip()
        if not url:
            if not self.instance.url:
                raise forms.ValidationError(gettext("Enter the address."))
            return self.instance.url
        if not alerts.is_usable_address(url):
            raise forms.ValidationError(
                gettext("Apprise cannot use that address. Use an address such as mailtos://user:password@mail.example.org")
            )
        return url

    def save(self, commit: bool = True) -> Any:
        self.instance.url = self.cleaned_data["url"]
        return super().save(commit)
