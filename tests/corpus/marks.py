"""Values marked in a page's text while it is written, and what an editor would click for them."""

import re
from dataclasses import dataclass, field

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.parse import parse

_MARK = re.compile("\ue000([a-z_]+)\ue001(.*?)\ue002", re.DOTALL)
"""A marked value: private-use characters around the attribute's name and the value, which no page holds otherwise."""

_CLICKABLE = "//body//text()[normalize-space() and not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::textarea)]"


def mark(attribute: str, value: str) -> str:
    """The value, marked as one of an attribute. A marked value fills its text node."""
    return f"\ue000{attribute}\ue001{value}\ue002"


def unmarked(text: str) -> str:
    """The text without its marks."""
    return _MARK.sub(r"\2", text)


@dataclass
class Truth:
    """The values of a site's pages, and the text nodes that an editor clicks to mark them.

    values: {attribute: {page: values}}. annotations: {attribute: {page: [{value, nth, of}]}}, where a value stands in the nth of `of`
    text nodes that hold the same text.
    """

    values: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    annotations: dict[str, dict[str, list[dict[str, object]]]] = field(default_factory=dict)

    def take(self, page: str, text: str) -> str:
        """Record the marks of a page and return the page without them."""
        nodes = [str(node) for node in parse(text.encode()).root.xpath(_CLICKABLE)]
        plain = [clean(unmarked(node)) for node in nodes]
        for number, node in enumerate(nodes):
            for attribute, value in _MARK.findall(node):
                wanted = clean(value)
                places = [n for n, other in enumerate(plain) if other == wanted]
                assert number in places, f"{page}: {value!r} does not fill its text node"
                entry: dict[str, object] = {"value": wanted, "nth": places.index(number), "of": len(places)}
                self.annotations.setdefault(attribute, {}).setdefault(page, []).append(entry)
                self.values.setdefault(attribute, {}).setdefault(page, []).append(wanted)
        return unmarked(text)
