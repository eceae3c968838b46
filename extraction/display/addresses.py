"""The addresses from which the frame loads a page's stylesheets, pictures and fonts. Each contains a capability.

The frame has no origin, so the browser sends no cookies with its requests. Instead of the session, the address itself gives access:
`/assets/<token>/<name>`. The token is signed and valid for the assets of one site for some hours. All frames in these hours share it, so
the browser can cache the files. The name of a picture or font is its sha256. The name of a stylesheet contains the id of its row, because
the addresses in it are relative to its own address, and the version of the site's assets for which it was written.
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
"""A token is valid for at least this long after its frame was opened, and at most twice as long: enough for an editor's day."""

MAX_IMPORTED = 3
"""How deep imports of stylesheets may be nested."""

PLACE = f"/{secrets.token_hex(12)}/"
"""A placeholder in cached pages for `/assets/<token>/`, which changes. It is random at each start, so that no page can contain it."""

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
"""The content types that are served, each with the suffix of its addresses."""

_KINDS = {ResourceKind.STYLE: "text/css", ResourceKind.IMAGE: "image/", ResourceKind.FONT: "font/"}
_SHEET = re.compile(r"(\d{1,18})_(\d)_([0-9a-f-]{1,40})\.css")
_FILE = re.compile(r"([0-9a-f]{64})\.([a-z0-9]{3,5})")
_DATA = re.compile(r"data:([\w/+.-]*)((?:;[\w=.+-]*)*?)(;base64)?,(.*)", re.IGNORECASE | re.DOTALL)
_MAX_DATA = 2_000_000


@dataclass(frozen=True, slots=True)
class Held:
    """A stored asset as the frame needs it."""

    pk: int
    url: str
    sha256: str
    content_type: str


Written = Callable[[Held, ResourceKind], str | None]


@dataclass(frozen=True)
class Addresses:
    """The `stylesheets.Address` of one page or sheet.

    base: the address that its addresses are relative to.
    held: the stored assets by their address.
    written: returns the address to write for a stored asset.
    budget: the pixels that data URLs may have.
    """

    base: str
    held: Mapping[str, Held] = field(repr=False)
    written: Written
    budget: media.PictureBudget = field(default_factory=media.PictureBudget, repr=False, compare=False)

    def __call__(self, address: str, kind: ResourceKind) -> str | None:
        """Return the address to write for a file of this kind if it is stored or is a data URL; None for any other."""
        if address[:5].lower() == "data:":
            return make_inert_data(address, kind, self.budget)
        url = references.resolve_address(self.base, address)
        found = self.held.get(url) if url else None
        if found is None or not found.content_type.startswith(_KINDS[kind]):
            return None
        return self.written(found, kind)


@dataclass(frozen=True, slots=True)
class SheetName:
    """The parts of a stylesheet's name. depth: how many imports lead to it."""

    pk: int
    depth: int
    version: str


@dataclass(frozen=True, slots=True)
class FileName:
    """The parts of the name of a picture or font."""

    sha256: str
    suffix: str


def address_under_place(version: str, *, depth: int = 0) -> Written:
    """Return a function that gives stored assets addresses below PLACE. depth: 0 for a page, more for the sheets that it imports."""

    def written(found: Held, kind: ResourceKind) -> str | None:
        if kind is ResourceKind.STYLE:
            return f"{PLACE}{found.pk}_{depth}_{version}.css" if depth <= MAX_IMPORTED else None
        return f"{PLACE}{found.sha256}.{SUFFIXES[found.content_type]}"

    return written


def parse_name(name: str) -> SheetName | FileName | None:
    """Return the parts of an asset's name, the last part of its address; None if it is not such a name."""
    if found := _SHEET.fullmatch(name):
        return SheetName(int(found[1]), int(found[2]), found[3])
    found = _FILE.fullmatch(name)
    return FileName(found[1], found[2]) if found else None


def make_token(site_id: int) -> str:
    """Return a token that gives access to a site's assets for some hours."""
    until = (int(time.time()) // HOLDS_S + 2) * HOLDS_S
    return str(_signer().sign_object([site_id, until]))


def read_token(token: str) -> int | None:
    """Return the id of the site to whose assets a token gives access; None if it is invalid or has expired."""
    try:
        site_id, until = _signer().unsign_object(token)
    except (signing.BadSignature, ValueError, TypeError, binascii.Error):
        return None
    return site_id if isinstance(site_id, int) and until > time.time() else None


def get_folder(site_id: int) -> str:
    """Return `/assets/<token>/`, the path of a site's assets for now."""
    return reverse("asset", args=[make_token(site_id), "x"])[:-1]


def make_inert_data(address: str, kind: ResourceKind, budget: media.PictureBudget) -> str | None:
    """Return a data URL with the same file, an SVG drawing cleaned; None if its bytes are not of this kind or exceed the budget."""
    found = _DATA.fullmatch(address) if len(address) <= _MAX_DATA else None
    if not found or kind is ResourceKind.STYLE:
        return None
    try:
        content = unquote_to_bytes(found[4])
        content = base64.b64decode(content, validate=False) if found[3] else content
        content_type = media.examine(content, kind)
        if kind is ResourceKind.IMAGE and not budget.take(content):
            return None
    except (media.MediaError, ValueError):
        return None
    return make_data_address(content, content_type)


def make_data_address(content: bytes, content_type: str) -> str | None:
    """Return a data URL with a file, an SVG drawing cleaned; None if the drawing cannot be cleaned."""
    if content_type == media.SVG:
        drawing = drawings.make_drawing_inert(content)
        return f"data:{media.SVG},{quote(drawing, safe='')}" if drawing else None
    return f"data:{content_type};base64,{base64.b64encode(content).decode()}"


def _signer() -> signing.Signer:
    return signing.Signer(salt="annotations.assets", sep=".")
