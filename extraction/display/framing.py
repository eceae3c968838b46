"""How an untrusted page is shown: in a frame without an origin, with a single script that belongs to Vertex.

The `sandbox` directive of the policy makes the origin opaque even if the frame's address is opened alone. `default-src 'none'` forbids
all loads. The nonce allows Vertex's script and no other. The script is written into the page, because a document without an origin could
load it only with CORS. It talks to the workbench over one MessagePort. The page may load its stylesheets, pictures and fonts only from
one folder that the policy names (see `addresses`).
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
"""For pages without styles, which are hard to read in the browser's default style."""
XML_STYLE = "css/display/frame-xml.css"

DIM = "{opacity:.3!important}"
"""The same declaration as for `[data-v-dim]` in the stylesheet."""

HIDE = "{display:none!important}"

CONTENT_TYPE = "application/xhtml+xml; charset=utf-8"
"""With this type, an XML parser builds exactly the tree that is written."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A place that is outlined when the page opens, in the hue of an attribute."""

    location: Location
    hue: int = 0


def respond_with_frame(
    page: InertPage, *, marks: Sequence[Outline] = (), script: bool = True, assets: str = "", dimmed: Sequence[int] = ()
) -> HttpResponse:
    """Return the response with a page for a frame.

    marks: the places to outline; the frame scrolls to the first one.
    script: whether clicks can be reported. Without it and without marks, the page has no script at all.
    assets: the address, with scheme and host, of the folder that the page may load from; empty for none.
    dimmed: as in `write_document`.
    """
    scripted = script or bool(marks)
    nonce = secrets.token_urlsafe(18)
    text = write_document(page, nonce=nonce, marks=marks, script=scripted, dimmed=dimmed).replace(PLACE, urlsplit(assets).path)
    response = HttpResponse(text.encode(), content_type=CONTENT_TYPE)
    for name, value in build_headers(nonce if scripted else "", assets).items():
        response.headers[name] = value
    return response


def write_document(
    page: InertPage,
    *,
    nonce: str,
    marks: Sequence[Outline] = (),
    script: bool = True,
    dimmed: Sequence[int] = (),
    hidden: Sequence[int] = (),
) -> str:
    """Return the whole XHTML document.

    Vertex's style comes before the page's own and its script after the page. Neither has an index (`data-v`).

    page: the inert page.
    nonce: the nonce of the script.
    marks, script: as in `respond_with_frame`.
    dimmed: the indices of elements that the style dims, for frames without a script.
    hidden: the indices of elements that are not shown.
    """
    places = json.dumps([{**mark.location.as_json(), "hue": mark.hue} for mark in marks])
    # The script is not a module, because Chromium runs no modules in XML documents. The function keeps its names apart from the page's ids.
    body = f'(() => {{\n"use strict";\n{join_modules(SCRIPT)}}})();'
    code = f'<script nonce="{nonce}" data-marks="{escape_value(places)}">{escape_text(body)}</script>'
    note = f'<v-note lang="en">{escape_text(page.notice)}</v-note>' if page.notice else ""
    ours = XML_STYLE if page.xml else "" if page.styled else PLAIN_STYLE
    rules = _style_nodes(dimmed, DIM) + _style_nodes(hidden, HIDE)
    style = f"<style>{escape_text(read_static(STYLE) + (read_static(ours) if ours else '') + rules)}</style>"
    return f'<?xml version="1.0" encoding="utf-8"?>\n{page.opening}{style}{page.content}{note}{code if script else ""}</html>'


def _style_nodes(nodes: Sequence[int], declaration: str) -> str:
    return ",".join(f'[data-v="{node}"]' for node in nodes) + declaration if nodes else ""


def build_headers(nonce: str, assets: str = "") -> Mapping[str, str]:
    """Return the headers of the frame.

    nonce: the nonce of the one script that may run; empty for none.
    assets: as in `respond_with_frame`.
    """
    return {
        "Content-Security-Policy": build_policy(nonce, assets),
        "X-Frame-Options": "SAMEORIGIN",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def build_policy(nonce: str, assets: str = "") -> str:
    """Return the Content-Security-Policy of the frame. nonce, assets: as in `build_headers`."""
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


def respond_with_failure(message: str) -> HttpResponse:
    """Return a frame that says why there is no page, under the same policy."""
    opening = '<html xmlns="http://www.w3.org/1999/xhtml">'
    body = f"<body><v-note>{escape_text(message)}</v-note></body>"
    return respond_with_frame(InertPage(opening, body, 0), script=False)
