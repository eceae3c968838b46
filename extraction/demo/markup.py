"""What both designs need to write HTML: escaping, relative addresses, JSON-LD, and the errors that real pages have."""

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from posixpath import dirname, relpath

from extraction.demo.content import BookPage
from extraction.demo.data import Language

NAME = "Inkhorn Lane"

LATIN_ONE = "/de/buch/10728/die-leiden-des-jungen-werthers"
"""The only page that is served and declared as iso-8859-1. It has a euro sign and a dash that only windows-1252 has."""

BROKEN = {
    "/book/10252/a-christmas-carol": "unclosed",
    "/book/10456/the-happy-prince-and-other-tales": "misnested",
    "/book/10594/little-women": "stray",
    "/de/buch/10393/die-schatzinsel": "unclosed",
    "/author/jules-verne": "misnested",
    "/journal/octavo": "unclosed",
}
"""Pages whose HTML is broken, and how."""

_NAMED = {"\u00a0": "&nbsp;", "£": "&pound;", "€": "&euro;", "–": "&ndash;", "“": "&ldquo;", "”": "&rdquo;", "é": "&eacute;"}


def named(value: str) -> str:
    """Return a text escaped, with named entities for the characters for which an old editor would have used them."""
    return "".join(_NAMED.get(c, c) for c in escape(value))


def plain(value: str) -> str:
    """Return a text escaped, with an entity for the non-breaking space and no other characters changed."""
    return escape(value).replace("\u00a0", "&nbsp;")


def relative(path: str, target: str) -> str:
    """Return a path of the site relative to the page at `path`, such as ``../../img/logo.svg``."""
    return relpath(target, dirname(path.split("?", maxsplit=1)[0]))


def thumbnail(path: str, image: str) -> str:
    """Return the HTML of a small picture on the page at `path`; empty if there is no picture."""
    return f'<img src="{relative(path, image)}" alt="" width="60" height="90">' if image else ""


def fragment(name: str, language: Language) -> str:
    """Return a piece of HTML that is the same on all pages of a template. Its file has ``[[English||Deutsch]]`` where languages differ."""
    return re.sub(r"\[\[(.*?)\|\|(.*?)\]\]", r"\1" if language == "en" else r"\2", source(f"fragments/{name}.html"))


@cache
def source(name: str) -> str:
    """Return the text of a file next to this module."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def marked(html: str) -> str:
    """Return the HTML between marks that tell `damaged` what it may misnest."""
    return f"<!--mark-->{html}<!--/mark-->"


def json_ld(page: BookPage) -> str:
    """Return a script element that describes the book in schema.org's vocabulary."""
    authors = [{"@type": "Person", "name": link.text} for link in page.authors]
    thing = {"@context": "https://schema.org", "@type": "Book", "name": page.title, "author": authors, "sku": str(page.id)}
    return f'<script type="application/ld+json">{json.dumps(thing, ensure_ascii=False)}</script>'


def damaged(path: str, html: str) -> str:
    """Return the page with the HTML errors that `BROKEN` gives it. They change no value."""
    kind = BROKEN.get(path, "")
    if kind == "unclosed":
        return re.sub(r"</(?:p|li)>(?=\s*<(?:p|li|/ul|/div)\b)", "", html)
    if kind == "misnested":
        return re.sub(r"<!--mark-->(.*?)<!--/mark-->", r"<b><i>\1</b></i>", html, flags=re.DOTALL)
    if kind == "stray":
        return html.replace("<!--end-->", "</span></p></center>")
    return html


def tidy(html: str) -> str:
    """Return the page without the marks for `damaged` and without blank lines."""
    return re.sub(r"\n\s*\n+", "\n", re.sub(r"<!--/?(?:mark|end)-->", "", html))
