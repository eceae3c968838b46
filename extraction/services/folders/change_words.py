"""What an import would change, in words: for the command, the API and the dashboard."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy

from extraction.services.core.percent import write_number
from extraction.services.folders.comparing import Change, ChangeKind, say_more
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

WHOLE = {
    "site": pgettext_lazy("part of a site", "the site"),
    "source": pgettext_lazy("part of a site", "the source"),
    "checks": pgettext_lazy("part of a site", "the checks of the rules"),
    "refresh": pgettext_lazy("part of a site", "the schedule of refreshes"),
}
"""Parts that a site has once."""

NAMED = {
    ("record type",): pgettext_lazy("part of a site", "record type %(record_type)s"),
    ("record type", "order"): pgettext_lazy("part of a site", "record type %(record_type)s: the order of its attributes"),
    ("record type", "attribute"): pgettext_lazy("part of a site", "record type %(record_type)s: attribute %(name)s"),
    ("record type", "list"): pgettext_lazy("part of a site", "record type %(record_type)s: list %(name)s"),
    ("record type", "quality rule"): pgettext_lazy("part of a site", "record type %(record_type)s: quality rule %(name)s"),
    ("template",): pgettext_lazy("part of a site", "template %(template)s"),
    ("template", "recognition"): pgettext_lazy("part of a site", "template %(template)s: how its pages are recognised"),
    ("template", "refresh"): pgettext_lazy("part of a site", "template %(template)s: its schedule of refreshes"),
    ("template", "quality rule"): pgettext_lazy("part of a site", "template %(template)s: quality rule %(name)s"),
    ("template", "marks"): pgettext_lazy("part of a site", "template %(template)s: marks of %(name)s on %(page)s"),
    ("template", "offered"): pgettext_lazy("part of a site", "template %(template)s: offered rows of %(name)s on %(page)s"),
    ("template", "rule"): pgettext_lazy("part of a site", "template %(template)s: its rule"),
    ("page",): pgettext_lazy("part of a site", "what people said about the template of %(page)s"),
    ("join",): pgettext_lazy("part of a site", "join %(name)s"),
    ("delivery",): pgettext_lazy("part of a site", "delivery %(name)s"),
    ("correction",): pgettext_lazy("part of a site", "correction of %(name)s on %(page)s"),
}
"""Parts of which a site has several, by the kind and by what it is of the whole."""

_PLURAL = frozenset({("checks",), ("template", "marks"), ("template", "offered")})
"""Parts whose name is a plural."""


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
        _say_kind(change.kind, 2 if change.key[:3:2] in _PLURAL else 1),
        change.details,
        str(where) if where.file else "",
    )


def describe_key(key: Key) -> str:
    """Return what a part is."""
    if len(key) == 1:
        return str(WHOLE[key[0]])
    of_correction = key[0] == "correction"
    values = {
        "record_type": key[1],
        "template": key[1],
        "name": key[3] if of_correction else key[-1],
        "page": key[3] if len(key) == 6 else key[1],
    }
    return NAMED[key[0], *(() if of_correction else key[2:3])] % values


def summarize_plan(plan: Plan) -> str:
    """Return what an import would do in a sentence."""
    counts = Counter(each.kind for each in plan.changes)
    if plan.empty and not plan.conflicts:
        return _say_nothing_changes(counts[ChangeKind.ONLY_HERE] + counts[ChangeKind.NEWER_HERE])
    numbers = [_count(kind, counts[kind]) for kind in ChangeKind if counts[kind]]
    if plan.pages:
        numbers.append(_put(ngettext("%(number)s new page", "%(number)s new pages", plan.pages), plan.pages))
    if plan.contents:
        contents = ngettext("%(number)s new content of a page", "%(number)s new contents of pages", plan.contents)
        numbers.append(_put(contents, plan.contents))
    return f"{', '.join(numbers)}."


_IMPLIED = (("order",), ("recognition",))
"""Parts that come with each new record type or template."""

_SHOWN_MARKS = 20


def _is_mark(change: Change) -> bool:
    return len(change.key) == 6 and change.key[2] == "marks" and change.kind != ChangeKind.CONFLICT


def _describe_marks(changes: Sequence[Change]) -> ChangeLine:
    first = describe_change(changes[0])
    pages = list(dict.fromkeys(each.key[3] for each in changes))
    subject = ngettext(
        "template %(template)s: %(marks)s marks on %(pages)s page", "template %(template)s: %(marks)s marks on %(pages)s pages", len(pages)
    ) % {"template": changes[0].key[1], "marks": write_number(len(changes)), "pages": write_number(len(pages))}
    left = len(pages) - _SHOWN_MARKS
    details = (*pages[:_SHOWN_MARKS], *([say_more(left)] if left > 0 else []))
    return replace(first, subject=subject, text=_say_kind(changes[0].kind, len(changes)), details=details)


def _say_kind(kind: ChangeKind, number: int) -> str:
    """Return what happens to a part, or to several, as it stands behind their name."""
    return {
        ChangeKind.ADDED: pgettext("part of a site", "new"),
        ChangeKind.CHANGED: ngettext("changes", "change", number),
        ChangeKind.REMOVED: ngettext("is removed", "are removed", number),
        ChangeKind.ONLY_HERE: ngettext("is only here and stays", "are only here and stay", number),
        ChangeKind.NEWER_HERE: ngettext(
            "was changed here since the export and stays", "were changed here since the export and stay", number
        ),
        ChangeKind.CONFLICT: ngettext("was changed in the files and here", "were changed in the files and here", number),
    }[kind]


def _count(kind: ChangeKind, number: int) -> str:
    """Return how many parts there are of a kind."""
    text = {
        ChangeKind.ADDED: ngettext("%(number)s part is new", "%(number)s parts are new", number),
        ChangeKind.CHANGED: ngettext("%(number)s part changes", "%(number)s parts change", number),
        ChangeKind.REMOVED: ngettext("%(number)s part is removed", "%(number)s parts are removed", number),
        ChangeKind.ONLY_HERE: ngettext("%(number)s part is only here and stays", "%(number)s parts are only here and stay", number),
        ChangeKind.NEWER_HERE: ngettext("%(number)s part is newer here and stays", "%(number)s parts are newer here and stay", number),
        ChangeKind.CONFLICT: ngettext("%(number)s conflict", "%(number)s conflicts", number),
    }[kind]
    return _put(text, number)


def _say_nothing_changes(kept: int) -> str:
    if not kept:
        return gettext("Nothing changes.")
    text = ngettext(
        "Nothing changes. %(number)s part that differs here stays as it is.",
        "Nothing changes. %(number)s parts that differ here stay as they are.",
        kept,
    )
    return _put(text, kept)


def _put(text: str, number: int) -> str:
    return text % {"number": write_number(number)}
