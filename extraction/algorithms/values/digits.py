"""Text in the form that the readers expect: ASCII digits, one minus sign, one apostrophe, no invisible characters."""

import re
import unicodedata
from functools import lru_cache

_MINUS = "−﹣－‐‑‒–—―⁻"
_APOSTROPHES = "’‘´ʼ＇′"
_CHARACTERS = {
    **dict.fromkeys(map(ord, _MINUS), "-"),
    **dict.fromkeys(map(ord, _APOSTROPHES), "'"),
    **dict.fromkeys(map(ord, "٪﹪"), "%"),
    **dict.fromkeys(map(ord, "〜～∼"), "~"),
    0x3000: " ",
}
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0e\ufe0f\ufeff]")
_BLANKS = re.compile(r"\s+")


def normalise_text(text: str) -> str:
    """Return the text with its digits, signs and spaces in one form. The words keep their letters and case."""
    if not text.isascii():
        text = _INVISIBLE.sub("", text).translate(_CHARACTERS)
        text = unicodedata.normalize("NFC", "".join(each if each < "\x80" else _plain_character(each) for each in text))
    return _BLANKS.sub(" ", text.replace("`", "'")).strip()


@lru_cache(maxsize=4_000)
def _plain_character(character: str) -> str:
    """Return an ASCII digit for any decimal digit, and the ordinary form of a full-width character."""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if "\uff01" <= character <= "\uff5e" or "\uffe0" <= character <= "\uffe6":
        return unicodedata.normalize("NFKC", character)
    return character
