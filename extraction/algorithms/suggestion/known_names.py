"""Which fields that were found are attributes that a record type has already."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from extraction.algorithms.suggestion.concepts import find_meaning


@dataclass(frozen=True, slots=True)
class NamedField:
    """A field or an attribute. kind: the type of its values, such as price; "" if it says nothing, as text."""

    name: str
    kind: str = ""


def pair_fields(fields: Sequence[NamedField], known: Sequence[NamedField]) -> dict[int, int]:
    """Return {place of a field: place of the known attribute that it is}. Each is in at most one pair.

    Fields with the same name come first, then those whose names mean the same, and last the only two left of a kind.
    """
    pairs: dict[int, int] = {}
    for is_same in (_have_same_name, _mean_same):
        _pair(fields, known, pairs, is_same)
    for kind in sorted({each.kind for each in known} - {""}):
        here = [place for place, each in enumerate(fields) if each.kind == kind and place not in pairs]
        there = [place for place, each in enumerate(known) if each.kind == kind and place not in pairs.values()]
        if len(here) == len(there) == 1:
            pairs[here[0]] = there[0]
    return pairs


def _pair(
    fields: Sequence[NamedField], known: Sequence[NamedField], pairs: dict[int, int], is_same: Callable[[NamedField, NamedField], bool]
) -> None:
    """Add the pairs of those that are not paired yet, each with the first that fits."""
    for place, field in enumerate(fields):
        free = (other for other, attribute in enumerate(known) if other not in pairs.values() and is_same(field, attribute))
        if place not in pairs and (found := next(free, None)) is not None:
            pairs[place] = found


def _have_same_name(field: NamedField, attribute: NamedField) -> bool:
    return field.name.lower() == attribute.name.lower()


def _mean_same(field: NamedField, attribute: NamedField) -> bool:
    """Return whether one name is a word for what the other means, and their values are of one kind as far as kinds are known."""
    one, other = find_meaning(field.name), find_meaning(attribute.name)
    alike = one.own in other.phrases or other.own in one.phrases or bool(set(one.concepts) & set(other.concepts))
    return alike and (not field.kind or not attribute.kind or field.kind == attribute.kind)
