"""The form for how the pages of a site are fetched that need more than a visit."""

import re
from collections.abc import Mapping
from typing import Any

import cssselect
from cssselect import SelectorError
from django import forms
from django.utils import translation
from django.utils.translation import gettext, gettext_lazy

from extraction.forms.core import word_number_errors
from extraction.forms.sites import LinesField
from extraction.models import Site, SiteFetching
from extraction.services.core import stored_texts
from extraction.services.sites import edit_fetching
from extraction.services.sites.edit_fetching import FetchingDraft, FetchingError
from extraction.services.sites.fetching import get_fetching

HOST = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-f:]+\](:\d+)?")


def check_selector(selector: str) -> None:
    """Raise ValidationError unless a text is a CSS selector; an empty one is accepted."""
    try:
        if ">>" in selector:
            raise SelectorError(">>")
        if selector:
            cssselect.parse(selector)
    except SelectorError as error:
        raise forms.ValidationError(
            gettext("“%(selector)s” is not a CSS selector, such as button.load-more.") % {"selector": selector}
        ) from error


class PairsField(forms.CharField):
    """Names and values, one pair a line. separator: what is between the two. ends: what else may be between two pairs."""

    widget = forms.Textarea

    def __init__(self, *, separator: str, ends: str = "\n", **kwargs: Any) -> None:
        super().__init__(required=False, strip=False, **kwargs)
        self.separator, self.ends = separator, ends

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(f"{name}{self.separator}{text}" for name, text in value.items()) if isinstance(value, dict) else value

    def to_python(self, value: Any) -> Any:
        if isinstance(value, dict):  # from the API, where a value cannot be taken for two lines
            return {str(name): str(text) for name, text in value.items()}
        found: dict[str, str] = {}
        for end in self.ends:
            value = (value or "").replace(end, "\n")
        for line in value.splitlines():
            name, separator, text = line.partition(self.separator.strip())
            name = name.strip()
            if not line.strip():
                continue
            if not separator:
                mark = self.separator.strip()
                raise forms.ValidationError(
                    gettext("Write each as a name, “%(mark)s” and a value. One of the lines has no “%(mark)s”.") % {"mark": mark}
                )
            if name in found:
                raise forms.ValidationError(gettext("%(name)s stands there twice.") % {"name": name[:60]})
            found[name] = text.strip()
        return found


class FetchingForm(forms.ModelForm[SiteFetching]):
    """How the pages of a site are fetched."""

    class Meta:
        model = SiteFetching
        fields = ["load_more", "scrolls", "most_loads", "embedded", "pictures", "signed_out"]
        labels = {
            "load_more": gettext_lazy("Button for more"),
            "scrolls": gettext_lazy("Scroll pages to their end"),
            "most_loads": gettext_lazy("Most screens and clicks"),
            "signed_out": gettext_lazy("Sign of being signed out"),
            "pictures": gettext_lazy("Keep a picture of each page"),
            "embedded": gettext_lazy("Read open shadow roots, and frames of the site"),
        }
        help_texts = {
            "load_more": gettext_lazy("A CSS selector, such as button.load-more. It is clicked until it is gone or brings nothing."),
            "signed_out": gettext_lazy(
                "A CSS selector of something that only signed-out visitors see, such as a.sign-in. You can leave it empty: Vertex knows "
                "the answers 401 and 403, redirects to the sign-in, and pages with a form to sign in."
            ),
            "pictures": gettext_lazy("As a browser shows it, beside each stored version. Only pages that are rendered have one."),
            "most_loads": gettext_lazy("For one page. If there is more, the page says so."),
        }

    headers = PairsField(
        label=gettext_lazy("Request headers"),
        separator=": ",
        help_text=gettext_lazy(
            "One per line, as in Accept-Language: de. They are sent to the hosts of the site and to nobody else. Values that "
            "may be keys are encrypted and never shown again; to keep one, leave its ••••."
        ),
    )
    cookies = PairsField(
        label=gettext_lazy("Cookies"),
        separator="=",
        ends=";",
        help_text=gettext_lazy(
            "One per line, as in session=abc123, or as a browser shows them: a=1; b=2. Pages get them from the first request on."
        ),
    )
    proxy = forms.CharField(
        label=gettext_lazy("Proxy"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("All requests of this site go through it: http://user:password@proxy.example:3128. Leave empty for none."),
    )

    steps = forms.CharField(
        label=gettext_lazy("Steps"),
        required=False,
        max_length=8_000,
        widget=forms.Textarea,
        help_text=gettext_lazy(
            "One per line: open ADDRESS, fill SELECTOR = TEXT, click SELECTOR, wait SELECTOR. What is filled in is encrypted "
            "and never shown again; to keep it, leave its ••••."
        ),
    )
    frame_hosts = LinesField(
        label=gettext_lazy("Frames of other hosts"),
        required=False,
        help_text=gettext_lazy("Hosts beside the site's own whose frames are read, one per line."),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, site: Site) -> None:
        self.site = site
        row = get_fetching(site)
        self.stored = edit_fetching.describe_fetching(row)
        shown = {
            "headers": dict(self.stored.headers),
            "cookies": dict(self.stored.cookies),
            "proxy": self.stored.proxy,
            "steps": self.stored.steps,
        }
        super().__init__(data, instance=row, initial={**shown, "frame_hosts": row.frame_hosts})
        word_number_errors(self)

    @classmethod
    def with_changes(cls, site: Site, changes: Mapping[str, Any]) -> "FetchingForm":
        """Return the form as if a person had made these changes and left the rest."""
        usual = cls(site=site)
        sent = dict(changes)
        if isinstance(sent.get("frame_hosts"), list):
            sent["frame_hosts"] = "\n".join(sent["frame_hosts"])
        return cls({**usual.initial, "frame_hosts": "\n".join(usual.instance.frame_hosts)} | sent, site=site)

    def describe(self) -> dict[str, Any]:
        """Return the stored settings, with secrets hidden."""
        return {name: self.initial[name] for name in self.fields} | {"unreadable": self.stored.unreadable}

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or self.cleaned_data
        if all(name in data for name in ("headers", "cookies", "proxy", "steps")):
            draft = FetchingDraft(headers=data["headers"], cookies=data["cookies"], proxy=data["proxy"], steps=data["steps"])
            try:
                edit_fetching.take_draft(self.instance, draft)
            except FetchingError as error:
                self.add_error(error.field, stored_texts.tell(str(error)))
        self.instance.frame_hosts = data.get("frame_hosts", [])
        return data

    def save(self, commit: bool = True) -> SiteFetching:  # noqa: ARG002 - the signature of Django
        """Save the settings and return them."""
        with translation.override("en"):
            names = [str(self.fields[name].label).lower() for name in self.changed_data]
        edit_fetching.save_fetching(self.instance, names)
        return self.instance

    def clean_load_more(self) -> str:
        selector: str = self.cleaned_data["load_more"].strip()
        check_selector(selector)
        return selector

    def clean_signed_out(self) -> str:
        selector: str = self.cleaned_data["signed_out"].strip()
        check_selector(selector)
        return selector

    def clean_frame_hosts(self) -> list[str]:
        hosts = [host.lower() for host in self.cleaned_data["frame_hosts"]]
        if wrong := next((host for host in hosts if not HOST.fullmatch(host)), ""):
            raise forms.ValidationError(gettext("“%(wrong)s” is not a host, such as widgets.example.org.") % {"wrong": wrong[:80]})
        return hosts
