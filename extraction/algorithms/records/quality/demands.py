"""What a quality rule demands, as a value."""

from dataclasses import dataclass
from typing import Literal, get_args

from extraction.algorithms.json_values import JsonValue
from extraction.algorithms.values.reading import ValueType

RuleKind = Literal["required", "pattern", "range", "values", "length", "unique", "language", "monotony", "relation", "change", "count"]

OF_ATTRIBUTE: frozenset[str] = frozenset(get_args(RuleKind)) - {"change", "count"}
"""Kinds that always name an attribute. A change rule may name one; a count rule never does."""

MEASURED: frozenset[str] = frozenset({"number", "price", "date"})
"""Types of values that have an order."""

TYPES: dict[str, frozenset[str]] = {
    "range": MEASURED,
    "monotony": MEASURED,
    "relation": MEASURED,
    "language": frozenset({"text"}),
    "values": frozenset({"text", "boolean", "number", "date"}),
}
"""{kind: types of attributes that it can judge}. Kinds that are missing here can judge every type."""

OPERATORS = ("<=", "<", ">=", ">", "=", "!=")
"""How two attributes of a record may be related."""

DIRECTIONS = ("up", "down")
"""A value that may only rise, or only fall."""

COUNT_RUNS = 5
"""The number of released runs whose median a count is compared with, unless the rule says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLimits(JsonValue):
    """The limits of a rule, by kind. The others are None and are not stored.

    pattern: a regular expression of RE2's syntax that the whole value must match.
    low, high: the smallest and the largest value of a range, in the normal form of a number or a date; None without a limit.
    currency: the currency of a range of prices, "" or None for any.
    values: the values that are allowed.
    shortest, longest: the number of characters of a value.
    languages: codes of languages, such as "en".
    direction: one of DIRECTIONS.
    operator: one of OPERATORS.
    least, most: the smallest and the largest count of records, as a multiple of the median of earlier runs.
    runs: the number of these earlier runs.
    """

    pattern: str | None = None
    low: str | None = None
    high: str | None = None
    currency: str | None = None
    values: tuple[str, ...] | None = None
    shortest: int | None = None
    longest: int | None = None
    languages: tuple[str, ...] | None = None
    direction: str | None = None
    operator: str | None = None
    least: float | None = None
    most: float | None = None
    runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What a rule demands of the records of a template, or of the rows of one of its lists.

    attribute: its name, "" for rules about whole records.
    type: the type of the attribute.
    list_name: the list whose rows are judged, "" for the records of pages.
    other: the attribute on the right of a relation. It has the same type.
    allowed_fraction: the largest share of the judged records that may fail.
    """

    kind: RuleKind
    attribute: str = ""
    type: ValueType = "text"
    list_name: str = ""
    other: str = ""
    limits: RuleLimits = RuleLimits()
    allowed_fraction: float = 0.0


def fits_type(kind: str, value_type: str) -> bool:
    """Return whether rules of a kind can judge attributes of a type."""
    return value_type in TYPES.get(kind, (value_type,))
