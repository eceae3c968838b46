"""The lists of a record type. A list exists as long as an attribute names it."""

from collections.abc import Mapping, Sequence

from extraction.models import Attribute, Label, RecordList, RecordType


def find_renamed_lists(record_type: RecordType, wanted: Mapping[int, str], names: Sequence[str]) -> dict[str, str]:
    """Return {old name: new name} of the lists that are renamed.

    A list is renamed if no attribute names it any more and one of its attributes names a new list.

    wanted: {attribute id: the list it is to be in, "" for none}.
    names: all lists that are to exist.
    """
    known = set(record_type.lists.values_list("name", flat=True))
    found: dict[str, str] = {}
    for attribute in record_type.attributes.of_rows().select_related("list"):
        old, new = attribute.list.name if attribute.list else "", wanted.get(attribute.pk, "")
        if old not in names and new and new not in known and new not in found.values():
            found.setdefault(old, new)
    return found


def find_moved_attributes(record_type: RecordType, wanted: Mapping[int, str], renames: Mapping[str, str]) -> list[Attribute]:
    """Return the attributes that move to another list, or between the page and a list. Their labels mean nothing there."""
    rows = record_type.attributes.filter(pk__in=list(wanted)).select_related("list")
    return [each for each in rows if _name_list(each, renames) != wanted[each.pk]]


def _name_list(attribute: Attribute, renames: Mapping[str, str]) -> str:
    name = attribute.list.name if attribute.list else ""
    return renames.get(name, name)


def write_lists(record_type: RecordType, names: Sequence[str], renames: Mapping[str, str]) -> dict[str, RecordList]:
    """Create, rename and order the lists. Return {name: list}. `sweep_lists` removes those that no attribute names any more."""
    for old, new in renames.items():
        RecordList.objects.filter(record_type=record_type, name=old).update(name=new)
    found = {}
    for position, name in enumerate(names):
        found[name], _ = RecordList.objects.update_or_create(record_type=record_type, name=name, defaults={"position": position})
    return found


def sweep_lists(record_type: RecordType, names: Sequence[str]) -> None:
    """Delete the lists that are not among `names`."""
    record_type.lists.exclude(name__in=names).delete()


def drop_labels(attributes: Sequence[Attribute]) -> None:
    """Delete the labels of attributes."""
    Label.objects.filter(attribute__in=attributes).delete()
