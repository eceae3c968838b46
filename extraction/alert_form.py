"""The form of an alert channel. Its address is written, never read: an empty one leaves what is there."""

from typing import Any

from django import forms

from extraction.models import AlertChannel, Event, Site
from extraction.services import alerts


class ChannelForm(forms.ModelForm[AlertChannel]):
    """Name, address, events and sites of a channel."""

    url = forms.CharField(max_length=2000, required=False, label="Address")
    events = forms.MultipleChoiceField(
        choices=Event.choices, widget=forms.CheckboxSelectMultiple, error_messages={"required": "Choose at least one, or switch it off."}
    )
    sites = forms.ModelMultipleChoiceField(Site.objects.order_by("name"), required=False, widget=forms.CheckboxSelectMultiple)

    class Meta:
        model = AlertChannel
        fields = ["name", "events", "sites", "enabled"]
        error_messages = {"name": {"unique": "There is a channel of this name already."}}

    def clean_url(self) -> str:
        """A new address; the one there is for an empty field. What was typed is not repeated in the error."""
        url: str = self.cleaned_data["url"].strip()
        if not url:
            if not self.instance.url:
                raise forms.ValidationError("Give the address.")
            return self.instance.url
        if not alerts.usable(url):
            raise forms.ValidationError("That address is none that Apprise can use. An example: mailtos://user:password@mail.example.org")
        return url

    def save(self, commit: bool = True) -> Any:
        self.instance.url = self.cleaned_data["url"]
        return super().save(commit)
