"""Compare the files of a site with what is in the installation, part by part.

An export wrote a digest of each part. So a part that was changed in the folder is told from one that was changed here since, and one that
was changed on both sides is a conflict. A folder without digests, such as one written by hand, changes what differs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from django.utils.translation import gettext

from extraction.services.core.percent import write_number
from extraction.services.folders.entries import Entries, Entry, Key, write_key
from extraction.services.folders.errors import NOWHERE, Where

Prefer = Literal["stop", "folder", "installation"]
"""What counts where both sides have changed: nothing is imported, or one side."""


class ChangeKind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    ONLY_HERE = "only here"
    NEWER_HERE = "newer here"
    CONFLICT = "conflict"


APPLIED = frozenset({ChangeKind.ADDED, ChangeKind.CHANGED, ChangeKind.REMOVED})

NEVER_REMOVED = frozenset({"site", "checks", "source"})
NEVER_REMOVED_PARTS = frozenset({"order", "recognition", "list"})

MAX_DETAILS, MAX_SHOWN = 12, 120
"""The largest number of settings that are listed for a part, and of characters of each side."""

SHAPING = ("type", "list")
"""Settings of an attribute on which its marks and all rules depend. Without digests, nobody knows which side is right."""


@dataclass(frozen=True, slots=True)
class Change:
    """A part that differs.

    details: what is different in it, a line each. where: its place in the folder, NOWHERE for a part that is only here.
    """

    kind: ChangeKind
    key: Key
    details: tuple[str, ...] = ()
    where: Where = NOWHERE

    @property
    def applied(self) -> bool:
        """Whether the import changes something here."""
        return self.kind in APPLIED


def compare_entries(
    theirs: Entries, here: Entries, base: Mapping[str, str], *, prefer: Prefer = "stop", delete: bool = False
) -> list[Change]:
    """Return what differs: the parts of the folder in their order, then those that are only here.

    theirs, here: the parts of the folder and of the installation.
    base: {name of a part: digest} when the folder was exported.
    delete: remove parts that only the installation has, where that can be done.
    """
    found = []
    for key, entry in theirs.items():
        known = here.get(key)
        if known is None:
            found.append(Change(ChangeKind.ADDED, key, where=entry.where))
        elif not _is_same(key, entry, known):
            kind = _judge(key, entry, known, base.get(write_key(key)), prefer)
            found.append(Change(kind, key, describe_difference(known.value, entry.value), entry.where))
    for key in here:
        if key not in theirs and not (key[0] in NEVER_REMOVED or (len(key) > 2 and key[2] in NEVER_REMOVED_PARTS)):
            removed = delete and _is_removable(key, theirs)
            found.append(Change(ChangeKind.REMOVED if removed else ChangeKind.ONLY_HERE, key))
    return found


def describe_difference(here: Any, theirs: Any) -> tuple[str, ...]:
    """Return a line for each setting that differs, as it is here and as it is in the folder. At most MAX_DETAILS are listed."""
    lines = list(_walk_difference("", here, theirs))
    left = len(lines) - MAX_DETAILS
    return tuple(lines if left <= 0 else [*lines[:MAX_DETAILS], say_more(left)])


def say_more(number: int) -> str:
    """Return that a list goes on."""
    return gettext("and %(more)s more") % {"more": write_number(number)}


def _walk_difference(path: str, here: Any, theirs: Any) -> Iterator[str]:
    if here == theirs:
        return
    if isinstance(here, Mapping) and isinstance(theirs, Mapping):
        for name in [*theirs, *(name for name in here if name not in theirs)]:
            yield from _walk_difference(f"{path}{', ' if path else ''}{name}", here.get(name), theirs.get(name))
    elif _is_named(here) and _is_named(theirs):
        yield from _walk_difference(path, {each["name"]: each for each in here}, {each["name"]: each for each in theirs})
    else:
        yield f"{path}: {_shorten(here)} → {_shorten(theirs)}" if path else f"{_shorten(here)} → {_shorten(theirs)}"


def _is_named(value: Any) -> bool:
    """Return whether a value is a list of things with different names."""
    named = isinstance(value, list) and all(isinstance(each, Mapping) and "name" in each for each in value)
    return named and len({each["name"] for each in value}) == len(value)


def _is_same(key: Key, theirs: Entry, here: Entry) -> bool:
    if len(key) == 3 and key[2] == "order":
        # Attributes that only one side has do not change the order of the others.
        shared = set(theirs.value) & set(here.value)
        return [name for name in theirs.value if name in shared] == [name for name in here.value if name in shared]
    return bool(theirs.value == here.value)


def _judge(key: Key, theirs: Entry, here: Entry, digest: str | None, prefer: Prefer) -> ChangeKind:
    if prefer == "folder":
        return ChangeKind.CHANGED
    if digest == here.digest:
        return ChangeKind.CHANGED
    if digest == theirs.digest or prefer == "installation":
        return ChangeKind.NEWER_HERE
    if len(key) > 2 and key[2] == "recognition":
        return ChangeKind.NEWER_HERE  # each search for templates changes it, and the newest has seen most pages
    if digest is not None:
        return ChangeKind.CONFLICT
    shaped = len(key) > 2 and key[2] == "attribute" and any(theirs.value.get(name) != here.value.get(name) for name in SHAPING)
    return ChangeKind.CONFLICT if shaped else ChangeKind.CHANGED


def _is_removable(key: Key, theirs: Entries) -> bool:
    """Return whether a part can be removed.

    Templates have pages and records, record types belong to all sites, and deliveries have passwords that are in no file, so they and
    their parts stay.
    """
    if key[0] in ("record type", "template"):
        return len(key) > 2 and key[:2] in theirs
    return key[0] != "delivery"


def _shorten(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return gettext("not set")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    text = _join(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _join(value: Any) -> str:
    """Return a value in words; of a mapping only its values, because its keys are in the file."""
    if isinstance(value, list):
        return " | ".join(map(_join, value))
    return " ".join(map(_join, value.values())) if isinstance(value, Mapping) else str(value)
