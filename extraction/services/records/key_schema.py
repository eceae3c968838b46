"""Which attributes tell the records of a template and the rows of its lists apart."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from extraction.models import Attribute, Cluster
from extraction.models.schema import GONE_AFTER


@dataclass(frozen=True, slots=True)
class KeyAttributes:
    """The key attributes of records or of the rows of a list.

    names: in the order of the record type; empty for the address of the page.
    by: their ids as one text, which stays the same when they are renamed (`TrackedRecord.key_by`).
    per_page: for rows, whether the key of the page is part of the key.
    """

    names: tuple[str, ...] = ()
    by: str = ""
    per_page: bool = False


@dataclass(frozen=True, slots=True)
class KeySchema:
    """The keys of a template.

    page: of the pages' own records.
    lists: {list: key of its rows}. Rows of other lists are not followed.
    gone_after: runs in a row that must miss a record before it counts as gone.
    """

    page: KeyAttributes = KeyAttributes()
    lists: Mapping[str, KeyAttributes] = field(default_factory=dict)
    gone_after: int = GONE_AFTER

    @property
    def followed(self) -> list[str]:
        """The lists that are followed, "" for the pages' own records."""
        return ["", *self.lists]


def read_key_schemas(cluster_ids: Collection[int]) -> dict[int, KeySchema]:
    """Return {template: its keys}, in two queries."""
    clusters = Cluster.objects.filter(pk__in=cluster_ids).values_list("pk", "record_type", "record_type__gone_after")
    found = list(clusters)
    types = {kind for _, kind, _ in found if kind}
    keys: dict[int, dict[str, list[tuple[int, str, bool]]]] = {}
    rows = Attribute.objects.filter(record_type__in=types, is_key=True)
    for pk, kind, name, of, per_page in rows.values_list("pk", "record_type", "name", "list__name", "list__key_per_page"):
        keys.setdefault(kind, {}).setdefault(of or "", []).append((pk, name, bool(per_page)))
    return {pk: _make_schema(keys.get(kind or 0, {}), gone_after or GONE_AFTER) for pk, kind, gone_after in found}


def _make_schema(keys: Mapping[str, list[tuple[int, str, bool]]], gone_after: int) -> KeySchema:
    made = {
        of: KeyAttributes(
            names=tuple(name for _, name, _ in many),
            by=",".join(str(pk) for pk, _, _ in many) + (" per page" if many[0][2] else ""),
            per_page=many[0][2],
        )
        for of, many in keys.items()
    }
    return KeySchema(made.pop("", KeyAttributes()), made, gone_after)
