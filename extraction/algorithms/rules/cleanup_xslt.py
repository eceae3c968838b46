"""Writes clean-up steps as XSLT, for a rule that runs elsewhere (docs/algorithms.md#clean-up).

Vertex itself runs the plain stylesheet and cleans its values in Python. The exported one wraps it: the plain values become a variable, and
each step is one pass over the values of an attribute. This needs EXSLT (node sets, strings and, for patterns, regular expressions), which
lxml has. What XSLT cannot do as Vertex does is left out from that step on, and the file says so.
"""

import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from extraction.algorithms.dom.xpath import quote
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.rules.xslt import REGEXP, write_attribute_text, write_stylesheet
from extraction.algorithms.values.cleanup.chain import NUMERIC_SIGNS, CleanupStep
from extraction.algorithms.values.cleanup.patterns import compile_pattern, is_portable

_BORDER = "\ufdd0"
"""Stands where a text is split. Unicode keeps it for such uses, and no step may hold it."""

_TEMPLATE, _END = '<xsl:template match="/">\n<record>\n', "</record>\n</xsl:template>\n</xsl:stylesheet>\n"

_TRIM = """<xsl:template name="trim-end">
<xsl:param name="text"/><xsl:param name="signs"/>
<xsl:choose>
<xsl:when test="$text != '' and contains($signs, substring($text, string-length($text)))">
<xsl:call-template name="trim-end">
<xsl:with-param name="text" select="substring($text, 1, string-length($text) - 1)"/><xsl:with-param name="signs" select="$signs"/>
</xsl:call-template>
</xsl:when>
<xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
</xsl:choose>
</xsl:template>
"""

_TIDY = """<xsl:variable name="tidy" select="normalize-space(translate($made, $spaces, $blanks))"/>
<xsl:if test="$tidy != ''"><value><xsl:value-of select="$tidy"/></value></xsl:if>
"""


@dataclass(frozen=True, slots=True)
class CleanedStylesheet:
    """A stylesheet that gives cleaned values.

    missing: what it does not do, a sentence for each attribute.
    regexp: whether it needs regular expressions.
    """

    text: str
    missing: tuple[str, ...] = ()
    regexp: bool = False


def write_cleaned_stylesheet(rule: RuleDefinition) -> CleanedStylesheet:
    """Return the stylesheet of a rule with its clean-up, as far as XSLT can express it."""
    plain = write_stylesheet(rule)
    if not any(each.cleanup for each in rule.every):
        return CleanedStylesheet(plain)
    steps = [step for each in rule.every for step in _list_steps(each)]
    head, body = plain.split(_TEMPLATE, 1)
    start, rest = head.split(">", 2)[0], head[len("".join(f"{part}>" for part in head.split(">", 2)[:2])) :]
    declaration = head.split(">", 2)[1].split(" exclude-result-prefixes")[0]
    if f'xmlns:re="{REGEXP}"' not in declaration:
        declaration += f' xmlns:re="{REGEXP}"'
    declaration += ' xmlns:str="http://exslt.org/strings" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="re str exsl"'
    members = body.removesuffix(_END)
    page = '<xsl:template match="/">\n<xsl:variable name="raw-page">\n' + members + "</xsl:variable>\n"
    given = '<xsl:variable name="raw" select="exsl:node-set($raw-page)"/>\n<record>\n'
    passes = "".join(_attribute(each, f"$raw/attribute[{n}]") for n, each in enumerate(rule.attributes, 1))
    passes += "".join(_list(rule, n) for n in range(len(rule.lists)))
    helpers = _TRIM if any(step.kind == "trim" for step in steps) else ""
    text = f"{start}>{declaration}>{rest}{_tables(steps)}{page}{given}{passes}</record>\n</xsl:template>\n{helpers}</xsl:stylesheet>\n"
    missing = tuple(sentence for each in rule.every if (sentence := explain_missing(each)))
    return CleanedStylesheet(text, missing, any(step.uses_pattern for step in steps))


def explain_missing(attribute: AttributeRule) -> str:
    """Return which steps of an attribute's chain its stylesheet does not have, and why; "" if it has all."""
    done = _list_steps(attribute)
    if len(done) == len(attribute.cleanup):
        return ""
    step, number = attribute.cleanup[len(done)], len(done) + 1
    last = "" if number == len(attribute.cleanup) else f" to {len(attribute.cleanup)}"
    steps = f"step{'s' if last else ''} {number}{last}"
    return (
        f"{attribute.name} lacks {steps} of its clean-up: the pattern “{step.text}” cannot be written so that XSLT runs it in the same way."
    )


def _list_steps(attribute: AttributeRule) -> tuple[CleanupStep, ...]:
    """Return the steps up to the first that XSLT cannot express."""
    for number, step in enumerate(attribute.cleanup):
        if step.uses_pattern and not is_portable(step.text):
            return attribute.cleanup[:number]
    return attribute.cleanup


def _list(rule: RuleDefinition, number: int) -> str:
    each = rule.lists[number]
    fields = "".join(_attribute(one, f"attribute[{n}]") for n, one in enumerate(each.attributes, 1))
    rows = f'<xsl:for-each select="$raw/list[{number + 1}]/row">\n<row>\n{fields}</row>\n</xsl:for-each>\n'
    return f"<list name={_name(each.name)}>\n{rows}</list>\n"


def _attribute(attribute: AttributeRule, place: str) -> str:
    """Return the attribute element with its values cleaned. place: an expression for the one with the plain values."""
    steps = _list_steps(attribute)
    passes = "".join(_pass(step, n, f"{place}/value" if n == 1 else f"$clean{n - 1}") for n, step in enumerate(steps, 1))
    last = f"$clean{len(steps)}" if steps else f"{place}/value"
    return f'<attribute name={_name(attribute.name)}>\n{passes}<xsl:copy-of select="{last}"/>\n</attribute>\n'


def _name(name: str) -> str:
    return write_attribute_text(name.replace("{", "{{").replace("}", "}}"))


def _pass(step: CleanupStep, number: int, values: str) -> str:
    """Return the variable with the values after a step. values: an expression for those before it."""
    if step.kind == "join":
        border = f'<xsl:if test="position() &gt; 1"><xsl:value-of select={write_attribute_text(quote(step.text))}/></xsl:if>'
        made = (
            f'<xsl:variable name="made"><xsl:for-each select="{values}">{border}<xsl:value-of select="."/></xsl:for-each></xsl:variable>\n'
        )
        body = made + _TIDY
    else:
        body = f'<xsl:for-each select="{values}">\n{_step(step)}</xsl:for-each>\n'
    stage = f'<xsl:variable name="stage{number}">\n{body}</xsl:variable>\n'
    return f'{stage}<xsl:variable name="clean{number}" select="exsl:node-set($stage{number})/value"/>\n'


def _step(step: CleanupStep) -> str:
    """Return what is done with one value, which is the context node."""
    pattern = quote(f"(?a:{step.text})")
    match step.kind:
        case "split":
            border = quote(_BORDER)
            text = f"re:replace(string(.), {pattern}, 'g', {border})"
            if not step.pattern:  # str:split alone does not tell capital letters from small ones
                text = f"str:replace(string(.), {quote(step.text)}, {border})"
            pieces = write_attribute_text(f"str:split({text}, {border})")
            return f"<xsl:for-each select={pieces}>\n{_make('string(.)')}</xsl:for-each>\n"
        case "part":
            return _make(f"string(re:match(string(.), {pattern})[{2 if compile_pattern(step.text).groups else 1}])")
        case "replace" if step.pattern:
            return _make(f"re:replace(string(.), {pattern}, 'g', {quote(step.by)})")
        case "replace":
            return _make(f"str:replace(string(.), {quote(step.text)}, {quote(step.by)})")
        case "map":
            return _map(step)
        case "trim":
            return _trim(step)
        case "unit":
            bare = f"translate(., concat($digits, {quote(NUMERIC_SIGNS)}), '') = '' and translate(., $digits, '') != string(.)"
            return _choose([(bare, f"concat(., {quote(f' {step.text}')})")], "string(.)")
        case _:
            one, other = ("$capitals", "$small") if step.kind == "lower" else ("$small", "$capitals")
            wide = f"exsl:node-set($wide-{step.kind})"
            return _make(f"str:replace(translate(., {one}-of-{step.kind}, {other}-of-{step.kind}), {wide}/from, {wide}/to)")


def _make(expression: str) -> str:
    return f'<xsl:variable name="made" select={write_attribute_text(expression)}/>\n{_TIDY}'


def _choose(cases: list[tuple[str, str]], otherwise: str) -> str:
    whens = "".join(
        f"<xsl:when test={write_attribute_text(test)}><xsl:value-of select={write_attribute_text(value)}/></xsl:when>\n"
        for test, value in cases
    )
    last = f"<xsl:otherwise><xsl:value-of select={write_attribute_text(otherwise)}/></xsl:otherwise>\n"
    return f'<xsl:variable name="made">\n<xsl:choose>\n{whens}{last}</xsl:choose>\n</xsl:variable>\n{_TIDY}'


def _map(step: CleanupStep) -> str:
    return _choose([(f". = {quote(old)}", quote(new)) for old, new in step.pairs], "string(.)" if step.keep else "''")


def _trim(step: CleanupStep) -> str:
    """Return the steps that take signs away: up to the first other character, then the last character again and again."""
    signs = write_attribute_text(quote(f"{step.text} "))
    first = f"substring(translate(., {quote(f'{step.text} ')}, ''), 1, 1)"
    return (
        f'<xsl:variable name="first" select={write_attribute_text(first)}/>\n'
        '<xsl:variable name="made">\n<xsl:if test="$first != \'\'">\n<xsl:call-template name="trim-end">\n'
        '<xsl:with-param name="text" select="concat($first, substring-after(., $first))"/>'
        f'<xsl:with-param name="signs" select={signs}/>\n</xsl:call-template>\n</xsl:if>\n</xsl:variable>\n{_TIDY}'
    )


def _tables(steps: list[CleanupStep]) -> str:
    """Return the variables with digits and letters that the steps need."""
    kinds, tables = {step.kind for step in steps}, []
    if "unit" in kinds:
        digits = "".join(each for each in _characters() if unicodedata.category(each) == "Nd")
        tables.append(f'<xsl:variable name="digits" select={write_attribute_text(quote(digits))}/>\n')
    for kind in ("lower", "upper"):
        if kind in kinds:
            tables.append(_case_table(kind))
    return "".join(tables)


@lru_cache(maxsize=2)
def _case_table(kind: str) -> str:
    """Return the variables for letters that become one letter, and for those that become several."""
    changed = [(each, each.lower() if kind == "lower" else each.upper()) for each in _characters()]
    pairs = [(old, new) for old, new in changed if old != new and len(new) == 1]
    wide = "".join(f"<from>{old}</from><to>{new}</to>" for old, new in changed if len(new) > 1)
    names = ("capitals", "small") if kind == "lower" else ("small", "capitals")
    texts = zip(names, ("".join(side) for side in zip(*pairs, strict=True)), strict=True)
    variables = "".join(f'<xsl:variable name="{name}-of-{kind}" select="\'{text}\'"/>\n' for name, text in texts)
    return f'{variables}<xsl:variable name="wide-{kind}">{wide}</xsl:variable>\n'


def _characters() -> Iterator[str]:
    return (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
