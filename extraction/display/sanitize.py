"""Makes a page safe to show to an editor: the same tree, but inert. Pure: no Django.

The page is not trusted, and a click in the browser must name a place in Vertex's own tree (docs/algorithms.md#reading-a-page). A browser's
HTML parser would build a different tree: it adds tbody, moves misnested elements and merges texts. So the page is written as XHTML, from
which an XML parser builds exactly the same tree. Every element has its index in `elements(root)` as ``data-v``. Every text node remains
one text node, because a comment or hidden element that separates two of them is replaced by a placeholder. Characters are replaced one
for one, so offsets stay the same.

Nothing that could load, run, submit or navigate is written. Elements and attributes must be on a list (`vocabulary`), styles are cleaned
(`stylesheets`), and images become boxes with their alternative text. The addresses of links and images are kept in ``data-v-href`` and
``data-v-src``, which have no meaning for a browser, so that hovering can show the value. Stylesheets, pictures and fonts that Vertex has
stored get the addresses that the caller gives them (`stylesheets.Address`).

The cost is one pass without recursion, linear in what is shown.
"""

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote, unquote_to_bytes

from lxml import etree

from extraction.algorithms.dom import media, references
from extraction.algorithms.dom.nodes import is_xml
from extraction.algorithms.dom.references import ResourceKind
from extraction.display import stylesheets, xml_tree
from extraction.display.inert import (
    ALL_IN_TREE,
    MAX_CHARS,
    MAX_DEPTH,
    MAX_ELEMENTS,
    READ_IN_TREE,
    XHTML,
    InertPage,
    escape_text,
    escape_value,
)
from extraction.display.stylesheets import Address
from extraction.display.vocabulary import ATTRIBUTES, GONE, RASTER, SHAPE_ATTRIBUTES, SHAPES, get_shown_tag

SVG = "http://www.w3.org/2000/svg"

MAX_ATTRIBUTE_CHARS = 300_000
"""The largest number of characters of style attributes that are cleaned for a page. They take two seconds; plain ones need no cleaning."""

_TYPED = frozenset({"ol", "ul", "li", "v-input", "v-button"})
_BACKED = frozenset({"body", "table", "tr", "td", "th"})
_CALLS = re.compile(r"(?<!translate)(?<!scale)(?<!rotate)(?<!matrix)(?<!rgb)(?<!rgba)\(", re.IGNORECASE)


def sanitize_page(root: etree._Element, address: Address = stylesheets.refuse_address, *, lost: Sequence[str] = ()) -> InertPage:
    """Return the inert form of a tree. Never raises, whatever the page contains.

    address: returns the address of Vertex's copy of a file that the page loads.
    lost: what was lost when the page was read, in words (`ParsedPage.notices`); the notice begins with it.
    """
    page = xml_tree.write_tree(root) if is_xml(root) else _Writer(root, address).page()
    sentences = [f"{each[:1].upper()}{each[1:]}." for each in lost]
    if not sentences:
        return page
    # The tree does not have what was never read, so the notice must not say that it has everything.
    return replace(page, notice=" ".join([*sentences, page.notice.replace(ALL_IN_TREE, READ_IN_TREE)]).strip())


class _Writer:
    """One pass over the tree.

    parts: the output.
    open: the open elements, each as (name, whether it is in an SVG drawing).
    """

    def __init__(self, root: etree._Element, address: Address) -> None:
        self.root = root
        self.address = address
        self.styled = False
        self.parts: list[str] = []
        self.open: list[tuple[str, bool]] = []
        self.index = -1
        self.shown = 0
        self.chars_left = MAX_CHARS
        self.style_left = stylesheets.MAX_CHARS
        self.hidden_deep = 0
        self.attribute_chars_left = MAX_ATTRIBUTE_CHARS
        self.pictures = media.PictureBudget()
        self.pictures_left_out = 0

    def page(self) -> InertPage:
        whole = self._walk()
        self.parts.extend(f"</{name}>" for name, _ in reversed(self.open))
        if self.root.tag == "html":
            opening, content = self.parts[0], "".join(self.parts[1:-1])
        else:
            opening, content = f'<html xmlns="{XHTML}">', f"<body>{''.join(self.parts)}</body>"
        return InertPage(opening, content, self.shown, self._notice(whole), self.styled)

    def _walk(self) -> bool:
        walker = etree.iterwalk(self.root, events=("start", "end", "comment", "pi"))
        for event, node in walker:
            if event == "start":
                if self.shown >= MAX_ELEMENTS or self.chars_left <= 0:
                    return False
                if not self._start(node):
                    walker.skip_subtree()
                    self.index += sum(1 for _ in node.iter(etree.Element)) - 1
            elif event == "end":
                self._end()
                self._tail(node)
            else:
                self.parts.append("<!---->")
                self._tail(node)
        return True

    def _clean_style(self, written: str) -> str:
        """Return the cleaned content of a style attribute; "" once those of the page have used up what is read."""
        if stylesheets.is_plain(written):
            return written
        if self.attribute_chars_left <= 0:
            self.attribute_chars_left = -1
            return ""
        self.attribute_chars_left = max(0, self.attribute_chars_left - len(written[:200_000]))
        return stylesheets.clean_declarations(written, self.address)

    def _can_show(self, address: str) -> bool:
        """Return whether the picture in a data URL can be shown. 250 KB can hold a picture that takes a browser more than a gigabyte."""
        head, _, data = address.partition(",")
        try:
            content = base64.b64decode(unquote_to_bytes(data)) if head.lower().rstrip().endswith(";base64") else unquote_to_bytes(data)
            if media.examine(content, ResourceKind.IMAGE) == media.SVG:
                return False
        except (ValueError, media.MediaError):
            return False
        if not self.pictures.take(content):
            self.pictures_left_out += 1
            return False
        return True

    def _start(self, node: etree._Element) -> bool:
        """Write a start tag. Return False if the content of the element is not shown."""
        self.index += 1
        self.shown += 1
        tag = str(node.tag)
        if tag == "link" and (sheet := self._sheet(node)):
            return self._hollow("link", sheet)
        if _shows_nothing(node, tag):
            return self._hollow("v-gone")
        if len(self.open) >= MAX_DEPTH:
            self.hidden_deep += 1
            return self._hollow("v-deep")
        inside = bool(self.open) and self.open[-1][1]
        drawing = inside or tag == "svg"
        name = get_shown_tag(tag, SHAPES) if drawing else get_shown_tag(tag)
        space = f' xmlns="{XHTML}"' if not self.open else f' xmlns="{SVG}"' if drawing and not inside else ""
        self.open.append((name, drawing))
        attributes = _shape_attributes(node) if drawing else _attributes(node, name, self.address, self._clean_style, self._can_show)
        self.parts.append(f'<{name}{space} data-v="{self.index}"{"".join(attributes)}>')
        if name == "style":
            self._style(node.text or "")
        elif node.text:
            self._text(node.text)
        return True

    def _hollow(self, name: str, attributes: str = "") -> bool:
        self.open.append((name, bool(self.open) and self.open[-1][1]))
        self.parts.append(f'<{name} data-v="{self.index}" hidden=""{attributes}>')
        return False

    def _sheet(self, link: etree._Element) -> str:
        """Return the attributes of a link to a stored stylesheet; empty for any other link."""
        written = references.sheet_address(link)
        ours = self.address(written, ResourceKind.STYLE) if written and not self.open[-1][1] else None
        if not ours:
            return ""
        self.styled = True
        return f' rel="stylesheet" href="{escape_value(ours)}" media="{escape_value(references.sheet_media(link)[:200])}"'

    def _end(self) -> None:
        self.parts.append(f"</{self.open.pop()[0]}>")

    def _tail(self, node: etree._Element) -> None:
        if node.tail and node is not self.root:
            self._text(node.tail)

    def _text(self, text: str) -> None:
        self.parts.append(escape_text(text[: max(1, self.chars_left)]))
        self.chars_left -= len(text)

    def _style(self, text: str) -> None:
        if len(text) <= self.style_left:
            self.style_left -= len(text)
            self.styled = True
            self.parts.append(escape_text(stylesheets.clean_sheet(text, self.address)))

    def _notice(self, whole: bool) -> str:
        if not whole:
            total = sum(1 for _ in self.root.iter(etree.Element))
            return f"The rest of this page is not shown ({self.shown:,} of {total:,} elements are). {ALL_IN_TREE}"
        if self.hidden_deep:
            return f"Elements nested deeper than {MAX_DEPTH} levels are not shown. {ALL_IN_TREE}"
        if self.attribute_chars_left < 0:
            return f"Only the first {MAX_ATTRIBUTE_CHARS:,} characters of style attributes are shown. {ALL_IN_TREE}"
        if self.pictures_left_out:
            return f"{self.pictures_left_out:,} pictures in the page itself are not shown, because all together have too many pixels."
        return ""


def _shows_nothing(node: etree._Element, tag: str) -> bool:
    """Return whether an element shows nothing, such as a script, a style that is not CSS or an empty meta.

    Elements with children are shown, because the parser closes an <embed> only at the end of its parent and puts all that follows inside.
    """
    if tag == "style":
        return (node.get("type") or "text/css").strip().lower() != "text/css"
    return tag in GONE and not len(node) and (tag == "script" or not node.text)


def _attributes(
    node: etree._Element, name: str, address: Address, clean_style: Callable[[str], str], can_show: Callable[[str], bool]
) -> Iterator[str]:
    for attribute, value in node.items():
        if attribute in ATTRIBUTES:
            yield f' {attribute}="{escape_value(value)}"'
        elif attribute == "type" and name in _TYPED:
            yield f' type="{escape_value(value[:20])}"'
        elif attribute == "href" and name == "a":
            yield f' data-v-href="{escape_value(value[:500])}"'
    if style := _style_of(node, name, address, clean_style):
        yield f' style="{escape_value(style)}"'
    if name == "img":
        yield from _image(node, address, can_show)
    elif name == "details":
        yield ' open=""'  # the inert page cannot open it, and the editor may want a value inside
    elif name == "v-input" and (node.get("type") or "").lower() == "hidden":
        yield ' hidden=""'
    elif name in {"v-input", "v-button"} and node.get("value") and (node.get("type") or "").lower() != "password":
        yield f' data-v-value="{escape_value((node.get("value") or "")[:500])}"'
    elif name == "v-input" and node.get("placeholder"):
        yield f' data-v-placeholder="{escape_value((node.get("placeholder") or "")[:100])}"'
    elif name == "v-template" and (node.get("shadowrootmode") or node.get("shadowroot")):
        yield ' data-v-shadow=""'  # the content of a web component, shown where the component would show it


def _style_of(node: etree._Element, name: str, address: Address, clean_style: Callable[[str], str]) -> str:
    """Return the style attribute, with the background picture or poster of other attributes added as styles."""
    written = node.get("style")
    style = clean_style(written) if written is not None else ""
    behind = node.get("poster") if name == "v-video" else node.get("background") if name in _BACKED else None
    ours = address(behind, ResourceKind.IMAGE) if behind else None
    if not ours:
        return style
    if name != "v-video":
        return f'background-image:url("{ours}");{style}'
    width, height = _length(node.get("width"), 300), _length(node.get("height"), 150)
    return f'width:{width}px;height:{height}px;background:url("{ours}") center/contain no-repeat;{style}'


def _shape_attributes(node: etree._Element) -> Iterator[str]:
    seen = set()
    for attribute, value in node.items():
        name = SHAPE_ATTRIBUTES.get(attribute.lower())
        if name and name not in seen and not _CALLS.search(value):
            seen.add(name)
            yield f' {name}="{escape_value(value)}"'


def _image(node: etree._Element, address: Address, can_show: Callable[[str], bool]) -> Iterator[str]:
    """Yield the attributes of an image. Embedded and stored images are shown; any other becomes a box with its alternative text."""
    written = references.picture_addresses(node)
    if written and written[0].lower().startswith(RASTER) and can_show(written[0]):
        yield f' src="{escape_value(written[0])}"'
        return
    source = (node.get("src") or "").strip()
    ours = next((found for each in written if (found := address(each, ResourceKind.IMAGE))), None)
    if ours:
        yield f' data-v-src="{escape_value(source[:500])}" src="{escape_value(ours)}"'
    else:
        yield f' data-v-src="{escape_value(source[:500])}" data-v-box="" src="{escape_value(_box(node))}"'


def _box(node: etree._Element) -> str:
    width, height = _length(node.get("width"), 160), _length(node.get("height"), 100)
    text = escape_text((node.get("alt") or "image")[:80])
    drawing = (
        f'<svg xmlns="{SVG}" width="{width}" height="{height}"><rect width="100%" height="100%" fill="#8792a61f" stroke="#8792a673"/>'
        f'<text x="6" y="{min(18, height - 2)}" font-family="system-ui, sans-serif" font-size="11" fill="#6b7689">{text}</text></svg>'
    )
    return "data:image/svg+xml," + quote(drawing)


def _length(text: str | None, default: int) -> int:
    found = re.match(r"\s*(\d{1,4})\s*(px)?\s*$", text or "")
    return max(1, min(int(found[1]), 2000)) if found else default
