"""What the workbench says about the values of a typed attribute: the normalised value beside each raw one, and those not read."""

from collections.abc import Mapping, Sequence
from typing import Any

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.rules.language import detect_language
from extraction.algorithms.values.column import learn_evidence
from extraction.algorithms.values.read import read_value
from extraction.display.tree import PREVIEW_CHARS
from extraction.models import Attribute
from extraction.services.learning.workspaces import Workspace

MAX_UNREAD = 100
"""The largest number of values that could not be read which are sent to the workbench; the count tells how many there are."""

READ_TYPES = (Attribute.Type.NUMBER, Attribute.Type.PRICE, Attribute.Type.DATE, Attribute.Type.BOOLEAN)
"""Types whose normal form may differ from the text, or be missing."""

Values = Sequence[tuple[Location, str]]


def describe_readings(
    workspace: Workspace, attribute: Attribute, shown: Mapping[int, Values], column: Mapping[int, Values]
) -> dict[str, Any]:
    """Describe how an attribute's values are read; {} for types that are not read.

    shown: {snapshot id: values} of the pages that the workbench shows.
    column: the same of all pages in memory, by which each value is read.

    {"readings": {page: {text: {"value", "problem"}}}, "unread": {"checked": values, "count": values that could not be read,
    "values": [{"page", "location", "value", "problem"}, …]}}
    """
    if attribute.type not in READ_TYPES:
        return {}
    evidence = learn_evidence((text for values in column.values() for _, text in values), attribute.type)  # type: ignore[arg-type]
    readings: dict[int, dict[str, dict[str, str | None]]] = {}
    unread = []
    for page, values in {**column, **shown}.items():
        loaded = workspace.pages.get(page)
        language = detect_language(loaded.root, loaded.url) if loaded else None
        for place, text in values:
            read = read_value(text, attribute.type, language=language, column=evidence)  # type: ignore[arg-type]
            if page in shown:
                readings.setdefault(page, {})[text[: 2 * PREVIEW_CHARS]] = {"value": read.value, "problem": read.problem}
            if read.value is None:
                row = {"page": page, "location": place.as_json(), "value": text[: 2 * PREVIEW_CHARS], "problem": read.problem}
                unread.append(row)
    checked = sum(len(values) for values in {**column, **shown}.values())
    return {"readings": readings, "unread": {"checked": checked, "count": len(unread), "values": unread[:MAX_UNREAD]}}
