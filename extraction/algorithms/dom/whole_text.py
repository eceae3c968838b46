"""The text of a whole element, as a person reads it: the value of a marked element (docs/algorithms.md#reading-a-page).

XPath's string value puts all texts of an element together. So an address of two lines becomes one word at the line's end, and a script in
the element becomes text. Here,

- a blank stands where a block begins, and after an element that is a block or holds one (`BLOCKS`; ``br`` and ``hr`` are among them);
- what is in `SILENT` elements below the element gives nothing;
- the alternative text of a picture counts where the picture stands between two texts.

The stylesheet of a rule does the same in XSLT (`rules.xslt`). The source of this module is copied into exported rules, so it imports
nothing of Vertex. No recursion; time is linear in the nodes.
"""

from collections.abc import Iterator

from lxml import etree

BLOCKS = frozenset(
    """address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1
    h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section select summary table tbody td textarea
    tfoot th thead tr ul""".split()  # noqa: SIM905
)
"""Elements of HTML that stand on lines, or in cells, of their own."""

SILENT = frozenset({"script", "style", "noscript", "template"})
"""Elements whose text is not seen."""

_XPATH_SPACE = " \t\r\n"


def whole_text(element: etree._Element) -> str:
    """Return the text of an element with that of all its descendants, uncleaned and without comments."""
    parts = [element.text or ""]
    if len(element) == 0:
        return parts[0]
    open_elements: list[tuple[etree._Element, Iterator[etree._Element]]] = [(element, iter(element))]
    holds = [False]
    while open_elements:
        node = next(open_elements[-1][1], None)
        if node is None:
            closed, held = open_elements.pop()[0], holds.pop()
            if open_elements:
                _close(closed, held or closed.tag in BLOCKS, parts, holds)
        elif not isinstance(node.tag, str):  # a comment
            parts.append(node.tail or "")
        elif node.tag in SILENT:
            _close(node, next(node.iter(*BLOCKS), None) is not None, parts, holds)
        else:
            parts.append((" " if node.tag in BLOCKS else "") + (node.text or _read_picture(node)))
            open_elements.append((node, iter(node)))
            holds.append(False)
    return "".join(parts)


def _close(closed: etree._Element, spaced: bool, parts: list[str], holds: list[bool]) -> None:
    """Add what follows an element. spaced: whether a blank comes first."""
    holds[-1] |= spaced
    parts.append((" " if spaced else "") + (closed.tail or ""))


def _read_picture(node: etree._Element) -> str:
    """Return the alternative text of a picture between two texts, "" for any other element."""
    if node.tag != "img" or not node.get("alt"):
        return ""
    before, above = node.getprevious(), node.getparent()
    text = before.tail if before is not None else above.text if above is not None else ""
    return (node.get("alt") or "") if (text or "").strip(_XPATH_SPACE) and (node.tail or "").strip(_XPATH_SPACE) else ""
