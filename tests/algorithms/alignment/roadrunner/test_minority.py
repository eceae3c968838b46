"""A value that nearly all pages share is a field, whichever page differs, and what was only inserted makes none."""

import random

import pytest

from extraction.algorithms.alignment.roadrunner.infer import Inference, infer_from_few_pages, infer_wrapper
from extraction.algorithms.dom.parse import parse


def columns(found: Inference) -> list[dict[int, str]]:
    return [{page: row[0].text for page, row in pages.items()} for pages in found.structure.columns().values()]


@pytest.mark.parametrize("odd", range(10))
@pytest.mark.parametrize("before", ["<dt>Sold</dt>", "<dt>Sold:</dt>", ""], ids=["label", "colon", "no label"])
@pytest.mark.parametrize("most", [5, 10])
def test_one_page_of_ten_with_another_value_makes_a_field(odd: int, before: str, most: int) -> None:
    values = ["yes" if page == odd else "no" for page in range(10)]
    pages = [f"<html><body><h1>Item {page}</h1><dl>{before}<dd>{value}</dd></dl></body></html>" for page, value in enumerate(values)]
    found = infer_from_few_pages([parse(page.encode()).root for page in pages], most=most)
    assert found.unread == {}
    assert columns(found) == [{page: f"Item {page}" for page in range(10)}, dict(enumerate(values))]


@pytest.mark.parametrize("seed", range(15))
def test_each_value_that_differs_on_some_page_is_a_field_and_no_other(seed: int) -> None:
    draw = random.Random(seed)
    pages, lines = draw.randint(6, 25), draw.randint(2, 6)
    usual = [draw.choice(["no", "yes", "none", "in stock", "1"]) for _ in range(lines)]
    table = [[value] * lines for value in [""] * pages]
    for line in range(lines):
        odd = draw.sample(range(pages), draw.choice([0, 1, 1, 2]))
        for page in range(pages):
            table[page][line] = draw.choice(["maybe", "sold out", "7"]) if page in odd else usual[line]
    html = [
        f"<html><body><ul><li>Home<li>About</ul><h1>Item {page}</h1><table>"
        f"{''.join(f'<tr><td>Line {line}<td>{value}' for line, value in enumerate(row))}</table><p>All rights reserved</p>"
        for page, row in enumerate(table)
    ]
    found = infer_from_few_pages([parse(page.encode()).root for page in html])
    true = [{page: f"Item {page}" for page in range(pages)}]
    true += [{page: row[line] for page, row in enumerate(table)} for line in range(lines) if len({row[line] for row in table}) > 1]
    assert found.unread == {} and columns(found) == true


def test_a_value_that_stands_elsewhere_on_the_page_too_is_told_by_what_follows() -> None:
    html = [
        f"<html><body><h1>Item {page}</h1><dl><dt>Sold<dd>{'yes' if page == 8 else 'no'}<dt>Signed<dd>no<dt>New<dd>yes</dl>"
        for page in range(10)
    ]
    found = infer_from_few_pages([parse(page.encode()).root for page in html])
    assert columns(found)[1:] == [{page: "yes" if page == 8 else "no" for page in range(10)}] and found.unread == {}


@pytest.mark.parametrize("most", [5, 10])
def test_a_further_line_of_a_menu_makes_no_field_of_the_lines_around_it(most: int) -> None:
    html = [f"<html><body><ul><li>Home{'<li>Sale' if page == 4 else ''}<li>About<li>Contact</ul><h1>Item {page}</h1>" for page in range(10)]
    found = infer_from_few_pages([parse(page.encode()).root for page in html], most=most)
    assert [set(column.values()) for column in columns(found)] == [{f"Item {page}" for page in range(10) if page not in found.unread}]
    assert all("“Sale” is there" in reason for reason in found.unread.values())


def test_pages_that_are_equal_have_no_field() -> None:
    html = ["<html><body><h1>Same</h1><dl><dt>Sold<dd>no</dl>"] * 10
    found = infer_wrapper([parse(page.encode()).root for page in html])
    assert columns(found) == [] and found.unread == {}
