"""Everything that a person entered, as one zip file: a JSON Lines file for each kind of thing, oldest first.

The file is for the person, or for whoever hands it to them. It holds no secrets: no passwords, tokens, keys or digests of these. Addresses
of alert channels and the places of deliveries often contain one, so they are left out, too.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.apps import apps
from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder

from extraction.services.core.streaming import stream_rows

ROWS_AT_ONCE = 2_000

TEMPLATE = "site=cluster__site__name template=cluster__number"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing that people enter.

    file: the name of its file, without the ending.
    model: such as "extraction.Comment".
    person: the field that names the person.
    columns: of the file, each with the lookup of its value.
    """

    file: str
    model: str
    person: str
    columns: Mapping[str, str]


def _kind(file: str, model: str, person: str, columns: str) -> Kind:
    """Return a kind. columns: "page=page__url text" are the column page, with the value of that lookup, and the column text."""
    named = (each.partition("=") for each in columns.split())
    return Kind(file, model, person, {name: lookup or name for name, _, lookup in named})


KINDS = (
    _kind(
        "marked-values",
        "extraction.Label",
        "created_by",
        f"{TEMPLATE} page=snapshot__page__url attribute=attribute__name row position value location at=created_at",
    ),
    _kind(
        "steps-of-marking",
        "annotations.Edit",
        "created_by",
        f"{TEMPLATE} page=snapshot__page__url attribute=attribute__name row before after undone at=created_at",
    ),
    _kind(
        "corrections",
        "extraction.Correction",
        "by",
        "site=page__site__name page=page__url attribute row kind texts values found reason state at ended_at",
    ),
    _kind(
        "comments",
        "extraction.Comment",
        "by",
        f"{TEMPLATE} template_of_breakage=breakage__cluster__number breakage=breakage_id text at",
    ),
    _kind("moved-pages", "extraction.Placement", "created_by", f"{TEMPLATE} page=page__url belongs at=created_at"),
    _kind("labels-of-the-lab", "extraction.PageLabel", "created_by", "site=page__site__name page=page__url label at=created_at"),
    _kind("rules", "extraction.Rule", "created_by", f"{TEMPLATE} version state origin definition at=created_at"),
    _kind(
        "decisions-about-rules",
        "extraction.Decision",
        "by",
        "site=rule__cluster__site__name template=rule__cluster__number version=rule__version decision=what at",
    ),
    _kind(
        "quality-rules",
        "extraction.QualityRule",
        "changed_by",
        f"{TEMPLATE} record_type=record_type__name list attribute other kind limits allowed_fraction enabled at=changed_at",
    ),
    _kind("decisions-about-runs", "extraction.RunRelease", "decided_by", f"{TEMPLATE} run=run_id state note at=decided_at"),
    _kind("closed-breakages", "extraction.Breakage", "closed_by", f"{TEMPLATE} state note at=closed_at"),
    _kind("assigned-breakages", "extraction.Breakage", "assignee", f"{TEMPLATE} state opened_at"),
    _kind("assigned-templates", "extraction.Cluster", "assignee", "site=site__name template=number name"),
    _kind("sites", "extraction.Site", "created_by", "name address team=team__name at=created_at"),
    _kind("runs", "extraction.Run", "created_by", "site=site__name run=id kind template=cluster__number state at=created_at"),
    _kind("joins", "extraction.Join", "created_by", "site=site__name name at=created_at"),
    _kind("refreshes", "extraction.Refresh", "created_by", "site=site__name template=cluster__number note at=created_at"),
    _kind(
        "targets-of-deliveries",
        "extraction.DeliveryTarget",
        "created_by",
        "name record_type=record_type__name kind content at=created_at",
    ),
    _kind("deliveries", "extraction.Delivery", "created_by", "target=target__name state at=created_at"),
    _kind("alert-channels", "extraction.AlertChannel", "created_by", "name events team=team__name at=created_at"),
    _kind("invitations", "extraction.Invitation", "created_by", "note email team=team__name role used_at at=created_at"),
    _kind("tokens", "extraction.ApiToken", "user", "name scopes expires_at revoked_at at=created_at"),
    _kind("tokens-of-readers", "extraction.ReaderToken", "created_by", "name record_type=record_type__name revoked_at at=created_at"),
    _kind("teams", "extraction.Membership", "user", "team=team__name role"),
    _kind("sign-in-providers", "extraction.ExternalIdentity", "user", "issuer subject at=created_at"),
    _kind("language-and-time-zone", "extraction.ReaderSettings", "user", "language zone"),
    _kind("sessions", "extraction.SignedInSession", "user", "started_at seen_at address browser=agent"),
    _kind("audit-log", "extraction.AuditEntry", "by", "kind site=site_name what address text times source token at"),
    _kind("changes-in-the-admin", "admin.LogEntry", "user", "what=object_repr text=change_message at=action_time"),
)

LEFT_OUT = {
    ("extraction.SecondFactor", "user"): "a secret",
    ("extraction.Invitation", "used_by"): "entered by who invited",
    ("extraction.Notice", "user"): "made by Vertex; the comment is its writer's",
    ("extraction.Ledger", "user"): "made by Vertex: what the person has downloaded",
    ("extraction.StoredFile", "owner"): "made by Vertex: a download that is kept for a while",
    ("auth.User_groups", "user"): "in person.json by its meaning",
    ("auth.User_user_permissions", "user"): "not used by Vertex",
}
"""Links to people that are not in the file, each with the reason."""


def write_entered(person: User, target: IO[bytes]) -> dict[str, int]:
    """Write the zip file, and return the rows of each file in it. Memory stays bounded."""
    counts = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("person.json", _encode(_describe(person)) + "\n")
        for kind in KINDS:
            with archive.open(f"{kind.file}.jsonl", "w", force_zip64=True) as file:
                counts[kind.file] = 0
                for row in _read_rows(kind, person):
                    file.write(f"{_encode(row)}\n".encode())
                    counts[kind.file] += 1
    return counts


def _read_rows(kind: Kind, person: User) -> Iterator[dict[str, Any]]:
    rows = apps.get_model(kind.model)._default_manager.filter(**{kind.person: person}).order_by("pk")
    with stream_rows():
        for row in rows.values_list(*kind.columns.values()).iterator(ROWS_AT_ONCE):
            yield dict(zip(kind.columns, row, strict=True))


def _describe(person: User) -> dict[str, Any]:
    return {
        "name": person.get_username(),
        "email": person.email,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "active": person.is_active,
        "administrator": person.is_superuser,
        "joined_at": person.date_joined,
        "signed_in_at": person.last_login,
    }


def _encode(row: Mapping[str, Any]) -> str:
    return json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
