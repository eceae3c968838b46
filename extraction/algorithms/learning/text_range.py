"""Part of a text: where in a node's text the value stands (docs/algorithms.md#rule-learning).

An editor may mark "1999" in "Published 1999 by Knopf". The learner looks for the shortest description that gives exactly the marked
parts on all examples. It first tries a constant text before and after the part, which any XSLT 1.0 processor can express
(substring-after, substring-before), then a regular expression over the value's character classes (EXSLT). "Shortest" counts whole words
with their punctuation, not characters: the single space before a name would be shorter than "by " and wrong on the next page. All texts
are cleaned (`nodes.clean`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from extraction.algorithms.errors import RuleError

MAX_CONTEXT_TOKENS = 6
"""Most tokens of constant text kept before and after a value. More would be the text of one page."""

_TOKENS_BEFORE = re.compile(r"\w+\W*|\W+")
_TOKENS_AFTER = re.compile(r"\W*\w+\s*|\W+")
_RUNS = re.compile(r"(?P<digits>\d+)|(?P<letters>[^\W\d_]+)|(?P<space>\s+)|(?P<other>.)")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a cleaned text.

    prefix: the part begins after its first occurrence; empty for the beginning of the text.
    suffix: the part ends before its first occurrence after that; empty for the end of the text.
    pattern: instead of both, a regular expression whose first group is the part.
    separator: a regular expression for what stands between the values, where the part is an enumeration.

    A text without the prefix, the suffix or the pattern has no such part.
    """

    prefix: str = ""
    suffix: str = ""
    pattern: str = ""
    separator: str = ""

    def __post_init__(self) -> None:
        if self.separator and _compile(self.separator).search(""):
            raise RuleError(f"{self.separator!r} cannot part values: it is found where nothing stands")
        if self.pattern and (self.prefix or self.suffix):
            raise RuleError(f"a part of a text has either a pattern or constant texts around it, not both: {self!r}")
        if self.pattern and _compile(self.pattern).groups < 1:
            raise RuleError(f"the pattern {self.pattern!r} has no group that says which part is meant")

    def span(self, text: str) -> tuple[int, int]:
        """Offsets (start, end) of the part in a cleaned text, without blanks at its ends; (0, 0) where there is none."""
        if self.pattern:
            match = _compile(self.pattern).search(text)
            start, end = match.span(1) if match else (-1, -1)
        else:
            start = text.find(self.prefix)
            start = start + len(self.prefix) if start >= 0 else -1
            end = len(text) if not self.suffix else text.find(self.suffix, max(start, 0))
        if start < 0 or end < 0:
            return 0, 0
        inner = text[start:end]
        start += len(inner) - len(inner.lstrip())
        return (start, start + len(inner.strip())) if inner.strip() else (0, 0)

    @property
    def needs_regexp(self) -> bool:
        """Whether XSLT 1.0 alone cannot say it."""
        return bool(self.pattern or self.separator)

    @property
    def item(self) -> str:
        """A regular expression whose first group is one value of the enumeration; its matches give all values."""
        return f"\\s*(.+?)\\s*(?:{self.separator}|$)"

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Offsets of each value in a cleaned text: of the part, or of what it enumerates."""
        start, end = self.span(text)
        if not self.separator:
            return [(start, end)] if end > start else []
        return [(start + match.start(1), start + match.end(1)) for match in _compile(self.item).finditer(text[start:end])]

    def apply(self, text: str) -> str:
        """The part of a cleaned text, empty where there is none."""
        start, end = self.span(text)
        return text[start:end]

    def values(self, text: str) -> list[str]:
        """Each value in a cleaned text."""
        return [text[start:end] for start, end in self.spans(text)]


def learn_text_part(examples: Sequence[tuple[str, int, int]], *, others: Sequence[str] = ()) -> TextPart | None:
    """The shortest part that gives text[start:end] for every example, None when no part does.

    examples: (cleaned text, start, end).
    others: texts at the same place on other pages. Of equally short parts the one that gives something on most of them wins, then
    constant texts before patterns, then the smaller text.
    """
    wanted = [(text, text[start:end].strip()) for text, start, end in examples]
    return find_shortest_part(examples, lambda part: all(part.apply(text) == value for text, value in wanted), others)


def find_shortest_part(
    examples: Sequence[tuple[str, int, int]], fits: Callable[[TextPart], bool], others: Sequence[str], *, separator: str = ""
) -> TextPart | None:
    """The shortest of the parts that fit, as `learn_text_part`. separator: that of the parts."""
    for family in (_constants, _patterns) if examples else ():
        made = ((size, replace(part, separator=separator)) for size, part in family(examples))
        fitting = [(size, part) for size, part in made if fits(part)]
        if fitting:
            return min(fitting, key=lambda row: (row[0] - 2 * _share(row[1], others), row[1].prefix, row[1].suffix, row[1].pattern))[1]
    return None


def _share(part: TextPart, texts: Sequence[str]) -> float:
    return sum(bool(part.apply(text)) for text in texts) / len(texts) if texts else 0.0


def _constants(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[int, TextPart]]:
    """(tokens used, part) for all lengths of the constant text around the examples."""
    befores, afters = _contexts(examples)
    for left, prefix in befores:
        for right, suffix in afters:
            yield left + right, TextPart(prefix=prefix, suffix=suffix)


def _contexts(examples: Sequence[tuple[str, int, int]]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Constant texts that stand before and after all examples, by their number of tokens from 0."""
    before = _common_start([text[:start][::-1] for text, start, _ in examples])[::-1]
    after = _common_start([text[end:] for text, _, end in examples])
    tokens = _TOKENS_BEFORE.findall(before)[-MAX_CONTEXT_TOKENS:]
    lefts = [(n, "".join(tokens[len(tokens) - n :])) for n in range(len(tokens) + 1)]
    tokens = _TOKENS_AFTER.findall(after)[:MAX_CONTEXT_TOKENS]
    return lefts, [(n, "".join(tokens[:n])) for n in range(len(tokens) + 1)]


def _common_start(texts: Sequence[str]) -> str:
    shortest = min(texts, key=len)
    same = (all(text[n] == shortest[n] for text in texts) for n in range(len(shortest)))
    return shortest[: next((n for n, is_same in enumerate(same) if not is_same), len(shortest))]


def _patterns(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[int, TextPart]]:
    """(length, part) of regular expressions: up to a suffix or the end, then the character classes of the values."""
    befores, afters = _contexts(examples)
    suffixes = {_TOKENS_AFTER.match(text[end:])[0] for text, _, end in examples if text[end:].strip()}  # type: ignore[index]
    ends = "|".join([*(re.escape(suffix.strip()) for suffix in sorted(suffixes)), "$"])
    for left, prefix in befores:
        start = re.escape(prefix) if prefix else "^"
        yield 10 + left, TextPart(pattern=f"{start}(.+?)\\s*(?:{ends})")
    values = [text[start:end].strip() for text, start, end in examples]
    for rank, shape in enumerate(_shapes(values)):
        for left, prefix in befores:
            for right, suffix in afters:
                yield 20 + 5 * rank + left + right, TextPart(pattern=f"{_edge(prefix)}({shape}){_edge(suffix, after=True)}")


def _edge(text: str, *, after: bool = False) -> str:
    if text:
        return re.escape(text)
    return r"(?!\w)" if after else r"(?<!\w)"


def _shapes(values: Sequence[str]) -> list[str]:
    """Regular expressions for the values' characters: run by run when all have the same runs, else one class of all."""
    runs = [[(match.lastgroup or "", match[0]) for match in _RUNS.finditer(value)] for value in values]
    kinds = {tuple(kind if kind != "other" else text for kind, text in row) for row in runs}
    classes = {"digits": r"\d", "letters": r"[^\W\d_]", "space": r"\s"}
    shapes = []
    if len(kinds) == 1:
        shapes.append("".join(f"{classes[k]}+" if k in classes else re.escape(k) for k in kinds.pop()))
    inner = {kind if kind != "other" else text for row in runs for kind, text in row}
    members = "".join(sorted({"digits": r"\d", "letters": r"^\W\d_", "space": r"\s"}.get(k, re.escape(k)) for k in inner if k != "letters"))
    word = r"[^\W\d_]"
    body = "|".join(([word] if "letters" in inner else []) + ([f"[{members}]"] if members else []))
    shapes.append(f"(?:{body})+")
    return shapes


@lru_cache(maxsize=1024)
def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise RuleError(f"{pattern!r} is not a regular expression: {error}") from error
