"""Names and addresses from outside: checks that make them safe to store and show, and what a file is, judging by its name."""

import re
from enum import Enum
from urllib.parse import urldefrag, urlsplit

from extraction.algorithms.dom import xml
from extraction.algorithms.dom.media import looks_like_html

MAX_LENGTH = 2000
"""The longest name or address that is stored (`Page.url`)."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:/")

PAGE_SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".shtml"})
ARCHIVE_SUFFIXES = frozenset({".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".warc", ".zst", ".jar"})
_KINDS = {
    "picture": ".png .jpg .jpeg .gif .webp .avif .svg .ico .bmp .tif .tiff",
    "style": ".css .less .scss",
    "script": ".js .mjs .map .wasm .ts",
    "font": ".woff .woff2 .ttf .otf .eot",
    "sound or film": ".mp3 .mp4 .webm .ogg .wav .avi .mov .m4a .m4v",
    "document": ".pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .epub .ps .txt .md",
    "data": ".json .csv .tsv .rss .atom .webmanifest .sqlite .db .bin .dat .log",
    "program": ".exe .dll .so .dmg .apk .class .py .sh .c .h .java",
}
_KIND_OF = {suffix: kind for kind, suffixes in _KINDS.items() for suffix in suffixes.split()}
_LITTER = frozenset({".ds_store", "thumbs.db", "desktop.ini"})


class Kind(Enum):
    """What a file is, judging by its name. LOOK: the name does not tell, so its content must be read."""

    PAGE = "page"
    LOOK = "look"
    ARCHIVE = "archive"
    LITTER = "litter"
    OTHER = "other"


def classify_name(name: str) -> Kind:
    """Return what a file is, judging by its safe name. LITTER is what operating systems leave behind, such as macOS resource forks."""
    parts = name.lower().split("/")
    if "__macosx" in parts or parts[-1] in _LITTER or parts[-1].startswith("._"):
        return Kind.LITTER
    suffix = _suffix(parts[-1])
    if suffix in PAGE_SUFFIXES:
        return Kind.PAGE
    if suffix in ARCHIVE_SUFFIXES:
        return Kind.ARCHIVE
    return Kind.OTHER if suffix in _KIND_OF else Kind.LOOK


def describe_other(name: str) -> str:
    """Return a word for a file that is not a page, such as "picture"."""
    return _KIND_OF.get(_suffix(name.lower().rsplit("/", 1)[-1]), "not HTML")


def looks_like_page(content: bytes, content_type: str = "") -> bool:
    """Return whether this is a page: HTML, or XML that is neither a sitemap nor a support file of a site."""
    found = xml.what(content, content_type)
    return found in ("xml", "feed") or (found not in ("sitemap", "support") and looks_like_html(content))


def guess_content_type(name: str, content_type: str = "") -> str:
    """Return the given content type or, if there is none, "application/xml" for a name that ends in .xml."""
    return content_type or ("application/xml" if _suffix(name.lower().rsplit("/", 1)[-1]) == ".xml" else "")


def make_printable(text: str) -> str:
    """Return the text with control characters and undecodable bytes written as ``\\x..``, so that databases and terminals accept it."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", text)


def make_safe_name(raw: str) -> str:
    """Return an entry's name as a relative path with `/`. Raises ValueError if it leads out of the archive, is empty or is too long."""
    name = make_printable(raw.replace("\\", "/"))
    if name.startswith("/") or _DRIVE.match(name):
        raise ValueError("its name is an absolute path")
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise ValueError("its name leads out of the archive")
    if not parts:
        raise ValueError("it has no name")
    name = "/".join(parts)
    if len(name) > MAX_LENGTH:
        raise ValueError(f"its name has more than {MAX_LENGTH:,} characters")
    return name


def make_safe_url(raw: str) -> str:
    """Return a page's address without its fragment. Raises ValueError if it is not a usable http or https address."""
    url = urldefrag(raw.strip()).url.replace(" ", "%20")
    shown = make_printable(url[:100])
    if _CONTROL.search(url):
        raise ValueError(f"the address {shown} contains control characters")
    if len(url) > MAX_LENGTH:
        raise ValueError(f"the address {shown}… has more than {MAX_LENGTH:,} characters")
    parts = urlsplit(url)
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"the address {shown!r} is not an http or https address")
    return url


def _suffix(last: str) -> str:
    stem, dot, suffix = last.rpartition(".")
    return f".{suffix}" if dot and stem else ""
