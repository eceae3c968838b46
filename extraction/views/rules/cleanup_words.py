"""The steps of a clean-up in words."""

from collections.abc import Sequence

from extraction.algorithms.values.cleanup.chain import CleanupStep, StepKind

KINDS: dict[StepKind, str] = {
    "trim": "Trim",
    "split": "Split",
    "part": "Keep a part",
    "replace": "Replace",
    "map": "Map",
    "join": "Join",
    "unit": "Default unit",
    "lower": "Lower case",
    "upper": "Upper case",
}
"""What the screens call the kinds of steps, in the order of the menu."""

SHOWN_PAIRS = 3


def describe_chain(steps: Sequence[CleanupStep]) -> tuple[str, ...]:
    """Return each step as the rest of a sentence."""
    return tuple(map(describe_step, steps))


def describe_step(step: CleanupStep) -> str:
    """Return what a step does, such as “split at “,””."""
    what = f"the pattern “{step.text}”" if step.pattern else f"“{step.text}”"
    match step.kind:
        case "trim":
            return f"trim “{step.text}” at both ends"
        case "split":
            return f"split at {what}"
        case "part":
            return f"keep the part that matches “{step.text}”"
        case "replace":
            return f"replace {what} by “{step.by}”" if step.by else f"remove {what}"
        case "map":
            pairs = ", ".join(f"“{old}” to “{new}”" for old, new in step.pairs[:SHOWN_PAIRS])
            more = f" and {len(step.pairs) - SHOWN_PAIRS} more" if len(step.pairs) > SHOWN_PAIRS else ""
            return f"map {pairs}{more}; {'keep' if step.keep else 'drop'} other values"
        case "join":
            return f"join all values with “{step.text}”" if step.text else "join all values"
        case "unit":
            return f"add “{step.text}” to a number without a unit"
        case "lower":
            return "make all letters small"
        case _:
            return "make all letters capitals"
