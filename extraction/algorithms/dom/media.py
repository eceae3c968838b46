"""The content type of a stylesheet, picture or font, judged by its bytes and not by what the server says.

A picture file of a few hundred bytes may unpack to gigabytes of pixels. So its size in pixels is read from its header before a browser ever
sees it.
"""

import re
import struct

from extraction.algorithms.dom.references import ResourceKind

_LIKE_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
SNIFF_BYTES = 2048

MAX_BYTES = {ResourceKind.STYLE: 1_000_000, ResourceKind.IMAGE: 8 * 1024**2, ResourceKind.FONT: 2 * 1024**2}
"""Largest files kept. That of a sheet is as large as all styles that are read of a page (`stylesheets.MAX_CHARS`)."""

MAX_SIDE_PX = 16_384
MAX_PIXELS = 25_000_000
"""100 MB once a browser has unpacked it. A picture from a camera has 24 million, one made for the web a tenth of that."""

_MAX_GIF_BLOCKS = 100
"""How many blocks may come before the first frame. Real files have fewer than five."""

CSS, SVG = "text/css", "image/svg+xml"
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_SVG_START = re.compile(rb"(?>(?:\s++|<\?xml[^>]*+>|<!--.*?-->|<!DOCTYPE\s++svg[^>\[]*+>)*)<(?:\w++:)?svg[\s>]", re.DOTALL)


class PictureBudget:
    """How many pixels the pictures written into one page or sheet may have in all. Stored pictures have limits of their own.

    left: how many pixels are left.
    """

    def __init__(self, pixels: int = 4 * MAX_PIXELS) -> None:
        self.left = pixels

    def take(self, content: bytes) -> bool:
        """Take a picture's pixels out of the budget. Return False if it has more than are left. Raises MediaError if it is no picture."""
        pixels = _measure_picture(content)[1]
        if pixels > self.left:
            return False
        self.left -= pixels
        return True


class MediaError(Exception):
    """Raised for bytes that must not be used. The message says why."""


def examine(content: bytes, wanted: ResourceKind) -> str:
    """Return the content type, judged by the content. Raises MediaError if it is too large (in bytes or pixels) or not of the wanted
    kind."""
    if len(content) > MAX_BYTES[wanted]:
        raise MediaError(f"it has more than {MAX_BYTES[wanted]:,} bytes")
    if wanted is ResourceKind.STYLE:
        if looks_like_html(content) or (_BINARY.search(content[:1024]) and not content.startswith((b"\xff\xfe", b"\xfe\xff"))):
            raise MediaError("it is not a stylesheet")
        return CSS
    if wanted is ResourceKind.FONT:
        found = {b"wOFF": "font/woff", b"wOF2": "font/woff2"}.get(content[:4])
        if found is None:
            raise MediaError("it is not a WOFF font")
        return found
    return _measure_picture(content)[0]


def _measure_picture(content: bytes) -> tuple[str, int]:
    """Return (content type, pixels); a drawing has 0 pixels."""
    if _SVG_START.match(content.removeprefix(b"\xef\xbb\xbf")[:4096]):
        return SVG, 0
    for content_type, start, size in _RASTER:
        if start.match(content):
            try:
                width, height = size(content)
            except (struct.error, IndexError) as error:
                raise MediaError("its header is damaged") from error
            if not (0 < width <= MAX_SIDE_PX and 0 < height <= MAX_SIDE_PX and width * height <= MAX_PIXELS):
                raise MediaError(f"it has {width:,} × {height:,} pixels; at most {MAX_PIXELS:,} are shown")
            return content_type, width * height
    raise MediaError("it is not a picture that can be shown")


def _png(content: bytes) -> tuple[int, int]:
    if content[12:16] != b"IHDR":
        return 0, 0
    return struct.unpack(">II", content[16:24])


def _gif(content: bytes) -> tuple[int, int]:
    """Return the size in the header, or that of the first frame if it is larger: browsers enlarge the picture to its first frame."""
    width, height = struct.unpack("<HH", content[6:10])
    at = 13 + _color_table_bytes(content[10])
    for _ in range(_MAX_GIF_BLOCKS):
        if content[at : at + 1] == b",":
            left, top, wide, high = struct.unpack("<HHHH", content[at + 1 : at + 9])
            return max(width, left + wide), max(height, top + high)
        if content[at : at + 1] != b"!":
            return width, height
        at = _end_of_blocks(content, at + 2)
    return 0, 0


def _end_of_blocks(content: bytes, at: int) -> int:
    """Return where a GIF's chain of sub-blocks ends; the end of the file if the chain is longer than any real one."""
    for _ in range(_MAX_GIF_BLOCKS * 100):
        size = content[at] if at < len(content) else 0
        at += 1 + size
        if not size:
            return at
    return len(content)


def _color_table_bytes(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _bmp(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack("<ii", content[18:26])
    return abs(width), abs(height)


def _jpeg(content: bytes) -> tuple[int, int]:
    """Return the size from the frame header (SOF), skipping the segments before it."""
    at = 2
    while at + 9 <= len(content):
        if content[at] != 0xFF:
            return 0, 0
        marker = content[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01:
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + max(2, struct.unpack(">H", content[at + 2 : at + 4])[0])
    return 0, 0


def _webp(content: bytes) -> tuple[int, int]:
    kind = content[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF)
    width, height = struct.unpack("<HH", content[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _avif(content: bytes) -> tuple[int, int]:
    """Return the size in the largest of the file's `ispe` boxes, because smaller ones may describe the tiles of a grid."""
    sizes = [struct.unpack(">II", content[at.end() + 4 : at.end() + 12]) for at in re.finditer(b"ispe", content[:65_536])]
    return max(sizes, key=lambda size: size[0] * size[1], default=(0, 0))


_RASTER = (
    ("image/png", re.compile(rb"\x89PNG\r\n\x1a\n"), _png),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff"), _jpeg),
    ("image/gif", re.compile(rb"GIF8[79]a"), _gif),
    ("image/webp", re.compile(rb"RIFF....WEBP", re.DOTALL), _webp),
    ("image/avif", re.compile(rb"....ftyp(?:avif|avis|mif1)", re.DOTALL), _avif),
    ("image/bmp", re.compile(rb"BM"), _bmp),
)


def looks_like_html(content: bytes) -> bool:
    """Return whether the first bytes hold a tag that only an HTML page has."""
    return bool(_LIKE_HTML.search(content[:SNIFF_BYTES]))
