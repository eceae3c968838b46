"""XML pages: told apart from HTML, made harmless, and read into a tree like that of any other page.

*What is XML*: a page whose content type says so, or one that begins with an XML declaration or with a root element that HTML does not have.
A page whose root is `html` is never XML, because XHTML is read as HTML.

*Names* keep their case and lose their prefix and namespace: ``<g:price>`` is `price`, ``xml:lang`` is `lang`. So XPaths, shingles, the
learner and stylesheets work as on HTML. An attribute whose name is taken gets a number: ``id="1" g:id="2"`` become `id` and `id-2`.
Comments stay, CDATA is text, and processing instructions are removed.

*Harmless*: the document type declaration is taken out before the parser sees it, so nothing is loaded and the parser expands no entity.
Entities of the declaration that are plain text are inserted here, up to `MAX_GROWTH`. Entities made of entities, with which a few lines can
fill any memory, are refused. External entities are left as they are written. Names of HTML (``&nbsp;``) are known, and a lone ``&`` is an
ampersand. Broken XML is read as far as possible, and a notice says where it broke. Time and memory are linear in the bytes.

The source of this module is copied into exported rules, so it imports nothing of Vertex.
"""

import re
from hashlib import blake2b
from html.entities import html5
from typing import Literal

from lxml import etree

HTML_TYPES = frozenset(("text/html", "application/xhtml+xml"))

XML_TYPE = re.compile(r"(?:application|text)/(?:[\w.-]+\+)?xml")
"""Content types of XML pages. Pictures (``image/svg+xml``) are not pages."""

LOOK_BYTES = 65_536
"""How much of a file is read to tell what it is. A declaration with its entities and comments fits."""

MAX_GROWTH = 1_048_576
"""The largest number of characters that a page's own entities may add to it."""

MAX_ENTITIES = 2_000
"""The largest number of entities that a page may declare. The ISO character sets that old documents bring along have some hundreds."""

MAX_ATTRIBUTES = 1_000
"""The largest number of attributes kept of an element. Asking for the value of one looks through those before it, so many thousands take
minutes."""

SITEMAPS = frozenset(("urlset", "sitemapindex"))

FEEDS = frozenset(("rss", "feed", "RDF"))

SUPPORT = frozenset(
    (
        "stylesheet",
        "transform",
        "schema",
        "svg",
        "OpenSearchDescription",
        "browserconfig",
        "cross-domain-policy",
        "package",
        "plist",
        "opml",
    )
)
"""Roots of XML files that stand beside pages: stylesheets, schemas, drawings, settings."""

HTML_NAMES = frozenset(
    """a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button canvas
    caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font
    footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li
    link listing main map mark marquee math menu menuitem meta meter multicol nav nobr noembed noframes noscript object ol optgroup option
    output p param picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search section select slot small source spacer
    span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr
    xmp""".split()  # noqa: SIM905
)
"""Elements of HTML, old ones too. A page that begins with one, and says nothing else, is HTML."""

What = Literal["html", "xml", "feed", "sitemap", "support", ""]
"""What a file is by its content: a page of HTML or XML, a feed (which is a page of XML too), one of the files beside pages, or none of
these."""

_QUOTED = r"\"[^\"]*+\"|'[^']*+'"
_SUBSET = rf"\[(?P<subset>(?>(?:[^\]\"'<]++|{_QUOTED}|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<)*))\]\s*"
_DOCTYPE = rf"<!DOCTYPE\s+(?P<kind>[^\s\[\]<>\"']+)(?>(?:[^\[\]<>\"']++|{_QUOTED})*)(?:{_SUBSET})?>"
_BEFORE = re.compile(
    rf"\s*+(?P<declared><\?xml\s[^>]*+>)?(?>(?:\s++|<\?.*?(?:\?>|\Z)|<!--.*?(?:-->|\Z)|{_DOCTYPE})*)", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(r"<([^\W\d][\w.:-]*)")
_ENTITY = re.compile(rf"<!ENTITY\s+(?P<name>[^\s%&;<>\"']+)\s+(?P<text>{_QUOTED}|SYSTEM\b|PUBLIC\b)")
_MARK = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|(?P<lone>(?>(?:&(?!#?\w[\w.:-]*+;)[^&<]*+)+))|&(?P<name>#?\w[\w.:-]*+);", re.DOTALL
)
_CHARACTER = re.compile(r"#(?:[0-9]{1,7}|x[0-9a-fA-F]{1,6})")
_REFERENCE = re.compile(r"&(#(?:[0-9]++|x[0-9a-fA-F]++));")
_INVALID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have, not even by their numbers. libxml2 reads some of them, but nothing can be made of what it read."""

_INNER = re.compile(r"&(?!#)(?!(?:amp|lt|gt|quot|apos);)([^\W\d][\w.:-]*);")
_KNOWN = frozenset(("amp", "lt", "gt", "quot", "apos"))
_WIDE = re.compile(rb"(<\?xml\s[^>]{0,200}?encoding\s*=\s*['\"])(?:utf|ucs)-?(?:16|32|2|4)[a-z]{0,2}(?=['\"])", re.IGNORECASE)
_STRANGE = re.compile(r"[^\w.-]")
_HIDDEN = rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
_XML_TAG = re.compile(
    _HIDDEN + rb"|<(/?)(?:[^\s<>/:\"'=]*+:)?([^\s<>/:\"'=!?]++)(?>(?:[^<>\"'/]++|\"[^\"]*+\"|'[^']*+'|/(?!>))*)(/?)>", re.DOTALL
)
"""(end tag, local name, empty) of a tag. All three are empty for what is hidden."""


class XmlError(ValueError):
    """XML that is not read. The message says why."""


def is_xml(text: str, content_type: str | None = None) -> bool:
    """Return whether a page is XML.

    text: of the page, or its beginning.
    """
    kind = media_type(content_type)
    if kind in HTML_TYPES:
        return False
    before, root = _beginning(text)
    said = XML_TYPE.fullmatch(kind) is not None or before["declared"] is not None
    if "html" in (_local(root).lower(), (before["kind"] or "").lower()):
        return False
    if said or not root:
        return said
    prefix, colon, _ = root.partition(":")
    if colon:  # office programs write <o:p> into HTML, and declare nothing
        return before["kind"] is not None or f"xmlns:{prefix}" in text[before.end() :].partition(">")[0]
    return before["kind"] is not None or (root.lower() not in HTML_NAMES and "-" not in root)


def declares_xml(text: str, content_type: str | None = None) -> bool:
    """Return whether more than an unknown root says that a page is XML: its type, a declaration, a namespace."""
    before, root = _beginning(text)
    said = XML_TYPE.fullmatch(media_type(content_type)) is not None or before["declared"] is not None
    return said or before["kind"] is not None or ":" in root or "xmlns" in text[before.end() :].partition(">")[0]


def what(content: bytes, content_type: str | None = None) -> What:
    """Return what a file is by its first bytes; "" for one that begins neither like HTML nor like XML.

    content_type: if known.
    """
    text = _decoded(content[:LOOK_BYTES])
    before, written = _beginning(text)
    if not is_xml(text, content_type):
        return "html" if written.lower() in HTML_NAMES or (before["kind"] or "").lower() == "html" else ""
    root = _local(written)
    return "sitemap" if root in SITEMAPS else "feed" if root in FEEDS else "support" if root in SUPPORT else "xml"


def media_type(content_type: str | None) -> str:
    """Return ``text/xml`` for ``Text/XML; charset=utf-8``."""
    return (content_type or "").partition(";")[0].strip().lower()


def readable(content: bytes) -> bytes:
    """Return XML whose declaration does not give its true encoding as UTF-8: UTF-16 without a byte-order mark, and UTF-8 that calls itself
    UTF-16."""
    for start, encoding in ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be")):
        if content.startswith(start):
            content = content.decode(encoding, "replace").encode("utf-8", "replace")
    return _WIDE.sub(rb"\1utf-8", content, count=1) if content[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:5] == b"<?xml" else content


def tree(text: str) -> tuple[etree._Element, tuple[str, ...]]:
    """Return (root, what was lost on the way in words) of XML. Raises XmlError for what is refused or holds no element."""
    root, notices = as_written(text, instructions=False)
    _drop_prefixes(root)
    return root, notices


def as_written(text: str, *, instructions: bool = True) -> tuple[etree._Element, tuple[str, ...]]:
    """Return the same as `tree`, with namespaces, prefixes and all attributes as the page has them.

    instructions: with its processing instructions.
    """
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=True,
        remove_pis=not instructions,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(_INVALID.sub(" ", plain(text)).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise XmlError(f"the XML cannot be read: {error.msg}") from error
    if root is None:
        raise XmlError("the XML contains no elements")
    broken = next((entry for entry in parser.error_log if entry.level_name == "FATAL"), None)
    if broken is None:
        return root, ()
    return root, (f"the XML is broken in line {broken.line:,} ({_first_line(broken.message)}); it was read as far as possible",)


def plain(text: str) -> str:
    """Return XML without its declarations and with its entities inserted. Raises XmlError for entities made of entities, and if they add
    too much."""
    before = _preamble(text)
    rest = "\n" * text.count("\n", 0, before.end()) + text[before.end() :]  # a notice names the page's line
    if text[before.end() : before.end() + 9].upper() == "<!DOCTYPE":
        raise XmlError("its document type declaration is broken")
    entities = _entities(before["subset"] or "")
    left = MAX_GROWTH

    def written(match: re.Match[str]) -> str:
        nonlocal left
        name = match["name"]
        if name is None:
            return match[0].replace("&", "&amp;") if match["lone"] else match[0]
        if name in _KNOWN:
            return match[0]
        if _CHARACTER.fullmatch(name):
            return _check_reference(name)
        found = entities.get(name)
        if found is None:
            known = html5.get(f"{name};", "")
            return known.replace("&", "&amp;").replace("<", "&lt;") or f"&amp;{name};"
        left -= len(found)
        if left < 0:
            raise XmlError(f"its entities add more than {MAX_GROWTH:,} characters")
        return found

    return _MARK.sub(written, rest) if "&" in rest else rest


def _check_reference(name: str) -> str:
    """Return the reference to a character, or a space if XML cannot have the character. name: ``#160`` or ``#xA0``."""
    number = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return f"&{name};" if number <= 0x10FFFF and not _INVALID.match(chr(number)) else " "


def tags(content: bytes) -> bytes:
    """Return the tags of XML as a stream of HTML tags whose names differ in their first bytes. Anything else is left out.

    XML names are long, often share their beginning or have a prefix, and some have a meaning in HTML. So a hash stands for each name.
    """
    found = _XML_TAG.findall(readable(content))
    names = {name: b"x" + blake2b(name, digest_size=3).hexdigest().encode() for name in {row[1] for row in found} if name}
    pairs = {name: b"<%s></%s>" % (short, short) for name, short in names.items()}
    return b"".join(pairs[name] if empty and not end else b"<%s%s>" % (end, names[name]) for end, name, empty in found if name)


def _decoded(content: bytes) -> str:
    """Return the beginning of a file as text. Element names are ASCII or UTF-8 in nearly all files."""
    content = readable(content)
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _beginning(text: str) -> tuple[re.Match[str], str]:
    """Return (what stands before the root, the name of the root as written, or "" if there is none)."""
    before = _preamble(text)
    root = _ROOT.match(text, before.end())
    return before, root[1] if root else ""


def _preamble(text: str) -> re.Match[str]:
    """Return what stands before the root."""
    match = _BEFORE.match(text, 1 if text.startswith("\ufeff") else 0)
    if match is None:
        raise XmlError("its beginning cannot be read")
    return match


def _entities(subset: str) -> dict[str, str]:
    """Return {name: text} of the entities that a declaration gives as text."""
    found: dict[str, str] = {}
    for match in _ENTITY.finditer(subset):
        text = match["text"]
        if text[0] not in "\"'":
            continue
        inner = _INNER.search(text)
        if inner:
            raise XmlError(f"its entity “{match['name'][:40]}” is made of other entities; such pages are not read")
        found.setdefault(match["name"], _REFERENCE.sub(lambda each: _check_reference(each[1]) if len(each[1]) < 9 else " ", text[1:-1]))
        if len(found) > MAX_ENTITIES:
            raise XmlError(f"it declares more than {MAX_ENTITIES:,} entities")
    return found


def _first_line(message: str) -> str:
    return message.strip().partition("\n")[0][:100]


def _drop_prefixes(root: etree._Element) -> None:
    for element in root.iter(etree.Element):
        element.tag = _kept(str(element.tag))
        names = [str(name) for name in element.keys()]  # noqa: SIM118 - no mapping
        for name in names[MAX_ATTRIBUTES:]:
            del element.attrib[name]
        if any("}" in name or ":" in name for name in names):
            _rename_attributes(element)
    etree.cleanup_namespaces(root)


def _rename_attributes(element: etree._Element) -> None:
    rows = [(str(name), str(value)) for name, value in element.items()]
    taken = {name: 1 for name, _ in rows if "}" not in name and ":" not in name}
    element.attrib.clear()
    for name, value in rows:
        new = short = _kept(name)
        while new != name and new in taken:
            taken[short] = taken.get(short, 0) + 1
            new = f"{short}-{taken[short]}"
        taken.setdefault(new, 1)
        element.set(new, value)


def _kept(name: str) -> str:
    """Return a name without namespace and prefix. A name that is invalid without them begins with an underscore."""
    short = _local(name.rpartition("}")[2])
    return short if _ROOT.fullmatch(f"<{short}") else "_" + _STRANGE.sub("", short)


def _local(name: str) -> str:
    return name.rpartition(":")[2]
