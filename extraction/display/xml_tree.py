"""An XML page as an editor sees it: its elements and texts as an indented tree that can be clicked like any page. Pure.

XML elements have no meaning for a browser, so each is written under a name of Vertex's (`x-price` for `price`), with its index as
``data-v`` and its real name in an attribute that the style shows. Each text stays one text node, as on HTML pages (`sanitize`). Each
attribute becomes an empty element before the texts. It has no text node of its own, so the texts keep their numbers.

The cost is one pass, linear in what is shown.
"""

import re
from collections.abc import Iterator

from lxml import etree

from extraction.algorithms.dom.nodes import clean, texts
from extraction.display.inert import ALL_IN_TREE, MAX_CHARS, MAX_DEPTH, MAX_ELEMENTS, XHTML, InertPage, escape_text, escape_value

MAX_ATTRIBUTES = 40
"""The largest number of attributes shown of an element. The tree panel has all of them."""

MAX_VALUE = 500
"""The largest number of characters shown of an attribute's value. Marking it takes the whole value."""

OPENING = f'<html xmlns="{XHTML}" data-v-xml="">'


def write_tree(root: etree._Element) -> InertPage:
    """Return the inert form of an XML page. Never raises, whatever the page contains."""
    return _Writer(root).page()


class _Writer:
    """One pass over the tree. parts: the output. open: the names of the open elements."""

    def __init__(self, root: etree._Element) -> None:
        self.root = root
        self.parts: list[str] = []
        self.open: list[str] = []
        self.index = -1
        self.shown = 0
        self.chars_left = MAX_CHARS
        self.hidden_deep = 0

    def page(self) -> InertPage:
        whole = self._walk()
        self.parts.extend(f"</{name}>" for name in reversed(self.open))
        return InertPage(OPENING, f"<body>{''.join(self.parts)}</body>", self.shown, self._notice(whole), xml=True)

    def _walk(self) -> bool:
        walker = etree.iterwalk(self.root, events=("start", "end", "comment"))
        for event, node in walker:
            if event == "start":
                if self.shown >= MAX_ELEMENTS or self.chars_left <= 0:
                    return False
                if not self._start(node):
                    walker.skip_subtree()
                    self.index += sum(1 for _ in node.iter(etree.Element)) - 1
                continue
            self.parts.append(f"</{self.open.pop()}>" if event == "end" else "<!---->")
            if node.tail and node is not self.root:
                self._text(node.tail)
        return True

    def _start(self, node: etree._Element) -> bool:
        """Write a start tag. Return False if the content of the element is not shown."""
        self.index += 1
        self.shown += 1
        if len(self.open) >= MAX_DEPTH:
            self.hidden_deep += 1
            self.open.append("v-deep")
            self.parts.append(f'<v-deep data-v="{self.index}" hidden="">')
            return False
        name = _shown_as(str(node.tag))
        self.open.append(name)
        self.parts.append(f'<{name} data-v="{self.index}" data-v-name="{escape_value(str(node.tag))}"{_shape(node)}>')
        self.parts.extend(_attributes(node))
        if node.text:
            self._text(node.text)
        return True

    def _text(self, text: str) -> None:
        self.parts.append(escape_text(text[: max(1, self.chars_left)]))
        self.chars_left -= len(text)

    def _notice(self, whole: bool) -> str:
        if not whole:
            total = sum(1 for _ in self.root.iter(etree.Element))
            return f"The rest of this page is not shown ({self.shown:,} of {total:,} elements are). {ALL_IN_TREE}"
        return f"Elements nested deeper than {MAX_DEPTH} levels are not shown. {ALL_IN_TREE}" if self.hidden_deep else ""


def _shown_as(tag: str) -> str:
    return "x-" + (re.sub(r"[^a-z0-9]+", "-", tag.lower()).strip("-") or "x")[:60]


def _shape(node: etree._Element) -> str:
    """Return the attribute that tells the style how to lay out an element.

    An element without child elements stays on its line. An element with texts between its children is shown as running text.
    """
    if next(node.iterchildren(etree.Element), None) is None:
        return ' data-v-leaf=""'
    return ' data-v-mixed=""' if any(clean(text) for text in texts(node)) else ""


def _attributes(node: etree._Element) -> Iterator[str]:
    for name, value in node.items()[:MAX_ATTRIBUTES]:
        yield f'<v-attr data-v-key="{escape_value(str(name))}" data-v-text="{escape_value(str(value)[:MAX_VALUE])}"></v-attr>'
