"""Judge many records, one by one: counts and the first faults for each rule, in memory that does not grow with the values.

Rules that compare records with each other or with an earlier state work in passes of their own: `Uniqueness` keeps eight bytes for
each value, and moves are judged one record at a time (`judge_move`).
"""

import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy

from extraction.algorithms.records.keys import Values
from extraction.algorithms.records.quality.checks import (
    ALONE,
    SHOWN,
    Check,
    Ending,
    Fault,
    compare_entries,
    make_check,
    write_value,
    write_values,
)
from extraction.algorithms.records.quality.demands import COUNT_RUNS, Demand

MAX_FAULTS = 500
"""The largest number of faults of a rule that are kept. All are counted."""

ROUNDING = 1e-12


@dataclass(slots=True)
class Score:
    """How records did against one rule.

    checked: how many the rule could judge, `undecided` included.
    failing: how many of them fail, those with an unread value included.
    undecided: how many nobody can tell of.
    compared: what a count was compared with, or how many records there were before; None if the rule compares with nothing earlier.
    refused: why the rule is broken whatever the counts are: it cannot be judged, or the count is out of bounds; else empty.
    faults: the first ones, each with the place of its record.
    """

    demand: Demand
    checked: int = 0
    failing: int = 0
    unread: int = 0
    undecided: int = 0
    compared: float | None = None
    refused: str = ""
    faults: list[tuple[Any, Fault]] = field(default_factory=list)

    def add(self, found: Ending | Fault, place: Any) -> None:
        """Count the result of one record. place: whatever tells the caller which record it is."""
        if found is Ending.ABSENT:
            return
        self.checked += 1
        if isinstance(found, Fault):
            self.failing += 1
            self.unread += found.unread
            if len(self.faults) < MAX_FAULTS:
                self.faults.append((place, found))
        else:
            self.undecided += found is Ending.UNDECIDED

    @property
    def failing_fraction(self) -> float:
        """The share of the judged records that fail, 0 if none were judged."""
        return self.failing / self.checked if self.checked else 0.0

    @property
    def broken(self) -> bool:
        """Whether more records fail than the rule allows."""
        return bool(self.refused) or self.failing_fraction > self.demand.allowed_fraction + ROUNDING


class RecordJudge:
    """Judges records by the rules that look at one record alone, and collects the values that must be unique."""

    def __init__(self, scores: Sequence[Score]) -> None:
        self._alone: dict[str, list[tuple[Check, Score]]] = {}
        self._unique: dict[str, list[tuple[Uniqueness, Score]]] = {}
        for score in scores:
            demand = score.demand
            if demand.kind in ALONE:
                self._alone.setdefault(demand.list_name, []).append((make_check(demand), score))
            elif demand.kind == "unique":
                self._unique.setdefault(demand.list_name, []).append((Uniqueness(demand.attribute), score))

    def take(self, list_name: str, values: Values, place: Any) -> None:
        """Judge a record of a page, or a row of a list."""
        for check, score in self._alone.get(list_name, ()):
            score.add(check(values), place)
        for unique, score in self._unique.get(list_name, ()):
            score.checked += unique.collect(values)

    def begin_second_pass(self) -> frozenset[str]:
        """Return the lists whose records must be given to `take_again`, because some of their values are repeated."""
        found = set[str]()
        for name, many in self._unique.items():
            found |= {name for unique, _ in many if unique.find_repeated()}
        return frozenset(found)

    def take_again(self, list_name: str, values: Values, place: Any) -> None:
        """Find the records with repeated values."""
        for unique, score in self._unique.get(list_name, ()):
            text = unique.judge(values)
            if text is not None:
                score.checked -= 1  # it was counted in the first pass
                score.add(Fault("has the value of another record", text[:SHOWN]), place)


class Uniqueness:
    """Finds values that occur more than once. It keeps eight bytes for each value and needs a second pass to say where they are."""

    def __init__(self, attribute: str) -> None:
        self._attribute = attribute
        self._digests = array("Q")
        self._repeated: frozenset[int] = frozenset()

    def collect(self, values: Values) -> bool:
        """Note the value of a record. Return whether it has one."""
        entries = values.get(self._attribute, ())
        if entries:
            self._digests.append(_digest(write_values(entries)))
        return bool(entries)

    def find_repeated(self) -> bool:
        """Find out which values are repeated, and return whether any is. The noted values are forgotten."""
        digests = numpy.sort(numpy.frombuffer(self._digests, dtype=numpy.uint64)) if self._digests else numpy.empty(0, numpy.uint64)
        self._repeated = frozenset(digests[1:][digests[1:] == digests[:-1]].tolist())
        self._digests = array("Q")
        return bool(self._repeated)

    def judge(self, values: Values) -> str | None:
        """Return the value of a record if another record has it, too; else None."""
        entries = values.get(self._attribute, ())
        text = write_values(entries)
        return text if entries and _digest(text) in self._repeated else None


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def judge_move(demand: Demand, before: Values | None, after: Values | None) -> Ending | Fault:
    """Return what a change or monotony rule says of a record that may have changed since the last released run.

    A record that is new is judged by neither.

    before, after: its values then and now, None if it was or is not there.
    """
    if before is None or (after is None and demand.attribute):
        return Ending.ABSENT
    if demand.kind == "monotony":
        return _judge_monotony(demand, before, after or {})
    if after is None:
        return Fault("is gone")
    names = [demand.attribute] if demand.attribute else sorted({*before, *after})
    changed = [name for name in names if _write(before, name) != _write(after, name)]
    if not changed:
        return Ending.KEPT
    if demand.attribute:
        return Fault(
            "has changed", f"{write_values(before.get(names[0], ())) or '–'} → {write_values(after.get(names[0], ())) or '–'}"[:SHOWN]
        )
    return Fault("has changed", ", ".join(changed)[:SHOWN])


def _judge_monotony(demand: Demand, before: Values, after: Values) -> Ending | Fault:
    old, new = before.get(demand.attribute, ()), after.get(demand.attribute, ())
    if not old or not new:
        return Ending.ABSENT
    if old[0].get("value") is None:
        return Ending.UNDECIDED
    up = demand.limits.direction == "up"
    return compare_entries(old[0], "<=" if up else ">=", new[0], demand.type, "has fallen" if up else "has risen")


def _write(values: Values, name: str) -> list[str]:
    """Return an attribute's values for comparison. A text that is written in another way but means the same is no change."""
    return [write_value(each) for each in values.get(name, ())]


def judge_count(score: Score, count: int, earlier: Sequence[int]) -> None:
    """Compare a number of records with the median of earlier runs, the newest of which come first. Without any, it is kept."""
    limits = score.demand.limits
    used = list(earlier[: limits.runs or COUNT_RUNS])
    score.checked = count
    if not used:
        return
    score.compared = float(median(used))
    if limits.least is not None and count < limits.least * score.compared - ROUNDING:
        score.refused = f"{count:,} are fewer than {limits.least * 100:g} % of {score.compared:,.0f}"
    elif limits.most is not None and count > limits.most * score.compared + ROUNDING and score.compared:
        score.refused = f"{count:,} are more than {limits.most * 100:g} % of {score.compared:,.0f}"
