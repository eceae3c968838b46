"""Learns which part of a node's text is the value (docs/algorithms.md#rule-learning).

An editor may mark "1999" in "Published 1999 by Knopf". The learner looks for the shortest description that gives exactly the marked
parts on all examples. It may give the constant texts before and after the part, which any XSLT 1.0 processor can express
(substring-after, substring-before). Or it may be a regular expression (EXSLT): the n-th number, what follows the last " by ", a text that
only some examples have around the part, the character classes of the value. Length is counted in whole words with their punctuation, not
in characters. In characters, the single space before a name would be shorter than "by ", and wrong on the next page. A description that
gives nothing in the texts of other pages counts as long. All texts are cleaned (`nodes.clean`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from extraction.algorithms.errors import RuleError

MAX_CONTEXT_TOKENS = 6
"""The largest number of tokens of the constant text before or after a value. A longer one would be the text of one page."""

MISSING, AGAIN = 12.0, 6.0
"""In tokens: a part that gives nothing in all other texts, and one whose values all contain its prefix a second time."""

PAGE_TOKEN = 3.0
"""In tokens: a constant text with a digit, which is probably another value."""

ORDINAL_SIZE, LAST_SIZE, OPTIONAL_SIZE = 3.0, 2.0, 4.0
"""Sizes of patterns, in tokens, beside constant texts, which need no regular expression."""

NUMBER = r"\d+(?:[.,]\d+)*(?!\d|[.,]\d)"

_WORD_START = re.compile(r"\w")
_TOKENS_BEFORE = re.compile(r"\w+\W*|\W+")
_TOKENS_AFTER = re.compile(r"\W*\w+\s*|\W+")
_RUNS = re.compile(r"(?P<digits>\d+)|(?P<letters>[^\W\d_]+)|(?P<space>\s+)|(?P<other>.)")


@dataclass(frozen=True, slots=True)
class TextPart:
    """Says which part of a cleaned text is the value.

    prefix: the part begins after the first occurrence of this text; empty for the beginning of the text.
    suffix: the part ends before the next occurrence of this text; empty for the end of the text.
    pattern: a regular expression whose first group is the part; used instead of prefix and suffix.
    separator: a regular expression for the text between two values, if the part is an enumeration.

    A text that does not contain the prefix, the suffix or the pattern has no such part.
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
        """Return the offsets (start, end) of the part in a cleaned text, without blanks at its ends; (0, 0) if there is no part."""
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
        """Whether the part needs a regular expression, which XSLT 1.0 alone does not have."""
        return bool(self.pattern or self.separator)

    @property
    def item(self) -> str:
        """A regular expression whose first group is one value of the enumeration; its matches give all values."""
        return f"\\s*(.+?)\\s*(?:{self.separator}|$)"

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the offsets of each value in a cleaned text: of the part, or of each value that it enumerates."""
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
    """Return the best part that gives text[start:end] for every example, None if no part does.

    examples: (cleaned text, start, end).
    others: the texts at the same place on other pages. A part that gives nothing there, or a value that contains the part's own prefix,
    counts as longer.
    """
    wanted = [(text, text[start:end].strip()) for text, start, end in examples]
    return find_shortest_part(examples, lambda part: all(part.apply(text) == value for text, value in wanted), others)


def find_shortest_part(
    examples: Sequence[tuple[str, int, int]], fits: Callable[[TextPart], bool], others: Sequence[str], *, separator: str = ""
) -> TextPart | None:
    """The best of the parts that fit, as `learn_text_part`. separator: that of the parts."""
    made = [(size, replace(part, separator=separator)) for size, part in _list_parts(examples)] if examples else []
    fitting = [(size, part) for size, part in made if fits(part)]
    if not fitting:
        return None
    return min(fitting, key=lambda row: (_price(row[0], row[1], others), row[1].prefix, row[1].suffix, row[1].pattern))[1]


def _price(size: float, part: TextPart, others: Sequence[str]) -> float:
    """The size of a part, more if it gives nothing in other texts, or something that contains the part's own prefix again."""
    price = size + PAGE_TOKEN * (_has_digit(part.prefix) + _has_digit(part.suffix))
    if not others:
        return price
    found = [part.apply(text) for text in others]
    word = part.prefix.strip()
    again = sum(bool(word) and word in value.split() for value in found)
    return price + MISSING * found.count("") / len(others) + AGAIN * again / len(others)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _list_parts(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[float, TextPart]]:
    """(size, part) of all kinds of parts: constant texts around the examples, then patterns."""
    yield from _constants(examples)
    yield from _ordinals(examples)
    yield from _last_occurrences(examples)
    yield from _optional_contexts(examples)
    yield from _patterns(examples)


def _constants(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[float, TextPart]]:
    """Yield (number of tokens, part) for all lengths of the constant text around the examples."""
    befores, afters = _contexts(examples)
    for left, prefix in befores:
        for right, suffix in afters:
            yield left + right, TextPart(prefix=prefix, suffix=suffix)


def _ordinals(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[float, TextPart]]:
    """The n-th number of the text, where all examples are the n-th number of theirs."""
    counts = set()
    for text, start, end in examples:
        spans = [match.span() for match in _compile(NUMBER).finditer(text)]
        counts.add(spans.index((start, end)) if (start, end) in spans else -1)
    number = counts.pop()
    if not counts and number >= 0:
        yield ORDINAL_SIZE, TextPart(pattern=f"^(?:\\D*{NUMBER}){{{number}}}\\D*({NUMBER})")


def _last_occurrences(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[float, TextPart]]:
    """What follows the last occurrence of a constant text, up to the end or another constant text."""
    befores, afters = _contexts(examples)
    for left, prefix in befores[1:]:
        start = rf"^.*{'' if _WORD_START.match(prefix) is None else chr(92) + 'b'}{re.escape(prefix)}"
        for right, suffix in afters:
            yield LAST_SIZE + left + right, TextPart(pattern=rf"{start}(.+?)\s*{re.escape(suffix.strip()) if suffix else '$'}")


def _optional_contexts(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[float, TextPart]]:
    """The text without a constant text around it that only some of the examples have."""
    before = [example for example in examples if example[1] > 0]
    after = [example for example in examples if example[2] < len(example[0])]
    if len(before) in (0, len(examples)) and len(after) in (0, len(examples)):
        return
    lefts = _contexts(before)[0] if before else [(0, "")]
    rights = _contexts(after)[1] if after else [(0, "")]
    for left, prefix in lefts:
        for right, suffix in rights:
            start = f"(?:{re.escape(prefix)})?" if prefix else ""
            end = f"(?:{re.escape(suffix)})?" if suffix else ""
            yield OPTIONAL_SIZE + left + right, TextPart(pattern=f"^{start}(.+?){end}$")


def _contexts(examples: Sequence[tuple[str, int, int]]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the constant texts before and after all examples: those of 0 tokens, 1 token and so on, each with that number."""
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


def _patterns(examples: Sequence[tuple[str, int, int]]) -> Iterator[tuple[float, TextPart]]:
    """Yield (size, part) for regular expressions: anything up to a suffix or the end, then the character classes of the values."""
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
    """Lists regular expressions for the characters of the values: run by run if all values have the same runs, and one class for all."""
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
