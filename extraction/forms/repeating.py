"""The part of forms that says when something repeats. Only the fields of the chosen way are checked; the others keep what they had."""

from collections.abc import Callable
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.refresh import times
from extraction.models.repeating import MAX_HOURS, Repeating
from extraction.services.core import stored_texts


class RepeatingForm(forms.Form):
    """How often, and in which time zone. A form that extends it has a field `mode` of its own, and calls `clean_repetition`."""

    every_hours = forms.IntegerField(min_value=1, max_value=MAX_HOURS, required=False, label=gettext_lazy("Hours"))
    times = forms.CharField(max_length=400, required=False, label=gettext_lazy("Times of day"))
    cron = forms.CharField(max_length=100, required=False, label=gettext_lazy("Cron expression"))
    zone = forms.CharField(max_length=60, required=False, label=gettext_lazy("Time zone"))

    def clean_repetition(self, given: dict[str, Any], kept: Repeating) -> None:
        """Check what the chosen way needs, and put the rest back as it was. kept: the schedule before the change."""
        mode = given.get("mode")
        given["every_hours"] = given.get("every_hours") or (None if mode == kept.INTERVAL else kept.every_hours)
        if mode == kept.INTERVAL and "every_hours" not in self.errors and not given["every_hours"]:
            self.add_error("every_hours", gettext("Give a whole number."))
        zone = (given.get("zone") or "UTC").strip()
        readers: dict[str, tuple[Callable[[], object], bool]] = {
            "zone": (lambda: times.read_zone(zone).key, mode in (kept.TIMES, kept.CRON)),
            "cron": (lambda: times.read_cron(given.get("cron", "")), mode == kept.CRON),
            "times": (lambda: list(times.read_times(_split(given.get("times", "")))), mode == kept.TIMES),
        }
        for name, (read, wanted) in readers.items():
            if wanted:
                self._read(name, read, given)
            else:
                given[name] = getattr(kept, name)

    def _read(self, name: str, read: Callable[[], object], given: dict[str, Any]) -> None:
        try:
            given[name] = read()
        except times.ScheduleError as error:
            self.add_error(name, stored_texts.tell(str(error)))


def describe_repeating(schedule: Repeating) -> dict[str, Any]:
    """Return the fields of a schedule as the form shows them."""
    return {
        "mode": schedule.mode,
        "every_hours": schedule.every_hours,
        "times": ", ".join(schedule.times),
        "cron": schedule.cron,
        "zone": schedule.zone,
    }


def list_zones() -> list[str]:
    """Return the names of the time zones, those of places first."""
    return sorted(available_timezones(), key=lambda name: ("/" not in name, name.startswith("Etc/"), name))


def _split(text: str) -> list[str]:
    return [part for part in text.replace(";", ",").replace("\n", ",").split(",") if part.strip()]
