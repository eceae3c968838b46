"""JSON that somebody sends."""

import json
import re
from typing import Any

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape for half of a character. Two that belong together are one character; a single one is nothing that can be stored."""

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""An escape for NUL, which PostgreSQL neither stores nor compares. A backslash before it that is escaped itself makes it plain text."""


def parse_json(content: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises ValueError, also if it is nested too deeply to be read, is not in UTF-8, or holds NUL or halves of characters.
    """
    text = content.decode() if isinstance(content, bytes) else content
    if _NUL.search(text):
        raise ValueError("it holds the character NUL")
    try:
        found = json.loads(text)
        if _HALF.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return found
