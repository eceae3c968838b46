"""The steps of a clean-up in words."""

from collections.abc import Sequence

from django.utils.translation import gettext, gettext_lazy
from django_stubs_ext import StrOrPromise

from extraction.algorithms.values.cleanup.chain import CleanupStep, StepKind

KINDS: dict[StepKind, StrOrPromise] = {
    "trim": gettext_lazy("Trim"),
    "split": gettext_lazy("Split"),
    "part": gettext_lazy("Keep a part"),
    "replace": gettext_lazy("Replace"),
    "map": gettext_lazy("Map"),
    "join": gettext_lazy("Join"),
    "unit": gettext_lazy("Default unit"),
    "lower": gettext_lazy("Lower case"),
    "upper": gettext_lazy("Upper case"),
}
"""What the screens call the kinds of steps, in the order of the menu."""

SHOWN_PAIRS = 3


def describe_chain(steps: Sequence[CleanupStep]) -> tuple[str, ...]:
    """Return each step as the rest of a sentence."""
    return tuple(map(describe_step, steps))


def describe_step(step: CleanupStep) -> str:
    """Return what a step does, such as “split at “,””."""
    what = gettext("the pattern “%(text)s”") % {"text": step.text} if step.pattern else f"“{step.text}”"
    match step.kind:
        case "trim":
            return gettext("trim “%(text)s” at both ends") % {"text": step.text}
        case "split":
            return gettext("split at %(what)s") % {"what": what}
        case "part":
            return gettext("keep the part that matches “%(text)s”") % {"text": step.text}
        case "replace":
            return (
                gettext("replace %(what)s by “%(by)s”") % {"what": what, "by": step.by}
                if step.by
                else gettext("remove %(what)s") % {"what": what}
            )
        case "map":
            pairs = ", ".join(gettext("“%(old)s” to “%(new)s”") % {"old": old, "new": new} for old, new in step.pairs[:SHOWN_PAIRS])
            more = gettext(" and %(pairs)s more") % {"pairs": len(step.pairs) - SHOWN_PAIRS} if len(step.pairs) > SHOWN_PAIRS else ""
            said = gettext("map %(pairs)s%(more)s; keep other values") if step.keep else gettext("map %(pairs)s%(more)s; drop other values")
            return said % {"pairs": pairs, "more": more}
        case "join":
            return gettext("join all values with “%(text)s”") % {"text": step.text} if step.text else gettext("join all values")
        case "unit":
            return gettext("add “%(text)s” to a number without a unit") % {"text": step.text}
        case "lower":
            return gettext("make all letters small")
        case _:
            return gettext("make all letters capitals")
