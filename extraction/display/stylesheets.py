"""Cleans a page's styles: nothing in them loads from elsewhere, runs or covers the page. Pure.

tinycss2 parses the styles as a browser does (escapes, comments, strings), so nothing can hide from these checks. The caller decides what
replaces an address (`Address`): one of Vertex's addresses, or nothing if the file is not stored. The frame's policy also forbids every
other load, so there are two independent protections.

The page is shown with other element names (see `vocabulary`: `v-form` for `form`) and without `href`, and as XML, where names in
selectors are case-sensitive. So selectors are rewritten for the names that are shown.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import takewhile

import tinycss2
from tinycss2 import ast

from extraction.algorithms.dom.references import LOADS, ResourceKind
from extraction.display.vocabulary import ELEMENTS, SHAPES, get_shown_tag

MAX_CHARS = 1_000_000
"""The largest number of characters of styles read for a page. The page with most of 1,900 real ones has 623,000; tinycss2 reads about
650,000 per second."""

MAX_NESTING = 60
"""The deepest nesting of brackets. Styles of real pages stay below ten. There is a limit because tinycss2 writes them recursively."""

MAX_IMPORTS = 10
"""How many sheets one sheet may import. Each is cleaned in the same way. Their addresses limit the depth (see `addresses`)."""

Address = Callable[[str, ResourceKind], str | None]
"""A function from an address in the styles to the one to write, which needs no escaping in a CSS string; None to load nothing."""

PINNED = "var(--v-pinned,static)"
"""The value that replaces `position: fixed`. Elements fixed to the window, such as cookie banners and headers, would cover what an editor
wants to click. The frame's script (`overlays.js`) pins those that do not cover the page to its top. Without the script, all of them stay
at their place in the page."""

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


def refuse_address(_address: str, _kind: ResourceKind) -> str | None:
    """Return None for every address, so that nothing is loaded."""
    return None


def clean_sheet(text: str, address: Address = refuse_address) -> str:
    """Return the cleaned content of a <style> element or a stylesheet; empty if it is nested too deeply."""
    if address is refuse_address or not LOADS.search(text):
        return _clean_cached(text)
    return _clean(text, address)


def clean_declarations(text: str, address: Address = refuse_address) -> str:
    """Return the cleaned content of a style attribute; empty if it is nested too deeply."""
    if is_plain(text):
        return text
    text = text[:200_000]  # enough for an embedded picture
    if _nesting(text) > MAX_NESTING:
        return ""
    return str(tinycss2.serialize(_Cleaner(address).values(tinycss2.parse_component_value_list(text, skip_comments=True))))


def is_plain(text: str) -> bool:
    """Return whether the content of a style attribute needs no cleaning."""
    return bool(_PLAIN_STYLE.fullmatch(text)) and not _TELLING.search(text)


@lru_cache(maxsize=256)
def _clean_cached(text: str) -> str:
    """Return a cleaned sheet that loads nothing. Cached, because the pages of a site repeat their styles."""
    return _clean(text, refuse_address)


def _clean(text: str, address: Address) -> str:
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
    """Cleans one style. Each rule is split into its block and the tokens before it."""

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
        """Clean an at-rule without a block. Only @import loads something."""
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
        """Clean declarations and the other content of blocks. At-rules of the dropped kinds are removed up to their ";" or block."""
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
        """Return the cleaned token, or a harmless one in its place. word: the property, if the token is the first of its value."""
        if token.type == "url" or (token.type == "function" and token.lower_name in _LOADS):
            return self._load(_addresses(token), kind) or _parse_one('local("")' if kind is ResourceKind.FONT else "none")
        if token.type == "ident":
            return _ident(token, word)
        if token.type == "function":
            token.arguments = self.values(token.arguments, kind)
        elif token.type.endswith("block"):
            token.content = self.values(token.content, kind)
        return token

    def _load(self, addresses: list[str], kind: ResourceKind) -> ast.Node | None:
        found = next((ours for each in addresses if (ours := self.address(each, kind))), None)
        return _parse_one(f'url("{found}")') if found and not re.search(r'["\\\n\r\f]', found) else None


def _no_selector(tokens: Tokens) -> bool:
    """Return whether the tokens before a block cannot be a selector. A browser ignores such a rule, and it might load something."""
    return any(
        token.type in {"error", "at-keyword", "url"}
        or (token.type == "function" and (token.lower_name in _LOADS or _no_selector(token.arguments)))
        or (token.type.endswith("block") and _no_selector(token.content))
        for token in tokens
    )


def _ident(token: ast.Node, word: str) -> ast.Node:
    value = token.lower_value
    if value in _DROPPED_PROPERTIES or value.startswith("--v-"):  # the page must not set Vertex's own properties
        return ast.IdentToken(token.source_line, token.source_column, "v-dropped")
    if word == "position" and value == "fixed":
        return _parse_one(PINNED)
    if word == "position" and value in {"sticky", "-webkit-sticky"}:
        # The frame does not scroll, so the element stays at its place. It must still be the reference of elements positioned in it.
        return ast.IdentToken(token.source_line, token.source_column, "relative")
    return token


def _word_after(token: ast.Node, word: str) -> str:
    if token.type == "ident":
        return str(token.lower_value)
    return word if token.type == "whitespace" or (token.type == "literal" and token.value == ":") else ""


def _addresses(token: ast.Node) -> list[str]:
    """Return the addresses of which a token would load one."""
    if token.type in {"url", "string"}:
        return [token.value]
    if token.type != "function" or token.lower_name not in {"url", "src"} | _CHOICES:
        return []
    inside = [token for token in token.arguments if token.type in {"string", "url", "function"}]
    if token.lower_name not in _CHOICES:
        inside = [each for each in inside if each.type == "string"]
    return [each.value if each.type != "function" else next(iter(_addresses(each)), "") for each in inside]


def _selector(tokens: Tokens) -> Iterator[ast.Node]:
    """Yield a selector rewritten for the names that are shown: element types, links and `href`."""
    last = ""  # the sign before a name tells its kind: "." is a class, ":" a pseudo-class
    for token in tokens:
        sign = token.value if token.type == "literal" else ""
        if token.type == "ident" and last == ":" and token.lower_value in _LINKS:
            yield from tinycss2.parse_component_value_list(_LINKS[token.lower_value])
            last = ""
            continue
        if last == ":":
            yield _parse_one(":")
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
        yield _parse_one(":")


def _type(token: ast.Node) -> ast.Node:
    if not re.fullmatch(r"[\w-]+", token.value, re.ASCII):
        return token
    return ast.IdentToken(token.source_line, token.source_column, get_shown_tag(token.lower_value, _NAMES))


def _attribute(tokens: Tokens) -> Iterator[ast.Node]:
    first = True
    for token in tokens:
        if first and token.type == "ident":
            first = False
            name = "data-v-href" if token.lower_value == "href" else token.lower_value
            token = ast.IdentToken(token.source_line, token.source_column, name)
        yield token


def _parse_one(text: str) -> ast.Node:
    return tinycss2.parse_one_component_value(text)
