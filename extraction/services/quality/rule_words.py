"""Quality rules and their results in words."""

from collections.abc import Mapping
from functools import cache

from babel import Locale
from django.utils.translation import get_language, gettext, gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.algorithms.records.quality.checks import Fault
from extraction.algorithms.records.quality.demands import COUNT_RUNS, Demand
from extraction.algorithms.records.quality.judging import Score
from extraction.services.core.percent import use_decimal_sign, write_number

MAX_TEXT = 600
"""The number of characters of a rule or a result in words that are kept."""

MAX_VALUES = 8
"""The number of allowed values that a sentence names."""

OPERATOR_WORDS: Mapping[str, StrOrPromise] = {
    "<=": gettext_lazy("is at most"),
    "<": gettext_lazy("is less than"),
    ">=": gettext_lazy("is at least"),
    ">": gettext_lazy("is more than"),
    "=": gettext_lazy("equals"),
    "!=": gettext_lazy("differs from"),
}


def write_rule(demand: Demand) -> str:
    """Return a rule as a sentence without its full stop: "price is from 1 to 2000 EUR (at least 99 % of the records)"."""
    share = write_share(demand)
    return " ".join(filter(None, (demand.attribute, write_predicate(demand), f"({share})" if share else "")))[:MAX_TEXT]


def write_predicate(demand: Demand) -> str:
    """Return what a rule says of its attribute, or of the records as a whole."""
    limits, noun = demand.limits, name_records(demand)
    simple = {
        "required": gettext("has a value"),
        "pattern": gettext("matches %(pattern)s") % {"pattern": limits.pattern},
        "range": _write_range(demand),
        "values": gettext("is %(values)s") % {"values": _list_values(limits.values or ())},
        "length": gettext("has %(bounds)s characters") % {"bounds": _write_bounds(limits.shortest, limits.longest)},
        "unique": gettext("is unique"),
        "language": gettext("is in %(languages)s")
        % {"languages": gettext(" or ").join(name_language(code) for code in limits.languages or ())},
        "monotony": gettext("never falls") if limits.direction == "up" else gettext("never rises"),
        "relation": f"{OPERATOR_WORDS.get(limits.operator or '', '?')} {demand.other}",
        "change": gettext("changes in at most %(allowed_fraction)s of the %(noun)s at once")
        % {"allowed_fraction": write_percent(demand.allowed_fraction), "noun": noun},
        "count": gettext("There are %(times)s %(noun)s as the median of the last %(runs)s released runs")
        % {"times": _write_times(demand), "noun": noun, "runs": limits.runs or COUNT_RUNS},
    }
    if demand.kind == "change" and not demand.attribute:
        return gettext("At most %(allowed_fraction)s of the %(noun)s change or go at once") % {
            "allowed_fraction": write_percent(demand.allowed_fraction),
            "noun": noun,
        }
    return simple[demand.kind]


def write_share(demand: Demand) -> str:
    """Return how many records must keep a rule; "" for kinds that say so themselves."""
    if demand.kind in ("change", "count"):
        return ""
    noun = name_records(demand)
    return (
        gettext("at least %(value)s of the %(noun)s") % {"value": write_percent(1 - demand.allowed_fraction), "noun": noun}
        if demand.allowed_fraction
        else gettext("all %(noun)s") % {"noun": noun}
    )


def write_finding(score: Score, *, cut_history: bool = False) -> str:
    """Return in words what was found, without a full stop; "" if nothing failed.

    cut_history: changes since the last released run are no longer kept.
    """
    parts = [score.refused] if score.refused else []
    if score.failing:
        counted = gettext("%(failing)s of %(checked)s %(records)s (%(failing_fraction)s)") % {
            "failing": write_number(score.failing),
            "checked": write_number(score.checked),
            "records": name_records(score.demand),
            "failing_fraction": write_percent(score.failing_fraction),
        }
        what = gettext("%(counted)s changed") if score.demand.kind == "change" else gettext("%(counted)s fail")
        parts.append(what % {"counted": counted} + _write_example(score))
    if score.unread:
        parts.append(gettext("%(unread)s of them could not be read") % {"unread": write_number(score.unread)})
    if score.undecided:
        parts.append(gettext("%(undecided)s could not be decided") % {"undecided": write_number(score.undecided)})
    if cut_history and score.compared is not None and score.demand.kind != "count":
        parts.append(gettext("older changes are no longer kept and were not seen"))
    return "; ".join(parts)[:MAX_TEXT]


def name_records(demand: Demand) -> str:
    """Return what is judged: records, or the rows of a list."""
    return gettext("rows of %(name)s") % {"name": demand.list_name} if demand.list_name else gettext("records")


def write_percent(fraction: float) -> str:
    """Write a share in per cent with at most one decimal. Only 1 is written as 100 %, and only 0 as 0 %."""
    if 0 < fraction < 0.001:
        return gettext("less than 0.1 %")
    if 0.999 < fraction < 1:
        return gettext("more than 99.9 %")
    return use_decimal_sign(f"{fraction * 100:.1f}".removesuffix(".0")) + " %"


def name_language(code: str) -> str:
    """Return the name of a language in the reader's language, or the code itself if it has none."""
    return _name_language(code, (get_language() or "en").partition("-")[0])


@cache
def _name_language(code: str, reader: str) -> str:
    return str(Locale(reader).languages.get(code, code))


def describe_fault(fault: Fault) -> str:
    """Return a fault with its value: "“0.00 EUR” is less than 1"."""
    return f"“{fault.shown}” {fault.reason}" if fault.shown else fault.reason


def _write_example(score: Score) -> str:
    if not score.faults or score.demand.kind in ("required", "change"):
        return ""
    _, fault = score.faults[0]
    short = Fault(fault.reason[:120], fault.shown[:60])
    return gettext(", for example %(fault)s") % {"fault": describe_fault(short)}


def _write_range(demand: Demand) -> str:
    low, high = demand.limits.low, demand.limits.high
    unit = f" {demand.limits.currency}" if demand.limits.currency else ""
    if low and high:
        return gettext("is from %(low)s to %(high)s%(unit)s") % {"low": low, "high": high, "unit": unit}
    return (
        gettext("is at least %(low)s%(unit)s") % {"low": low, "unit": unit}
        if low
        else gettext("is at most %(high)s%(unit)s") % {"high": high, "unit": unit}
    )


def _write_bounds(low: int | None, high: int | None) -> str:
    if high is None:
        return gettext("at least %(low)s") % {"low": write_number(low or 0)}
    return (
        gettext("%(low)s to %(high)s") % {"low": write_number(low), "high": write_number(high)}
        if low
        else gettext("at most %(high)s") % {"high": write_number(high)}
    )


def _write_times(demand: Demand) -> str:
    least, most = demand.limits.least, demand.limits.most
    if most is None:
        return gettext("at least %(least)s as many") % {"least": write_percent(least or 0)}
    return (
        gettext("from %(least)s to %(most)s as many") % {"least": write_percent(least), "most": write_percent(most)}
        if least
        else gettext("at most %(most)s as many") % {"most": write_percent(most)}
    )


def _list_values(values: tuple[str, ...]) -> str:
    shown = ", ".join(f"“{each[:40]}”" for each in values[:MAX_VALUES])
    more = gettext(" or one of %(values)s more") % {"values": write_number(len(values) - MAX_VALUES)} if len(values) > MAX_VALUES else ""
    return (gettext("one of %(shown)s") % {"shown": shown} if len(values) > 1 else shown) + more
