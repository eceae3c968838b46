"""Where the frame finds a page's stylesheets, pictures and fonts: addresses of our own with a capability in them.

The frame has no origin, so a browser sends no cookie with what it loads: instead of the session, the address itself says
what may be seen. `/assets/<token>/<name>`: the token is signed, holds for one site's assets and for some hours; it is the
same for all frames of those hours, so a browser keeps what it has. A picture or font goes by its sha256; a stylesheet
by its row, since what it loads is relative to its own address, and by the version of the site's assets it was written with.
"""

import base64
import binascii
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote_to_bytes

from django.core import signing
from django.urls import reverse

from extraction.algorithms.dom import media, references
from extraction.algorithms.dom.references import ResourceKind
from extraction.display import drawings

HOLDS_S = 12 * 3600
"""A token holds at least so long after its frame was opened, at most twice as long: an editor's day."""

MAX_IMPORTED = 3
"""How deep sheets may import sheets."""

PLACE = f"/{secrets.token_hex(12)}/"
"""Stands in kept pages for `/assets/<token>/`, which changes. Drawn at each start, so that no page can hold it."""

SUFFIXES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/bmp": "bmp",
    media.SVG: "svg",
    "font/woff": "woff",
    "font/woff2": "woff2",
}
"""The content types that are served, with the endings of their addresses."""

_KINDS = {ResourceKind.STYLE: "text/css", ResourceKind.IMAGE: "image/", ResourceKind.FONT: "font/"}
_SHEET = re.compile(r"(\d{1,18})_(\d)_([0-9a-f-]{1,40})\.css")
_FILE = re.compile(r"([0-9a-f]{64})\.([a-z0-9]{3,5})")
_DATA = re.compile(r"data:([\w/+.-]*)((?:;[\w=.+-]*)*?)(;base64)?,(.*)", re.IGNORECASE | re.DOTALL)
_MAX_DATA = 2_000_000


@dataclass(frozen=True, slots=True)
class Held:
    """One asset as the frame needs it."""

    pk: int
    url: str
    sha256: str
    content_type: str


Written = Callable[[Held, ResourceKind], str | None]


@dataclass(frozen=True)
class Addresses:
    """The `stylesheets.Address` of one page or sheet. base: what its addresses are relative to. written: how a held file is addressed."""

    base: str
    held: Mapping[str, Held] = field(repr=False)
    written: Written

    def __call__(self, address: str, kind: ResourceKind) -> str | None:
        """Ours for a file of that kind that is held or written into the address itself; None for any other."""
        if address[:5].lower() == "data:":
            return inert_data(address, kind)
        url = references.resolve_address(self.base, address)
        found = self.held.get(url) if url else None
        if found is None or not found.content_type.startswith(_KINDS[kind]):
            return None
        return self.written(found, kind)


@dataclass(frozen=True, slots=True)
class SheetName:
    """What the name of a stylesheet says. depth: how many sheets imported it one in the other."""

    pk: int
    depth: int
    version: str


@dataclass(frozen=True, slots=True)
class FileName:
    """What the name of a picture or font says."""

    sha256: str
    suffix: str


def under_place(version: str, *, depth: int = 0) -> Written:
    """Addresses below PLACE, for a page (depth 0) or for a sheet that stands so deep."""

    def written(found: Held, kind: ResourceKind) -> str | None:
        if kind is ResourceKind.STYLE:
            return f"{PLACE}{found.pk}_{depth}_{version}.css" if depth <= MAX_IMPORTED else None
        return f"{PLACE}{found.sha256}.{SUFFIXES[found.content_type]}"

    return written


def parse_name(name: str) -> SheetName | FileName | None:
    """The last part of an address taken apart; None for what is none."""
    if found := _SHEET.fullmatch(name):
        return SheetName(int(found[1]), int(found[2]), found[3])
    found = _FILE.fullmatch(name)
    return FileName(found[1], found[2]) if found else None


def token(site_id: int) -> str:
    """The capability to see a site's assets for some hours."""
    until = (int(time.time()) // HOLDS_S + 2) * HOLDS_S
    return str(_signer().sign_object([site_id, until]))


def site_of(token: str) -> int | None:
    """The id of the site whose assets a token opens; None when it is not ours or has run out."""
    try:
        site_id, until = _signer().unsign_object(token)
    except (signing.BadSignature, ValueError, TypeError, binascii.Error):
        return None
    return site_id if isinstance(site_id, int) and until > time.time() else None


def folder(site_id: int) -> str:
    """`/assets/<token>/`, the path below which a site's assets are now."""
    return reverse("asset", args=[token(site_id), "x"])[:-1]


def inert_data(address: str, kind: ResourceKind) -> str | None:
    """A file that is written into its address, if its bytes are what they should be; a drawing cleaned."""
    found = _DATA.fullmatch(address) if len(address) <= _MAX_DATA else None
    if not found or kind is ResourceKind.STYLE:
        return None
    try:
        content = unquote_to_bytes(found[4])
        content = base64.b64decode(content, validate=False) if found[3] else content
        content_type = media.examine(content, kind)
    except (media.MediaError, ValueError):
        return None
    return data_address(content, content_type)


def data_address(content: bytes, content_type: str) -> str | None:
    """A file written into an address; a drawing cleaned, None when it cannot be."""
    if content_type == media.SVG:
        drawing = drawings.inert(content)
        return f"data:{media.SVG},{quote(drawing, safe='')}" if drawing else None
    return f"data:{content_type};base64,{base64.b64encode(content).decode()}"


def _signer() -> signing.Signer:
    return signing.Signer(salt="annotations.assets", sep=".")
