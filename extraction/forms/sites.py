"""Forms for a site and its source: one address, and any settings that differ from the defaults."""

import re
from typing import (
    Any,
    cast,
)

from django import forms
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.fetching.search_terms import check_search
from extraction.forms.core import word_number_errors
from extraction.forms.teams import TeamField
from extraction.models import (
    Role,
    Site,
    Source,
)
from extraction.services.core import stored_texts
from extraction.services.core.percent import write_number
from extraction.services.sites import sites, sources

TAKEN = gettext_lazy("There is already a site with this name. Choose another name, or add the pages there.")


class SiteForm(forms.ModelForm[Site]):
    """A site's name and, where it has one, its address."""

    address = forms.URLField(
        max_length=2000,
        required=False,
        assume_scheme="https",
        label=gettext_lazy("Address"),
        help_text=gettext_lazy("Optional. The site's address on the web."),
    )

    class Meta:
        model = Site
        fields = ["name", "address"]
        labels = {"name": gettext_lazy("Name")}

    def clean(self) -> dict[str, Any]:
        """Refuse a name that differs from that of another site of the team only by case."""
        data = super().clean() or self.cleaned_data
        self.instance.team = data.get("team") or self.instance.team
        alike = sites.find_sites_named_alike(data.get("name", ""), self.instance.team_id)
        if any(site.pk != self.instance.pk for site in alike):
            self.add_error("name", TAKEN)
        return data


MAX_LISTED = 100_000
"""The largest number of addresses of one list. They are stored in one row and sent to the crawl in one message."""

_HOST = re.compile(r"(?:[\w.*-]*|\[[0-9a-f:.*]+\])(?::[\d*]+)?")

LIST_BYTES = 32 * 1024**2
TERMS_BYTES = 4 * 1024**2


class LinesField(forms.CharField):
    """A list with one entry per line."""

    widget = forms.Textarea

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        lines = (line.strip() for line in (super().to_python(value) or "").splitlines())
        return list(dict.fromkeys(line for line in lines if line))


class AddressesField(LinesField):
    """Addresses that may be fetched, one per line. Those without a scheme get https://."""

    def clean(self, value: Any) -> Any:
        return [clean_address(address) for address in super().clean(value)]


class PatternsField(LinesField):
    """Patterns of addresses, one per line."""

    def clean(self, value: Any) -> Any:
        patterns = super().clean(value)
        for pattern in patterns:
            try:
                host = UrlPattern.from_text(pattern).host
            except ValueError as error:
                raise forms.ValidationError(
                    gettext("“%(pattern)s” is not a pattern: %(error)s.") % {"pattern": pattern, "error": stored_texts.tell(str(error))}
                ) from error
            if not _HOST.fullmatch(host):
                raise forms.ValidationError(
                    gettext("“%(pattern)s” is not a pattern: “%(host)s” is not a host. A path begins with /, as in /book/*.")
                    % {"pattern": pattern, "host": host}
                )
        return patterns


def explain_wrong(entries: list[str]) -> str:
    """Return the error for entries of a list that cannot be fetched."""
    first = f"“{entries[0][:80]}{'…' if len(entries[0]) > 80 else ''}”"
    if len(entries) == 1:
        return gettext("%(first)s cannot be fetched: it is broken or too long. Correct it or take it out.") % {"first": first}
    return gettext(
        "%(entries)s addresses cannot be fetched, such as %(first)s: they are broken or too long. Correct them or take them out."
    ) % {"entries": write_number(len(entries)), "first": first}


def clean_address(address: str) -> str:
    """Return the address in the form in which it is fetched. Raises ValidationError if it is not an address or may not be fetched."""
    try:
        return sources.check_address(address if "://" in address else f"https://{address}")
    except sources.AddressError as error:
        raise forms.ValidationError(str(error)) from error


def complete_address(address: str) -> str:
    """Return the address of a new site; see `sources.complete_address`. Raises ValidationError."""
    try:
        return sources.complete_address(address)
    except sources.AddressError as error:
        raise forms.ValidationError(str(error)) from error


class SourceForm(forms.ModelForm[Source]):
    """Everything that can be set about how a site is fetched."""

    addresses = AddressesField(label=gettext_lazy("Start addresses"), required=False)
    include = PatternsField(
        label=gettext_lazy("Include only"),
        required=False,
        help_text=gettext_lazy("One per line: /book/* for one level, /shop/** for any depth."),
    )
    exclude = PatternsField(label=gettext_lazy("Exclude"), required=False)
    hosts = LinesField(
        label=gettext_lazy("Hosts"),
        required=False,
        help_text=gettext_lazy("One per line; .example.org includes its subdomains. Leave empty to use those of the addresses."),
    )
    sitemaps = AddressesField(label=gettext_lazy("More sitemaps"), required=False)
    feeds = AddressesField(label=gettext_lazy("Feeds (RSS, Atom)"), required=False)
    listed = LinesField(label=gettext_lazy("List of addresses"), required=False, help_text=gettext_lazy("Paste one per line, or CSV."))
    list_file = forms.FileField(label=gettext_lazy("File of addresses"), required=False)

    search_address = forms.CharField(
        label=gettext_lazy("Page with the search form"),
        max_length=2000,
        required=False,
        help_text=gettext_lazy("The form is read when pages are fetched. It must be one that is sent with GET, as most searches are."),
    )
    search_fields = LinesField(
        label=gettext_lazy("Fields of the form"),
        required=False,
        help_text=gettext_lazy(
            "Optional. One per line: the name of the field that takes the term, as in q, or a field with a value of its own, as in "
            "category = books. If several take the term, write its parts with | between them."
        ),
    )
    search_terms = LinesField(label=gettext_lazy("Terms to search for"), required=False, help_text=gettext_lazy("One per line."))
    terms_file = forms.FileField(label=gettext_lazy("File of terms"), required=False)

    class Meta:
        model = Source
        fields = [
            "addresses",
            "whole",
            "page_limit",
            "depth",
            "include",
            "exclude",
            "hosts",
            "find_sitemaps",
            "sitemaps",
            "feeds",
            "listed",
            "search_address",
            "search_fields",
            "search_terms",
            "search_pages",
            "delay_s",
            "concurrency",
            "rendered",
            "obey_robots",
            "verify_certificates",
            "contact",
        ]
        labels = {
            "page_limit": gettext_lazy("Maximum pages"),
            "depth": gettext_lazy("Maximum link depth"),
            "find_sitemaps": gettext_lazy("Look for sitemaps in robots.txt"),
            "search_pages": gettext_lazy("Most result pages of a term"),
            "delay_s": gettext_lazy("Seconds between requests"),
            "concurrency": gettext_lazy("Simultaneous requests"),
            "rendered": gettext_lazy("Render with a browser"),
            "obey_robots": gettext_lazy("Obey robots.txt"),
            "verify_certificates": gettext_lazy("Require valid certificates"),
            "contact": gettext_lazy("Contact in the user agent"),
        }
        help_texts = {
            "depth": gettext_lazy("How many links from a start address a crawl may follow. Leave empty for no limit."),
            "contact": gettext_lazy("A web or e-mail address. Leave empty for the default."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["search_pages"].required = False
        word_number_errors(self)

    def clean_search_pages(self) -> int:
        return self.cleaned_data["search_pages"] or Source.DEFAULT_RESULT_PAGES

    def clean_list_file(self) -> list[str]:
        file: UploadedFile[bytes] | None = self.cleaned_data["list_file"]
        if file is None:
            return []
        if (file.size or 0) > LIST_BYTES:
            raise forms.ValidationError(
                gettext("%(file)s has %(size)s bytes; at most %(list_bytes)s are accepted.")
                % {"file": file.name, "size": write_number(file.size or 0), "list_bytes": write_number(LIST_BYTES)}
            )
        found, wrong = sources.read_list(file.read())
        if wrong:
            raise forms.ValidationError(explain_wrong(wrong))
        if not found:
            raise forms.ValidationError(
                gettext("%(file)s contains no web addresses. Choose a text or CSV file with one on each line.") % {"file": file.name}
            )
        return found

    def clean_search_address(self) -> str:
        address: str = self.cleaned_data["search_address"].strip()
        return clean_address(address) if address else ""

    def clean_terms_file(self) -> list[str]:
        file: UploadedFile[bytes] | None = self.cleaned_data["terms_file"]
        if file is None:
            return []
        if (file.size or 0) > TERMS_BYTES:
            raise forms.ValidationError(
                gettext("%(file)s has %(size)s bytes; at most %(list_bytes)s are accepted.")
                % {"file": file.name, "size": write_number(file.size or 0), "list_bytes": write_number(TERMS_BYTES)}
            )
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(gettext("%(file)s is not a text file in UTF-8.") % {"file": file.name}) from error
        return [line.strip() for line in text.splitlines() if line.strip()]

    def _clean_search(self, data: dict[str, Any]) -> None:
        """Put the pasted and the uploaded terms together, and check them with their form."""
        address, fields = data.get("search_address"), data.get("search_fields") or []
        data["search_terms"] = list(dict.fromkeys([*(data.get("search_terms") or []), *(data.get("terms_file") or [])]))
        if self.errors:
            return
        if data["search_terms"] and not address:
            self.add_error("search_address", gettext("Enter the address of the page with the search form."))
        elif address and not data["search_terms"]:
            self.add_error("search_terms", gettext("Enter the terms to search for, one on each line."))
        else:
            try:
                check_search(address or "", fields, data["search_terms"])
            except ValueError as error:
                self.add_error("search_terms", stored_texts.tell(str(error)))

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or self.cleaned_data
        self._clean_search(data)
        pasted, filed = data.get("listed") or [], data.get("list_file") or []
        found, wrong = sources.read_list("\n".join(pasted).encode("utf-8", "replace"))
        if wrong:
            self.add_error("listed", explain_wrong(wrong))
        elif pasted and not found:
            self.add_error("listed", gettext("The list contains no web addresses. Each begins with https:// or http://."))
        data["listed"] = list(dict.fromkeys([*found, *filed]))
        if len(data["listed"]) > MAX_LISTED:
            self.add_error(
                "listed",
                gettext("The list has %(data)s addresses; at most %(max_listed)s are accepted.")
                % {"data": write_number(len(data["listed"])), "max_listed": write_number(MAX_LISTED)},
            )
        if not (self.errors or any(data.get(name) for name in ("addresses", "listed", "sitemaps", "feeds", "search_terms"))):
            self.add_error("addresses", gettext("Enter a start address."))
        return data


class NewSiteForm(SourceForm):
    """A new site, made from its address."""

    address = forms.CharField(
        label=gettext_lazy("Address"), max_length=2000, error_messages={"required": gettext_lazy("Enter the address of the site.")}
    )
    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=120, required=False, help_text=gettext_lazy("Leave empty to use the host's name.")
    )

    team = TeamField()

    field_order = ["address", "name"]

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(TeamField, self.fields["team"]).offer(user, Role.EDITOR)

    def clean_address(self) -> str:
        return complete_address(self.cleaned_data["address"])

    def clean_name(self) -> str:
        return str(self.cleaned_data["name"].strip())

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or self.cleaned_data
        name, team = data.get("name"), data.get("team")
        if name and team and sites.find_sites_named_alike(name, team.pk):
            self.add_error("name", gettext("There is already a site with this name. Choose another."))
        return data

    def clean_addresses(self) -> list[str]:
        return [self.cleaned_data["address"]] if self.cleaned_data.get("address") else []

    def options(self) -> dict[str, Any]:
        """Return the fields of the source."""
        return {name: self.cleaned_data[name] for name in self.Meta.fields}
