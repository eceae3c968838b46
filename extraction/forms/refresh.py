"""The form for when records are refreshed. Only the fields of the chosen way are checked; the others keep what they had."""

from collections.abc import Callable
from typing import Any
from zoneinfo import available_timezones

from django import forms

from extraction.algorithms.refresh import times
from extraction.forms.core import word_number_errors
from extraction.models import RefreshSchedule
from extraction.models.refresh import MAX_HOURS

Mode = RefreshSchedule.Mode


class RefreshForm(forms.ModelForm[RefreshSchedule]):
    """How often, in which time zone, and how many pages at most."""

    every_hours = forms.IntegerField(min_value=1, max_value=MAX_HOURS, required=False)
    max_pages = forms.IntegerField(min_value=1, required=False)
    times = forms.CharField(max_length=400, required=False)

    class Meta:
        model = RefreshSchedule
        fields = ["mode", "every_hours", "cron", "zone", "max_pages"]
        widgets = {"mode": forms.RadioSelect}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        word_number_errors(self)
        self.fields["zone"].required = False
        self.initial["times"] = ", ".join(self.instance.times)

    def clean(self) -> dict[str, Any]:
        """Check what the chosen way needs, and put the rest back as it was."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        mode = given.get("mode")
        given["every_hours"] = given.get("every_hours") or (None if mode == Mode.INTERVAL else self.instance.every_hours)
        if mode == Mode.INTERVAL and "every_hours" not in self.errors and not given["every_hours"]:
            self.add_error("every_hours", "Give a whole number.")
        given["zone"] = (given.get("zone") or "UTC").strip()
        readers: dict[str, tuple[Callable[[], object], bool]] = {
            "zone": (lambda: times.read_zone(given["zone"]).key, mode in (Mode.TIMES, Mode.CRON))
        }
        readers["cron"] = (lambda: times.read_cron(given.get("cron", "")), mode == Mode.CRON)
        readers["times"] = (lambda: times.read_times(_split(given.get("times", ""))), mode == Mode.TIMES)
        for name, (read, wanted) in readers.items():
            if wanted:
                self._read(name, read, given)
            else:
                given[name] = getattr(self.instance, name)
        return given

    def save(self, commit: bool = True) -> Any:
        self.instance.times = list(self.cleaned_data["times"])
        return super().save(commit)

    def _read(self, name: str, read: Any, given: dict[str, Any]) -> None:
        try:
            given[name] = read()
        except times.ScheduleError as error:
            self.add_error(name, str(error))


def list_zones() -> list[str]:
    """Return the names of the time zones, those of places first."""
    return sorted(available_timezones(), key=lambda name: ("/" not in name, name.startswith("Etc/"), name))


def _split(text: str) -> list[str]:
    return [part for part in text.replace(";", ",").replace("\n", ",").split(",") if part.strip()]
