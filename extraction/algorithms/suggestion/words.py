"""Words of labels, headings, class names and attribute names in one form, so that they can be compared."""

import re
import unicodedata
from functools import lru_cache

MAX_WORDS = 8
"""Longest phrase, in words, that can be a label."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_A-Za-z\d]+|\d+")
_WORD = re.compile(r"[^\W_]+")
_PLURAL = re.compile(r"\((?:s|es|n|en|e)\)", re.IGNORECASE)

Phrase = tuple[str, ...]


@lru_cache(maxsize=100_000)
def split_label(text: str) -> Phrase:
    """Return the words of a text that people read: lower case, without accents and without a plural's s."""
    plain = _fold(_PLURAL.sub("", text))
    return tuple(_singular(word) for word in _WORD.findall(plain))


@lru_cache(maxsize=100_000)
def split_identifier(name: str) -> Phrase:
    """Return the words of a name in code, such as ``datePosted``, ``date_posted`` or ``job-title2``, in the same form."""
    return tuple(_singular(part.casefold()) for part in _PART.findall(_strip_accents(name)))


def _fold(text: str) -> str:
    return _strip_accents(text.casefold())


def _strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
