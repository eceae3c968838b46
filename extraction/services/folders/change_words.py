"""What an import would change, in words: for the command, the API and the dashboard."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from extraction.services.folders.comparing import Change, ChangeKind
from extraction.services.folders.entries import Key
from extraction.services.folders.planning import Plan

SIGNS = {
    ChangeKind.ADDED: "+",
    ChangeKind.CHANGED: "~",
    ChangeKind.REMOVED: "-",
    ChangeKind.ONLY_HERE: "=",
    ChangeKind.NEWER_HERE: "=",
    ChangeKind.CONFLICT: "!",
}

WORDS = {
    ChangeKind.ADDED: "new",
    ChangeKind.CHANGED: "changes",
    ChangeKind.REMOVED: "is removed",
    ChangeKind.ONLY_HERE: "is only here and stays",
    ChangeKind.NEWER_HERE: "was changed here since the export and stays",
    ChangeKind.CONFLICT: "was changed in the files and here",
}

PARTS = {
    "order": "the order of its attributes",
    "recognition": "how its pages are recognised",
    "refresh": "its schedule of refreshes",
    "rule": "its rule",
}

WHOLE = {"site": "the site", "source": "the source", "checks": "the checks of the rules", "refresh": "the schedule of refreshes"}


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A change in words. place: its file and line, "" for what is only here."""

    sign: str
    kind: str
    subject: str
    text: str
    details: tuple[str, ...]
    place: str


def describe_changes(changes: Sequence[Change]) -> list[ChangeLine]:
    """Return changes in words. Details of what is new as a whole are left out, and marks that go the same way are one line."""
    new = {each.key for each in changes if each.kind == ChangeKind.ADDED}
    marks: dict[tuple[ChangeKind, Key], list[Change]] = {}
    for each in changes:
        if _is_mark(each):
            marks.setdefault((each.kind, each.key[:2]), []).append(each)
    found = []
    for each in changes:
        if _is_mark(each):
            same = marks.pop((each.kind, each.key[:2]), None)
            if same is not None:
                found.append(describe_change(each) if len(same) == 1 else _describe_marks(same))
        elif not (each.kind == ChangeKind.ADDED and each.key[2:] in _IMPLIED and each.key[:2] in new):
            found.append(describe_change(each))
    return found


def describe_change(change: Change) -> ChangeLine:
    """Return a change in words."""
    where = change.where
    return ChangeLine(
        SIGNS[change.kind],
        change.kind.value,
        describe_key(change.key),
        WORDS[change.kind],
        change.details,
        str(where) if where.file else "",
    )


def describe_key(key: Key) -> str:
    """Return what a part is."""
    kind = key[0]
    if len(key) == 1:
        return WHOLE[kind]
    if kind == "record type":
        return _describe_part(f"record type {key[1]}", key[2:])
    if kind == "template":
        return _describe_part(f"template {key[1]}", key[2:])
    if kind == "correction":
        return f"correction of {key[3]} on {key[1]}"
    return f"{'what people said about the template of ' if kind == 'page' else kind + ' '}{key[1]}"


def summarize_plan(plan: Plan) -> str:
    """Return what an import would do in a sentence."""
    counts = Counter(each.kind for each in plan.changes)
    if plan.empty and not plan.conflicts:
        kept = counts[ChangeKind.ONLY_HERE] + counts[ChangeKind.NEWER_HERE]
        return f"Nothing changes.{f' {kept:,} parts that differ here stay as they are.' if kept else ''}"
    numbers = [(counts[kind], *words) for kind, words in _COUNTED.items()]
    numbers += [(plan.pages, "new page", "new pages"), (plan.contents, "new content of a page", "new contents of pages")]
    found = [f"{number:,} {one if number == 1 else many}" for number, one, many in numbers if number]
    return f"{', '.join(found)}."


_IMPLIED = (("order",), ("recognition",))
"""Parts that come with each new record type or template."""

_SHOWN_MARKS = 20


def _is_mark(change: Change) -> bool:
    return len(change.key) == 6 and change.key[2] == "marks" and change.kind != ChangeKind.CONFLICT


def _describe_marks(changes: Sequence[Change]) -> ChangeLine:
    first = describe_change(changes[0])
    pages = list(dict.fromkeys(each.key[3] for each in changes))
    subject = f"template {changes[0].key[1]}: {len(changes):,} marks on {len(pages):,} page{'' if len(pages) == 1 else 's'}"
    details = (*pages[:_SHOWN_MARKS], *([f"and {len(pages) - _SHOWN_MARKS:,} more"] if len(pages) > _SHOWN_MARKS else []))
    return replace(first, subject=subject, details=details)


_COUNTED = {
    ChangeKind.ADDED: ("part is new", "parts are new"),
    ChangeKind.CHANGED: ("part changes", "parts change"),
    ChangeKind.REMOVED: ("part is removed", "parts are removed"),
    ChangeKind.ONLY_HERE: ("part is only here and stays", "parts are only here and stay"),
    ChangeKind.NEWER_HERE: ("part is newer here and stays", "parts are newer here and stay"),
    ChangeKind.CONFLICT: ("conflict", "conflicts"),
}


def _describe_part(whole: str, rest: Sequence[str]) -> str:
    if not rest:
        return whole
    if len(rest) == 1:
        return f"{whole}: {PARTS.get(rest[0], rest[0])}"
    if rest[0] in ("marks", "offered"):
        what = "marks of" if rest[0] == "marks" else "offered rows of"
        return f"{whole}: {what} {rest[-1]} on {rest[1]}"
    return f"{whole}: {rest[0]} {rest[-1]}"
