"""Makes an SVG file inert: it keeps shapes, gradients and texts, but no scripts, links, loads or endless copies. Pure.

A browser that shows an SVG file as a picture runs nothing in it. This module protects people who open the file in another way. It also
stops files of a few kilobytes that take hours to draw: everything that multiplies (`use` in `use`, patterns, masks, filters) is removed.
"""

import re

from lxml import etree

from extraction.algorithms.dom.references import ResourceKind
from extraction.display import stylesheets
from extraction.display.vocabulary import SHAPE_ATTRIBUTES, SHAPES

SVG = "http://www.w3.org/2000/svg"

MAX_NODES = 20_000
MAX_DEPTH = 100

_LOCAL = re.compile(r"#[\w.-]+")
_NAMES = SHAPES | {"linearGradient", "radialGradient", "stop", "clipPath", "style", "symbol"}
_COPIED = frozenset({"use"})
_ATTRIBUTES = frozenset(SHAPE_ATTRIBUTES.values()) | frozenset(
    """
    version offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod fx fy fr clip-path clipPathUnits display
    visibility font-family font-weight font-style letter-spacing stroke-dasharray stroke-dashoffset stroke-miterlimit color
    paint-order dominant-baseline text-decoration textLength vector-effect
    """.split()  # noqa: SIM905
)
_REFERS = re.compile(r"\(")
_CALL = re.compile(
    r"(?:(?:translate|scale|rotate|matrix|skewX|skewY|rgba?|hsla?)\([\d\s.,%eE+-]*\)|url\(\s*['\"]?#[\w.-]+['\"]?\s*\)|[^()])*"
)
_MULTIPLIES = re.compile(r"(?:clip-path|mask|filter)(?=\s*:)", re.IGNORECASE)


def make_drawing_inert(content: bytes) -> bytes | None:
    """Return the cleaned drawing; None if it is not a drawing, if it is too large or too deep, or if it cannot be written as XML."""
    try:
        return _clean(content)
    except (etree.LxmlError, ValueError):
        return None


def _clean(content: bytes) -> bytes | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, recover=True)
    root = etree.fromstring(content, parser)
    if root is None or _local(root) != "svg" or _beyond_reason(root):
        return None
    uses = _plain_copies(root)
    return etree.tostring(_copy(root, uses), encoding="utf-8", xml_declaration=True)


def _beyond_reason(root: etree._Element) -> bool:
    nodes = depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        nodes += event == "start"
        depth += 1 if event == "start" else -1
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            return True
    return False


def _plain_copies(root: etree._Element) -> set[str]:
    """Return the ids that a <use> may copy: those of small elements that do not contain a <use> themselves."""
    small = 200
    found = set()
    for node in root.iter(etree.Element):
        inside = node.get("id") and [_local(each) for each in node.iter(etree.Element)]
        if inside and len(inside) <= small and not _COPIED & set(inside):
            found.add(f"#{node.get('id')}")
    return found


def _copy(node: etree._Element, uses: set[str], *, clipping: bool = False) -> etree._Element:
    """Return a copy of an element with its allowed attributes and children. Recursive; the depth is limited."""
    made = etree.Element(f"{{{SVG}}}{_local(node)}", nsmap={None: SVG} if _local(node) == "svg" else None)
    for name, value in node.items():
        if (kept := _clean_attribute(name, value, clipping)) is not None:
            made.set(name, kept)
    if _local(node) == "use":
        made.set("href", _find_target(node))
    made.text = _style(node.text or "") if _local(node) == "style" else node.text
    for child in node.iterchildren():
        if not isinstance(child.tag, str):
            continue
        name = _local(child)
        if _namespace(child) in {SVG, ""} and (name in _NAMES or (name == "use" and not clipping and _find_target(child) in uses)):
            copied = _copy(child, uses, clipping=clipping or name == "clipPath")
            copied.tail = child.tail if _local(node) in {"text", "tspan"} else None
            made.append(copied)
    return made


def _clean_attribute(name: str, value: str, clipping: bool) -> str | None:
    if name == "style":
        cleaned = stylesheets.clean_declarations(value, _keep_local)
        return _MULTIPLIES.sub("v-dropped", cleaned)
    if name not in _ATTRIBUTES or (clipping and name == "clip-path"):
        return None
    return value if not _REFERS.search(value) or _CALL.fullmatch(value) else None


def _style(text: str) -> str:
    return _MULTIPLIES.sub("v-dropped", stylesheets.clean_sheet(text, _keep_local))


def _keep_local(address: str, _kind: ResourceKind) -> str | None:
    return address if _LOCAL.fullmatch(address) else None


def _find_target(node: etree._Element) -> str:
    return (node.get("href") or node.get("{http://www.w3.org/1999/xlink}href") or "").strip()


def _local(node: etree._Element) -> str:
    """Return the name without its namespace. A prefix without a namespace stays: such an element is none of a drawing's."""
    return str(node.tag).rpartition("}")[2]


def _namespace(node: etree._Element) -> str:
    return str(node.tag).rpartition("}")[0].removeprefix("{")
