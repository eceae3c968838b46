"""Patterns that people type. RE2 matches in time that is linear in the text, so no pattern can hang."""

from functools import lru_cache
from typing import Any

import re2

from extraction.algorithms.errors import VertexError

MAX_PATTERN = 500
"""The largest number of characters of a pattern."""

MAX_MEMORY_BYTES = 8 * 1024**2
"""What RE2 may use for a compiled pattern. A larger one is refused."""


class PatternError(VertexError):
    """A pattern that cannot be used; the message says why."""


@lru_cache(256)
def compile_pattern(pattern: str) -> Any:
    """Return a pattern that is ready to match. Raises PatternError."""
    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"The pattern has {len(pattern):,} characters; {MAX_PATTERN} are allowed.")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY_BYTES
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "it is not valid"
        words = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise PatternError(f"The pattern “{pattern[:60]}” cannot be used: {words}") from error
    except UnicodeEncodeError as error:
        raise PatternError("The pattern has a character that no text can have.") from error


def matches_whole(pattern: str, text: str) -> bool:
    """Return whether the pattern matches the whole text. Raises PatternError."""
    # A text may hold half of a surrogate pair, which RE2's UTF-8 has no place for.
    return compile_pattern(pattern).fullmatch(text.encode("utf-8", "replace").decode()) is not None
