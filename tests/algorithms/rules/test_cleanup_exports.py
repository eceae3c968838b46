"""The same chains of clean-up steps give the same values in Vertex, in an exported spider, in a page object and in a stylesheet."""

import random
from html import escape
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from extraction.algorithms.dom.page_language import detect_language
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules.apply import extract_values
from extraction.algorithms.rules.cleanup_xslt import explain_missing, write_cleaned_stylesheet
from extraction.algorithms.rules.exports import write_export
from extraction.algorithms.rules.readings import read_attribute_values
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from extraction.algorithms.values.cleanup.chain import CleanupStep, clean_values
from tests.algorithms.rules.test_exports import page_items, spider_items

TEXTS = (
    "Price: 12.50",
    "  • 1.234,50 € • ",
    "red, green,, blue ,",
    "Straße İstanbul ŉ ΟΔΟΣ ǅ",
    "Yes",
    'Müller / O\'Brien "x" / a\\b',
    "٣٤٥",
    "No. 7 of 12 (2nd)",
    "--",
    "…",
    "a<b>&c",
    "x1y22z333",
)
SIGNS = (":", ",", "•", "/", "'", '"', "\\", " ", "<", "Price", "x", "$1", "é")
PORTABLE = (r"\d+", r"(\d+)[a-z]", r"^No\. (\d+) of (\d+)", r"[,/]\s*", r"([A-Z])\w*", r"\(.*\)$", r"(a|x)(\d)?")
ONLY_RE2 = (r"\pL+", "(?i)price", "(?:[a-z]+[0-9]*)+", r"[[:alpha:]]+")


def random_step(choose: random.Random, patterns: tuple[str, ...]) -> CleanupStep:
    kind = choose.choice(("trim", "split", "part", "replace", "map", "join", "unit", "lower", "upper"))
    text, pattern = choose.choice(SIGNS), choose.choice(patterns)
    if kind == "part":
        return CleanupStep("part", pattern)
    if kind in ("split", "replace") and choose.random() < 0.5:
        return CleanupStep(kind, pattern, by=choose.choice((r"<\\>", "&", "")) if kind == "replace" else "", pattern=True)  # type: ignore[arg-type]
    if kind == "map":
        chosen = choose.sample(TEXTS, 3)
        return CleanupStep("map", pairs=tuple((each, f"“{each[:3]}\"'") for each in chosen), keep=choose.random() < 0.5)
    if kind == "unit":
        return CleanupStep("unit", choose.choice(("EUR", 'kg\'s "x"')))
    by = choose.choice((*SIGNS, "")) if kind == "replace" else ""
    return CleanupStep(kind, text, by=by) if kind in ("trim", "split", "replace", "join") else CleanupStep(kind)  # type: ignore[arg-type]


def random_rule(seed: int, patterns: tuple[str, ...], count: int) -> RuleDefinition:
    choose = random.Random(seed)

    def attribute(name: str, xpath: str) -> AttributeRule:
        steps = tuple(random_step(choose, patterns) for _ in range(choose.randint(1, 4)))
        kind: Any = choose.choice(("text", "text", "number", "price"))
        return AttributeRule(name, kind, multiple=choose.random() < 0.7, alternatives=(Selector(xpath),), cleanup=steps)

    own = tuple(attribute(f"a{n}", choose.choice(("//p", "//p[position() mod 3 = 1]", "//h9"))) for n in range(count))
    rows = tuple(attribute(f"r{n}", choose.choice(("self::*", "i"))) for n in range(count // 3))
    return RuleDefinition(
        (AttributeRule("plain", multiple=True, alternatives=(Selector("//p"),)), *own), (ListRule("rows", (Selector("//p"),), rows),)
    )


def page_of(texts: tuple[str, ...]) -> bytes:
    paragraphs = "".join(f"<p>{escape(each)}<i>{escape(each[:5])}</i></p>" for each in texts)
    return f"<html lang=en><meta charset=utf-8><body>{paragraphs}</body></html>".encode()


def own_texts(rule: RuleDefinition, content: bytes, *, url: str, read: bool) -> dict[str, Any]:
    """What Vertex gives: texts after clean-up, or values."""
    root = parse(content).root
    found = extract_values(Stylesheet.compile(write_stylesheet(rule)), root)

    def values(attribute: AttributeRule, raw: tuple[str, ...]) -> Any:
        if not read:
            return list(clean_values(raw, attribute.cleanup))
        known = read_attribute_values(attribute, raw, base_url=url, language=detect_language(root, url)).values
        texts = [each.raw if each.value is None else each.value for each in known]
        return texts if attribute.multiple else texts[0] if texts else None

    record: dict[str, Any] = {each.name: values(each, found.values[each.name]) for each in rule.attributes}
    for each in rule.lists:
        record[each.name] = [{one.name: values(one, row.get(one.name, ())) for one in each.attributes} for row in found.rows[each.name]]
    return record


def xslt_texts(text: str, content: bytes) -> dict[str, Any]:
    result = etree.XSLT(etree.fromstring(text.encode()), access_control=etree.XSLTAccessControl.DENY_ALL)(parse(content).root).getroot()

    def values(element: Any) -> dict[str, Any]:
        return {str(each.get("name")): [value.text for value in each] for each in element.iterchildren("attribute")}

    return values(result) | {str(each.get("name")): [values(row) for row in each] for each in result.iterchildren("list")}


@pytest.mark.parametrize("runs", [spider_items, page_items])
def test_random_chains_give_the_same_in_exported_files(runs: Any, tmp_path: Path) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for page, texts in zip(pages, (TEXTS, TEXTS[::-1]), strict=True):
        page.write_bytes(page_of(texts))
    rule = RuleDefinition.from_json(random_rule(7, PORTABLE + ONLY_RE2, 60).as_json())
    wanted = {page.as_uri(): own_texts(rule, page.read_bytes(), url=page.as_uri(), read=True) for page in pages}
    assert runs(rule, pages, tmp_path) == wanted
    plain = list(wanted[pages[0].as_uri()]["plain"])
    assert sum(wanted[pages[0].as_uri()][each.name] not in (plain, [], None) for each in rule.attributes) > 30


@pytest.mark.parametrize("seed", range(4))
def test_random_chains_give_the_same_in_a_stylesheet(seed: int) -> None:
    rule, content = random_rule(seed, PORTABLE, 40), page_of(TEXTS)
    written = write_cleaned_stylesheet(rule)
    assert not written.missing
    assert xslt_texts(written.text, content) == own_texts(rule, content, url="", read=False)


def test_every_letter_changes_its_case_in_the_same_way_in_a_stylesheet() -> None:
    letters = tuple(each for each in map(chr, range(33, 0x1F000)) if each.isalpha() and each.lower() != each.upper())
    lines = tuple("".join(letters[at : at + 100]) for at in range(0, len(letters), 100))
    cases = [
        AttributeRule(kind, multiple=True, alternatives=(Selector("//p/text()"),), cleanup=(CleanupStep(kind),))
        for kind in ("lower", "upper")
    ]
    rule, content = RuleDefinition(tuple(cases)), page_of(lines)
    assert xslt_texts(write_export(rule, "xslt", name="x"), content) == own_texts(rule, content, url="", read=False)


@pytest.mark.parametrize("pattern", ONLY_RE2)
def test_a_stylesheet_says_which_steps_it_lacks_and_gives_the_values_before_them(pattern: str) -> None:
    steps = (CleanupStep("lower"), CleanupStep("part", pattern), CleanupStep("upper"))
    attribute = AttributeRule("a--b", multiple=True, alternatives=(Selector("//p"),), cleanup=steps)
    text = write_export(RuleDefinition((attribute,)), "xslt", name="x")
    assert "lacks steps 2 to 3 of its clean‐up" in text.split("-->")[0]
    assert explain_missing(attribute).startswith("a--b lacks steps 2 to 3")
    before = RuleDefinition((AttributeRule("a--b", multiple=True, alternatives=(Selector("//p"),), cleanup=steps[:1]),))
    assert xslt_texts(text, page_of(TEXTS)) == own_texts(before, page_of(TEXTS), url="", read=False)
