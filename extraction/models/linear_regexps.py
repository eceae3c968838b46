"""Regular expressions in queries of SQLite, matched by RE2 in linear time.

Django lets Python's engine match them. An address pattern with four stars then took a minute for one address, during which nothing else in
the process went on.
"""

from functools import lru_cache
from typing import Any

import re2


def use_linear_regexps(*, connection: Any, **_: object) -> None:
    """Replace the function REGEXP of a new connection. PostgreSQL's own engine takes linear time."""
    if connection.vendor == "sqlite":
        connection.connection.create_function("regexp", 2, _matches, deterministic=True)


def _matches(pattern: str | None, text: str | None) -> bool | None:
    if pattern is None or text is None:
        return None
    compiled = _compile(pattern)
    return compiled is not None and compiled.search(str(text)) is not None


@lru_cache(maxsize=64)
def _compile(pattern: str) -> Any:
    try:
        return re2.compile(pattern)
    except re2.error:
        return None
