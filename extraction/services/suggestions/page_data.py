"""What pages say of themselves: read once by extruct in a child, kept beside the pages, offered and used to check.

It is never a value of a record by itself: an editor takes a suggestion, and then it is a label like any other.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.files.storage import default_storage
from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, value
from extraction.algorithms.markup import matching, naming, value_places
from extraction.algorithms.markup.items import Item
from extraction.algorithms.markup.matching import OfferedProperty
from extraction.algorithms.markup.naming import NamedProperty
from extraction.algorithms.rules.values import read_value
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.stored_pages import find_bytes
from extraction.services.suggestions import markup_process

SAMPLE_PAGES = 8
"""Pages looked at to say what a template's pages carry."""

CHECK_PAGES = 200
"""Pages a rule is checked against, spread evenly; reading one for the first time takes some 30 ms."""

MAX_DIFFERENT = 50
"""Pages listed that differ from their own data."""

SCHEME = "data/1"
"""Part of the name under which a page's items are kept; to be changed with what `markup.items` makes of a page."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a page's own data says of an attribute, and where that stands on the page. words: where it was read."""

    attribute: Attribute
    words: str
    places: tuple[Location, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A rule's values beside the pages' own data. compared: pages that have both. different: ids of those that differ."""

    words: str
    agree: int
    compared: int
    different: tuple[int, ...]


def read_items(snapshots: Sequence[Snapshot]) -> dict[int, list[Item]]:
    """{snapshot id: items}; what was never read is read now, all in one child."""
    found = {snapshot.pk: _kept(snapshot.sha256) for snapshot in snapshots}
    fresh = [snapshot for snapshot in snapshots if found[snapshot.pk] is None]
    pages = [(find_bytes(snapshot), snapshot.content_type) for snapshot in fresh]
    for snapshot, items in zip(fresh, markup_process.read_items(pages) if pages else [], strict=True):
        stored_bytes.keep_file(_name(snapshot.sha256), json.dumps([item.as_json() for item in items]).encode())
        found[snapshot.pk] = items
    return {pk: items or [] for pk, items in found.items()}


def suggest_values(snapshot: Snapshot, attributes: Iterable[Attribute], nodes: Sequence[etree._Element]) -> list[Suggestion]:
    """What the page itself says of the attributes, where that stands somewhere on the page. nodes: its elements."""
    items = read_items([snapshot])[snapshot.pk]
    rows = []
    for attribute in attributes:
        found = matching.match_property(attribute.name, attribute.type, items)
        wanted = found.values if found and attribute.multiple else found.values[:1] if found else ()
        where = value_places.locate_values(nodes, wanted) if wanted else ()
        if found and where:
            rows.append(Suggestion(attribute, found.words, where, tuple(value(nodes, at) or "" for at in where)))
    return rows


def find_offered(cluster: Cluster) -> list[OfferedProperty]:
    """The properties that the template's pages carry, on most of the pages looked at."""
    pages = _spread(cluster, SAMPLE_PAGES)
    return [row for row in matching.collect_properties(read_items(pages).values()) if 2 * row.pages > len(pages)]


def propose_record_type(cluster: Cluster) -> tuple[str, list[NamedProperty]]:
    """(type, attributes) of a record type as the template's own data would have it; ("", []) where it carries none."""
    rows = find_offered(cluster)
    return (rows[0].type, naming.name_attributes(rows)) if rows else ("", [])


def measure_agreement(attribute: Attribute, given: Mapping[int, Sequence[str]], items: Mapping[int, Sequence[Item]]) -> Agreement | None:
    """How a rule's values compare with the pages' own data; None where the pages say nothing of the attribute.

    given: {snapshot id: values}. Pages without either are not compared.
    """
    matches = {
        pk: found
        for pk, rows in items.items()
        if given.get(pk) and (found := matching.match_property(attribute.name, attribute.type, rows))
    }
    if not matches:
        return None
    # One property for all pages: what most pages have; another on one page may mean something else.
    kinds = Counter((found.item.syntax, found.item.type, found.path) for found in matches.values())
    most = max(kinds, key=lambda kind: (kinds[kind], kind))
    same = {pk: found for pk, found in matches.items() if (found.item.syntax, found.item.type, found.path) == most}
    different = [pk for pk, found in same.items() if not agrees(attribute, given[pk], found.values)]
    words = next(iter(same.values())).words
    return Agreement(words, len(same) - len(different), len(same), tuple(sorted(different)[:MAX_DIFFERENT]))


def agrees(attribute: Attribute, given: Sequence[str], said: Sequence[str]) -> bool:
    """Whether values say the same as the page's own data: equal as texts, read as the type, or one within the other."""
    mine, theirs = {_plain(text) for text in given}, {_plain(text) for text in said}
    if mine & theirs and (not attribute.multiple or mine == theirs):
        return True
    if attribute.type != Attribute.Type.TEXT:
        normal = [{read_value(text, attribute.type).value for text in texts} - {None} for texts in (given, said)]  # type: ignore[arg-type]
        return bool(normal[0] & normal[1]) or _amounts(normal[0]) & _amounts(normal[1]) != set()
    if attribute.multiple:
        return len(mine & theirs) >= 0.9 * max(len(mine), len(theirs))
    return any(a in b or b in a for a in mine for b in theirs)


def _plain(text: str) -> str:
    return clean(text).casefold()


def _amounts(values: Iterable[str | None]) -> set[str]:
    """Prices without their currency, which the page's data gives apart."""
    return {each.split(" ")[0] for each in values if each}


def choose_checked_pages(cluster: Cluster) -> list[Snapshot]:
    """The pages that rules are checked against."""
    return _spread(cluster, CHECK_PAGES)


def _spread(cluster: Cluster, count: int) -> list[Snapshot]:
    ids = list(cluster.snapshots.filter(error="", page__current_id__isnull=False).order_by("pk").values_list("pk", flat=True))
    chosen = ids[:: max(1, -(-len(ids) // count))]
    return list(Snapshot.objects.filter(pk__in=chosen).order_by("pk"))


def _kept(sha256: str) -> list[Item] | None:
    try:
        with default_storage.open(_name(sha256), "rb") as file:
            return [Item.from_json(row) for row in json.loads(file.read())]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _name(sha256: str) -> str:
    return f"{SCHEME}/{sha256[:2]}/{sha256[2:]}.json"
