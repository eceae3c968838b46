"""Rules that are made to read files, to run code or never to end: XPaths, stylesheets, patterns, chains of clean-up and bundles."""

from collections.abc import Iterator
from dataclasses import dataclass

XSL = "http://www.w3.org/1999/XSL/Transform"


@dataclass(frozen=True, slots=True)
class BadXPath:
    """An XPath. refused: a part of the reason for which it is refused when it is typed; empty if it is valid and runs within limits."""

    text: str
    refused: str = ""


NO_FUNCTION, NO_PREFIX, NO_VARIABLE, TOO_LONG = (
    "is not a function of XPath 1.0",
    "has no meaning on an HTML page",
    "is a variable",
    "could run too long",
)

XPATHS = (
    BadXPath("document('file:///etc/passwd')//text()", "cannot be evaluated"),
    BadXPath("//p[document('http://127.0.0.1/')]", "cannot be evaluated"),
    BadXPath("//p[unparsed-text('/etc/passwd')]", "cannot be evaluated"),
    BadXPath("//p[system-property('xsl:vendor')]", "cannot be evaluated"),
    BadXPath("//p[doc('/etc/passwd')]", "cannot be evaluated"),
    BadXPath("//p[key('a', 'b')]", "cannot be evaluated"),
    BadXPath("//p[current()]", "cannot be evaluated"),
    BadXPath("//p[re:test(., 'a')]", "cannot be evaluated"),
    BadXPath("//p[php:function('system', 'id')]", "cannot be evaluated"),
    BadXPath("//p[dyn:evaluate('//p')]", "cannot be evaluated"),
    BadXPath("//p[str:padding(99999999)]", "cannot be evaluated"),
    BadXPath("//x:p", "cannot be evaluated"),
    BadXPath("//p[$a]", "cannot be evaluated"),
    BadXPath("//p[", "is not valid XPath"),
    BadXPath("//p]", "is not valid XPath"),
    BadXPath("//p[']", "is not valid XPath"),
    BadXPath("", "is empty"),
    BadXPath("   ", "is empty"),
    BadXPath("1 + 1", "a number"),
    BadXPath("'a'", "a string"),
    BadXPath("1 = 1", "yes or no"),
    BadXPath("count(//p)", "a number"),
    BadXPath("//p" + "[1]" * 4_000, "characters"),
    BadXPath("(" * 500 + "//p" + ")" * 500, "?"),
    BadXPath("//*[//*[//*]]", TOO_LONG),
    BadXPath("//*//*//*//*//*"),
    BadXPath("//a[//b[//c[//d]]]", TOO_LONG),
    BadXPath("//*[count(//*[count(//*) > 1]) > 1]", TOO_LONG),
    BadXPath("//*[following::*[following::*]]", TOO_LONG),
    BadXPath("//*[preceding::*[contains(., 'a')][following::*]]", TOO_LONG),
    BadXPath("//*[contains(., string(//*[contains(., 'a')]))]"),
    BadXPath("//p[count(../node()[count(../node()[count(../node()) > 1]) > 1]) > 1]"),
    BadXPath("//p[preceding-sibling::*[following-sibling::*[preceding-sibling::*[following-sibling::*]]]]"),
    BadXPath("//p[.. = //p]"),
    BadXPath("//*[string-length(normalize-space(concat(., ., ., ., ., ., ., .))) > 1]"),
    BadXPath("//p | //p | //p | //p | //p | //p | //p | //p", TOO_LONG),
    BadXPath("//@*[. = //@*]"),
    BadXPath("//node()/ancestor::node()/descendant::node()/ancestor::node()"),
    BadXPath("//p[position() = last()][position() = last()][last()]"),
    BadXPath("//p[translate(., 'abcdefghijklmnopqrstuvwxyz', '') = '']"),
    BadXPath("//p[substring(., 0, 1 div 0)]"),
    BadXPath("//p[number('1e999') > -1 div 0]"),
    BadXPath("//p[" + " or ".join(f". = '{n}'" for n in range(300)) + "]"),
    BadXPath("//comment() | //processing-instruction()"),
    BadXPath("/.. | /../.."),
)


@dataclass(frozen=True, slots=True)
class BadStylesheet:
    """A piece of a stylesheet. It is refused when it is compiled, or gives nothing when it runs."""

    name: str
    attributes: str = ""
    inside: str = ""


STYLESHEETS = (
    BadStylesheet("includes a file", inside='<xsl:include href="file:///etc/passwd"/>'),
    BadStylesheet("imports an address", inside='<xsl:import href="http://127.0.0.1/x.xsl"/>'),
    BadStylesheet("calls itself", inside='<xsl:template name="w"><xsl:call-template name="w"/></xsl:template>'),
    BadStylesheet("applies itself", inside='<xsl:template match="*"><xsl:apply-templates select="."/></xsl:template>'),
    BadStylesheet("prints messages", inside='<xsl:template name="w"><xsl:message>x</xsl:message></xsl:template>'),
    BadStylesheet("ends the process", inside='<xsl:template name="w"><xsl:message terminate="yes">x</xsl:message></xsl:template>'),
    BadStylesheet(
        "writes a file",
        'xmlns:exsl="http://exslt.org/common" extension-element-prefixes="exsl"',
        '<xsl:template name="w"><exsl:document href="/tmp/x">x</exsl:document></xsl:template>',
    ),
    BadStylesheet(
        "writes a file by Saxon",
        'xmlns:saxon="http://icl.com/saxon" extension-element-prefixes="saxon"',
        '<xsl:template name="w"><saxon:output href="/tmp/x">x</saxon:output></xsl:template>',
    ),
    BadStylesheet(
        "evaluates texts",
        'xmlns:dyn="http://exslt.org/dynamic"',
        '<xsl:template name="w"><xsl:value-of select="dyn:evaluate(\'//p\')"/></xsl:template>',
    ),
    BadStylesheet(
        "runs Java", 'xmlns:rt="http://xml.apache.org/xalan/java/java.lang.Runtime"', '<xsl:variable name="w" select="rt:getRuntime()"/>'
    ),
    BadStylesheet("runs a script", 'xmlns:ms="urn:schemas-microsoft-com:xslt"', "<ms:script>x</ms:script>"),
    BadStylesheet("runs PHP", 'xmlns:php="http://php.net/xsl"', "<xsl:variable name=\"w\" select=\"php:function('system', 'id')\"/>"),
    BadStylesheet("runs Python", 'xmlns:py="http://codespeak.net/lxml/xslt"', "<py:run/>"),
    BadStylesheet("has functions of its own", 'xmlns:func="http://exslt.org/functions"', '<func:function name="func:f"/>'),
    BadStylesheet("knows a key", inside='<xsl:key name="k" match="*" use="//*"/>'),
    BadStylesheet("strips spaces", inside='<xsl:strip-space elements="*"/>'),
    BadStylesheet("has elements of HTML", inside='<xsl:template name="w"><script/></xsl:template>'),
    BadStylesheet("has a processing instruction", inside="<?xml-stylesheet href='file:///etc/passwd'?>"),
    BadStylesheet("names a namespace", inside='<xsl:namespace-alias stylesheet-prefix="xsl" result-prefix="xsl"/>'),
    BadStylesheet("sets attributes", inside='<xsl:attribute-set name="a"><xsl:attribute name="b">c</xsl:attribute></xsl:attribute-set>'),
    BadStylesheet("formats numbers", inside='<xsl:decimal-format name="a"/>'),
)

BACKTRACKING = (
    "(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}", "([a-zA-Z]+)*$", "(x+x+)+y", "^(a?){25}a{25}$", "(\\w+\\s?)*$", "(a*)*b", "((a*)*)*c", "(?:a?){200}b",
    "(\\w{1,30}){1,8}z", "(.*)(.*)(.*)(.*)(.*)x", "[ab]*a[ab]{12}z", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:(?:(?:a?)?)?)?b", "\\pL+\\pN+\\pL+$", "(?i)(ss|ß)+k",
)  # fmt: skip
"""Patterns that keep Python's own engine busy for years, or others for long."""

UNRUNNABLE = (
    "",
    "(",
    "[",
    "a{1001}",
    "(a{1000}){1000}",
    "(?=a)",
    "(?<=a)b",
    "(a)\\1",
    "(?P<n>a)(?P=n)",
    "a**",
    "\\",
    "(?R)",
    "x" * 501,
    "\ud800",
    "(?{code})",
)
"""Patterns that RE2 refuses."""


def make_bundles() -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of files that are no bundles."""
    yield from {
        "nothing": b"", "no JSON": b"{", "a number": b"1", "a list": b"[]", "null": b"null", "deep": b"[" * 100_000, "deep objects": b'{"a":' * 50_000,
        "another kind": b'{"kind": "x"}', "another format": b'{"kind": "vertex-bundle", "format": 99}', "a format of letters": b'{"kind": "vertex-bundle", "format": {}}',
        "no content": b'{"kind": "vertex-bundle", "format": 1}', "a wrong digest": b'{"kind": "vertex-bundle", "format": 1, "digest": "0", "content": {}}',
        "NaN": b'{"kind": "vertex-bundle", "format": NaN}', "a huge number": b'{"kind": "vertex-bundle", "format": ' + b"9" * 5_000 + b"}",
        "bytes": bytes(range(256)), "utf-16": '{"kind": "vertex-bundle"}'.encode("utf-16"), "half a pair": b'{"kind": "\\ud800"}', "keys twice": b'{"kind": "vertex-bundle", "kind": 1}',
    }.items()  # fmt: skip
