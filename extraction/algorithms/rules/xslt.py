"""Writes a rule as one XSLT 1.0 stylesheet (docs/algorithms.md#rule-learning). This is the only module that builds etree.XSLT.

The stylesheet is a plain file. Other processors can run it too, unless a part of a text needs an EXSLT regular expression. It writes ::

    <record><attribute name="title"><value>…</value></attribute>…</record>

with an attribute element for each attribute of the rule, empty if the page has no value. Values are cleaned as by `nodes.clean`. A list
comes after them as ``<list name="offers"><row><attribute …>…</row>…</list>``, a row for each that has a value. lxml's default lets a
stylesheet read files and addresses (``document('file:///…')``) and write files; here all access is denied and every instruction that asks
for it is refused before anything runs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from extraction.algorithms.dom.nodes import HIDDEN
from extraction.algorithms.dom.rows import leaves_row
from extraction.algorithms.dom.whole_text import BLOCKS, SILENT
from extraction.algorithms.dom.xpath import SPACES, quote
from extraction.algorithms.dom.xpath_cost import Reach, find_largest_reach
from extraction.algorithms.dom.xpath_rewriting import split_union
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.shared import ALONE, PREFIX, Shared, find_shared_steps

XSL = "http://www.w3.org/1999/XSL/Transform"
REGEXP = "http://exslt.org/regular-expressions"

ALLOWED = frozenset(
    (
        "stylesheet",
        "transform",
        "output",
        "variable",
        "template",
        "for-each",
        "if",
        "choose",
        "when",
        "otherwise",
        "value-of",
        "copy-of",
        "text",
        "param",
    )
)
"""Instructions that a rule's stylesheet may contain. No include or import (they read files), no message, no recursion."""

MAX_STYLESHEET_BYTES = 1_000_000
"""Largest stylesheet accepted; a rule of a hundred attributes has some 100 kB."""

_LITERALS = frozenset({"record", "attribute", "value", "list", "row"})

_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="{XSL}"{{regexp}}>
<xsl:output method="xml" encoding="UTF-8" indent="no"/>
<!-- White space that XPath does not know as such, and as many spaces to put in its place; then characters that go. -->
<xsl:variable name="spaces" select="'{"".join(f"&#{ord(c)};" for c in SPACES + HIDDEN)}'"/>
<xsl:variable name="blanks" select="'{" " * len(SPACES)}'"/>
<!-- Elements before and after which there is a blank, and elements without text that is seen. -->
<xsl:variable name="blocks" select="' {" ".join(sorted(BLOCKS))} '"/>
<xsl:variable name="silent" select="' {" ".join(sorted(SILENT))} '"/>
{{shared}}<xsl:template match="/">
<record>
"""
_USED = re.compile(r"\$([\w.-]+)")

_BOUND = """<xsl:variable name="place" select="position()"/>
<xsl:variable name="parent" select=".."/>
<xsl:variable name="next" select="$rows[$place + 1][count(.. | $parent) = 1]"/>
<!-- How many nodes come after the row's last one under the same parent: those of the next row and after, that row included. -->
<xsl:variable name="left" select="count($next/following-sibling::node()) + count($next)"/>
"""
"""Where a row of siblings ends."""

_IN_ROW = "$left &lt;= count(ancestor-or-self::node()[count(.. | $parent) = 1][1]/following-sibling::node()) and "

_IS_BLOCK, _IS_SILENT = "contains($blocks, concat(' ', name(), ' '))", "contains($silent, concat(' ', name(), ' '))"
_BESIDE = "-sibling::node()[1][self::text()][normalize-space()]"
_TEXTS = f"""<xsl:for-each select="descendant::node()[count(ancestor-or-self::*[{_IS_SILENT}]) = $above]">
<xsl:if test="self::*[{_IS_BLOCK}] or preceding-sibling::node()[1]/descendant-or-self::*[{_IS_BLOCK}]"><xsl:text> </xsl:text></xsl:if>
<xsl:if test="self::text()"><xsl:value-of select="."/></xsl:if>
<xsl:if test="self::img[preceding{_BESIDE} and following{_BESIDE}]"><xsl:value-of select="@alt"/></xsl:if>
</xsl:for-each>
"""
_WHOLE = f"""<xsl:variable name="whole">
<xsl:choose>
<xsl:when test="*">
<xsl:variable name="above" select="count(ancestor-or-self::*[{_IS_SILENT}])"/>
{_TEXTS}</xsl:when>
<xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
</xsl:choose>
</xsl:variable>
"""
"""The text of a whole element, as `dom.whole_text` reads it."""

_NO_ELEMENT = re.compile(r"/(?:text\(\)|@[^/\[\]]+)(?:\[[^\[\]]*\])*\s*$")
"""The end of an XPath that selects texts or attributes."""

_FOOT = "</record>\n</xsl:template>\n</xsl:stylesheet>\n"


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """A compiled stylesheet, made by `compile`. Several threads may use it.

    scans_siblings: whether it may walk over all siblings of each node.
    reach: that of its most expensive expression.
    """

    text: str
    transform: etree.XSLT
    scans_siblings: bool
    reach: Reach

    @property
    def may_be_slow(self) -> bool:
        """Whether the time it takes depends on more than the number of the page's nodes."""
        return self.scans_siblings or self.reach != Reach()

    @property
    def is_list(self) -> bool:
        """Whether it gives a list and no attribute of the page itself, as some of those do that `split_stylesheet` makes."""
        return "<list " in self.text

    @classmethod
    def compile(cls, text: str) -> "Stylesheet":
        """Return the stylesheet ready to run. Raises RuleError if it is not the stylesheet of a rule or asks for access."""
        if len(text) > MAX_STYLESHEET_BYTES:
            raise RuleError(f"the stylesheet has {len(text):,} characters; at most {MAX_STYLESHEET_BYTES:,} are allowed")
        try:
            tree = _read(text)
        except etree.XMLSyntaxError as error:
            raise RuleError(f"the stylesheet is not well-formed: {error.msg}") from error
        _refuse_access(tree)
        try:
            transform = etree.XSLT(tree, access_control=etree.XSLTAccessControl.DENY_ALL)
            return cls(text, transform, scans_siblings(text), _find_reach(text))
        except etree.XSLTParseError as error:
            raise RuleError(f"the stylesheet cannot be compiled: {error}") from error


def _read(text: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    return etree.fromstring(text.encode(), parser)


@lru_cache(maxsize=32)
def split_stylesheet(text: str) -> tuple[tuple[str, Stylesheet], ...]:
    """Return (name, a stylesheet of it alone) for each of the page's own attributes and each list of a rule's stylesheet."""
    names = [str(element.get("name")).replace("{{", "{").replace("}}", "}") for element in _members(etree.fromstring(text.encode()))]
    return tuple((name, Stylesheet.compile(_only(text, number))) for number, name in enumerate(names))


def _only(text: str, number: int) -> str:
    tree = etree.fromstring(text.encode())
    for place, element in enumerate(_members(tree)):
        parent = element.getparent()
        if place != number and parent is not None:
            parent.remove(element)
    used = {name for element in tree.iter() for name in _USED.findall(str(element.get("select") or ""))}
    for variable in tree.findall(f"{{{XSL}}}variable"):
        if str(variable.get("name")).startswith(PREFIX) and variable.get("name") not in used:
            tree.remove(variable)  # it would be evaluated nevertheless, and it may be what fails
    return etree.tostring(tree, encoding="unicode")


def _members(tree: etree._Element) -> list[etree._Element]:
    return [element for record in tree.iter("record") for element in record if element.tag in ("attribute", "list")]


def scans_siblings(text: str) -> bool:
    """Return whether an expression goes along siblings. Even the nearest text may be far, behind many elements and comments."""
    return "-sibling::" in text.replace(_TEXTS, "")


def _find_reach(text: str) -> Reach:
    """Return the reach of the most expensive expression. Reading the text of a whole element is left out: its time grows with the number
    of nodes and their depth alone."""
    rest = _read(text.replace(_TEXTS, ""))
    return find_largest_reach(map(str, rest.xpath("//@select | //@test")))


def write_stylesheet(rule: RuleDefinition) -> str:
    """Return the text of the rule's stylesheet. Equal rules give equal texts."""
    regexp = any(s.part and s.part.needs_regexp for attribute in rule.every for s in attribute.alternatives)
    namespaces = f' xmlns:re="{REGEXP}" exclude-result-prefixes="re"' if regexp else ""
    known = find_shared_steps([selector.xpath for attribute in rule.attributes for selector in attribute.alternatives])
    names = reversed(known.variables)  # shorter ones first: longer ones may begin with them
    variables = "".join(f'<xsl:variable name="{name}" select={write_attribute_text(step)}/>\n' for step, name in names)
    head = _HEAD.format(regexp=namespaces, shared=variables)
    return head + "".join(_attribute(each, known) for each in rule.attributes) + "".join(map(_list, rule.lists)) + _FOOT


def _list(each: ListRule) -> str:
    """Return a list element with a row element for each row that has a value."""
    name = quoteattr(each.name.replace("{", "{{").replace("}", "}}"))
    fields = "".join(_attribute(attribute, bounded=each.leaves_rows) for attribute in each.attributes)
    row = (
        f'{_BOUND if each.leaves_rows else ""}<xsl:variable name="row">\n{fields}</xsl:variable>\n'
        '<xsl:if test="string($row) != \'\'"><row><xsl:copy-of select="$row"/></row></xsl:if>\n'
    )
    rows = f'<xsl:variable name="rows" select={write_attribute_text(_first_of([s.xpath for s in each.rows]))}/>\n'
    return f'<list name={name}>\n{rows}<xsl:for-each select="$rows">\n{row}</xsl:for-each>\n</list>\n'


def _first_of(xpaths: Sequence[str]) -> str:
    """Return one expression for what the first XPath with any node selects, because XSLT 1.0 cannot choose between node sets."""
    parts, before = [], list[str]()
    for xpath in xpaths:
        parts.append(f"({xpath})[not({' | '.join(before)})]" if before else xpath)
        before.append(xpath)
    return " | ".join(parts)


def _attribute(attribute: AttributeRule, known: Shared = ALONE, *, bounded: bool = False) -> str:
    """Return an attribute element with the values of its first alternative that has any. known: the beginnings that have a variable."""
    values = [_values(selector, known, bounded=bounded and leaves_row(selector.xpath)) for selector in attribute.alternatives]
    if len(values) < 2:
        body = "".join(values)
    else:
        tries = "".join(f'<xsl:variable name="try{n}">\n{value}</xsl:variable>\n' for n, value in enumerate(values, 1))
        whens = "".join(
            f'<xsl:when test="string($try{n}) != \'\'"><xsl:copy-of select="$try{n}"/></xsl:when>\n' for n in range(1, len(values) + 1)
        )
        body = f"{tries}<xsl:choose>\n{whens}</xsl:choose>\n"
    name = quoteattr(attribute.name.replace("{", "{{").replace("}", "}}"))  # XSLT would evaluate braces
    return f"<attribute name={name}>\n{body}</attribute>\n"


def _values(selector: Selector, known: Shared, *, bounded: bool) -> str:
    """Return a value element for each node that the XPath selects and that has the part. bounded: take only those before the next row."""
    whole = not all(map(_NO_ELEMENT.search, split_union(selector.xpath)))
    steps = [f"normalize-space(translate({'$whole' if whole else '.'}, $spaces, $blanks))", *_part_steps(selector.part)]
    lines = [_WHOLE] if whole else []
    lines += [f'<xsl:variable name="text{n}" select={write_attribute_text(step)}/>\n' for n, step in enumerate(steps)]
    last = f"$text{len(steps) - 1}"
    value = f'<value><xsl:value-of select="{last}"/></value>'
    if selector.part and selector.part.separator:
        items = f"re:match({last}, {quote(selector.part.item)}, 'g')"
        value = f'<xsl:for-each select={write_attribute_text(items)}><value><xsl:value-of select="."/></value></xsl:for-each>'
    lines.append(f"<xsl:if test=\"{_IN_ROW if bounded else ''}{last} != ''\">{value}</xsl:if>\n")
    return f"<xsl:for-each select={write_attribute_text(known.rewritten(selector.xpath))}>\n{''.join(lines)}</xsl:for-each>\n"


def _part_steps(part: TextPart | None) -> list[str]:
    """Return expressions that cut out the part, each from the result of the previous one: $text0, $text1 …"""
    if part is None:
        return []
    if part.pattern:
        return [f"normalize-space(re:match($text0, {quote(part.pattern)})[2])"]
    steps: list[str] = []
    if part.prefix:
        steps.append(f"substring-after($text{len(steps)}, {quote(part.prefix)})")
    if part.suffix:
        steps.append(f"substring-before($text{len(steps)}, {quote(part.suffix)})")
    return [*steps, f"normalize-space($text{len(steps)})"]


def write_attribute_text(expression: str) -> str:
    """Return an expression as a quoted XML attribute. Characters beyond ASCII that look like others are written as numbers."""
    text = escape(expression, {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"} | {c: f"&#{ord(c)};" for c in SPACES})
    return f'"{text}"'


def _refuse_access(tree: etree._Element) -> None:
    """Raise RuleError for instructions, functions or extensions that a rule does not need."""
    for element in tree.iter():
        if not isinstance(element.tag, str):
            raise RuleError("the stylesheet holds an entity or a processing instruction")
        strange = set(element.nsmap.values()) - {XSL, REGEXP}
        if strange:
            raise RuleError(f"the stylesheet uses {sorted(strange)[0]}, which a rule may not")
        name = etree.QName(element)
        if name.namespace == XSL and name.localname in ALLOWED:
            continue
        if name.namespace is None and name.localname in _LITERALS:
            continue
        raise RuleError(f"the stylesheet holds <{name.localname}>, which a rule may not use")
