"""A page's styles without anything that loads from elsewhere, runs or covers the page. Pure.

tinycss2 reads the styles as a browser does (escapes, comments, strings), so nothing hides from a search for words. What
an address becomes is the caller's word (`Address`): one of ours, or None for what is not held; then it loads nothing.
The frame's policy forbids every other load anyway; this is the first of two locks.

The page is shown under other names (`vocabulary`: `v-form` for `form`, no `href`), as XML, where the names in selectors
are case-sensitive. So selectors are written anew for the names that are shown.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile

import tinycss2
from tinycss2 import ast

from extraction.algorithms.dom.references import LOADS, ResourceKind
from extraction.display.vocabulary import ELEMENTS, SHAPES, shown_as

MAX_CHARS = 1_000_000
"""Styles read a page. The most on 1,900 real pages is 623,000; tinycss2 reads some 650,000 a second."""

MAX_NESTING = 60
"""Brackets within brackets. Styles of real pages stay under ten; tinycss2 writes them out recursively."""

MAX_IMPORTS = 10
"""Sheets that one sheet may import. Each is cleaned like this one; how deep they go, their addresses say (`addresses`)."""

Address = Callable[[str, ResourceKind], str | None]
"""What to write for an address in the styles: one that needs no escaping in a CSS string, or None for nothing."""

PINNED = "var(--v-pinned,static)"
"""What is fixed to the window (cookie banners, headers) would cover what an editor wants to click. Our script in the
frame pins to the page's top what does not cover it (`overlays.js`); without it all stands where it is written."""

_LOADS = frozenset(
    "url src image image-set -webkit-image-set cross-fade -webkit-cross-fade element -moz-element expression paint".split()  # noqa: SIM905
)
_CHOICES = frozenset({"image-set", "-webkit-image-set"})
_DROPPED_RULES = frozenset(["namespace", "charset", "document", "-moz-document", "property", "view-transition"])
_RULES_INSIDE = frozenset(["media", "supports", "layer", "container", "scope", "starting-style"])
_DROPPED_PROPERTIES = frozenset({"-moz-binding", "behavior", "-ms-behavior"})
_SELECTOR_FUNCTIONS = frozenset({"not", "is", "where", "has", "matches", "-webkit-any", "-moz-any"})
_LINKS = {"link": "[data-v-href]", "any-link": "[data-v-href]", "visited": ":not(*)"}
_PLAIN_STYLE = re.compile(r"[\w\s:;#%.,!-]*")
_TELLING = re.compile(r"position|behavior|binding|--v-", re.IGNORECASE)
_NAMES = ELEMENTS | SHAPES

Tokens = Iterable[ast.Node]


def nothing(_address: str, _kind: ResourceKind) -> str | None:
    """Of no address anything is loaded."""
    return None


def sheet(text: str, address: Address = nothing) -> str:
    """The content of a <style> element or a stylesheet, cleaned; empty when it is nested beyond reason."""
    if address is nothing or not LOADS.search(text):
        return _same(text)
    return _cleaned(text, address)


def declarations(text: str, address: Address = nothing) -> str:
    """The content of a style attribute, cleaned."""
    if _PLAIN_STYLE.fullmatch(text) and not _TELLING.search(text):
        return text
    text = text[:200_000]  # a picture may be written into it
    if _nesting(text) > MAX_NESTING:
        return ""
    return str(tinycss2.serialize(_Cleaner(address).values(tinycss2.parse_component_value_list(text, skip_comments=True))))


@lru_cache(maxsize=256)
def _same(text: str) -> str:
    """Cached: a site repeats its styles."""
    return _cleaned(text, nothing)


def _cleaned(text: str, address: Address) -> str:
    if _nesting(text) > MAX_NESTING:
        return ""
    return str(tinycss2.serialize(_Cleaner(address).rules(tinycss2.parse_component_value_list(text, skip_comments=True))))


def _nesting(text: str) -> int:
    deepest = depth = 0
    for bracket in re.findall(r"[(\[{)\]}]", text):
        depth = depth + 1 if bracket in "([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


class _Cleaner:
    """One style's pass. Rules are taken apart into what stands before the block, and the block."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.imports = 0

    def rules(self, tokens: Tokens) -> list[ast.Node]:
        kept: list[ast.Node] = []
        before: list[ast.Node] = []
        for token in tokens:
            at_rule = next((each for each in before if each.type != "whitespace"), token)
            if token.type == "{} block":
                kept += self._rule(before, token)
            elif token.type == "literal" and token.value == ";" and at_rule.type == "at-keyword":
                kept += self._statement(before, token)
            else:
                before.append(token)
                continue
            before = []
        return kept + self._rule(before, None)

    def _rule(self, before: list[ast.Node], block: ast.Node | None) -> list[ast.Node]:
        space = list(takewhile(lambda token: token.type == "whitespace", before))
        before = before[len(space) :]
        name = before[0].lower_value if before and before[0].type == "at-keyword" else ""
        if name in _DROPPED_RULES or name == "import" or (not name and _no_selector(before)):
            return space
        if block is not None:
            if name in _RULES_INSIDE:
                block.content = self.rules(block.content)
            elif name == "font-face":
                block.content = self.values(block.content, ResourceKind.FONT)
                if not any(token.type == "function" and token.lower_name == "url" for token in block.content):
                    return space
            else:
                block.content = self.values(block.content)
        head = [before[0], *self.values(before[1:])] if name else list(_selector(before))
        return [*space, *head, *([block] if block is not None else [])]

    def _statement(self, before: list[ast.Node], end: ast.Node) -> list[ast.Node]:
        """An at-rule without a block: of these @import loads."""
        space = list(takewhile(lambda token: token.type == "whitespace", before))
        name, *rest = before[len(space) :]
        if name.lower_value in _DROPPED_RULES:
            return space
        if name.lower_value != "import":
            return [*space, name, *self.values(rest), end]
        place = next((n for n, token in enumerate(rest) if token.type != "whitespace"), None)
        found = self._load(_addresses(rest[place]), ResourceKind.STYLE) if place is not None else None
        if place is None or found is None or self.imports >= MAX_IMPORTS:
            return space
        self.imports += 1
        return [*space, name, *rest[:place], found, *self.values(rest[place + 1 :]), end]

    def values(self, tokens: Tokens, kind: ResourceKind = ResourceKind.IMAGE) -> list[ast.Node]:
        """Declarations, and what else stands in blocks; at-rules of the dropped kinds go, up to their ";" or block."""
        kept: list[ast.Node] = []
        dropping = False
        word = ""  # the last two words decide: "position", ":" and then "fixed"
        for token in tokens:
            if dropping:
                dropping = not (token.type == "{} block" or (token.type == "literal" and token.value == ";"))
            elif token.type == "at-keyword" and token.lower_value in _DROPPED_RULES | {"import", "font-face"}:
                dropping = True
            elif token.type != "error":
                kept.append(self._harmless(token, word, kind))
                word = _word_after(token, word)
        return kept

    def _harmless(self, token: ast.Node, word: str, kind: ResourceKind) -> ast.Node:
        """The token, or one that says nothing in its place. `word`: the property it stands behind, when it is the first there."""
        if token.type == "url" or (token.type == "function" and token.lower_name in _LOADS):
            return self._load(_addresses(token), kind) or _parsed('local("")' if kind is ResourceKind.FONT else "none")
        if token.type == "ident":
            return _ident(token, word)
        if token.type == "function":
            token.arguments = self.values(token.arguments, kind)
        elif token.type.endswith("block"):
            token.content = self.values(token.content, kind)
        return token

    def _load(self, addresses: list[str], kind: ResourceKind) -> ast.Node | None:
        found = next((ours for each in addresses if (ours := self.address(each, kind))), None)
        return _parsed(f'url("{found}")') if found and not re.search(r'["\\\n\r\f]', found) else None


def _no_selector(tokens: Tokens) -> bool:
    """Whether something stands before a block that no selector has: a browser drops such a rule, and it might load."""
    return any(
        token.type in {"error", "at-keyword", "url"}
        or (token.type == "function" and (token.lower_name in _LOADS or _no_selector(token.arguments)))
        or (token.type.endswith("block") and _no_selector(token.content))
        for token in tokens
    )


def _ident(token: ast.Node, word: str) -> ast.Node:
    value = token.lower_value
    if value in _DROPPED_PROPERTIES or value.startswith("--v-"):  # our own words are not the page's to say
        return ast.IdentToken(token.source_line, token.source_column, "v-dropped")
    if word == "position" and value == "fixed":
        return _parsed(PINNED)
    if word == "position" and value in {"sticky", "-webkit-sticky"}:
        # Where nobody scrolls it stands where it is written, and holds what is placed inside it.
        return ast.IdentToken(token.source_line, token.source_column, "relative")
    return token


def _word_after(token: ast.Node, word: str) -> str:
    if token.type == "ident":
        return str(token.lower_value)
    return word if token.type == "whitespace" or (token.type == "literal" and token.value == ":") else ""


def _addresses(token: ast.Node) -> list[str]:
    """What a token would load, one of these."""
    if token.type in {"url", "string"}:
        return [token.value]
    if token.type != "function" or token.lower_name not in {"url", "src"} | _CHOICES:
        return []
    inside = [token for token in token.arguments if token.type in {"string", "url", "function"}]
    if token.lower_name not in _CHOICES:
        inside = [each for each in inside if each.type == "string"]
    return [each.value if each.type != "function" else next(iter(_addresses(each)), "") for each in inside]


def _selector(tokens: Tokens) -> Iterator[ast.Node]:
    """A selector for the names that are shown: types, links, `href`."""
    last = ""  # the sign before a name says what it names: "." a class, ":" a pseudo-class
    for token in tokens:
        sign = token.value if token.type == "literal" else ""
        if token.type == "ident" and last == ":" and token.lower_value in _LINKS:
            yield from tinycss2.parse_component_value_list(_LINKS[token.lower_value])
            last = ""
            continue
        if last == ":":
            yield _parsed(":")
        if token.type == "ident" and last not in {".", ":", "::"}:
            token = _type(token)
        elif token.type == "function" and token.lower_name in _SELECTOR_FUNCTIONS:
            token.arguments = list(_selector(token.arguments))
        elif token.type == "[] block":
            token.content = list(_attribute(token.content))
        if sign == ":" and last == ":":
            yield token
            last = "::"
            continue
        if sign != ":":
            yield token
        last = sign
    if last == ":":
        yield _parsed(":")


def _type(token: ast.Node) -> ast.Node:
    if not re.fullmatch(r"[\w-]+", token.value, re.ASCII):
        return token
    return ast.IdentToken(token.source_line, token.source_column, shown_as(token.lower_value, _NAMES))


def _attribute(tokens: Tokens) -> Iterator[ast.Node]:
    first = True
    for token in tokens:
        if first and token.type == "ident":
            first = False
            name = "data-v-href" if token.lower_value == "href" else token.lower_value
            token = ast.IdentToken(token.source_line, token.source_column, name)
        yield token


def _parsed(text: str) -> ast.Node:
    return tinycss2.parse_one_component_value(text)
