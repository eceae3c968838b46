"""Check one record against a rule that looks at nothing else.

A check has three endings besides a fault: the rule is kept; the record has no value that the rule could judge; or nobody can tell,
for example whether "2018" is before May 2018. A value that could not be read never keeps a rule that compares it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from extraction.algorithms.records.keys import Values
from extraction.algorithms.records.quality.demands import MEASURED, OPERATORS, Demand
from extraction.algorithms.records.quality.languages import detect_text_language, is_in_languages
from extraction.algorithms.records.quality.measures import Measure, compare_measures, is_at_most, read_measure
from extraction.algorithms.records.quality.patterns import compile_pattern, matches_whole

SHOWN = 300
"""The number of characters of a value that a fault shows."""


class Ending(Enum):
    """How a check ends without a fault."""

    KEPT = "kept"
    ABSENT = "absent"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record fails.

    reason: the end of a sentence that begins with the attribute, such as "is more than 100".
    shown: the value, cut after SHOWN characters; "" if there is none.
    unread: the value could not be read, so it was not compared.
    """

    reason: str
    shown: str = ""
    unread: bool = False


Check = Callable[[Values], Ending | Fault]

Entry = Mapping[str, Any]
"""A value as JSON: `raw`, `value` and `problem`."""


def make_check(demand: Demand) -> Check:
    """Return the check of a rule that looks at one record alone.

    Raises ValueError for other kinds, and for limits that cannot be used.
    """
    if demand.kind == "required":
        return lambda values: Ending.KEPT if values.get(demand.attribute) else Fault("is missing")
    if demand.kind == "relation":
        return _make_relation(demand)
    judge = _MAKERS[demand.kind](demand) if demand.kind in _MAKERS else None
    if judge is None:
        raise ValueError(f"a rule about {demand.kind} does not look at one record alone")
    return lambda values: _check_values(values.get(demand.attribute, ()), judge)


def write_value(entry: Entry) -> str:
    """Return a value's normal form, or the text of the page if it has none."""
    found = entry.get("value")
    return str(entry["raw"] if found is None else found)


def write_values(entries: Sequence[Entry]) -> str:
    """Return all values of an attribute as one text."""
    return " · ".join(write_value(each) for each in entries)


def _check_values(entries: Sequence[Entry], judge: Callable[[Entry], Ending | Fault]) -> Ending | Fault:
    """Return the first fault of an attribute's values, or else how sure it is that there is none."""
    ending = Ending.ABSENT
    for entry in entries:
        found = judge(entry)
        if isinstance(found, Fault):
            return found
        ending = Ending.UNDECIDED if Ending.UNDECIDED in (found, ending) else Ending.KEPT
    return ending


def make_fault(entry: Entry, reason: str) -> Fault:
    """Return a fault of a value."""
    return Fault(reason, write_value(entry)[:SHOWN])


def make_unread_fault(entry: Entry) -> Fault:
    """Return the fault of a value that could not be read."""
    return Fault(f"cannot be compared: {entry.get('problem') or 'it was not read'}"[:SHOWN], str(entry["raw"])[:SHOWN], unread=True)


def _make_pattern(demand: Demand) -> Callable[[Entry], Ending | Fault]:
    pattern = demand.limits.pattern or ""
    compile_pattern(pattern)
    return lambda entry: Ending.KEPT if matches_whole(pattern, write_value(entry)) else make_fault(entry, "does not match the pattern")


def _make_range(demand: Demand) -> Callable[[Entry], Ending | Fault]:
    number = "number" if demand.type == "price" else demand.type
    low, high = (read_measure(text, number) if text else None for text in (demand.limits.low, demand.limits.high))
    currency = demand.limits.currency or ""
    limits = [(demand.limits.low, low), (demand.limits.high, high)]
    if demand.type not in MEASURED or not (low or high) or any(text and measure is None for text, measure in limits):
        raise ValueError(f"no range can be made of {demand.limits.low!r} and {demand.limits.high!r} for a {demand.type}")

    def judge(entry: Entry) -> Ending | Fault:
        measure = read_entry(entry, demand.type)
        if measure is None:
            return make_unread_fault(entry)
        if currency and measure.unit != currency:
            return make_fault(entry, f"is {f'in {measure.unit}' if measure.unit else 'without a currency'}, not in {currency}")
        above = low is None or is_at_most(low, measure)
        below = high is None or is_at_most(measure, high)
        if above is False:
            return make_fault(entry, f"is less than {demand.limits.low}")
        if below is False:
            return make_fault(entry, f"is more than {demand.limits.high}")
        return Ending.KEPT if above and below else Ending.UNDECIDED

    return judge


def _make_values(demand: Demand) -> Callable[[Entry], Ending | Fault]:
    allowed = frozenset(demand.limits.values or ())
    return lambda entry: Ending.KEPT if write_value(entry) in allowed else make_fault(entry, "is not an allowed value")


def _make_length(demand: Demand) -> Callable[[Entry], Ending | Fault]:
    shortest, longest = demand.limits.shortest or 0, demand.limits.longest

    def judge(entry: Entry) -> Ending | Fault:
        length = len(write_value(entry))
        if length < shortest:
            return make_fault(entry, f"has {length:,} characters, fewer than {shortest:,}")
        if longest is not None and length > longest:
            return make_fault(entry, f"has {length:,} characters, more than {longest:,}")
        return Ending.KEPT

    return judge


def _make_language(demand: Demand) -> Callable[[Entry], Ending | Fault]:
    languages = demand.limits.languages or ()

    def judge(entry: Entry) -> Ending | Fault:
        text = write_value(entry)
        found = is_in_languages(text, languages)
        if found is None:
            return Ending.UNDECIDED
        return Ending.KEPT if found else make_fault(entry, f"seems to be in another language ({detect_text_language(text)})")

    return judge


_MAKERS: Mapping[str, Callable[[Demand], Callable[[Entry], Ending | Fault]]] = {
    "pattern": _make_pattern,
    "range": _make_range,
    "values": _make_values,
    "length": _make_length,
    "language": _make_language,
}

ALONE = frozenset({"required", "relation", *_MAKERS})
"""Kinds of rules that `make_check` makes a check of."""


def _make_relation(demand: Demand) -> Check:
    operator = demand.limits.operator or ""
    if demand.type not in MEASURED or operator not in OPERATORS:
        raise ValueError(f"no relation {operator!r} can be judged between attributes of type {demand.type}")

    def check(values: Values) -> Ending | Fault:
        left, right = values.get(demand.attribute, ()), values.get(demand.other, ())
        if not left or not right:
            return Ending.ABSENT
        return compare_entries(left[0], operator, right[0], demand.type, f"is not {operator} {demand.other}")

    return check


def compare_entries(left: Entry, operator: str, right: Entry, value_type: str, wrong: str) -> Ending | Fault:
    """Return whether two values are related as they should be.

    wrong: the reason if they are not.
    """
    first, second = read_entry(left, value_type), read_entry(right, value_type)
    if first is None or second is None:
        return make_unread_fault(left if first is None else right)
    shown = f"{write_value(left)} / {write_value(right)}"[:SHOWN]
    if first.unit != second.unit:
        return Fault("cannot be compared: the currencies differ", shown)
    holds = compare_measures(first, operator, second)
    return Ending.UNDECIDED if holds is None else Ending.KEPT if holds else Fault(wrong, shown)


def read_entry(entry: Entry, value_type: str) -> Measure | None:
    """Return a value as a measure, None if it was not read."""
    value = entry.get("value")
    return None if value is None else read_measure(str(value), value_type)
