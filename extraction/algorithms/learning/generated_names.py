"""Recognizes machine-generated names: class names that contain a build's hash, ids that contain a record's number.

The next build of the site, or the next record, has different names. Low support on other pages rejects names that vary by page.
Names from one build are the same on all its pages, so only their look gives them away: a part of the name (``css-1q2w3e``,
``Card_root__3xYz9``, ``gb-text-b683acb4``, ``css-k5ghct-Text``) is not a word. A name that is judged wrongly only costs more.
"""

import re
from functools import lru_cache

MIN_TAIL, MAX_TAIL = 5, 16
"""The fewest and the most characters of a hash that uses the whole alphabet. Shorter parts are abbreviations (``col-md6``)."""

MIN_SWITCHES, MANY_SWITCHES = 2, 3
"""Changes between letters and digits within a hash. Words with a number have one (``column2``), hashes several (``1q2w3e``)."""

MIN_WORD = 3
"""The smallest number of letters in a row that may be a word: ``html5player`` has two changes and two words."""

MIN_DIGITS = 4
"""The smallest number of digits of a number that counts records rather than columns or hundredths of a width."""

_PART = re.compile(r"[-_:/.]+")
_RUNS = re.compile(r"[A-Za-z]+|\d+")
_HEX = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{6,64}|(?=.*\d)(?=.*[A-F])[0-9A-F]{6,64}")
_SIZE = re.compile(r"\d+(?:x|by)\d+|\d+(?:px|cols?|columns?|rows?)", re.IGNORECASE)
_CAMEL = re.compile(r"[A-Za-z]?+[a-z]*+(?>(?:\d++[A-Z][a-z]{2,}+|[A-Z][a-z]{2,}+|\d++(?![a-z]))*)")
_LEADING = re.compile(r"\d+[a-z][a-z0-9]{3,6}")
_SUFFIXED = re.compile(r"sc-[A-Za-z]{5,8}|[A-Za-z][\w-]*__[A-Za-z0-9]{5,8}")
_MIXED = re.compile(r"[A-Za-z]*[a-z][A-Z]{2}[A-Za-z]*|[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{5,8}")


@lru_cache(maxsize=20_000)
def is_generated_name(name: str) -> bool:
    """Whether a class name, an id or another name looks as if no person had chosen it."""
    parts = [part for part in _PART.split(name) if part]
    if not parts:
        return False
    counts = parts[-1].isdigit() and len(parts[-1]) >= MIN_DIGITS
    suffixed = _SUFFIXED.fullmatch(name) and _MIXED.fullmatch(parts[-1])
    return counts or bool(suffixed) or any(map(_hash, parts))


def _hash(part: str) -> bool:
    """Whether letters and digits alternate in a part of a name in a way that no word has."""
    if not (part.isascii() and part.isalnum()) or part.isdigit() or _SIZE.fullmatch(part) or _CAMEL.fullmatch(part):
        return False
    runs = _RUNS.findall(part)
    short = any(run.isalpha() and len(run) < MIN_WORD for run in runs)
    mixed = MIN_TAIL <= len(part) <= MAX_TAIL and len(runs) > (MIN_SWITCHES if short else MANY_SWITCHES)
    return bool(_HEX.fullmatch(part) or _LEADING.fullmatch(part)) or mixed
