"""Learns to split one text into several values: "by A, B and C" (docs/algorithms.md#rule-learning).

An editor marks the values one by one. The text between two marks shows the separator, and the stretch from the first value to the last
is a part of the text like any other (`text_range`). A word that joins the last two values means the same as "&": an editor who marked
"A and B" also wants the values of "A & B". Otherwise only separators that the examples show are used.
A comma alone does not make "and" a separator,
since "Salt and pepper, flour" are two values.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from extraction.algorithms.learning import text_range
from extraction.algorithms.learning.text_range import TextPart

Spans = Sequence[tuple[int, int]]
"""Offsets of values in a text, in order."""

JOINING = ("&", "+", "and", "und", "et", "y", "e", "och", "og", "en", "i")
"""What joins the last two values of an enumeration in the languages of most pages, also after a comma."""

MAX_GAP = 12
"""Longest text, in characters, between two values."""

_WORD = re.compile(r"[^\W\d_]+")


def learn_enumeration(examples: Sequence[tuple[str, Spans]], *, others: Sequence[str] = ()) -> TextPart | None:
    """Learns a text part and a separator that give exactly the marked values; returns None when there are none.

    examples: cleaned texts with the spans marked in each; at least one text has several.
    others: texts of other pages.
    """
    gaps = {text[end:start].strip() for text, spans in examples for (_, end), (start, _) in pairwise(spans)}
    if not gaps or not all(map(_parts_values, gaps)):
        return None
    wanted = [(text, [text[start:end].strip() for start, end in spans]) for text, spans in examples]

    def fits(part: TextPart) -> bool:
        return all(part.values(text) == values for text, values in wanted)

    whole = [(text, spans[0][0], spans[-1][1]) for text, spans in examples]
    found = (text_range.find_shortest_part(whole, fits, others, separator=separator) for separator in _separators(gaps))
    return next((part for part in found if part is not None), None)


def _parts_values(gap: str) -> bool:
    """Whether a text between two values can separate values: punctuation, one word, or punctuation followed by a joining word."""
    words = _WORD.findall(gap)
    return 0 < len(gap) <= MAX_GAP and (not words or words == [gap] or (words == gap.split()[-1:] and words[0].lower() in JOINING))


def _separators(gaps: set[str]) -> list[str]:
    """Regular expressions that match all gaps: first one that also accepts a joining word or "&" alone, then one that does not."""
    ends = {gap: gap.split()[-1] for gap in gaps}
    joined = {gap for gap in gaps if ends[gap].lower() in JOINING}
    marks = {gap.removesuffix(ends[gap]).strip() if gap in joined else gap for gap in gaps} - {""}
    patterns = [_bounded(mark) for mark in sorted(marks, key=lambda mark: (-len(mark), mark))]
    joining = "|".join(_bounded(word) for word in sorted({ends[gap] for gap in joined} | {"&"}))
    behind = [f"(?:{'|'.join(patterns)})\\s*(?:{joining})"] if patterns else []
    if not joined:
        return ["|".join(patterns)]
    return ["|".join([*behind, *patterns, joining]), "|".join([*behind, *patterns])][: 2 if patterns else 1]


def _bounded(gap: str) -> str:
    """A pattern for a gap, in which letters match only as whole words."""
    start, end = (r"\b" if _WORD.match(character) else "" for character in (gap[0], gap[-1]))
    return f"{start}{re.escape(gap)}{end}"
