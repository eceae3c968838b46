"""Versions of a record type's schema. Programs read its files by the names and types of its columns, so a change can break them.

The first version is stored when somebody first asks for the schema, or when the records are first delivered. From then on each change of
the attributes makes a new version. `find_changes` names what would change, and what of it breaks readers, before it is saved.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from extraction.models import Attribute, RecordType, SchemaVersion


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """A change between two versions, in a sentence. breaking: a program that reads the older one may fail."""

    text: str
    breaking: bool

    def as_json(self) -> dict[str, Any]:
        """Return the change as JSON."""
        return {"text": self.text, "breaking": self.breaking}


@dataclass(frozen=True, slots=True)
class SchemaAttribute:
    """An attribute as readers know it. id: tells a new name from another attribute; None for a new one."""

    id: int | None
    name: str
    type: str
    list: str = ""
    multiple: bool = False
    mandatory: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SchemaAttribute":
        """Return the attribute that `as_json` wrote."""
        return cls(data["id"], data["name"], data["type"], data["list"], data["multiple"], data["mandatory"])

    def as_json(self) -> dict[str, Any]:
        """Return the attribute as JSON."""
        names = ("id", "name", "type", "list", "multiple", "mandatory")
        return {name: getattr(self, name) for name in names}


def record_version(record_type: RecordType) -> SchemaVersion:
    """Return the version of the record type's attributes as they are now. Store it if it is new."""
    for _ in range(2):
        newest = record_type.versions.first()
        attributes = read_attributes(record_type)
        stored: list[Mapping[str, Any]] = [each.as_json() for each in attributes]
        if newest is not None and newest.attributes == stored:
            return newest
        changes = compare_attributes(map(SchemaAttribute.from_json, newest.attributes), attributes) if newest else []
        number = newest.number + 1 if newest else 1
        try:
            with transaction.atomic():
                return SchemaVersion.objects.create(
                    record_type=record_type, number=number, attributes=stored, changes=[each.as_json() for each in changes]
                )
        except IntegrityError:
            continue  # somebody else has just stored it
    return SchemaVersion.objects.filter(record_type=record_type).latest("number")


def follow_changes(record_type: RecordType) -> None:
    """Store a new version if the attributes have changed and somebody knows an older one. Call it where attributes are saved."""
    if record_type.versions.exists():
        record_version(record_type)


def find_changes(record_type: RecordType, wanted: Sequence[SchemaAttribute]) -> list[SchemaChange]:
    """Return what would change for readers. It is empty if nobody ever asked for the schema."""
    newest = record_type.versions.first()
    return compare_attributes(map(SchemaAttribute.from_json, newest.attributes), wanted) if newest else []


def name_readers(record_type: RecordType) -> str:
    """Return who reads the records of a type, in words; "" if nobody is known."""
    targets = list(record_type.targets.values_list("name", flat=True))
    tokens = record_type.tokens.filter(revoked_at=None).values_list("name", flat=True)
    names = [*(f"the delivery to {name}" for name in targets), *(f"the token {name}" for name in tokens)]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def read_attributes(record_type: RecordType) -> list[SchemaAttribute]:
    """Return the attributes of a record type in their order."""
    rows = Attribute.objects.filter(record_type=record_type).select_related("list").order_by("position", "id")
    return [
        SchemaAttribute(each.pk, each.name, each.type, each.list.name if each.list else "", each.multiple, each.mandatory) for each in rows
    ]


def compare_attributes(before: Iterable[SchemaAttribute], after: Iterable[SchemaAttribute]) -> list[SchemaChange]:
    """Return the changes, those that break readers first."""
    old, new = list(before), list(after)
    kept = {each.id: each for each in new if each.id is not None}
    found: list[SchemaChange] = []
    for each in old:
        now = kept.get(each.id or 0)
        found += _compare(each, now) if now else [SchemaChange(f"{each.name} is removed.", True)]
    known = {each.id for each in old}
    found += [SchemaChange(f"{each.name} is new.", False) for each in new if each.id not in known]
    names = [each.id for each in old if each.id in kept]
    if names != [each.id for each in new if each.id in known]:
        found.append(SchemaChange("The columns have another order.", False))
    return sorted(found, key=lambda each: not each.breaking)


def _compare(before: SchemaAttribute, after: SchemaAttribute) -> list[SchemaChange]:
    found = []
    if after.name != before.name:
        found.append(SchemaChange(f"{before.name} is called {after.name}.", True))
    if after.type != before.type:
        labels = dict(Attribute.Type.choices)
        found.append(
            SchemaChange(
                f"{after.name} changes its type from {labels.get(before.type, before.type)} to {labels.get(after.type, after.type)}.", True
            )
        )
    if after.list != before.list:
        found.append(SchemaChange(f"{after.name} moves from {before.list or 'the page'} to {after.list or 'the page'}.", True))
    if after.multiple != before.multiple:
        found.append(SchemaChange(f"{after.name} is now {'a list of values' if after.multiple else 'a single value, no list'}.", True))
    if after.mandatory != before.mandatory:
        found.append(SchemaChange(f"{after.name} is {'now mandatory' if after.mandatory else 'no longer mandatory'}.", False))
    return found
