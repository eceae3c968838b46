"""Forms for joins and for searches among joined records.

The form of a join has a part for each listing, numbered from 0: `list-0`, `by-0`, `link-0`, `own-0` and the pairs of key attributes
`row-0-0` and `page-0-0`. `side-7` says which side of the attribute 7 counts.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from extraction.algorithms.records.join import Side
from extraction.services.joins.plans import JoinPlan, ListingPlan

MAX_LISTINGS = 8
"""Lists of a join. A site has few kinds of listings."""

MAX_KEYS = 3
"""Pairs of key attributes of a list."""


class JoinForm(forms.Form):
    """The settings of a join. What it names is checked by `plans.check_plan`."""

    name = forms.CharField(required=False, max_length=120)
    winner = forms.ChoiceField(choices=[("page", gettext_lazy("page")), ("listing", gettext_lazy("listing"))], required=False)

    def read_plan(self) -> JoinPlan:
        """Return the settings as they were sent. Fields that cannot be understood count as not chosen."""
        self.is_valid()
        data = self.data
        winner: Side = "listing" if self.cleaned_data.get("winner") == "listing" else "page"
        listings = tuple(found for number in range(MAX_LISTINGS) if (found := _read_listing(data, number)))
        sides = {name.removeprefix("side-"): data[name] for name in data if name.startswith("side-")}
        chosen = {_read_id(pk) for pk, side in sides.items() if side in ("page", "listing") and side != winner}
        turned = frozenset(pk for pk in chosen if pk is not None)
        return JoinPlan(self.cleaned_data.get("name", "").strip(), _read_id(data.get("detail", "")), winner, turned, listings)


def _read_listing(data: Mapping[str, Any], number: int) -> ListingPlan | None:
    cluster, _, listed = data.get(f"list-{number}", "").partition(":")
    if not listed:
        return None
    pairs = [(_read_id(data.get(f"row-{number}-{key}", "")), _read_id(data.get(f"page-{number}-{key}", ""))) for key in range(MAX_KEYS)]
    return ListingPlan(
        _read_id(cluster),
        _read_id(listed),
        by_key=data.get(f"by-{number}") == "key",
        link=_read_id(data.get(f"link-{number}", "")),
        keys=tuple(pair for pair in pairs if any(pair)),
        with_page=f"own-{number}" in data,
    )


def _read_id(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 19 else None


class JoinedForm(forms.Form):
    """A search among joined records. What it cannot understand is ignored."""

    q = forms.CharField(required=False, max_length=500)
    of = forms.CharField(required=False)
    missing = forms.CharField(required=False)
    sort = forms.CharField(required=False)

    def asked(self) -> dict[str, Any]:
        """Return the arguments for `search.search_joined`."""
        self.is_valid()
        names = {"query": "q", "part": "of", "missing": "missing", "sort": "sort"}
        return {name: self.cleaned_data.get(field, "") for name, field in names.items()}
