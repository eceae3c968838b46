"""Rules suggested from what the data has been. Each says what was seen, in how many records, and the margin beyond it.

Nothing is suggested from fewer than MIN_RECORDS records, or from fewer runs than MIN_RUNS and MIN_CHANGE_RUNS.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import permutations
from statistics import median
from typing import Any, Literal

from extraction.algorithms.json_values import JsonValue
from extraction.algorithms.records.keys import Values
from extraction.algorithms.records.quality.checks import read_entry
from extraction.algorithms.records.quality.columns import MAX_DISTINCT, MAX_SHAPES, ColumnSeen
from extraction.algorithms.records.quality.demands import COUNT_RUNS, MEASURED, Demand, RuleLimits
from extraction.algorithms.records.quality.measures import is_at_most

MIN_RECORDS = 50
"""Fewer records show too little: with 50, a fault that a tenth of all records have is missed once in 200 times (0.9 ** 50)."""

MIN_RUNS = 3
"""The fewest runs from whose counts a rule about the count is suggested."""

MIN_CHANGE_RUNS = 5
"""The fewest runs from whose changes a rule about changes is suggested."""

MIN_MOVES = 20
"""The fewest changes of a value, all in one direction, from which a rule is suggested: by chance, that happens once in 500,000 times."""

FEW = 0.01
"""The share of records that may break a suggested rule even if none does now."""

Weight = Literal["note", "warn", "block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBasis(JsonValue):
    """Where the limits of a suggested rule come from.

    records: the number of records, or of runs, that were looked at.
    seen: what they were like, as a sentence without its full stop.
    margin: what was added to it, likewise.
    """

    records: int
    seen: str
    margin: str


@dataclass(frozen=True, slots=True)
class RuleOffer:
    """A rule that is suggested."""

    demand: Demand
    weight: Weight
    basis: RuleBasis


def offer_for_column(seen: ColumnSeen) -> list[RuleOffer]:
    """Return the rules for one attribute that its values so far suggest."""
    if seen.records < MIN_RECORDS:
        return []
    found = [_offer_required(seen)]
    if seen.present >= MIN_RECORDS:
        closed = _offer_values(seen) or _offer_pattern(seen)
        found += [_offer_range(seen), closed, None if closed else _offer_length(seen), _offer_unique(seen), _offer_language(seen)]
    return [each for each in found if each]


def _make(seen: ColumnSeen, kind: str, limits: RuleLimits, allowed: float, what: str, margin: str, weight: Weight = "warn") -> RuleOffer:
    demand = Demand(
        kind=kind,  # type: ignore[arg-type]
        attribute=seen.attribute,
        type=seen.type,
        list_name=seen.list_name,
        limits=limits,
        allowed_fraction=allowed,
    )
    return RuleOffer(demand, weight, RuleBasis(records=seen.records, seen=what, margin=margin))


def _round_up(fraction: float) -> float:
    """Return a share as whole per cent, rounded up."""
    return min(1.0, math.ceil(round(fraction * 100, 6)) / 100)


def _offer_required(seen: ColumnSeen) -> RuleOffer | None:
    missing = 1 - seen.present / seen.records
    if missing > 0.5:
        return None
    allowed = _round_up(missing + max(0.02, missing / 2))
    what = f"{seen.present:,} of {seen.records:,} have a value"
    margin = "2 percentage points, or half of the share without a value"
    return _make(seen, "required", RuleLimits(), allowed, what, margin, "block" if seen.mandatory else "warn")


def _offer_range(seen: ColumnSeen) -> RuleOffer | None:
    if seen.low is None or seen.high is None or seen.entries - seen.unread < MIN_RECORDS:
        return None
    allowed = _round_up(seen.unread / seen.entries + FEW)
    what = f"from {seen.low[1]} to {seen.high[1]} in {seen.entries:,} values" + (
        f"; {seen.unread:,} could not be read" if seen.unread else ""
    )
    if seen.type == "date":
        first = int(seen.low[0] - (seen.high[0] - seen.low[0]) / 2)
        start = date.fromordinal(max(1, first)).replace(month=1, day=1)
        margin = "half of the time between the first and the last date, then back to the start of a year; no latest date"
        return _make(seen, "range", RuleLimits(low=start.isoformat()), allowed, what, margin)
    units = sorted(seen.units)
    limits = RuleLimits(
        low=_write(_lower(seen.low[0], seen.high[0])),
        high=_write(_raise(seen.low[0], seen.high[0])),
        currency=units[0] if len(units) == 1 and units[0] else None,
    )
    margin = (
        "half of the smallest to twice the largest" if seen.low[0] > 0 else "the distance from the smallest to the largest, on both sides"
    )
    return _make(seen, "range", limits, allowed, what, f"{margin}, rounded; {FEW * 100:g} % may be outside")


def _lower(low: Decimal, high: Decimal) -> Decimal:
    """Return the lower limit with its margin."""
    return _round_away(low / 2 if low > 0 else low - (high - low) if low else low, ROUND_FLOOR)


def _raise(low: Decimal, high: Decimal) -> Decimal:
    """Return the upper limit with its margin."""
    return _round_away(high * 2 if low > 0 else high + (high - low), ROUND_CEILING)


def _round_away(limit: Decimal, rounding: str) -> Decimal:
    """Return a limit rounded to two digits."""
    if not limit:
        return Decimal(0)
    step = Decimal(1).scaleb(limit.adjusted() - 1)
    return (limit / step).to_integral_value(rounding) * step


def _write(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _offer_values(seen: ColumnSeen) -> RuleOffer | None:
    if not seen.distinct or len(seen.distinct) > MAX_DISTINCT or min(seen.distinct.values()) < 3:
        return None
    values = tuple(sorted(seen.distinct))
    least, plural = min(seen.distinct.values()), "" if len(values) == 1 else "s"
    what = f"{len(values)} different value{plural} in {seen.entries:,}, each at least {least:,} times"
    return _make(seen, "values", RuleLimits(values=values), FEW, what, f"{FEW * 100:g} % may have another value")


def _offer_pattern(seen: ColumnSeen) -> RuleOffer | None:
    """Suggest a pattern for codes: texts of a few shapes, each with a digit. Names and sentences have too many shapes."""
    shapes = sorted(seen.shapes)
    if not shapes or len(shapes) > MAX_SHAPES or any("9" not in shape for shape in shapes) or seen.longest > 100:
        return None
    if min(seen.shape_counts.values()) < seen.entries / 20:
        return None
    pattern = "|".join(
        "".join(_write_run(kind, *lengths) for kind, lengths in zip(shape, seen.shapes[shape], strict=True)) for shape in shapes
    )
    what = f"{len(shapes)} shape{'' if len(shapes) == 1 else 's'} of {seen.entries:,} values"
    return _make(seen, "pattern", RuleLimits(pattern=pattern), FEW, what, f"{FEW * 100:g} % may have another shape")


def _write_run(kind: str, fewest: int, most: int) -> str:
    token = {"9": r"\d", "A": "[A-Z]", "a": "[a-z]"}.get(kind) or (f"\\{kind}" if kind in r"\.+*?()|[]{}^$" else kind)
    if fewest == most:
        return token if most == 1 else f"{token}{{{most}}}"
    return f"{token}{{{fewest},{most}}}"


def _offer_length(seen: ColumnSeen) -> RuleOffer | None:
    if not seen.texts:
        return None
    limits = RuleLimits(shortest=max(1, seen.shortest // 2), longest=max(10, seen.longest * 2))
    what = f"from {seen.shortest:,} to {seen.longest:,} characters in {seen.entries:,} values"
    return _make(seen, "length", limits, FEW, what, f"half of the shortest to twice the longest; {FEW * 100:g} % may be outside")


def _offer_unique(seen: ColumnSeen) -> RuleOffer | None:
    if seen.type not in ("text", "url") or seen.multiple or seen.unique.find_repeated():
        return None
    return _make(seen, "unique", RuleLimits(), FEW, f"{seen.present:,} values, all different", f"{FEW * 100:g} % may be repeated")


def _offer_language(seen: ColumnSeen) -> RuleOffer | None:
    told = Counter({code: count for code, count in seen.languages.items() if code})
    total = sum(told.values())
    if total < MIN_RECORDS:
        return None
    main = sorted(code for code, count in told.items() if count >= total / 20)
    others = 1 - sum(told[code] for code in main) / total
    if not main or len(main) > 3 or others > 0.2:
        return None
    what = f"{total - round(others * total):,} of {total:,} texts that are long enough to tell are in {' or '.join(main)}"
    return _make(seen, "language", RuleLimits(languages=tuple(main)), _round_up(others + 0.05), what, "5 percentage points")


class RelationsSeen:
    """Whether one attribute of a record is never more than another, for all pairs of the same type."""

    def __init__(self, columns: Iterable[ColumnSeen]) -> None:
        ordered = [each for each in columns if each.type in MEASURED and not each.multiple][:10]
        pairs = permutations(ordered, 2)
        self._pairs = [(a, b) for a, b in pairs if (a.type, a.list_name) == (b.type, b.list_name)]
        self._counts = [[0, 0, 0] for _ in self._pairs]  # records with both; of these with less, and with more or not comparable

    def take(self, list_name: str, values: Values) -> None:
        """Take in the values of a record."""
        for (left, right), counts in zip(self._pairs, self._counts, strict=True):
            first, second = values.get(left.attribute), values.get(right.attribute)
            if left.list_name != list_name or not first or not second:
                continue
            a, b = read_entry(first[0], left.type), read_entry(second[0], right.type)
            fits = a is not None and b is not None and a.unit == b.unit and is_at_most(a, b)
            counts[0] += 1
            counts[2] += not fits
            counts[1] += bool(fits) and a is not None and b is not None and a.high < b.low

    def offer(self) -> Iterator[RuleOffer]:
        """Yield a rule for each pair that always was in this order and was not equal in at least a tenth of the records."""
        for (left, right), (both, less, wrong) in zip(self._pairs, self._counts, strict=True):
            if both >= MIN_RECORDS and not wrong and less >= both / 10:
                what = f"{left.attribute} is at most {right.attribute} in all {both:,} that have both, and less in {less:,}"
                demand = Demand(
                    kind="relation",
                    attribute=left.attribute,
                    other=right.attribute,
                    type=left.type,
                    list_name=left.list_name,
                    limits=RuleLimits(operator="<="),
                    allowed_fraction=FEW,
                )
                yield RuleOffer(demand, "warn", RuleBasis(records=both, seen=what, margin=f"{FEW * 100:g} % may be otherwise"))


def offer_monotony(column: ColumnSeen, rises: int, falls: int) -> RuleOffer | None:
    """Suggest that a value never falls, or never rises, if all its changes so far were in one direction."""
    if column.type not in MEASURED or column.multiple or max(rises, falls) < MIN_MOVES or min(rises, falls):
        return None
    what = f"{rises or falls:,} changes, all {'upwards' if rises else 'downwards'}"
    return _make(column, "monotony", RuleLimits(direction="up" if rises else "down"), FEW, what, f"{FEW * 100:g} % may go the other way")


def offer_count(counts: Sequence[int], list_name: str = "") -> RuleOffer | None:
    """Suggest limits for the number of records. counts: those of the newest runs."""
    if len(counts) < MIN_RUNS or not (middle := median(counts)):
        return None
    least = math.floor(min(0.8, min(counts) / middle - 0.1) * 20) / 20
    most = math.ceil(max(1.25, max(counts) / middle + 0.1) * 20) / 20
    what = f"from {min(counts):,} to {max(counts):,} in {len(counts)} runs, median {middle:,.0f}"
    margin = "10 percentage points of the median, and at least from 80 % to 125 %"
    limits = RuleLimits(least=max(0.05, least), most=most, runs=COUNT_RUNS)
    return RuleOffer(
        Demand(kind="count", list_name=list_name, limits=limits), "block", RuleBasis(records=len(counts), seen=what, margin=margin)
    )


def offer_change(fractions: Mapping[str, Sequence[float]], columns: Mapping[str, ColumnSeen]) -> list[RuleOffer]:
    """Suggest how many records may change at once.

    fractions: {attribute, "" for records that changed or are gone: their share in each of the newest runs}.
    """
    found: list[Any] = []
    for name, many in sorted(fractions.items()):
        limit = _round_up(max(max(many, default=0.0) * 2, max(many, default=0.0) + 0.1))
        if len(many) < MIN_CHANGE_RUNS or limit >= 1 or (name and name not in columns):
            continue
        column = columns.get(name)
        about = {"attribute": name, "type": column.type, "list_name": column.list_name} if column else {}
        what = f"at most {max(many) * 100:.1f} % changed in one of {len(many)} runs"
        basis = RuleBasis(records=len(many), seen=what, margin="twice the largest share, and at least 10 percentage points more")
        found.append(RuleOffer(Demand(kind="change", allowed_fraction=limit, **about), "warn", basis))  # type: ignore[arg-type]
    return found
