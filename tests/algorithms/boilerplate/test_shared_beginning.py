"""The header that the pages of other templates have, too, is found, and nothing of the page's own."""

import random

import pytest

from extraction.algorithms.boilerplate.shared_beginning import find_shared_beginning
from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import parse

HEADER = "<header><a>Shop</a><nav><ul><li>Books</li><li>Films</li></ul></nav></header>"


def find(page: str, *others: str) -> list[str]:
    root, *rest = (parse(f"<html><body>{each}</body></html>".encode()).root for each in (page, *others))
    every = elements(root)
    return [str(every[n].tag) for n in find_shared_beginning(root, rest)]


def test_the_header_is_found_and_the_gallery_before_the_title_stays() -> None:
    page = f"{HEADER}<main><figure><img src='a.png'></figure><h1>Emma</h1><p>A novel</p></main><footer>Imprint</footer>"
    other = f"{HEADER}<main><h1>All books</h1></main><footer>Imprint</footer>"
    assert find(page, other) == ["header"]


def test_what_stands_beside_the_own_text_is_found_inside_their_common_element() -> None:
    page = f"<div>{HEADER}<section><p>Free delivery</p><h1>Emma</h1></section></div>"
    other = f"<div>{HEADER}<section><p>Free delivery</p><h1>All books</h1></section></div>"
    assert find(page, other) == ["header", "p"]


def test_half_of_the_others_are_enough_and_fewer_are_not() -> None:
    page, plain = f"{HEADER}<h1>Emma</h1>", "<h1>Other</h1>"
    shared = f"{HEADER}<h1>Films</h1>"
    assert find(page, shared, plain) == ["header"]
    assert find(page, shared, plain, plain) == []


@pytest.mark.parametrize("others", [[], ["<p>Nothing in common</p>"]])
def test_without_anything_shared_nothing_is_found(others: list[str]) -> None:
    assert find(f"{HEADER}<h1>Emma</h1>", *others) == []


def test_a_page_without_a_text_of_its_own_is_shown_whole() -> None:
    assert find(HEADER, HEADER) == []
    assert find("", HEADER) == []


@pytest.mark.parametrize("seed", range(30))
def test_no_text_of_the_pages_own_is_ever_left_out(seed: int) -> None:
    source = random.Random(seed)

    def draw(words: list[str], depth: int = 0) -> str:
        tag = source.choice(["div", "p", "ul"])
        inside = "".join(draw(words, depth + 1) if source.random() < 0.5 and depth < 4 else source.choice(words) for _ in range(3))
        return f"<{tag}>{inside}</{tag}>"

    common = [draw(["Home", "Books"]) for _ in range(3)]
    page = "".join(source.sample(common, 2)) + draw(["Emma", "Home"]) + common[0]
    root = parse(f"<html><body>{page}</body></html>".encode()).root
    others = [parse(f"<html><body>{''.join(common)}{draw(['Persuasion'])}</body></html>".encode()).root for _ in range(3)]
    every = elements(root)
    for number in find_shared_beginning(root, others):
        assert "Emma" not in "".join(every[number].itertext())
