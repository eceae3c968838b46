"""Forms for working on templates."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from extraction.forms.core import RowsField
from extraction.models import Cluster, Page, Site


class ClusterForm(forms.Form):
    """The least number of similar pages that make a template. Leave it empty for the default."""

    threshold = forms.IntegerField(required=False, min_value=1)


class NameForm(forms.Form):
    """A template's name."""

    name = forms.CharField(max_length=120, required=False)


class MergeForm(forms.Form):
    """The numbers of the templates to merge. The first one takes in the others."""

    clusters = forms.TypedMultipleChoiceField(
        coerce=int,
        error_messages={
            "required": gettext_lazy("Choose two templates to merge."),
            "invalid_choice": gettext_lazy("One of the templates no longer exists. Choose again."),
        },
    )

    def __init__(self, data: Any, *, site: Site) -> None:
        super().__init__(data)
        self.found = {cluster.number: cluster for cluster in site.clusters.select_related("site")}
        self.fields["clusters"].choices = [(number, number) for number in self.found]  # type: ignore[attr-defined]

    def clean_clusters(self) -> list[Cluster]:
        numbers = list(dict.fromkeys(self.cleaned_data["clusters"]))
        if len(numbers) < 2:
            raise forms.ValidationError(gettext("Choose two templates to merge."))
        return [self.found[number] for number in numbers]


class PlaceForm(forms.Form):
    """Pages of a site and where to move them: the number of a template, `new`, or nothing for no template."""

    NEW = "new"

    pages: "RowsField[Page]" = RowsField(
        Page.objects.none(),
        error_messages={
            "required": gettext_lazy("Select pages first."),
            "invalid_choice": gettext_lazy("One of the pages no longer exists. Select again."),
        },
    )
    into = forms.CharField(required=False)

    def __init__(self, data: Any, *, site: Site) -> None:
        super().__init__(data)
        self.site = site
        self.fields["pages"].queryset = Page.objects.filter(site=site)  # type: ignore[attr-defined]

    def clean_into(self) -> Cluster | str | None:
        into: str = self.cleaned_data["into"].strip()
        if into in {"", self.NEW}:
            return into or None
        found = self.site.clusters.filter(number=int(into)).first() if into.isdecimal() and len(into) < 19 else None
        if found is None:
            raise forms.ValidationError(gettext("That template no longer exists. Choose another."))
        return found
