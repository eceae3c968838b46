"""Content models: regular expressions over the names of child elements, as values."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A child element."""

    name: str


@dataclass(frozen=True, slots=True)
class Concatenation:
    """Parts one after the other. Without parts it is the empty content."""

    parts: tuple["Model", ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of at least two different parts, none of them empty (`choose_one` makes a `ZeroOrOne` of that)."""

    parts: tuple["Model", ...]


@dataclass(frozen=True, slots=True)
class Star:
    """Any number of the part, including none. The part is never empty."""

    part: "Model"


@dataclass(frozen=True, slots=True)
class ZeroOrOne:
    """The part or nothing."""

    part: "Model"


Model = Name | Concatenation | Choice | Star | ZeroOrOne

Symbols = tuple["Model", ...]
"""What the paper calls a sequence: child names and the auxiliary symbols that stand for starred parts."""

EMPTY = Concatenation()


def concatenate(parts: Sequence[Model]) -> Model:
    """Return the parts one after the other, with concatenations in them taken apart."""
    flat = [each for part in parts for each in (part.parts if isinstance(part, Concatenation) else (part,))]
    return flat[0] if len(flat) == 1 else Concatenation(tuple(flat))


def choose_one(parts: Sequence[Model]) -> Model:
    """Return one of the parts, each once. If one of them is empty, the others are optional."""
    flat = list(dict.fromkeys(each for part in parts for each in (part.parts if isinstance(part, Choice) else (part,))))
    full = [part for part in flat if part != EMPTY]
    if not full:
        return EMPTY
    made = full[0] if len(full) == 1 else Choice(tuple(full))
    return made if len(full) == len(flat) or isinstance(made, Star | ZeroOrOne) else ZeroOrOne(made)


def repeat(part: Model) -> Model:
    """Return any number of the part. Stars within it that say nothing more are removed: ``(a*|b)*`` is ``(a|b)*``."""
    if isinstance(part, Star | ZeroOrOne):
        return repeat(part.part)
    if isinstance(part, Choice):
        part = choose_one([each.part if isinstance(each, Star | ZeroOrOne) else each for each in part.parts])
    return part if part == EMPTY else Star(part)


def write_model(model: Model) -> str:
    """Return the model as the paper writes it, with names of one letter: ``(ab)*|c?``."""
    return _write(model, between="", bar="|", inner=False)


def declare_model(model: Model) -> str:
    """Return the model as a DTD writes it, always in parentheses: ``(title, price?, (red | blue)*)``."""
    text = _write(model, between=", ", bar=" | ", inner=True)
    return text if text.startswith("(") and _one_group(text.rstrip("*?")) else f"({text})"


def count_symbols(model: Model) -> int:
    """Return the number of symbols as the paper writes them. Names, bars, signs and parentheses count one each, a concatenation nothing."""
    if isinstance(model, Name):
        return 1
    if isinstance(model, Concatenation):
        return sum(count_symbols(part) + 2 * isinstance(part, Choice) for part in model.parts)
    if isinstance(model, Choice):
        return sum(map(count_symbols, model.parts)) + len(model.parts) - 1
    return count_symbols(model.part) + 1 + 2 * (not isinstance(model.part, Name))


def collect_names(model: Model) -> frozenset[str]:
    """Return the names in it."""
    if isinstance(model, Name):
        return frozenset((model.name,))
    if isinstance(model, Concatenation | Choice):
        return frozenset(name for part in model.parts for name in collect_names(part))
    return collect_names(model.part)


def _write(model: Model, *, between: str, bar: str, inner: bool) -> str:
    if isinstance(model, Name):
        return model.name
    if isinstance(model, Concatenation):
        text = between.join(_write(part, between=between, bar=bar, inner=True) for part in model.parts)
        return f"({text})" if inner and between and len(model.parts) > 1 else text
    if isinstance(model, Choice):
        # A row among the parts needs parentheses in a DTD, where the comma does not bind closer than the bar.
        text = bar.join(_write(part, between=between, bar=bar, inner=bool(between)) for part in model.parts)
        return f"({text})" if inner else text
    part = _write(model.part, between=between, bar=bar, inner=True)
    whole = isinstance(model.part, Name | Choice) or (bool(between) and isinstance(model.part, Concatenation))
    return (part if whole else f"({part})") + ("*" if isinstance(model, Star) else "?")


def _one_group(text: str) -> bool:
    """Return whether the first parenthesis closes at the end."""
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth:
            return place == len(text) - 1
    return False
