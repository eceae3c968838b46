"""Words of a text in any script.

A word is a run of letters and digits with the marks that belong to them, as in Unicode's default rules (UAX 29): a vowel sign of Hindi, an
accent that stands alone or a point of Arabic never ends a word. Some scripts do not separate words. There, two neighbouring characters, as
a reader sees them, stand for a word, because finding the words would need a dictionary of each language.
"""

import re
import unicodedata
from collections.abc import Iterator

import regex

_UNSPACED_SCRIPTS = (
    "Han Hiragana Katakana Hangul Bopomofo Yi Thai Lao Khmer Myanmar Javanese Balinese Tai_Tham New_Tai_Lue Tai_Viet Cham Buginese"
)
"""Scripts that do not put a space between words. Korean does, but its particles stick to the words."""

_UNSPACED = "".join(rf"\p{{{name}}}" for name in _UNSPACED_SCRIPTS.split()) + "ー"
_TERM = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*")
"""Marks belong to a word, and so do the two joiners that Persian and the scripts of India write within words."""

_RUN = regex.compile(rf"[{_UNSPACED}][{_UNSPACED}\p{{M}}\u200c\u200d]*|[^{_UNSPACED}]+")
_IS_UNSPACED, _IS_KOREAN = regex.compile(f"[{_UNSPACED}]"), regex.compile(r"\p{Hangul}+")
_ASCII_TERM = re.compile(r"[a-z0-9]+")
_CHARACTER = regex.compile(r"\X")
_OPTIONAL = regex.compile(
    r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u00ad]"
)
"""Points of Hebrew and Arabic, which most texts leave out, the stroke that lengthens an Arabic word, and the soft hyphen."""

CHARACTERS_OF_A_WORD = 2
"""Characters of a word on average where words are not separated: 1.5 to 2 in Chinese and Japanese, 2 to 3 in Thai."""


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order; each two neighbouring characters where a script does not separate words.

    Words are the same however their accents are encoded, and with or without the points of Arabic and Hebrew.
    """
    found: list[str] = []
    for term in _terms(text):
        if is_unspaced(term):
            characters = _CHARACTER.findall(term)
            found += ["".join(characters[n : n + 2]) for n in range(max(1, len(characters) - 1))]
        else:
            found.append(term)
    return found


def count_words(text: str) -> int:
    """Return how many words a reader sees in a text. Where a script does not separate words, this is an estimate from the characters."""
    return sum(_count(term) for term in _terms(text))


def is_unspaced(word: str) -> bool:
    """Return whether a word, which is not empty, is in a script that does not separate words."""
    return not word.isascii() and _IS_UNSPACED.match(word) is not None


def _count(term: str) -> int:
    if not is_unspaced(term) or _IS_KOREAN.fullmatch(term):
        return 1
    return -(-len(_CHARACTER.findall(term)) // CHARACTERS_OF_A_WORD)


def _terms(text: str) -> Iterator[str]:
    """Yield words, and runs of words in scripts that do not separate them."""
    plain = text.lower()
    if plain.isascii():
        yield from _ASCII_TERM.findall(plain)
        return
    for term in _TERM.findall(_OPTIONAL.sub("", unicodedata.normalize("NFC", plain))):
        if term.isascii() or not _IS_UNSPACED.search(term):
            yield term
        else:
            yield from _RUN.findall(term)
