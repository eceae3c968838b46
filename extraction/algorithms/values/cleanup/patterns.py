"""Regular expressions that people write, run by RE2, whose time grows only with the length of the text (docs/algorithms.md#clean-up).

Python's own engine can run for years on a pattern of ten characters. RE2 has neither look-around nor back references, which are what makes
that necessary. ``\\w``, ``\\d`` and ``\\b`` know ASCII only; ``\\pL`` is a letter of any script.
"""

import re
from functools import lru_cache

import re2

from extraction.algorithms.errors import VertexError

MAX_PATTERN = 500
"""Longest pattern in characters. Hand-written ones have some twenty."""

MAX_TEXT = 20_000
"""Longest text that a pattern is tried on, in characters. The slowest pattern that is accepted takes about half a second for it."""

_MEMORY_BYTES = 1 << 18
"""RE2 refuses patterns that need more, for example a thousand repetitions of a thousand repetitions."""

_PATTERN_TOKEN = re.compile(r"\\p\{[^}]*\}|\\[pP].|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^):]*[:)>]?|.", re.DOTALL)
_ASSERTIONS = frozenset(("^", "$", r"\b", r"\B", r"\A", r"\z"))
_QUANTIFIER = re.compile(r"\{\d+(?:,\d*)?\}")
_PORTABLE = re.compile(
    r"""\\[dDwWsSbB.\\^$*+?()\[\]{}|/\-:;,#&%@!~'"=]     # a class or a sign
      | \[\^?(?:\\[dDwWsS.\\^$*+?()\[\]{}|/\-]|[^\[\]\\&~|])+\]   # a set, without sets in it
      | \((?:\?:|(?!\?))                                # a group, with a number or without
      | \)(?![*+{])                                     # a repeated group may take Python's engine for ever
      | [^\\\[(){}]""",
    re.VERBOSE,
)
"""What RE2 and Python's engine read in the same way."""


MAX_SEARCH_STEPS = 100_000_000
"""How many steps the patterns of a clean-up may take for the values of one page: characters times the size of RE2's program. That is five
seconds for the slowest pattern, and a hundredth of it for a usual one."""


class PatternBudget:
    """Counts the steps of patterns, so that many values of one page cannot keep a worker busy for hours."""

    def __init__(self, steps: int = MAX_SEARCH_STEPS) -> None:
        self.left = steps

    def take(self, pattern: str, text: str) -> bool:
        """Take the steps for one search of a text. Return False if too few are left."""
        self.left -= len(text) * int(compile_pattern(pattern).programsize)
        return self.left >= 0


class PatternError(VertexError):
    """A pattern that cannot be used. The message is for the person who wrote it."""


@lru_cache(maxsize=500)
def compile_pattern(pattern: str) -> "re2._Regexp[str]":
    """Return a pattern ready to run. Raises PatternError."""
    if not pattern:
        raise PatternError("Enter a pattern.")
    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"The pattern has {len(pattern):,} characters; at most {MAX_PATTERN} are allowed.")
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY_BYTES, False
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        words = error.args[0].decode(errors="replace") if error.args and isinstance(error.args[0], bytes) else str(error)
        raise PatternError(f"“{pattern}” is not a pattern that Vertex can run: {words}.") from error


def refuse_empty_matches(pattern: str) -> None:
    """Raise PatternError if the pattern may match where nothing stands, so that it cannot say what to replace or where to split."""
    compile_pattern(pattern)
    bare = "".join("" if token in _ASSERTIONS else token for token in _PATTERN_TOKEN.findall(pattern))
    if not bare or compile_pattern(bare).search("") is not None:
        raise PatternError(f"“{pattern}” also matches where nothing stands. Write a pattern that needs at least one character.")


def is_portable(pattern: str) -> bool:
    """Return whether Python's engine, told to know ASCII only, matches the same as RE2, so that an XSLT processor can run the pattern."""
    if re.search(r"\)\{", pattern) or _PORTABLE.sub("", _QUANTIFIER.sub("", pattern)):
        return False
    try:
        re.compile(f"(?a:{pattern})")
    except (re.error, RecursionError, OverflowError):
        return False
    return True
