"""An SVG file as a picture and nothing else: shapes, gradients, texts; no script, no link, no load, no endless copies. Pure.

A browser that shows an SVG file as a picture runs nothing in it. This is for the case that somebody opens it otherwise, and
against files of a few kilobytes that draw for hours: what multiplies (`use` in `use`, patterns, masks, filters) is not kept.
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


def inert(content: bytes) -> bytes | None:
    """The drawing, cleaned; None for what is no drawing or beyond reason."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, recover=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
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
    """The ids that a <use> may copy: of what copies nothing itself and is small."""
    small = 200
    found = set()
    for node in root.iter(etree.Element):
        inside = node.get("id") and [_local(each) for each in node.iter(etree.Element)]
        if inside and len(inside) <= small and not _COPIED & set(inside):
            found.add(f"#{node.get('id')}")
    return found


def _copy(node: etree._Element, uses: set[str], *, clipping: bool = False) -> etree._Element:
    """The element with what is allowed of it and in it. Recursive: depth is bounded."""
    made = etree.Element(f"{{{SVG}}}{_local(node)}", nsmap={None: SVG} if _local(node) == "svg" else None)
    for name, value in node.items():
        if (kept := _kept(name, value, clipping)) is not None:
            made.set(name, kept)
    if _local(node) == "use":
        made.set("href", _target(node))
    made.text = _style(node.text or "") if _local(node) == "style" else node.text
    for child in node.iterchildren():
        if not isinstance(child.tag, str):
            continue
        name = _local(child)
        if _namespace(child) in {SVG, ""} and (name in _NAMES or (name == "use" and not clipping and _target(child) in uses)):
            copied = _copy(child, uses, clipping=clipping or name == "clipPath")
            copied.tail = child.tail if _local(node) in {"text", "tspan"} else None
            made.append(copied)
    return made


def _kept(name: str, value: str, clipping: bool) -> str | None:
    if name == "style":
        cleaned = stylesheets.declarations(value, _here)
        return _MULTIPLIES.sub("v-dropped", cleaned)
    if name not in _ATTRIBUTES or (clipping and name == "clip-path"):
        return None
    return value if not _REFERS.search(value) or _CALL.fullmatch(value) else None


def _style(text: str) -> str:
    return _MULTIPLIES.sub("v-dropped", stylesheets.sheet(text, _here))


def _here(address: str, _kind: ResourceKind) -> str | None:
    return address if _LOCAL.fullmatch(address) else None


def _target(node: etree._Element) -> str:
    return (node.get("href") or node.get("{http://www.w3.org/1999/xlink}href") or "").strip()


def _local(node: etree._Element) -> str:
    return etree.QName(node).localname


def _namespace(node: etree._Element) -> str:
    return etree.QName(node).namespace or ""
