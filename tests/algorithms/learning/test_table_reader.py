"""A table says of each node what XPath says of it, one expression at a time."""

import random
from dataclasses import fields

import numpy as np
import pytest
from lxml import etree

from extraction.algorithms.dom.nodes import clean, elements, string_value, texts
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.learning import node_columns
from extraction.algorithms.learning.page_table import (
    HEADINGS,
    MAX_LABEL,
    MAX_RAW_LABEL,
    UNREAD_TAGS,
    hash_label,
    hash_name,
    hash_text,
    list_names,
    make_shape,
)
from extraction.algorithms.learning.table_reader import read_page_table
from tests.fixtures.hostile import hostile_html


def page(seed: int) -> etree._Element:
    """A page of elements, comments and texts thrown together, scripts and templates among them."""
    dice = random.Random(seed)
    words = ("Price:", "  ", "\u00a0", "12.90", "a  b", "long " * 30, "x", "\n\n", "(325) 674-2000", "é 7")
    tags = ("div", "p", "h2", "span", "td", "script", "template", "h3", "ul", "o:p")

    def inside(depth: int) -> str:
        parts = []
        for _ in range(dice.randint(0, 5)):
            draw = dice.random()
            if draw < 0.35:
                parts.append(dice.choice(words))
            elif draw < 0.45:
                parts.append("<!-- a remark -->")
            elif depth:
                tag = dice.choice(tags)
                name = dice.choice(("", ' class="a b"', ' id="i" href="/x"', ' data-k="v"', f' title="{"t" * 90}"'))
                parts.append(f"<{tag}{name}>{inside(depth - 1)}</{tag}>")
        return "".join(parts)

    return parse(f"<html><body><div>{inside(5)}</div>{inside(5)}</body></html>".encode()).root


@pytest.mark.parametrize("seed", range(60))
def test_each_column_of_elements_says_what_xpath_says(seed: int) -> None:
    root = page(seed)
    made, nodes = read_page_table(root), elements(root)
    row = {element: n for n, element in enumerate(nodes)}
    none = len(nodes)
    column = {each.name: getattr(made.elements, each.name).tolist() for each in fields(made.elements)}
    assert {len(values) for values in column.values()} == {none + 1}
    for n, element in enumerate(nodes):
        above = element.getparent()
        assert column["tag"][n] == hash_text(str(element.tag))
        assert column["end"][n] == n + len(list(element.iter(etree.Element)))
        assert column["whole"][n] == hash_label(clean(string_value(element)))
        assert column["shape"][n] == hash_label(make_shape(clean(string_value(element)))) or len(clean(string_value(element))) > MAX_LABEL
        if above is None or above.tag in UNREAD_TAGS:
            assert column["parent"][n] == none
            continue
        assert column["parent"][n] == row[above]
        assert column["before"][n] == first(element, "preceding-sibling::*[1]", row, none)
        assert column["after"][n] == first(element, "following-sibling::*[1]", row, none)
        assert column["first"][row[above]] == first(above, "*[1]", row, none)
        assert column["place"][n] == element.xpath("count(preceding-sibling::*)") + 1
        tag = str(element.tag)
        same = f"[name() = '{tag}']"
        assert column["nth"][n] == element.xpath(f"count(preceding-sibling::*{same})") + 1
        assert column["nth_last"][n] == element.xpath(f"count(following-sibling::*{same})") + 1
        assert column["text_before"][n] == label(element.xpath("preceding-sibling::text()[1]"))
        assert column["text_after"][n] == label(element.xpath("following-sibling::text()[1]"))


@pytest.mark.parametrize("seed", range(60))
def test_each_column_of_texts_says_what_xpath_says(seed: int) -> None:
    root = page(seed)
    made, nodes = read_page_table(root), elements(root)
    row = {element: n for n, element in enumerate(nodes)}
    expected = []
    for owner in nodes:
        strings = [] if owner.tag in UNREAD_TAGS else list(texts(owner))
        for nth, text in enumerate(strings, 1):
            if clean(text):
                node = f"text()[{nth}]"
                left = first(owner, f"{node}/preceding-sibling::*[1]", row, len(nodes))
                right = first(owner, f"{node}/following-sibling::*[1]", row, len(nodes))
                before = hash_label(clean(strings[nth - 2])) if nth > 1 else 0
                expected.append(
                    (
                        row[owner],
                        nth,
                        len(strings) - nth + 1,
                        hash_text(clean(text)),
                        left,
                        right,
                        before,
                        hash_label(make_shape(clean(text))),
                        clean(text),
                    )
                )
    columns = [getattr(made.texts, each.name).tolist()[:-1] for each in fields(made.texts)]
    assert list(zip(*columns, made.strings, strict=True)) == expected


@pytest.mark.parametrize("seed", range(20))
def test_headings_are_told_apart_by_tag_and_text(seed: int) -> None:
    made = read_page_table(page(seed))
    headings = made.elements.heading.tolist()
    known: dict[int, tuple[str, str]] = {}
    for n, element in enumerate(made.nodes):
        nearest = element.xpath(f"preceding-sibling::*[{' or '.join(f'self::{tag}' for tag in HEADINGS)}][1]")
        if not nearest:
            continue
        above = element.getparent()
        assert above is not None
        if above.tag not in UNREAD_TAGS and 0 < len(clean(string_value(nearest[0]))) <= MAX_LABEL:
            assert known.setdefault(headings[n], (nearest[0].tag, clean(string_value(nearest[0])))) == (
                nearest[0].tag,
                clean(string_value(nearest[0])),
            )
        else:
            assert headings[n] == 0
    assert len(set(known.values())) == len(known)


@pytest.mark.parametrize("seed", range(20))
def test_names_lead_to_the_elements_that_have_them(seed: int) -> None:
    made = read_page_table(page(seed))
    assert (np.diff(made.names.astype(object)) >= 0).all()
    found = sorted(zip(made.names.tolist(), made.name_owners.tolist(), strict=True))
    assert found == sorted((hash_name(*pair), n) for n, element in enumerate(made.nodes) for pair in list_names(element))


def test_a_hostile_page_has_a_table_of_all_its_elements() -> None:
    made = read_page_table(parse(hostile_html(deep=500)).root)
    assert len(made.elements.tag) == len(made.nodes) + 1 > 500


def test_texts_with_more_texts_between_them_than_a_label_has_characters_are_too_long_to_compare() -> None:
    far = parse(f"<p>a{'<!-- -->  ' * (MAX_RAW_LABEL + 1)}<b>b</b></p>".encode()).root
    near = parse(f"<p>a{'<!-- -->  ' * 20}<b>b</b></p>".encode()).root
    for root, whole in ((far, 1), (near, hash_text("a b"))):
        made = read_page_table(root)
        assert made.elements.whole[[element.tag for element in made.nodes].index("p")] == whole


def test_a_page_of_too_many_elements_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_columns, "MAX_NODES", 6)
    assert read_page_table(parse(b"<html><body><p>1<p>2<p>3</body></html>").root).strings == ["1", "2", "3"]
    with pytest.raises(PageError, match="more than 6 elements"):
        read_page_table(parse(b"<html><body><p>1<p>2<p>3<p>4<!-- 5 --></body></html>").root)


def first(element: etree._Element, path: str, row: dict[etree._Element, int], none: int) -> int:
    found = element.xpath(path)
    return row[found[0]] if found else none


def label(found: list[str]) -> int:
    return hash_label(clean(found[0])) if found else 0
