"""Forms for a site and its source: one address, and any settings that differ from the defaults."""

import re
from typing import (
    Any,
    cast,
)

from django import forms
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile

from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.forms.core import word_number_errors
from extraction.forms.teams import TeamField
from extraction.models import (
    Role,
    Site,
    Source,
)
from extraction.services.sites import sites, sources

TAKEN = "There is already a site with this name. Choose another name, or add the pages there."


class SiteForm(forms.ModelForm[Site]):
    """A site's name and, where it has one, its address."""

    address = forms.URLField(
        max_length=2000, required=False, assume_scheme="https", label="Address", help_text="Optional. The site's address on the web."
    )

    class Meta:
        model = Site
        fields = ["name", "address"]

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
                raise forms.ValidationError(f"“{pattern}” is not a pattern: {error}.") from error
            if not _HOST.fullmatch(host):
                raise forms.ValidationError(f"“{pattern}” is not a pattern: “{host}” is not a host. A path begins with /, as in /book/*.")
        return patterns


def explain_wrong(entries: list[str]) -> str:
    """Return the error for entries of a list that cannot be fetched."""
    first = f"“{entries[0][:80]}{'…' if len(entries[0]) > 80 else ''}”"
    if len(entries) == 1:
        return f"{first} cannot be fetched: it is broken or too long. Correct it or take it out."
    return f"{len(entries):,} addresses cannot be fetched, such as {first}: they are broken or too long. Correct them or take them out."


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

    addresses = AddressesField(label="Start addresses", required=False)
    include = PatternsField(label="Include only", required=False, help_text="One per line: /book/* for one level, /shop/** for any depth.")
    exclude = PatternsField(label="Exclude", required=False)
    hosts = LinesField(
        label="Hosts",
        required=False,
        help_text="One per line; .example.org includes its subdomains. Leave empty to use those of the addresses.",
    )
    sitemaps = AddressesField(label="More sitemaps", required=False)
    feeds = AddressesField(label="Feeds (RSS, Atom)", required=False)
    listed = LinesField(label="List of addresses", required=False, help_text="Paste one per line, or CSV.")
    list_file = forms.FileField(label="File of addresses", required=False)

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
            "delay_s",
            "concurrency",
            "rendered",
            "obey_robots",
            "verify_certificates",
            "contact",
        ]
        labels = {
            "page_limit": "Maximum pages",
            "depth": "Maximum link depth",
            "find_sitemaps": "Look for sitemaps in robots.txt",
            "delay_s": "Seconds between requests",
            "concurrency": "Simultaneous requests",
            "rendered": "Render with a browser",
            "obey_robots": "Obey robots.txt",
            "verify_certificates": "Require valid certificates",
            "contact": "Contact in the user agent",
        }
        help_texts = {
            "depth": "How many links from a start address a crawl may follow. Leave empty for no limit.",
            "contact": "A web or e-mail address. Leave empty for the default.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        word_number_errors(self)

    def clean_list_file(self) -> list[str]:
        file: UploadedFile[bytes] | None = self.cleaned_data["list_file"]
        if file is None:
            return []
        if (file.size or 0) > LIST_BYTES:
            raise forms.ValidationError(f"{file.name} has {file.size:,} bytes; at most {LIST_BYTES:,} are accepted.")
        found, wrong = sources.read_list(file.read())
        if wrong:
            raise forms.ValidationError(explain_wrong(wrong))
        if not found:
            raise forms.ValidationError(f"{file.name} contains no web addresses. Choose a text or CSV file with one on each line.")
        return found

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or self.cleaned_data
        pasted, filed = data.get("listed") or [], data.get("list_file") or []
        found, wrong = sources.read_list("\n".join(pasted).encode("utf-8", "replace"))
        if wrong:
            self.add_error("listed", explain_wrong(wrong))
        elif pasted and not found:
            self.add_error("listed", "The list contains no web addresses. Each begins with https:// or http://.")
        data["listed"] = list(dict.fromkeys([*found, *filed]))
        if len(data["listed"]) > MAX_LISTED:
            self.add_error("listed", f"The list has {len(data['listed']):,} addresses; at most {MAX_LISTED:,} are accepted.")
        if not (self.errors or any(data.get(name) for name in ("addresses", "listed", "sitemaps", "feeds"))):
            self.add_error("addresses", "Enter a start address.")
        return data


class NewSiteForm(SourceForm):
    """A new site, made from its address."""

    address = forms.CharField(label="Address", max_length=2000, error_messages={"required": "Enter the address of the site."})
    name = forms.CharField(label="Name", max_length=120, required=False, help_text="Leave empty to use the host's name.")

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
            self.add_error("name", "There is already a site with this name. Choose another.")
        return data

    def clean_addresses(self) -> list[str]:
        return [self.cleaned_data["address"]] if self.cleaned_data.get("address") else []

    def options(self) -> dict[str, Any]:
        """Return the fields of the source."""
        return {name: self.cleaned_data[name] for name in self.Meta.fields}
