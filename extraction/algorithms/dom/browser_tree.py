"""A page as a browser builds it, as an lxml tree: for the pages of which lxml's own parser loses or misplaces text.

libxml2 reads nearly all pages as a browser does, apart from details that do no harm. It stops at an early ``</html>``, though, leaves out
what is nested too deep, and does not let a ``<dd>`` end the one before it. turbohtml builds the tree of the HTML standard
(https://html.spec.whatwg.org#parsing). A page is read by it if libxml2's tree lacks any of the characters in turbohtml's, or if one of the
elements in `_ENDED_BY_LIKE` stands within its like. So the reading depends on the page's text alone.

The tree is written as libxml2 would write it, so that one rule fits pages of both readings. Elements that no tag of the page began (a
``tbody``, an empty ``head``) are left out, and names are in lower case, in drawings too.
Cost: comparing takes half of the time of libxml2's parse; building a tree here takes some five times as long as libxml2 does.
"""

import re
from collections.abc import Iterator

import numpy as np
import turbohtml
from lxml import etree
from numpy.typing import NDArray

MAX_LEVELS = 512
"""The largest number of levels of nested elements in a browser's tree. Chromium, and turbohtml after it, put deeper elements beside each
other."""

MAX_OPEN = 500
"""A page with more unclosed ``<b>``, ``<font>`` … than this is not read as a browser reads it. Each paragraph would repeat all of them,
so the time and the memory would grow with the square of the page."""

_IMPLIED = frozenset({"tbody", "colgroup", "tr"})
_IMPLIED_EMPTY = frozenset({"head", "p"})
_REPEATED = "a b big code em font i nobr s small strike strong tt u"
_NAMES = "|".join(_REPEATED.split())
_OPENING = re.compile(rf"<(?=[abcefhinstu/])(?:/?html|/?body|template|{_NAMES})(?=[\s/>])")
_REPEATING = re.compile(rf"<(?=[abcefhinstu/])(?:(/?html|/?body|template|{_NAMES})|/(?:template|{_NAMES}))(?=[\s/>])")
_NOT_IN_TREE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BAD_NAME = re.compile(r"[&<>\"'/\x00-\x20\x7f-\x9f\u2028\u2029\ufffe\uffff]")
_MAY_NEST = re.compile(r"<(?=[dorb!])(dd|dt|option|rt|rp|button|!\[CDATA\[)(?=[\s/>\[])", re.IGNORECASE)
# To ask for the parent first is quick, and settles nearly all pages.
_ENDED_BY_LIKE = {
    "dd": "/descendant::dd[not(parent::dl)][ancestor::*[self::dl or self::dd or self::dt][1][self::dd or self::dt]]",
    "dt": "/descendant::dt[not(parent::dl)][ancestor::*[self::dl or self::dd or self::dt][1][self::dd or self::dt]]",
    "option": "/descendant::option[ancestor::option]",
    "rt": "/descendant::rt[not(parent::ruby)][ancestor::*[self::ruby or self::rt or self::rp][1][self::rt or self::rp]]",
    "rp": "/descendant::rp[not(parent::ruby)][ancestor::*[self::ruby or self::rt or self::rp][1][self::rt or self::rp]]",
    "button": "/descendant::button[ancestor::button]",
    "![cdata[": "(/descendant::svg | /descendant::math)/descendant::comment()[starts-with(., '[CDATA[')]",
}
_NESTED = {name: etree.XPath(f"boolean({xpath})") for name, xpath in _ENDED_BY_LIKE.items()}
_UNCOUNTED = bytes(range(33))
_ALL_TEXT = etree.XPath("string()", smart_strings=False)


def differs_from_browser(root: etree._Element | None, text: str) -> bool:
    """Return whether libxml2's tree of a page lacks characters that a browser shows, or nests what a browser does not.

    Not for a page that `has_many_unclosed`.
    root: libxml2's tree, None if it built none.
    text: the page, as it was parsed.
    """
    if root is None:
        return bool(_count_characters(turbohtml.parse(text, positions=False).text).any())
    begun = {name.lower() for name in _MAY_NEST.findall(text)}
    if any(_NESTED[name](root) for name in sorted(begun)):
        return True
    ours, theirs = str(_ALL_TEXT(root)), turbohtml.parse(text, positions=False).text
    if _drop_blanks(ours) == _drop_blanks(theirs):
        return False
    return bool((_count_characters(theirs) > _count_characters(ours)).any())


def has_many_unclosed(text: str) -> bool:
    """Return whether more than MAX_OPEN of those elements are open at once that a browser opens again in each paragraph."""
    if text.count("<") <= MAX_OPEN or len(_OPENING.findall(lower := text.lower())) <= MAX_OPEN:
        return False  # so few tags open anything
    depth = 0
    for opening in _REPEATING.findall(lower):
        depth = depth + 1 if opening else max(0, depth - 1)
        if depth > MAX_OPEN:
            return True
    return False


def build_tree(text: str) -> tuple[etree._Element | None, bool]:
    """Return (the root of the page's tree, or None for a page without any content; whether elements were nested too deep)."""
    document = turbohtml.parse(text, source_locations=True)
    top = next((node for node in document.children if isinstance(node, turbohtml.Element)), None)
    if top is None:
        return None, False
    root = etree.HTMLParser(encoding="utf-8").makeelement("html")
    _set_attributes(root, top)
    return root, _copy_nodes(top, root) > MAX_LEVELS


def _copy_nodes(top: turbohtml.Element, root: etree._Element) -> int:
    """Copy the nodes below an element and return how many levels they have. No recursion."""
    stack: list[tuple[etree._Element, Iterator[turbohtml.Node]]] = [(root, iter(top.children))]
    levels = 1
    while stack:
        levels = max(levels, len(stack))
        parent, nodes = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
        elif isinstance(node, turbohtml.Element):
            below = list(node.children)
            implied = node.source_location is None and not node.attrs and node.tag in (_IMPLIED if below else _IMPLIED_EMPTY)
            stack.append((parent if implied else _add(parent, node), iter(below)))
        elif isinstance(node, turbohtml.DocumentFragment):  # what a <template> holds
            stack.append((parent, iter(node.children)))
        elif isinstance(node, turbohtml.Comment):
            parent.append(etree.Comment(_NOT_IN_TREE.sub(_replacement, node.data).replace("--", "- -").rstrip("-")))
        elif isinstance(node, turbohtml.Text):
            _add_text(parent, _NOT_IN_TREE.sub(_replacement, node.data))
    return levels


def _replacement(match: re.Match[str]) -> str:
    return " " if match[0] < " " else "\ufffd"


def _add(parent: etree._Element, node: turbohtml.Element) -> etree._Element:
    added = etree.SubElement(parent, _BAD_NAME.sub("_", node.tag.lower()))
    _set_attributes(added, node)
    return added


def _set_attributes(element: etree._Element, node: turbohtml.Element) -> None:
    for name, value in node.attrs.items():
        text = " ".join(value) if isinstance(value, list) else value or ""
        key = _BAD_NAME.sub("", name.lower())
        if key:
            element.set(key, _NOT_IN_TREE.sub(_replacement, text))


def _add_text(parent: etree._Element, text: str) -> None:
    last = next(parent.iterchildren(reversed=True), None)  # asking for the number of children would count them
    if last is None:
        parent.text = (parent.text or "") + text
    else:
        last.tail = (last.tail or "") + text


def _drop_blanks(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(None, delete=_UNCOUNTED)


def _count_characters(text: str) -> NDArray[np.int64]:
    """Return how often each character of the Basic Multilingual Plane occurs, the others by their last 16 bits; 0 for blanks and U+FFFD."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) & 0xFFFF
    counts = np.bincount(codes, minlength=0x10000)
    counts[: len(_UNCOUNTED)] = 0
    counts[[0xA0, 0xFFFD]] = 0
    return counts
