"""What the workbench says about the values of a typed attribute: the normalised value beside each raw one, and those not read."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.values.cleanup.chain import CleanupStep, clean_values
from extraction.algorithms.values.column import learn_evidence
from extraction.algorithms.values.evidence import ColumnEvidence
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import TypedValue
from extraction.display.tree import PREVIEW_CHARS
from extraction.models import Attribute
from extraction.services.learning.workspaces import Workspace
from extraction.services.rules.cleanup_chains import find_newest_chain

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
    steps = find_newest_chain(workspace.cluster_id, attribute.name)
    texts = (each for values in column.values() for _, text in values for each in clean_values([text], steps))
    evidence = learn_evidence(texts, attribute.type)  # type: ignore[arg-type]
    readings: dict[int, dict[str, dict[str, str | None]]] = {}
    unread = []
    for page, values in {**column, **shown}.items():
        loaded = workspace.pages.get(page)
        language = detect_language(loaded.root, loaded.url) if loaded else None
        for place, text in values:
            read = _read(text, attribute, steps, language, evidence)
            if page in shown:
                readings.setdefault(page, {})[text[: 2 * PREVIEW_CHARS]] = {"value": read.value, "problem": read.problem}
            if read.value is None:
                row = {"page": page, "location": place.as_json(), "value": text[: 2 * PREVIEW_CHARS], "problem": read.problem}
                unread.append(row)
    checked = sum(len(values) for values in {**column, **shown}.values())
    return {"readings": readings, "unread": {"checked": checked, "count": len(unread), "values": unread[:MAX_UNREAD]}}


def _read(text: str, attribute: Attribute, steps: Sequence[CleanupStep], language: str | None, evidence: ColumnEvidence) -> TypedValue:
    """Return a text as it is read after the clean-up of the newest version. Several values that it makes of one are shown side by side."""
    cleaned = clean_values([text], steps)
    read = [read_value(each, attribute.type, language=language, column=evidence) for each in cleaned]  # type: ignore[arg-type]
    unread = next((each for each in read if each.value is None), None)
    if unread is not None or not read:
        return TypedValue(text, None, unread.problem if unread else gettext("the clean-up leaves nothing of it"))
    return TypedValue(text, " · ".join(str(each.value) for each in read))
