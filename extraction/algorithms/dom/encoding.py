"""The encoding of a page: which one its bytes are in, and the text that they stand for (docs/algorithms.md#reading-a-page).

What is declared counts as it does in a browser (https://encoding.spec.whatwg.org and
https://html.spec.whatwg.org#determining-the-character-encoding):
the byte-order mark first, then the HTTP header, then an XML declaration, then ``<meta>``. A ``<meta>`` in a script, a title or a comment
declares nothing, and one anywhere in the page counts. A ``<meta>`` that says UTF-16 means UTF-8, because a browser could not have read it
otherwise.

The encoding of a page that declares none is guessed from all of its bytes. Most such pages are UTF-8; a few bad bytes do not change that.
For the others, turbohtml counts pairs of characters as Firefox does. The language that the page declares serves as a hint, as the country
of the address does in Firefox. Signs such as ``£`` and ``©`` that stand alone say nothing about the letters, so they are left out. Of the
likely encodings, the first in which the words are spelled as in one language is taken (`dom.alphabets`). Time is linear in the bytes.
"""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache

import webencodings
from turbohtml import TokenType, tokenize
from turbohtml.detect import Detection, detect_all

from extraction.algorithms.dom.alphabets import measure_fit

FALLBACK = "windows-1252"
"""The encoding in which browsers read a page that gives no sign of another."""

UTF8_SHARE = 3
"""A page is UTF-8 if it has this many characters of several bytes for each bad byte. Text in other encodings has fewer than one."""

WIDE_SHARE = 0.3
"""A page is UTF-16 if this share of its bytes at even (or odd) places is zero, and hardly any at the others."""

SAMPLE_BYTES = 65_536
"""How much of a page is read to tell whether every second byte is zero, and how long the piece is in which a declaration is looked for."""

MAX_DECLARATIONS = 20
"""The largest number of ``<meta>`` that are looked at. What comes later is made to waste time."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_UTF32 = ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"))
_HEADER = re.compile(r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;]+))", re.IGNORECASE)
_CONTENT = re.compile(r"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\s[^>]{0,400}?encoding\s*=\s*[\"']([\w.:-]+)[\"']")
_META = re.compile(rb"<meta[\s/][^>]{0,2000}?charset", re.IGNORECASE)
_LANG = re.compile(rb"<html\s[^>]{0,2000}?\blang\s*=\s*[\"']?([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{2,4}))?", re.IGNORECASE)
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
_UNFINISHED = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")

_ACCENTED = re.compile(rb"(?<![a-zA-Z\x80-\xff])[a-zA-Z]*+[\x80-\xff][a-zA-Z\x80-\xff]*+")
_DECLARES = re.compile(rb"charset|encoding", re.IGNORECASE)
_NEVER = frozenset({"UTF-8", "replacement", "x-user-defined"})
_FAMILIES = (
    ("windows-1252", "iso-8859-15", "windows-1254", "windows-1257", "windows-1250"),
    ("windows-1250", "iso-8859-2", "windows-1252"),
    ("windows-1257", "iso-8859-13", "iso-8859-4", "windows-1252"),
    ("windows-1254", "windows-1252"),
    ("windows-1251", "koi8-u", "iso-8859-5", "ibm866"),
    ("windows-1253", "iso-8859-7"),
    ("windows-1255", "iso-8859-8"),
    ("windows-1256", "iso-8859-6"),
    ("windows-1258", "windows-1252"),
)
"""Encodings for the same or neighbouring languages, the more frequent ones first."""

_SINGLE = frozenset(name for family in _FAMILIES for name in family)

WELL_SPELLED = 0.97
"""Share of the letters that must be those of one language. Texts hold a foreign name now and then."""

_APART_BEFORE, _APART_AFTER = rb"(?<![a-zA-Z\x80-\xff])", rb"(?![a-zA-Z\x80-\xff])"
_SIGNS = re.compile(
    rb"\xa0"
    rb"|" + _APART_BEFORE + rb"[\x80-\xbf\xd7]+" + _APART_AFTER + rb"|"  # any sign between blanks, digits and marks
    rb"(?<=[a-z])[\xae\x99]" + _APART_AFTER + rb"|"  # Lego®, Lego™
    rb"(?<=[a-zA-Z])\x92(?=[a-zA-Z])|"  # don’t
    + _APART_BEFORE
    + rb"\xa1(?=[A-Z][^<>!]{0,200}!)|"
    + _APART_BEFORE
    + rb"\xbf(?=[A-Z][^<>?]{0,200}\?)|"  # ¡Hola!, ¿Cuándo?
    + _APART_BEFORE
    + rb"\xab(?=[a-zA-Z][^<>\xab\xbb]{0,200}\xbb)|(?<=[a-z.!?])\xbb"
    + _APART_AFTER
    + rb"|"  # «oui»
    rb"(?<=[0-9])[\x80\xa2\xa3\xa5\xaa\xb0\xba\xbc\xbd\xbe]|[\x80\xa3\xa5](?=\s?[0-9])"  # 5°C, 2½, £5
)
"""Bytes that are signs in windows-1252, where they stand as signs do. In ISO-8859-2 and others, some of them are letters."""

_TLDS = {
    "ar": "sa",
    "be": "by",
    "cs": "cz",
    "da": "dk",
    "el": "gr",
    "en": "us",
    "et": "ee",
    "fa": "ir",
    "he": "il",
    "iw": "il",
    "ja": "jp",
    "kk": "kz",
    "ko": "kr",
    "ky": "kg",
    "sh": "rs",
    "sl": "si",
    "sq": "al",
    "sr": "rs",
    "sv": "se",
    "uk": "ua",
    "ur": "pk",
    "vi": "vn",
    "nb": "no",
    "nn": "no",
    "ca": "es",
    "eu": "es",
    "gl": "es",
    "cy": "us",
    "ga": "ie",
    "bs": "ba",
    "hy": "am",
    "ka": "ge",
    "tg": "tj",
    "uz": "uz",
    "yi": "il",
}
"""{language: the country whose pages use the same encodings}, where the two have different codes."""


@dataclass(frozen=True, slots=True)
class DecodedPage:
    """The text of a page.

    encoding: its name in the Encoding Standard, in lower case.
    text: without its byte-order mark.
    notices: what may be wrong with the text, in words.
    """

    encoding: str
    text: str
    notices: tuple[str, ...] = ()


def decode_page(content: bytes, content_type: str | None = None) -> DecodedPage:
    """Return the text of a page. Bytes that stand for nothing in its encoding become U+FFFD.

    content_type: the value of the HTTP header, if known.
    """
    for mark, python_name in _UTF32:
        if content.startswith(mark):
            return DecodedPage(python_name, content[len(mark) :].decode(python_name, "replace"))
    for mark, name in _BOMS:
        if content.startswith(mark):
            return _read_as(content[len(mark) :], name)
    declared = _find_declared(content, content_type)
    return _read_as(content, declared) if declared else _read_as(content, guess_encoding(content))


@lru_cache(maxsize=1024)
def find_label(label: str | None) -> str | None:
    """Return the name of the encoding that a label stands for (``latin1`` is windows-1252), None for an unknown label."""
    found = webencodings.lookup(label) if label and label.isascii() else None
    return found.name if found else None


def guess_encoding(content: bytes) -> str:
    """Return the encoding that bytes without any declaration are most likely in."""
    wide = find_wide(content)
    if wide:
        return wide
    if b"\x1b" not in content and _is_utf8(content):
        return "utf-8"
    several = len(_MULTIBYTE.findall(content))
    if several and several >= UTF8_SHARE * count_bad_utf8(content):
        return "utf-8"
    letters = _SIGNS.sub(b" ", content)
    if b"\x1b" not in letters and not _NOT_ASCII.search(letters):
        return FALLBACK
    # The detector reads declarations, too. They have been looked at, and those that are left declare nothing.
    bare = b"<p>" + _DECLARES.sub(b"", letters)
    language, country = _find_language(content)
    ranked = [found.encoding.lower() for found in detect_all(bare, Detection(tld=country, excluded=_NEVER)) if found.encoding]
    return _best_spelled(ranked or [FALLBACK], letters, language)


def _best_spelled(ranked: list[str], content: bytes, language: str | None) -> str:
    """Return the first encoding in which the words are spelled with the letters of one language, else the first.

    ranked: names of encodings, the most likely first.
    language: of the page, if declared.
    """
    if ranked[0] not in _SINGLE:
        return ranked[0]
    words = b" ".join(dict.fromkeys(_ACCENTED.findall(content)))
    for known in dict.fromkeys((language, None)):
        for name in dict.fromkeys((*ranked, *_siblings(ranked))):
            if name in _SINGLE and measure_fit(codecs.decode(words, f"whatwg-{name}", "replace"), known) >= WELL_SPELLED:
                return name
    return ranked[0]


def _siblings(ranked: list[str]) -> list[str]:
    """Return the encodings made for the same languages as the first, which differ from it in a few letters."""
    return [name for family in _FAMILIES if ranked[0] in family for name in family]


def find_wide(content: bytes) -> str | None:
    """Return which UTF-16 a page without a byte-order mark is in, judged by the zero bytes of its ASCII characters, or None."""
    head = content[:SAMPLE_BYTES]
    if b"\0" not in head:
        return None
    even, odd = head[::2].count(0) / max(1, len(head[::2])), head[1::2].count(0) / max(1, len(head[1::2]))
    if odd >= WIDE_SHARE and even <= odd / 10:
        return "utf-16le"
    return "utf-16be" if even >= WIDE_SHARE and odd <= even / 10 else None


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def count_bad_utf8(content: bytes) -> int:
    """Return how many places of the content are no UTF-8. A character cut off by the end is not counted."""
    rest = _MULTIBYTE.sub(b"", _UNFINISHED.sub(b"", content))
    return len(_NOT_ASCII.findall(rest))


def _find_declared(content: bytes, content_type: str | None) -> str | None:
    header = _HEADER.search(content_type or "")
    name = find_label(next(filter(None, header.groups()), "").strip()) if header else None
    if name:
        if name.startswith("utf-16") and b"\0" in content[:SAMPLE_BYTES]:
            return find_wide(content) or name
        if not name.startswith("utf-16"):  # what has no zero byte at all is not UTF-16, whatever the server says
            return name
    if find_wide(content):
        return None  # a declaration that could be read byte by byte would not be there
    xml = _XML.match(content)
    name = find_label(xml[1].decode("ascii", "replace")) if xml else None
    return _as_bytes(name) if name else _find_meta(content)


def _as_bytes(name: str) -> str:
    """Return the encoding meant by a declaration that was read byte by byte."""
    return {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": FALLBACK}.get(name, name)


def _find_meta(content: bytes) -> str | None:
    """Return the encoding of the page's first ``<meta>`` that declares a known one."""
    ends = [match.end() for _, match in zip(range(MAX_DECLARATIONS), _META.finditer(content), strict=False)]
    if not ends:
        return None
    close = content.find(b">", ends[-1])
    head = content[: close + 1 if close >= 0 else ends[-1] + SAMPLE_BYTES].decode("latin-1")
    for token in tokenize(_close_noscript(head), capture_attributes=True):
        if token.type is TokenType.START_TAG and token.tag == "meta":
            label = token.attr("charset")
            if label is None and (token.attr("http-equiv") or "").strip().lower() == "content-type":
                said = _CONTENT.search(token.attr("content") or "")
                label = next(filter(None, said.groups()), None) if said else None
            name = find_label((label or "").strip())
            if name:
                return _as_bytes(name)
    return None


def _close_noscript(head: str) -> str:
    """Return markup whose ``<noscript>`` do not hide their tags from the tokenizer."""
    return re.sub(r"(?i)<(/?)noscript(?=[\s/>])", r"<\1x-noscript", head) if "noscript" in head.lower() else head


def _find_language(content: bytes) -> tuple[str | None, str | None]:
    """Return (the language that the page declares, the country whose pages use the same encodings), None for what is unknown."""
    match = _LANG.search(content[:SAMPLE_BYTES])
    if match is None or len(match[1]) != 2:
        return None, None
    language, region = match[1].decode().lower(), (match[2] or b"").decode().lower()
    if language == "zh":
        return language, {"tw": "tw", "hk": "tw", "mo": "tw", "hant": "tw", "cn": "cn", "sg": "cn", "hans": "cn"}.get(region)
    return language, _TLDS.get(language, language)


def _read_as(content: bytes, name: str) -> DecodedPage:
    text = codecs.decode(content, f"whatwg-{name}", "replace").removeprefix("\ufeff")
    return DecodedPage(name, text, _doubts(content, name, text))


def _doubts(content: bytes, name: str, text: str) -> tuple[str, ...]:
    if "\ufffd" in text and not (name == "utf-8" and b"\xef\xbf\xbd" in content):
        places = text.count("\ufffd")
        counted = "1 place is not valid in" if places == 1 else f"{places:,} places are not valid in"
        return (f"{counted} {name}; “\ufffd” stands there instead",)
    if name in _SINGLE and not content.isascii() and _is_utf8(content) and len(_MULTIBYTE.findall(content)) >= UTF8_SHARE:
        return (f"the page declares {name}, but its bytes are valid UTF-8; it was read as declared, as browsers do",)
    return ()
