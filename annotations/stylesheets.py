"""A page's styles without anything that loads, runs or covers the page. Pure.

The frame's policy forbids every load anyway; this is the first of two locks. tinycss2 reads the styles as a browser
does (escapes, comments, strings), so nothing hides from a search for words.
"""

import re
from functools import lru_cache

import tinycss2
from tinycss2 import ast

MAX_CHARS = 1_000_000
"""Styles read a page. The most on 1,900 real pages is 623,000; tinycss2 reads some 650,000 a second."""

MAX_NESTING = 60
"""Brackets within brackets. Styles of real pages stay under ten; tinycss2 writes them out recursively."""

_LOADS = frozenset(
    "url src image image-set -webkit-image-set cross-fade -webkit-cross-fade element -moz-element expression paint".split()  # noqa: SIM905
)
_DROPPED_RULES = frozenset(["import", "namespace", "font-face", "charset", "document", "-moz-document", "property", "view-transition"])
_DROPPED_PROPERTIES = frozenset({"-moz-binding", "behavior", "-ms-behavior"})
_PLAIN_STYLE = re.compile(r"[\w\s:;#%.,!-]*")
_TELLING = re.compile(r"position|behavior|binding", re.IGNORECASE)


@lru_cache(maxsize=256)
def sheet(text: str) -> str:
    """The content of a <style> element, cleaned; empty when it is nested beyond reason. Cached: a site repeats its styles."""
    return _cleaned(text)


def declarations(text: str) -> str:
    """The content of a style attribute, cleaned."""
    if _PLAIN_STYLE.fullmatch(text) and not _TELLING.search(text):
        return text
    return _cleaned(text[:10_000])


def _cleaned(text: str) -> str:
    if _nesting(text) > MAX_NESTING:
        return ""
    return str(tinycss2.serialize(_filtered(tinycss2.parse_component_value_list(text, skip_comments=True))))


def _nesting(text: str) -> int:
    deepest = depth = 0
    for bracket in re.findall(r"[(\[{)\]}]", text):
        depth = depth + 1 if bracket in "([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _filtered(tokens: list[ast.Node]) -> list[ast.Node]:
    kept: list[ast.Node] = []
    dropping = False  # inside an at-rule that goes: up to its ";" or its block
    word = ""  # the last two words decide: "position", ":" and then "fixed"
    for token in tokens:
        if dropping:
            dropping = not (token.type == "{} block" or (token.type == "literal" and token.value == ";"))
        elif token.type == "at-keyword" and token.lower_value in _DROPPED_RULES:
            dropping = True
        elif token.type != "error":
            kept.append(_harmless(token, word))
            word = _word_after(token, word)
    return kept


def _word_after(token: ast.Node, word: str) -> str:
    if token.type == "ident":
        return str(token.lower_value)
    return word if token.type == "whitespace" or (token.type == "literal" and token.value == ":") else ""


def _harmless(token: ast.Node, word: str) -> ast.Node:
    """The token, or one that says nothing in its place. `word`: the property it stands behind, when it is the first there."""
    if token.type == "url" or (token.type == "function" and token.lower_name in _LOADS):
        return ast.IdentToken(token.source_line, token.source_column, "none")
    if token.type == "ident" and token.lower_value in _DROPPED_PROPERTIES:
        return ast.IdentToken(token.source_line, token.source_column, "v-dropped")
    # What is fixed to the window (cookie banners, headers) would cover what an editor wants to click.
    if token.type == "ident" and word == "position" and token.lower_value in {"fixed", "sticky", "-webkit-sticky"}:
        return ast.IdentToken(token.source_line, token.source_column, "static")
    if token.type == "function":
        token.arguments = _filtered(token.arguments)
    elif token.type.endswith("block"):
        token.content = _filtered(token.content)
    return token
