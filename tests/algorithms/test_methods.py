"""Every clustering method on sites where the frame is all that pages have in common, or all that they have."""

from random import Random

import pytest

from extraction.algorithms.methods import METHODS, Pages

STRANGERS = (
    "<table><tr><td>x</td></tr></table><h2>q</h2>",
    "<form><input><select><option>x</option></select></form>",
    "<blockquote><dl><dt>a</dt><dd>b</dd></dl></blockquote>",
)


def books(count: int) -> Pages:
    pages = {}
    for number in range(count):
        chance = Random(number)
        rows = "".join(f"<li>{chance.random()}</li>" for _ in range(3))
        pages[f"book-{number}"] = (
            f"<html><head><title>{chance.random()}</title></head><body><div class=top><a>Home</a><a>Shop</a></div><div class=book>"
            f"<h1>{chance.random()}</h1><p class=price>{chance.random()}</p><ul>{rows}</ul></div></body></html>"
        ).encode()
    return pages


def sizes(method: str, pages: Pages) -> list[int]:
    groups = METHODS[method](pages)
    assert sorted(name for group in groups for name in group) == sorted(pages)
    return sorted((len(group) for group in groups), reverse=True)


@pytest.mark.parametrize("method", METHODS)
def test_equal_pages_are_one_group(method: str) -> None:
    page = b"<html><head><title>a</title></head><body><div class=x><h1>T</h1><p>q <b>x</b></p></div></body></html>"
    assert sizes(method, {f"page-{number}": page for number in range(12)}) == [12]


@pytest.mark.parametrize("method", METHODS)
def test_pages_of_one_template_are_one_group(method: str) -> None:
    assert sizes(method, books(10)) == [10]


@pytest.mark.parametrize("method", METHODS)
def test_strangers_are_alone_among_pages_of_one_template(method: str) -> None:
    strangers = {f"stranger-{number}": f"<html><body>{body}</body></html>".encode() for number, body in enumerate(STRANGERS)}
    assert sizes(method, {**books(40), **strangers}) == [40, 1, 1, 1]
