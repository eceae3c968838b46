"""The places of an attribute that people marked on a page, as locations: `Label.location`, `Edit.before` and `Edit.after`."""

from collections.abc import Sequence
from typing import Any

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.json_values import JsonShapeError

MarkedPlaces = tuple[Location, ...] | None
"""The locations of an attribute: () if nothing was marked, None for "not on this page"."""


def read_location(row: Any) -> Location:
    """Return the location that `Location.as_json` wrote. Raises JsonShapeError for anything else."""
    try:
        return Location.from_json(row)
    except ValueError as error:
        raise JsonShapeError(str(error)) from error


def read_marked_places(rows: Any) -> MarkedPlaces:
    """Return what `places_as_json` wrote. Raises JsonShapeError for anything else."""
    if not isinstance(rows, list):
        raise JsonShapeError(f"the places of an attribute must be a list, not {rows!r:.200}")
    return None if rows == [None] else tuple(read_location(row) for row in rows)


def places_as_json(places: Sequence[Location] | None) -> list[dict[str, Any] | None]:
    """Return [None] for "not on this page", else the locations as JSON."""
    return [None] if places is None else [place.as_json() for place in places]
