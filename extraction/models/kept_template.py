"""A template of a site as it was before another clustering was adopted: `Clustering.templates`."""

from dataclasses import dataclass

from extraction.algorithms.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTemplate(JsonValue):
    """A template as it was.

    id: the id of the cluster; None for a template that was found elsewhere.
    masks: its masked shingle vectors, as text.
    """

    id: int | None = None
    masks: tuple[str, ...] = ()
