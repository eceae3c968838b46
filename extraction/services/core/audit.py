"""The audit log. Services call `record` in the transaction of each change that a person can make.

Who acts is known to the whole process for as long as a request, a command or a job takes (`acting_as`). So services do not have to hand
it on, and nothing that a request changes can be written under another name. Entries are in English, whatever language that person reads.
"""

import getpass
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, models
from django.db.models import F
from django.utils import timezone, translation
from django_stubs_ext import StrOrPromise

from extraction.models import (
    AuditEntry,
    AuditKind,
    AuditSource,
    Cluster,
    RecordType,
    Site,
    Team,
)

MOST_TEXT = 2_000
"""Characters of what was changed. More is cut off, with a note."""

MOST_VALUE = 200
"""Characters of one value in it."""

TOGETHER = timedelta(minutes=15)
"""Within this time, the same change by the same person is one entry that counts (`record_often`)."""

NOTHING = "nothing"

PRUNED_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and from where. name: of the person; without a person, of the account that runs the command."""

    source: AuditSource
    user: User | None = None
    name: str = ""
    token: str = ""


ITSELF = Actor(AuditSource.SELF)

_actor: ContextVar[Callable[[], Actor] | None] = ContextVar("actor", default=None)


@contextmanager
def acting_as(find: Callable[[], Actor]) -> Iterator[None]:
    """Attribute all changes in this block to an actor. find: returns it; it is asked only when something is recorded."""
    before = _actor.set(find)
    try:
        yield
    finally:
        _actor.reset(before)


def find_actor() -> Actor:
    """Return who acts now. Outside of requests and commands, Vertex acts by itself."""
    find = _actor.get()
    return find() if find else ITSELF


def name_command() -> Actor:
    """Return the actor of a command that somebody runs in a shell."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in containers
        name = ""
    return Actor(AuditSource.COMMAND, name=name[:150])


def record(kind: AuditKind, what: object, *, site: Site | None = None, team: Team | None = None, text: StrOrPromise = "") -> AuditEntry:
    """Record a change in the transaction that makes it, so that neither exists without the other.

    what: the object, whose text and address are stored.
    site: the site that it belongs to; found from a site or template by itself.
    team: the team that it belongs to; found from the site, a record type and the like by itself. Without one, only administrators of
        the installation see the entry.
    text: what was changed, in words. The caller leaves out secrets.
    """
    _require_transaction()
    with translation.override("en"):
        return AuditEntry.objects.create(**_describe(kind, what, site, team), text=_shorten(str(text), MOST_TEXT))


def record_often(kind: AuditKind, what: object, *, site: Site | None = None, text: str = "") -> None:
    """Record a change that people make every few seconds. The same change is counted in the last entry if that is recent."""
    _require_transaction()
    with translation.override("en"):
        fields = _describe(kind, what, site, None)
    text = _shorten(text, MOST_TEXT)
    now = fields.pop("at")
    last = AuditEntry.objects.filter(**fields, text=text, at__gt=now - TOGETHER).order_by("-pk").first()
    if last is None:
        AuditEntry.objects.create(**fields, at=now, text=text)
    else:
        AuditEntry.objects.filter(pk=last.pk).update(times=F("times") + 1, at=now)


def record_if_asked(kind: AuditKind, what: object, *, site: Site | None = None, text: str = "") -> None:
    """Record what a person asked for. What schedules and other runs start is in the list of runs and not in the log."""
    if find_actor().source != AuditSource.SELF:
        record(kind, what, site=site, text=text)


def describe_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return what changed, a line each: "name: Books → Novels". Empty if nothing did. A mapping in it has a line for each of its parts."""
    lines = []
    with translation.override("en"):
        before, after = _flatten(before), _flatten(after)
        for name in {**before, **after}:
            old, new = _write(before.get(name)), _write(after.get(name))
            if before.get(name) != after.get(name) and (old, new) != (NOTHING, NOTHING):
                lines.append(f"{name.replace('_', ' ')}: {old} → {new}")
    return "\n".join(lines)


def read_fields(row: models.Model, *names: str) -> dict[str, Any]:
    """Return the values of a row's fields, to compare them later (`describe_differences`). A choice is its label, not its code."""
    return {name: _read_field(row, name) for name in names}


def tidy_entries(now: datetime) -> int:
    """Delete entries older than the setting says, and return how many."""
    old = AuditEntry.objects.filter(at__lt=now - timedelta(days=settings.VERTEX_AUDIT_KEEP_DAYS)).order_by("pk")
    deleted = 0
    while ids := list(old.values_list("pk", flat=True)[:PRUNED_AT_ONCE]):
        deleted += AuditEntry.objects.filter(pk__in=ids).delete()[0]
    return deleted


def _describe(kind: AuditKind, what: object, site: Site | None, team: Team | None) -> dict[str, Any]:
    actor, site = find_actor(), site or _find_site(what)
    stored = site if site is not None and site.pk is not None else None
    find_address = getattr(what, "get_absolute_url", None)
    return {
        "kind": kind.value,
        "at": timezone.now(),
        "source": actor.source.value,
        "by": actor.user,
        "by_name": (actor.user.get_username() if actor.user else actor.name)[:150],
        "token": actor.token[:100],
        "site": stored,
        "site_name": site.name[:120] if site else "",
        "team_id": team.pk if team else site.team_id if site else _find_team(what),
        "what": _shorten(_name(what), 300),
        "address": str(find_address())[:300] if find_address and getattr(what, "pk", 1) is not None else "",
    }


def _find_site(what: object) -> Site | None:
    if isinstance(what, Site):
        return what
    for name in ("site", "cluster"):
        found = getattr(what, name, None)
        if isinstance(found, Site):
            return found
        if isinstance(found, Cluster):
            return found.site
    return None


def _find_team(what: object) -> int | None:
    """Return the team of what belongs to no site: a team, a record type, an alert channel, or something of one of these."""
    if isinstance(what, Team):
        return what.pk
    for each in (what, getattr(what, "record_type", None), getattr(what, "channel", None)):
        if isinstance(found := getattr(each, "team_id", None), int):
            return found
    return None


def _name(what: object) -> str:
    if isinstance(what, Cluster):
        return what.label
    return str(what)


def _read_field(row: models.Model, name: str) -> Any:
    value, choices = getattr(row, name), row._meta.get_field(name).flatchoices  # type: ignore[union-attr]
    return dict(choices).get(value, value) if choices else value


def _flatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with the parts of inner mappings under names of their own: {"limits": {"low": 1}} → {"limits, low": 1}."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        inner = _flatten(value) if isinstance(value, Mapping) else None
        flat.update({name: value} if inner is None else {f"{name}, {part}": each for part, each in inner.items()})
    return flat


def _write(value: object) -> str:
    if value is None or value == "" or value == [] or value == ():
        return NOTHING
    if isinstance(value, list | tuple | set):
        return _shorten(", ".join(map(str, value)), MOST_VALUE)
    if isinstance(value, Site | RecordType):
        return value.name
    return _shorten({True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value), MOST_VALUE)


def _shorten(text: str, most: int) -> str:
    text = text.replace("\0", "")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _require_transaction() -> None:
    """Raise RuntimeError outside of a transaction. That of a test does not count, since the product does not have it."""
    if not any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
        raise RuntimeError("An entry of the audit log is written in the transaction of the change.")
