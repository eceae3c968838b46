"""Find the attributes with given names, to show them in their hues."""

from collections.abc import Mapping, Sequence

from extraction.models import Attribute, Cluster

Schema = Mapping[tuple[int | None, str], Attribute]
"""{(record type id, name): attribute}."""


def find_attributes(cluster: Cluster, names: Sequence[str]) -> list[Attribute]:
    """Return the record type's attributes with these names.

    For a name that the record type no longer has, an unsaved attribute is returned, with a hue from its place in `names`.
    """
    return choose_attributes(read_schema([cluster]), cluster, names)


def read_schema(clusters: Sequence[Cluster]) -> Schema:
    """Return the attributes of all record types of these templates, in one query."""
    types = {each.record_type_id for each in clusters}
    return {(each.record_type_id, each.name): each for each in Attribute.objects.filter(record_type__in=types - {None})}


def choose_attributes(schema: Schema, cluster: Cluster, names: Sequence[str]) -> list[Attribute]:
    """Return what `find_attributes` returns, but without a query."""
    return [schema.get((cluster.record_type_id, name)) or Attribute(name=name, position=n) for n, name in enumerate(names)]
