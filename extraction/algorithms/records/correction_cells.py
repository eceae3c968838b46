"""The columns that say who corrected the values of a line: `columns.CORRECTION_COLUMNS`."""

from collections.abc import Sequence
from datetime import UTC

from extraction.algorithms.records.line import PageCell
from extraction.algorithms.records.record_origins import CorrectionMark, Origin

_VERBS = {"filled": "filled in ", "rejected": "rejected "}
"""What stands before the name of the person, by the kind of the correction. A value that was put in place of another needs no word."""

SEPARATOR = "; "


def describe_corrections(
    corrected: Sequence[Origin], list_name: str = "", row: int | None = None, *, own: frozenset[str] = frozenset()
) -> dict[str, PageCell]:
    """Return {name: cell} of CORRECTION_COLUMNS for a line; {name: None} without corrections.

    A line of a list has the row's values and those of its page. So the corrections of both count, those of the row first. A correction of a
    page's value that the row hides does not.

    corrected: the values of the record that a person corrected.
    list_name, row: the row of the line, from 0; "" and None for a page.
    own: the attributes that the row has itself.
    """
    mine = [each for each in corrected if (each.list_name, each.row) == (list_name, row)]
    if list_name:
        hidden = own | {each.attribute for each in mine}
        mine += [each for each in corrected if not each.list_name and each.attribute not in hidden]
    marks = [(each.attribute, each.correction) for each in mine if each.correction is not None]
    if not marks:
        return {"corrected": None, "corrected_by": None, "corrected_at": None}
    return {
        "corrected": SEPARATOR.join(f"{name} {_describe_mark(mark)}" for name, mark in marks),
        "corrected_by": SEPARATOR.join(sorted({mark.by for _, mark in marks})),
        "corrected_at": max(mark.time.astimezone(UTC) for _, mark in marks),
    }


def _describe_mark(mark: CorrectionMark) -> str:
    return f"{_VERBS.get(mark.kind, '')}by {mark.by}, {mark.time.astimezone(UTC):%Y-%m-%d}"
