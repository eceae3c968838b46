"""The forms for alert channels and for the checks of a site. The address of a channel is never shown; an empty field leaves it as it is."""

from typing import Any

from django import forms

from extraction.forms.core import RowsField, word_number_errors
from extraction.models import AlertChannel, Event, Monitor, Site
from extraction.services.monitoring import alerts


class MonitorForm(forms.ModelForm[Monitor]):
    """When a site's rules are checked, and what a repair may do."""

    class Meta:
        model = Monitor
        fields = ["enabled", "every_hours", "auto_repair"]
        labels = {
            "enabled": "Check automatically",
            "every_hours": "Hours between checks",
            "auto_repair": "Automatically publish repairs that pass every test",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        word_number_errors(self)


class ChannelForm(forms.ModelForm[AlertChannel]):
    """The name, address, events and sites of a channel."""

    url = forms.CharField(max_length=2000, required=False, label="Address")
    events = forms.MultipleChoiceField(
        choices=Event.choices,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one, or disable the channel."},
    )
    sites = RowsField(Site.objects.order_by("name"), required=False, widget=forms.CheckboxSelectMultiple)

    class Meta:
        model = AlertChannel
        fields = ["name", "events", "sites", "enabled"]
        error_messages = {"name": {"unique": "There is already a channel with this name."}}

    def clean_url(self) -> str:
        """Return the new address, or the stored one if the field is empty. Errors do not repeat what was typed."""
        url: str = self.cleaned_data["url"].strip()
        if not url:
            if not self.instance.url:
                raise forms.ValidationError("Enter the address.")
            return self.instance.url
        if not alerts.is_usable_address(url):
            raise forms.ValidationError("Apprise cannot use that address. Use an address such as mailtos://user:password@mail.example.org")
        return url

    def save(self, commit: bool = True) -> Any:
        self.instance.url = self.cleaned_data["url"]
        return super().save(commit)
