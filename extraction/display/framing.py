"""How an untrusted page is shown: in a frame without an origin, with one script, ours (ARCHITECTURE "Page isolation").

The policy's `sandbox` makes the origin opaque even when the frame's address is opened alone; `default-src 'none'` leaves
nothing to load; the nonce lets our script run and no other. The script is written into the page, because a document
without an origin could fetch it from us only with CORS. It talks to the workbench by one MessagePort. What the page
needs to look right may be loaded from one folder of ours, which the policy names (`addresses`), and from nowhere else.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.http import HttpResponse

from extraction.algorithms.dom.nodes import Location
from extraction.display.addresses import PLACE
from extraction.display.inert import InertPage, escape_text, escape_value
from extraction.display.static_text import join_modules, read_static

SCRIPT = "js/display/frame/main.js"
STYLE = "css/display/frame.css"
PLAIN_STYLE = "css/display/frame-plain.css"
"""For pages that bring no styles: a browser's own would be hard to read."""
XML_STYLE = "css/display/frame-xml.css"

DIM = "{opacity:.3!important}"
"""As `[data-v-dim]` of the style."""

CONTENT_TYPE = "application/xhtml+xml; charset=utf-8"
"""An XML parser builds the tree that is written, and nothing else."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A place outlined from the start, in an attribute's hue."""

    location: Location
    hue: int = 0


def respond(
    page: InertPage, *, marks: Sequence[Outline] = (), script: bool = True, assets: str = "", dimmed: Sequence[int] = ()
) -> HttpResponse:
    """The page for a frame. marks: places outlined from the start, the first one scrolled to.

    script: whether clicks can be reported; without it and without marks the page holds no script at all.
    assets: the whole address, with scheme and host, of the folder that the page may load from; empty for none. dimmed: as of `document`.
    """
    scripted = script or bool(marks)
    nonce = secrets.token_urlsafe(18)
    text = document(page, nonce=nonce, marks=marks, script=scripted, dimmed=dimmed).replace(PLACE, urlsplit(assets).path)
    response = HttpResponse(text.encode(), content_type=CONTENT_TYPE)
    for name, value in headers(nonce if scripted else "", assets).items():
        response.headers[name] = value
    return response


def document(page: InertPage, *, nonce: str, marks: Sequence[Outline] = (), script: bool = True, dimmed: Sequence[int] = ()) -> str:
    """The whole XHTML document: our style before the page's own, our script after all of it, neither with an index.

    dimmed: elements that are dimmed by the style alone, for where no script runs.
    """
    places = json.dumps([{**mark.location.as_json(), "hue": mark.hue} for mark in marks])
    # Not a module: Chromium runs none in XML documents. The function keeps its names apart from the page's ids.
    body = f'(() => {{\n"use strict";\n{join_modules(SCRIPT)}}})();'
    code = f'<script nonce="{nonce}" data-marks="{escape_value(places)}">{escape_text(body)}</script>'
    note = f'<v-note lang="en">{escape_text(page.notice)}</v-note>' if page.notice else ""
    ours = XML_STYLE if page.xml else "" if page.styled else PLAIN_STYLE
    dim = ",".join(f'[data-v="{node}"]' for node in dimmed) + DIM if dimmed else ""
    style = f"<style>{escape_text(read_static(STYLE) + (read_static(ours) if ours else '') + dim)}</style>"
    return f'<?xml version="1.0" encoding="utf-8"?>\n{page.opening}{style}{page.content}{note}{code if script else ""}</html>'


def headers(nonce: str, assets: str = "") -> Mapping[str, str]:
    """The frame's headers. nonce: of the one script that may run; empty for none. assets: as in `respond`."""
    return {
        "Content-Security-Policy": policy(nonce, assets),
        "X-Frame-Options": "SAMEORIGIN",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def policy(nonce: str, assets: str = "") -> str:
    """The frame's Content-Security-Policy."""
    ours = f" {assets}" if assets else ""
    return "; ".join(
        [
            "sandbox allow-scripts" if nonce else "sandbox",
            "default-src 'none'",
            f"script-src 'nonce-{nonce}'" if nonce else "script-src 'none'",
            f"style-src 'unsafe-inline'{ours}",
            f"img-src data:{ours}",
            f"font-src data:{ours}",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'self'",
        ]
    )


def failure(message: str) -> HttpResponse:
    """A frame that says why there is no page, under the same policy."""
    opening = '<html xmlns="http://www.w3.org/1999/xhtml">'
    body = f"<body><v-note>{escape_text(message)}</v-note></body>"
    return respond(InertPage(opening, body, 0), script=False)
