r"""An XPath 1.0 expression as a frozen value: checked when it is made, quoted safely, evaluated into places.

Expressions come from the learner and from people. So two kinds are refused before anything runs: expressions that select no nodes (a
number, a test), and those that could take unbounded time, since libxml2 cannot be interrupted. Comparing text in XPath has to agree with
`nodes.clean`. XPath's normalize-space knows four white space characters and Python's ``\s`` some twenty more, so these are translated first
(`cleaned`), and characters that are not seen are dropped.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lxml import etree

from extraction.algorithms.dom.nodes import HIDDEN, Location, clean, locate, whole_text
from extraction.algorithms.dom.xpath_rewriting import rewrite_xpath
from extraction.algorithms.errors import XPathError

SPACES = "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space for Python that is none for XPath, without control characters, which no stylesheet can hold."""

MAX_LENGTH = 4_000
"""Longest expression accepted. The longest that the learner writes has some 1,500 characters."""

MAX_WIDE_STEPS = 6
"""The largest number of steps along axes of unbounded reach (``//``, following, preceding, ancestor …) in one expression."""

MAX_WIDE_NESTING = 1
"""Deepest predicate that may itself search the whole page. Each level multiplies the cost by the size of the page."""

FAR_TOO_LONG = 300
"""More characters than any label has, even one with a line of non-breaking spaces in it."""

_WIDE = r"//|\b(?:descendant|descendant-or-self|following|preceding)\s*::"
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|\[|\]|(?P<wide>" + _WIDE + ")")
_CLEANED_START = "normalize-space(translate("
_CLEANED_END = f", '{SPACES}{HIDDEN}', '{' ' * len(SPACES)}'))"
_LONG_CLASS = re.compile(r"""contains\(concat\(' ', normalize-space\(@class\), ' '\), (?P<quote>["']) (?P<name>[^"']+) (?P=quote)\)""")
_SHORT_CLASS = re.compile(r"""(?<![\w:.-])has-class\(\s*(?P<quote>["'])(?P<name>[^"']+)(?P=quote)\s*\)""")
_SHORT_CLEAN = re.compile(r"""(?:"[^"]*"|'[^']*')|(?<![\w:.-])(?P<call>clean\()""")
_PARENTHESIS = re.compile(r""""[^"]*"|'[^']*'|[()]""")
_OF, _STRING = r"(?P<of>[^()]*(?:\(\)[^()]*)*)", r"""\"[^\"]*\"|'[^']*'"""
_GUARD = re.compile(rf"string-length\(normalize-space\({_OF}\)\) < {FAR_TOO_LONG} and (?=clean\((?P=of)\))")
_EQUAL = rf"clean\((?P=of)\) = (?P<text>{_STRING})|starts-with\(clean\((?P=of)\), (?P<stem>{_STRING})\)"
_HINT = re.compile(rf"contains\({_OF}, (?P<hint>{_STRING})\) and (?P<test>{_EQUAL})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_CALL = re.compile(r"(?<![\w.-])([\w.-]++(?::[\w.-]++)?)\s*+\(")
_PREFIX = re.compile(r"(?<![\w:.-])([A-Za-z_][\w.-]*):(?!:)[A-Za-z_*]")
_VARIABLE = re.compile(r"\$\s*[\w.:-]*")
_OPERATORS = frozenset({"and", "or", "div", "mod"})

_FUNCTION_NAMES = (
    "last position count id local-name namespace-uri name string concat starts-with contains substring-before substring-after "
    "substring string-length normalize-space translate boolean not true false lang number sum floor ceiling round "
    "text node comment processing-instruction"
)
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
"""The functions and node tests of XPath 1.0."""

_TINY = etree.fromstring("<html><body><p>text</p></body></html>")


@dataclass(frozen=True, slots=True)
class XPath:
    """A valid XPath 1.0 expression that selects nodes. Raises XPathError, with the reason, for any other text."""

    text: str

    def __post_init__(self) -> None:
        _check(self.text)

    def select(self, root: etree._Element) -> list[Any]:
        """Return the selected elements and (smart) strings of text and attribute nodes, in document order."""
        return _evaluate(self.text, root)

    def places(self, root: etree._Element, index: dict[etree._Element, int]) -> list[tuple[Location, str]]:
        """Return (place, cleaned value) of each selected node, without comments.

        index: {element: its place in `elements(root)`}.
        """
        return located(self.select(root), index)


def located(items: Iterable[Any], index: dict[etree._Element, int]) -> list[tuple[Location, str]]:
    """Return (place, cleaned value) of each item of an XPath's result, without comments."""
    found = []
    for item in items:
        location = locate(item, index)
        if location is not None:
            found.append((location, clean(whole_text(item) if isinstance(item, etree._Element) else str(item))))
    return found


def quote(text: str) -> str:
    """Return the text as an XPath string, even if it holds both kinds of quotes."""
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    parts = [f'"{part}"' if "'" in part else f"'{part}'" for part in re.split(r"(\"+)", text) if part]
    return f"concat({', '.join(parts)})"


def cleaned(expression: str) -> str:
    """Return an expression for the string value of `expression` as `nodes.clean` returns it."""
    return f"{_CLEANED_START}{expression}{_CLEANED_END}"


def same_text(expression: str, text: str) -> str:
    """Return the condition that an expression's cleaned string value equals a text, which is no longer than a label.

    Searching for a word is several times faster than normalize-space, and translate compares each character with each of `SPACES`. So most
    nodes are rejected by the text's longest word, and whole columns of a layout by their length.
    """
    long = f"string-length(normalize-space({expression})) < {FAR_TOO_LONG}"
    return f"{has_word(expression, text)} and {long} and {cleaned(expression)} = {quote(text)}"


def has_word(expression: str, text: str) -> str:
    """Return the condition that an expression's string value contains a text's longest word. It quickly rejects nodes that cannot have the
    text."""
    return f"contains({expression}, {quote(max(text.split(' '), key=len))})"


def step(tag: str) -> str:
    """Return a step to elements of a tag. HTML allows names that XPath does not (``<o:p>``); those are compared as text."""
    return tag if _NAME.fullmatch(tag) else f"*[name() = {quote(tag)}]"


def self_test(tag: str) -> str:
    """Return the condition that an element has a tag."""
    return f"self::{tag}" if _NAME.fullmatch(tag) else f"name() = {quote(tag)}"


def name_test(name: str, value: str) -> str:
    """Return the condition that an element has an attribute of this value, or this class among its classes."""
    if name == "class":
        return f"contains(concat(' ', normalize-space(@class), ' '), {quote(f' {value} ')})"
    attribute = f"@{name}" if _NAME.fullmatch(name) else f"@*[name() = {quote(name)}]"
    return f"{attribute} = {quote(value)}"


def shorten(text: str) -> str:
    """Return an expression as a person reads it: ``clean(…)`` for what `cleaned` writes, ``has-class("…")`` for a class's `name_test`."""
    while (end := text.find(_CLEANED_END)) >= 0:
        start = text.rfind(_CLEANED_START, 0, end)
        if start < 0:
            break
        text = f"{text[:start]}clean({text[start + len(_CLEANED_START) : end]}){text[end + len(_CLEANED_END) :]}"
    text = _HINT.sub(_without_hint, _GUARD.sub("", text))
    return _LONG_CLASS.sub(r"has-class(\g<quote>\g<name>\g<quote>)", text)


def _without_hint(match: re.Match[str]) -> str:
    """Return a condition on a text without the quick test that `has_word` put before it. Conditions that a person wrote stay."""
    return match["test"] if match["hint"][1:-1] in (match["text"] or match["stem"])[1:-1] else match[0]


def expand(text: str) -> str:
    """Return the XPath 1.0 of an expression that `shorten` or a person wrote. Everything but the two short forms stays as it is."""
    text = _SHORT_CLASS.sub(lambda match: name_test("class", match["name"]), text)
    for match in reversed(list(_SHORT_CLEAN.finditer(text))):
        if match["call"]:
            end = _closing(text, match.end())
            if end is not None:
                text = f"{text[: match.start()]}{cleaned(text[match.end() : end])}{text[end + 1 :]}"
    return text


def unknown_name(text: str) -> str:
    """Return in words what is wrong if the expression uses a function, prefix or variable that XPath 1.0 does not have, else "".

    libxml2 reports such a name only when it evaluates it on some page. Some names are valid in a stylesheet but not in XPath alone.
    """
    bare = blanked(text)
    for match in _CALL.finditer(bare):
        if match[1] not in _FUNCTIONS and match[1] not in _OPERATORS:
            return f"“{match[1]}” at character {match.start() + 1} is not a function of XPath 1.0."
    prefix = _PREFIX.search(bare)
    if prefix:
        return f"The prefix “{prefix[1]}:” at character {prefix.start() + 1} has no meaning on an HTML page; leave it out."
    variable = _VARIABLE.search(bare)
    return f"“{variable[0]}” at character {variable.start() + 1} is a variable, and rules have no variables." if variable else ""


def blanked(text: str) -> str:
    """Return the expression with its quoted parts blanked, so that positions stay the same."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


def _closing(text: str, start: int) -> int | None:
    """Return the position of the ")" that closes the parenthesis open at `start`, or None. Strings are skipped."""
    depth = 1
    for match in _PARENTHESIS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return None


@lru_cache(maxsize=4096)
def _compile(text: str) -> etree.XPath:
    try:
        etree.XPath(text, regexp=False)
        return etree.XPath(rewrite_xpath(text), regexp=False)
    except etree.XPathSyntaxError as error:
        raise XPathError(f"“{_short(text)}” is not valid XPath: {error}") from error


def _evaluate(text: str, root: etree._Element) -> list[Any]:
    try:
        result = _compile(text)(root)
    except etree.XPathError as error:
        raise XPathError(f"“{_short(text)}” cannot be evaluated: {error}") from error
    if not isinstance(result, list):
        raise XPathError(f"“{_short(text)}” gives {_kind(result)}; it must select elements, texts or attributes")
    return result


@lru_cache(maxsize=4096)
def _check(text: str) -> None:
    if not text.strip():
        raise XPathError("the XPath is empty")
    if len(text) > MAX_LENGTH:
        raise XPathError(f"the XPath has {len(text):,} characters; at most {MAX_LENGTH:,} are allowed")
    steps, nesting = _reach(text)
    if steps > MAX_WIDE_STEPS or nesting > MAX_WIDE_NESTING:
        raise XPathError(
            f"“{_short(text)}” could run too long on a large page: it searches the whole page in {steps} steps, "
            f"{nesting} levels of conditions deep; at most {MAX_WIDE_STEPS} steps and {MAX_WIDE_NESTING} level are allowed"
        )
    _evaluate(text, _TINY)
    unknown = unknown_name(text)
    if unknown:
        raise XPathError(unknown)


def _reach(text: str) -> tuple[int, int]:
    """Return (number of steps that can reach the whole page, how many predicates deep the innermost of them is)."""
    steps = nesting = depth = 0
    for match in _TOKEN.finditer(text):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if match["wide"]:
            steps += 1
            nesting = max(nesting, depth)
    return steps, nesting


def _kind(result: object) -> str:
    return "yes or no" if isinstance(result, bool) else "a number" if isinstance(result, float) else "a string"


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"
