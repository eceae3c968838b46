"""Quality rules and their results in words."""

from collections.abc import Mapping
from functools import cache

from babel import Locale

from extraction.algorithms.records.quality.checks import Fault
from extraction.algorithms.records.quality.demands import COUNT_RUNS, Demand
from extraction.algorithms.records.quality.judging import Score

MAX_TEXT = 600
"""The number of characters of a rule or a result in words that are kept."""

MAX_VALUES = 8
"""The number of allowed values that a sentence names."""

OPERATOR_WORDS: Mapping[str, str] = {
    "<=": "is at most",
    "<": "is less than",
    ">=": "is at least",
    ">": "is more than",
    "=": "equals",
    "!=": "differs from",
}


def write_rule(demand: Demand) -> str:
    """Return a rule as a sentence without its full stop: "price is from 1 to 2000 EUR (at least 99 % of the records)"."""
    share = write_share(demand)
    return " ".join(filter(None, (demand.attribute, write_predicate(demand), f"({share})" if share else "")))[:MAX_TEXT]


def write_predicate(demand: Demand) -> str:
    """Return what a rule says of its attribute, or of the records as a whole."""
    limits, noun = demand.limits, name_records(demand)
    simple = {
        "required": "has a value",
        "pattern": f"matches {limits.pattern}",
        "range": _write_range(demand),
        "values": f"is {_list_values(limits.values or ())}",
        "length": f"has {_write_bounds(limits.shortest, limits.longest)} characters",
        "unique": "is unique",
        "language": f"is in {' or '.join(name_language(code) for code in limits.languages or ())}",
        "monotony": "never falls" if limits.direction == "up" else "never rises",
        "relation": f"{OPERATOR_WORDS.get(limits.operator or '', '?')} {demand.other}",
        "change": f"changes in at most {write_percent(demand.allowed_fraction)} of the {noun} at once",
        "count": f"There are {_write_times(demand)} {noun} as the median of the last {limits.runs or COUNT_RUNS} released runs",
    }
    if demand.kind == "change" and not demand.attribute:
        return f"At most {write_percent(demand.allowed_fraction)} of the {noun} change or go at once"
    return simple[demand.kind]


def write_share(demand: Demand) -> str:
    """Return how many records must keep a rule; "" for kinds that say so themselves."""
    if demand.kind in ("change", "count"):
        return ""
    noun = name_records(demand)
    return f"at least {write_percent(1 - demand.allowed_fraction)} of the {noun}" if demand.allowed_fraction else f"all {noun}"


def write_finding(score: Score, *, cut_history: bool = False) -> str:
    """Return in words what was found, without a full stop; "" if nothing failed.

    cut_history: changes since the last released run are no longer kept.
    """
    parts = [score.refused] if score.refused else []
    if score.failing:
        counted = f"{score.failing:,} of {score.checked:,} {name_records(score.demand)} ({write_percent(score.failing_fraction)})"
        parts.append(f"{counted} {'changed' if score.demand.kind == 'change' else 'fail'}{_write_example(score)}")
    if score.unread:
        parts.append(f"{score.unread:,} of them could not be read")
    if score.undecided:
        parts.append(f"{score.undecided:,} could not be decided")
    if cut_history and score.compared is not None and score.demand.kind != "count":
        parts.append("older changes are no longer kept and were not seen")
    return "; ".join(parts)[:MAX_TEXT]


def name_records(demand: Demand) -> str:
    """Return what is judged: records, or the rows of a list."""
    return f"rows of {demand.list_name}" if demand.list_name else "records"


def write_percent(fraction: float) -> str:
    """Write a share in per cent with at most one decimal. Only 1 is written as 100 %, and only 0 as 0 %."""
    if 0 < fraction < 0.001:
        return "less than 0.1 %"
    if 0.999 < fraction < 1:
        return "more than 99.9 %"
    return f"{fraction * 100:.1f}".removesuffix(".0") + " %"


@cache
def name_language(code: str) -> str:
    """Return the English name of a language, or the code itself if it has none."""
    return str(Locale("en").languages.get(code, code))


def describe_fault(fault: Fault) -> str:
    """Return a fault with its value: "“0.00 EUR” is less than 1"."""
    return f"“{fault.shown}” {fault.reason}" if fault.shown else fault.reason


def _write_example(score: Score) -> str:
    if not score.faults or score.demand.kind in ("required", "change"):
        return ""
    _, fault = score.faults[0]
    short = Fault(fault.reason[:120], fault.shown[:60])
    return f", for example {describe_fault(short)}"


def _write_range(demand: Demand) -> str:
    low, high = demand.limits.low, demand.limits.high
    unit = f" {demand.limits.currency}" if demand.limits.currency else ""
    if low and high:
        return f"is from {low} to {high}{unit}"
    return f"is at least {low}{unit}" if low else f"is at most {high}{unit}"


def _write_bounds(low: int | None, high: int | None) -> str:
    if high is None:
        return f"at least {low or 0:,}"
    return f"{low:,} to {high:,}" if low else f"at most {high:,}"


def _write_times(demand: Demand) -> str:
    least, most = demand.limits.least, demand.limits.most
    if most is None:
        return f"at least {write_percent(least or 0)} as many"
    return f"from {write_percent(least)} to {write_percent(most)} as many" if least else f"at most {write_percent(most)} as many"


def _list_values(values: tuple[str, ...]) -> str:
    shown = ", ".join(f"“{each[:40]}”" for each in values[:MAX_VALUES])
    more = f" or one of {len(values) - MAX_VALUES:,} more" if len(values) > MAX_VALUES else ""
    return f"{'one of ' if len(values) > 1 else ''}{shown}{more}"
