"""The forms for delivery targets, tokens and downloads of changes. Secrets are never shown; an empty field leaves them as they are."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.forms.core import word_number_errors
from extraction.forms.repeating import RepeatingForm, describe_repeating
from extraction.models import (
    DeliveryTarget,
    RecordType,
    Role,
)
from extraction.models.delivery import SELECTIONS, Selection, TargetContent, TargetPlace
from extraction.services.core.access import visible_to
from extraction.services.deliveries.record_lines import ABOUT
from extraction.services.deliveries.senders import other, sql_table, webhook
from extraction.services.deliveries.senders.folder import confine_path
from extraction.services.deliveries.senders.reach import DeliveryError, read_address
from extraction.services.deliveries.targets import TargetDraft
from extraction.services.records.exports.formats import FORMATS

Kind = DeliveryTarget.Kind

PLACES: Mapping[str, tuple[str, ...]] = {
    Kind.FOLDER: ("folder",),
    Kind.S3: ("endpoint", "region", "bucket", "folder", "user"),
    Kind.SFTP: ("host", "port", "user", "folder", "host_key"),
    Kind.OTHER: ("url",),
    Kind.WEBHOOK: (),
    Kind.SQL: ("url", "table"),
}
"""{kind: the fields of `TargetPlace` that it uses}."""

SECRETS: Mapping[str, tuple[str, ...]] = {
    Kind.FOLDER: (),
    Kind.S3: ("secret_key",),
    Kind.SFTP: ("password", "private_key"),
    Kind.OTHER: ("options",),
    Kind.WEBHOOK: ("address", "key"),
    Kind.SQL: ("password",),
}
"""{kind: its secrets}."""

KIND_WORDS: Mapping[str, StrOrPromise] = {
    Kind.FOLDER: gettext_lazy("a folder"),
    Kind.S3: gettext_lazy("a bucket"),
    Kind.SFTP: gettext_lazy("a server"),
    Kind.OTHER: gettext_lazy("a file store"),
    Kind.WEBHOOK: gettext_lazy("a webhook"),
    Kind.SQL: gettext_lazy("a table"),
}
"""{kind: what it is in the name that a new target is offered}."""

OPTIONAL = frozenset({"folder", "endpoint", "region", "password", "private_key", "options"})

LABELS = {
    "folder": gettext_lazy("Folder"),
    "endpoint": gettext_lazy("Endpoint"),
    "region": gettext_lazy("Region"),
    "bucket": gettext_lazy("Bucket"),
    "host": gettext_lazy("Host"),
    "port": gettext_lazy("Port"),
    "user": gettext_lazy("User"),
    "host_key": gettext_lazy("Fingerprint of the server's key"),
    "url": gettext_lazy("Address"),
    "table": gettext_lazy("Table"),
    "secret_key": gettext_lazy("Secret key"),
    "password": gettext_lazy("Password"),
    "private_key": gettext_lazy("Private key"),
    "options": gettext_lazy("Options"),
    "address": gettext_lazy("Address"),
    "key": gettext_lazy("Signing key"),
}

REACH = ("endpoint", "host", "port", "user", "url", "host_key")
"""If one of these changes, stored passwords are not sent there: the person must enter them again."""


class TargetForm(RepeatingForm):
    """A target. Only the fields of its kind are there."""

    name = forms.CharField(max_length=80, label=gettext_lazy("Name"))
    format = forms.ChoiceField(choices=[(each.name, each.label) for each in FORMATS.values()], required=False, label=gettext_lazy("Format"))
    selection = forms.ChoiceField(choices=list(SELECTIONS.items()), required=False)
    first = forms.ChoiceField(
        choices=[("all", gettext_lazy("everything that is there now")), ("later", gettext_lazy("only what comes after you save"))],
        required=False,
    )
    keeps = forms.ChoiceField(
        choices=[("replace", gettext_lazy("replaces the last file")), ("keep", gettext_lazy("gets a name of its own"))], required=False
    )
    described = forms.BooleanField(required=False)
    columns = forms.MultipleChoiceField(required=False)
    about = forms.MultipleChoiceField(choices=list(ABOUT.items()), required=False)
    values = forms.ChoiceField(
        choices=[("normalised", gettext_lazy("normalised")), ("raw", gettext_lazy("as they appear")), ("both", gettext_lazy("both"))],
        required=False,
    )
    split = forms.BooleanField(required=False)
    mode = forms.ChoiceField(choices=DeliveryTarget.Mode.choices)
    enabled = forms.BooleanField(required=False)

    def __init__(self, data: Any, *, target: DeliveryTarget, known: list[str]) -> None:
        initial = _describe_target(target) if target.pk else _describe_new(target)
        super().__init__(data, initial=initial)
        self.target = target
        if not target.sends_files:
            self.fields["selection"].choices = [each for each in SELECTIONS.items() if each[0] != Selection.ALL]  # type: ignore[attr-defined]
        self.fields["columns"].choices = [(each, each) for each in known]  # type: ignore[attr-defined]
        for name in PLACES[target.kind]:
            needed, label = name not in OPTIONAL, LABELS[name]
            if name == "port":
                self.fields[name] = forms.IntegerField(required=needed, label=label, min_value=1, max_value=65_535)
            else:
                self.fields[name] = forms.CharField(required=needed, label=label, max_length=500)
        for name in SECRETS[target.kind]:
            self.fields[name] = forms.CharField(required=False, max_length=8_000, label=LABELS[name], strip=name != "password")
        word_number_errors(self)

    @property
    def place_fields(self) -> list[forms.BoundField]:
        """The fields of the place, in their order."""
        return [self[name] for name in PLACES[self.target.kind]]

    @property
    def secret_fields(self) -> list[forms.BoundField]:
        """The fields of the secrets. They are rendered without their values."""
        return [self[name] for name in SECRETS[self.target.kind]]

    def clean_name(self) -> str:
        """Return the name. No other target of the team may have it."""
        name: str = self.cleaned_data["name"].strip()
        if (
            DeliveryTarget.objects.filter(name__iexact=name, record_type__team=self.target.record_type.team_id)
            .exclude(pk=self.target.pk)
            .exists()
        ):
            raise forms.ValidationError(gettext("There is already a target with this name."))
        return name

    def clean(self) -> dict[str, Any]:
        """Check the fields of the kind together."""
        super().clean()
        data = self.cleaned_data
        self.clean_repetition(data, self.target)
        try:
            self._check_place(data)
        except DeliveryError as error:
            self.add_error(self._find_place_field(), str(error))
        self._move_password(data)
        self._check_secrets(data)
        return data

    def read_draft(self) -> TargetDraft:
        """Return what was entered."""
        data, of = self.cleaned_data, self.target.kind
        place = TargetPlace.from_json({name: data[name] for name in PLACES[of] if data.get(name)})
        secrets = {("url" if name == "address" else name): data.get(name, "") for name in SECRETS[of]}
        if of == Kind.WEBHOOK:
            host = read_address(data["address"]).host if data.get("address") else self.target.read_place().host
            place = replace(place, host=host or "")
        if of == Kind.SQL:
            url = sql_table.check_address(data["url"])
            place = replace(place, url=sql_table.write_without_password(url))
        every = len(data["columns"]) == len(self.fields["columns"].choices)  # type: ignore[attr-defined]
        content = TargetContent(
            columns=() if every else tuple(dict.fromkeys(data["columns"])),
            about=tuple(dict.fromkeys(data["about"])),
            values=data["values"] or "normalised",
            split_prices=data["split"],
            format=data["format"] or "csv",
            selection=Selection(data["selection"] or (Selection.ALL if self.target.sends_files else Selection.CHANGES)),
            keeps_files=data["keeps"] == "keep",
            described=data["described"],
        )
        return TargetDraft(
            name=data["name"],
            place=place,
            content=content,
            secrets=secrets,
            schedule={name: data[name] for name in ("mode", "every_hours", "times", "cron", "zone")},
            enabled=data["enabled"],
            from_now=data["first"] == "later",
        )

    def _move_password(self, data: dict[str, Any]) -> None:
        """Take a password out of the address of a database, so that the page does not show it again."""
        try:
            url = sql_table.check_address(data.get("url") or "") if self.target.kind == Kind.SQL else None
        except DeliveryError:
            url = None
        if url is not None and url.password:
            data["password"] = data.get("password") or str(url.password)
            data["url"] = sql_table.write_without_password(url)
            shown: Any = self.data.copy()  # type: ignore[attr-defined]
            shown["url"] = data["url"]
            self.data = shown

    def _find_place_field(self) -> str | None:
        names = PLACES[self.target.kind]
        return "url" if "url" in names else "folder" if "folder" in names else None

    def _check_place(self, data: Mapping[str, Any]) -> None:
        of = self.target.kind
        if of == Kind.FOLDER:
            confine_path(data.get("folder") or "")
        elif of == Kind.SQL and data.get("url"):
            url = sql_table.check_address(data["url"])
            if url.get_backend_name() == "sqlite":
                confine_path(str(url.database))
        elif of == Kind.OTHER and data.get("url"):
            other.check_url(data["url"])
            other.read_options(data.get("options") or "")
        elif of == Kind.S3 and data.get("endpoint") and not _is_web_address(data["endpoint"]):
            self.add_error("endpoint", gettext("The endpoint looks like https://objects.example.org. Leave it empty for AWS."))
        elif of == Kind.SFTP and data.get("host_key") and not data["host_key"].startswith("SHA256:"):
            self.add_error("host_key", gettext("It looks like SHA256:…. `ssh-keyscan HOST | ssh-keygen -lf -` shows it."))

    def _check_secrets(self, data: Mapping[str, Any]) -> None:
        of, stored = self.target.kind, bool(self.target.secret)
        entered = any(data.get(name) for name in SECRETS[of])
        if of == Kind.WEBHOOK:
            self._check_webhook(data, stored=stored)
        elif of == Kind.S3 and not entered and not stored:
            self.add_error("secret_key", gettext("Enter the secret key."))
        elif of == Kind.SFTP and not entered and not stored:
            self.add_error("password", gettext("Enter a password or a private key."))
        if stored and not entered and of != Kind.WEBHOOK:
            before = self.target.read_place()
            moved = [name for name in REACH if name in PLACES[of] and str(data.get(name) or "") != str(getattr(before, name) or "")]
            if moved:
                said = gettext("Enter it again: “%(field)s” has changed, and a secret is never sent to another place by itself.")
                self.add_error(SECRETS[of][0], said % {"field": LABELS[moved[0]]})

    def _check_webhook(self, data: Mapping[str, Any], *, stored: bool) -> None:
        address, key = data.get("address") or "", data.get("key") or ""
        if not address and not stored:
            self.add_error("address", gettext("Enter the address."))
        if address and not _is_web_address(address):
            self.add_error("address", gettext("The address must look like https://hooks.example.org/vertex."))
        if not key and (not stored or address):
            self.add_error("key", gettext("Enter the key with which the receiver checks signatures."))
        if key and len(key) < webhook.SHORTEST_KEY:
            self.add_error(
                "key", gettext("The key must have at least %(shortest_key)s characters.") % {"shortest_key": webhook.SHORTEST_KEY}
            )


def _is_web_address(text: str) -> bool:
    try:
        read_address(text)
    except DeliveryError:
        return False
    return True


class TargetKindForm(forms.Form):
    """What a new target is of, and where it leads."""

    type = forms.ModelChoiceField(RecordType.objects.none(), to_field_name="slug")
    kind = forms.ChoiceField(choices=Kind.choices)
    list = forms.CharField(required=False, max_length=60)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["type"].queryset = visible_to(RecordType.objects.all(), user, least=Role.OPERATOR)  # type: ignore[attr-defined]


class TokenForm(forms.Form):
    """A new token of readers."""

    name = forms.CharField(max_length=80, label=gettext_lazy("Name"))


class ChangesFileForm(forms.Form):
    """A download of changes. since: a date; without it, since the person's last download."""

    format = forms.ChoiceField(choices=[(each.name, each.label) for each in FORMATS.values()])
    list = forms.CharField(required=False, max_length=60)
    since = forms.DateTimeField(required=False, input_formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S%z"])


def _describe_new(target: DeliveryTarget) -> dict[str, Any]:
    """Return the fields of a new target: a name that nothing has yet, and what most people want."""
    base = gettext("%(record_type)s to %(kind)s") % {"record_type": target.record_type.name, "kind": KIND_WORDS[target.kind]}
    base = base[:70]
    mine = DeliveryTarget.objects.filter(record_type__team=target.record_type.team_id)
    taken = {name.lower() for name in mine.values_list("name", flat=True)}
    names = (base, *(f"{base} {number}" for number in range(2, len(taken) + 3)))
    return {
        "name": next(name for name in names if name.lower() not in taken),
        "enabled": True,
        "described": True,
        "port": 22,
        "selection": Selection.ALL if target.sends_files else Selection.CHANGES,
        **describe_repeating(target),
    }


def _describe_target(target: DeliveryTarget) -> dict[str, Any]:
    """Return the fields of a stored target, without its secrets."""
    place, content = target.read_place(), target.read_content()
    return {
        "name": target.name,
        "format": content.format,
        "selection": content.selection if target.sends_files or content.changes_only else Selection.CHANGES,
        "keeps": "keep" if content.keeps_files else "replace",
        "described": content.described,
        "columns": list(content.columns),
        "about": list(content.about),
        "values": content.values,
        "split": content.split_prices,
        "enabled": target.enabled,
        **describe_repeating(target),
        **{name: getattr(place, name) for name in PLACES[target.kind]},
    }
