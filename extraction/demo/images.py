"""The pictures of the demo site, drawn by code: covers and portraits as SVG, adverts as PNG."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape

from extraction.demo.content import AuthorPage, BookPage, site
from extraction.demo.dice import draw

_CLOTHS = ("#5b2333", "#1f3a4d", "#2f4a36", "#6b4423", "#3d2c4f", "#7a2e1f", "#264653", "#4a4a2a")
_GILTS = ("#e8d3a2", "#f1e3c6", "#d9b978", "#efe6d5")


@dataclass(frozen=True, slots=True)
class Picture:
    """A file that pages load. path: its path on the site, which begins with a slash."""

    path: str
    content: bytes
    content_type: str


@cache
def pictures() -> tuple[Picture, ...]:
    """Return every picture that the pages of both designs show."""
    return tuple(_pictures())


def _pictures() -> Iterator[Picture]:
    for page in site(day=0):
        if isinstance(page, BookPage) and page.cover:
            yield _svg(page.cover, _cover(page))
        elif isinstance(page, AuthorPage) and page.portrait:
            yield _svg(page.portrait, _portrait(page))
    yield _svg("/img/logo.svg", _LOGO)
    yield Picture("/img/band.png", png(6, width=16, height=6), "image/png")
    for number in range(6):
        yield Picture(f"/img/advert/{number}.png", png(number), "image/png")


def png(number: int, *, width: int = 96, height: int = 64) -> bytes:
    """Return a small striped picture in two colours as PNG. Each number gives another picture."""
    dark, light = (bytes.fromhex(_CLOTHS[number % 8][1:]), bytes.fromhex(_GILTS[number % 4][1:]))
    rows = b"".join(
        b"\0" + b"".join(light if (x + (number + 1) * y) // 8 % (number + 2) == 0 else dark for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _svg(path: str, drawing: str) -> Picture:
    return Picture(path, drawing.encode(), "image/svg+xml")


def _cover(page: BookPage) -> str:
    cloth, gilt = _CLOTHS[draw(8, "cloth", page.id)], _GILTS[draw(4, "gilt", page.id)]
    lines = _lines(page.title, 13)
    size = 21 if len(lines) < 4 else 17
    top = 120 - (len(lines) - 1) * size * 0.6
    spans = "".join(f'<tspan x="110" y="{top + n * size * 1.25:.0f}">{escape(line)}</tspan>' for n, line in enumerate(lines))
    by = escape(page.authors[0].text.split()[-1].upper())
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 300" width="200" height="300">
<rect width="200" height="300" fill="{cloth}"/><rect width="16" height="300" fill="#000" opacity=".22"/>
<g fill="none" stroke="{gilt}"><rect x="28" y="14" width="160" height="272" stroke-width="2"/>
<rect x="33" y="19" width="150" height="262" stroke-width=".7"/>{_ornament(page.id)}</g>
<g fill="{gilt}" font-family="Georgia,serif" text-anchor="middle"><text font-size="{size}">{spans}</text>
<text x="110" y="262" font-size="11" letter-spacing="2">{by}</text></g></svg>"""


def _ornament(key: int) -> str:
    petals = 4 + draw(6, "petals", key)
    turns = "".join(f'<ellipse cx="110" cy="205" rx="5" ry="15" transform="rotate({360 * n // petals} 110 219)"/>' for n in range(petals))
    return f'<g stroke-width="1.2">{turns}<circle cx="110" cy="219" r="4"/></g>'


def _portrait(page: AuthorPage) -> str:
    """Return the drawing of a silhouette in an oval."""
    name = page.author.name
    cloth, gilt = _CLOTHS[draw(8, "cloth", name)], _GILTS[draw(4, "gilt", name)]
    lean = draw(9, "lean", name) - 4
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 240" width="200" height="240">
<ellipse cx="100" cy="120" rx="92" ry="114" fill="{gilt}"/>
<clipPath id="o"><ellipse cx="100" cy="120" rx="84" ry="106"/></clipPath><g clip-path="url(#o)" fill="{cloth}">
<circle cx="{100 + lean}" cy="{92 + draw(7, "tall", name)}" r="{36 + draw(7, "head", name)}"/>
<ellipse cx="100" cy="225" rx="{66 + draw(14, "wide", name)}" ry="84"/><rect x="{86 + lean}" y="115" width="28" height="40"/></g>
<ellipse cx="100" cy="120" rx="84" ry="106" fill="none" stroke="{cloth}" stroke-width="2"/></svg>"""


def _lines(text: str, width: int) -> list[str]:
    lines = [""]
    for part in text.split():
        if lines[-1] and len(lines[-1]) + len(part) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {part}".strip()
    return lines


_LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" width="48" height="48">
<path d="M8 40C14 22 26 10 42 6 38 22 30 32 16 34l-4 8z" fill="#5b2333"/>
<path d="M10 40C18 28 26 18 38 9" fill="none" stroke="#f1e3c6" stroke-width="1.5"/></svg>
"""
