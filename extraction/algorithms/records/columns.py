"""The columns of an export: their names, types and meanings.

An attribute becomes one or more columns:

    title                                   a text
    pages, pages_raw                        a typed column, and the texts that it cannot hold (or all texts, if both are chosen)
    price_amount, price_currency, price_raw a price in two columns

Names never clash: a name that is taken gets a number behind it. In formats that do not tell upper from lower case, `Title` and
`title` are the same name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from extraction.algorithms.records.choice import URL_COLUMN, ExportChoice

Part = Literal["value", "raw", "unread", "amount", "currency", "page"]
Kind = Literal["text", "number", "date", "boolean", "time", "integer"]

KINDS: dict[str, Kind] = {"number": "number", "date": "date", "boolean": "boolean"}
"""Types of attributes whose values are more than text, and the kinds of their columns."""

PAGE_COLUMNS: dict[str, tuple[Kind, str]] = {
    URL_COLUMN: ("text", "the page's address"),
    "canonical_url": ("text", "the address on the same host that the page gives as its own; empty if it gives none or the same"),
    "site": ("text", "the site's name"),
    "template": ("text", "the template's name or number"),
    "page_id": ("integer", "the page's number in Vertex"),
    "row": ("integer", "the row's place in its list on the page, from 1; empty for a page"),
    "fetched_at": ("time", "when this content of the page was first fetched, in UTC"),
    "extracted_at": ("time", "when the record was made, in UTC"),
    "state": ("text", "whether the record is complete or incomplete"),
    "rule_version": ("integer", "the version of the rule that made the record"),
    "run": ("integer", "the number of the run that made the record; empty once that run is deleted"),
    "outdated": ("text", "why the record is not what the live rule gives for the page now; empty if it is"),
    "held_back": ("text", "the attributes and lists whose values are held back, because their part of the rule is broken, with the reason"),
    "corrected": (
        "text",
        "the values of the line that a person corrected, filled in or rejected, each with the person and the day in UTC",
    ),
    "corrected_by": ("text", "the people who corrected values of the line, in the order of their names"),
    "corrected_at": ("time", "when a value of the line was last corrected, in UTC"),
}
"""Columns about the page, where a record comes from, and who corrected it: their kind and meaning."""

CORRECTION_COLUMNS = frozenset({"corrected", "corrected_by", "corrected_at"})
"""Those of PAGE_COLUMNS that say who corrected a value."""

KEPT_COLUMNS = CORRECTION_COLUMNS | {"canonical_url", "outdated", "held_back"}
"""Those of PAGE_COLUMNS that are known only for records as the dashboard keeps them."""

RECORD_COLUMNS: dict[str, tuple[Kind, str]] = {
    "record_id": ("integer", "the number of the record over time in Vertex; it stays the same when the record's key or address changes"),
    "record_key": ("text", "what tells the record apart: the values of its key, or the address of its page"),
    "record_state": ("text", "“present”; “gone” if the last runs did not find it; “removed” if Vertex does not keep it any more"),
    "change": ("text", "what happened to the record: added, changed, gone or back"),
    "change_number": ("integer", "the number of the record's last change, from 1"),
    "first_seen_at": ("time", "when a run first found the record, in UTC"),
    "changed_at": ("time", "when a run found the record's last change, in UTC; empty once that change is no longer kept"),
}
"""Columns about a record over time: their kind and meaning."""

_ABOUT = {**PAGE_COLUMNS, **RECORD_COLUMNS}


@dataclass(frozen=True, slots=True)
class ExportAttribute:
    """An attribute as an export needs it. type: an AttributeType."""

    name: str
    type: str = "text"
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a file.

    name: unique in the file.
    source: the attribute, or the key of PAGE_COLUMNS.
    part: which part of the attribute's values it holds. "unread": the raw texts of those values that no other column holds.
    kind: the type of a value.
    several: whether a cell holds a list of values.
    meaning: what it holds, in words.
    type: the attribute's type; empty for a column about the page.
    """

    name: str
    source: str
    part: Part
    kind: Kind
    several: bool
    meaning: str
    type: str = ""


def plan_columns(
    attributes: Sequence[ExportAttribute], choice: ExportChoice, *, typed: bool, folds_case: bool = False
) -> tuple[Column, ...]:
    """Return the columns of a file.

    attributes: those that a line may have. Other names in `choice.columns` give no column.
    typed: whether the format has types. Otherwise each cell is text, and a value that has no normal form is written as it appears.
    folds_case: whether the format takes names that differ only in case for the same.
    """
    known = {each.name: each for each in reversed(attributes)}  # the attribute of a row comes before that of its page
    found: list[Column] = []
    for name in dict.fromkeys(choice.columns):
        if name == URL_COLUMN:
            found.append(_plan_page_column(name))
        elif name in known:
            found += _plan_attribute(known[name], choice, typed=typed)
    found += [_plan_page_column(name) for name in dict.fromkeys(choice.about)]
    names = name_columns([each.name for each in found], own=[each.part in ("value", "page") for each in found], folds_case=folds_case)
    return tuple(replace(column, name=name) for column, name in zip(found, names, strict=True))


def name_columns(names: Sequence[str], *, own: Sequence[bool], folds_case: bool) -> list[str]:
    """Return a different name for each column, in their order.

    own: whether a column has the name of its attribute. Those names are given first, so that an attribute `price_raw` keeps its
        name beside the raw texts of `price`.
    """
    taken: set[str] = set()
    given = [""] * len(names)
    for place in sorted(range(len(names)), key=lambda each: (not own[each], each)):
        given[place] = _find_free_name(names[place], taken, folds_case=folds_case)
        taken.add(_fold(given[place]) if folds_case else given[place])
    return given


def list_page_columns(*, rows: bool, sites: bool, kept: bool) -> list[str]:
    """Return the columns about the page that a person can choose, apart from its address.

    rows: whether a line is a row of a list.
    sites: whether the lines may come from several sites.
    kept: whether the lines are records as the dashboard keeps them.
    """
    first = ["site", "template"] if sites else []
    without = {URL_COLUMN, "site", "template"} | (set() if rows else {"row"}) | (set() if kept else KEPT_COLUMNS)
    return [*first, *(name for name in PAGE_COLUMNS if name not in without)]


def _plan_page_column(name: str) -> Column:
    kind, meaning = _ABOUT[name]
    return Column(name, name, "page", kind, False, meaning)


def _plan_attribute(attribute: ExportAttribute, choice: ExportChoice, *, typed: bool) -> Iterable[Column]:
    def column(suffix: str, part: Part, kind: Kind, meaning: str) -> Column:
        return Column(f"{attribute.name}{suffix}", attribute.name, part, kind, attribute.multiple, meaning, attribute.type)

    if choice.values == "raw":
        yield column("", "raw", "text", "the text as it appears on the page")
        return
    split = choice.split_prices and attribute.type == "price"
    kind = KINDS.get(attribute.type, "text") if typed else "text"
    if split:
        yield column("_amount", "amount", "number" if typed else "text", "the amount of the price")
        yield column("_currency", "currency", "text", "the currency of the price, as an ISO 4217 code where it is certain")
    else:
        yield column("", "value", kind, _describe_value(attribute.type))
    if choice.values == "both":
        yield column("_raw", "raw", "text", "the text as it appears on the page")
    elif split or (typed and attribute.type != "text"):
        yield column("_raw", "unread", "text", "the text as it appears on the page, where no other column holds the value")


def _describe_value(type_: str) -> str:
    return {
        "text": "the text",
        "number": "the number",
        "price": "the price: amount and currency",
        "date": "the date",
        "url": "the address, made absolute",
        "image": "the picture's address, made absolute",
        "boolean": "yes or no",
    }.get(type_, "the value")


def _find_free_name(name: str, taken: set[str], *, folds_case: bool) -> str:
    number, found = 1, name
    while (_fold(found) if folds_case else found) in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _fold(name: str) -> str:
    """Return a name as databases compare names: some fold all letters, some only those of ASCII."""
    return name.casefold()
