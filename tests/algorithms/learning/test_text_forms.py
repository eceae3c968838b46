"""The form of a value: what tells it from its neighbours where no name and no label does."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.learning.apriori import Example, Learned, learn_attribute
from extraction.algorithms.learning.text_forms import list_conditions
from tests.algorithms.learning.pages import etree, example, page, places, values

VALUES: dict[str, Callable[[Random], str]] = {
    "e-mail": lambda rng: f"{rng.choice('abcdefgh')}{rng.randint(1, 99)}@{rng.choice(('mill', 'wool'))}.example",
    "price": lambda rng: f"€ {rng.randint(3, 90)}.{rng.choice(('00', '50'))}",
    "date": lambda rng: f"{rng.randint(1, 28)} {rng.choice(('March', 'April', 'May', 'June'))} 20{rng.randint(10, 30)}",
    "telephone": lambda rng: f"+49 {rng.randint(10, 9999)} {rng.randint(10000, 9999999)}",
    "weight": lambda rng: f"{rng.randint(1, 40)}{rng.choice(('', '.5'))} kg",
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", VALUES)
def test_a_value_among_unlabelled_items_is_found_by_its_form(kind: str, seed: int) -> None:
    rng = Random(f"{kind} {seed}")
    pages, truth = [], []
    for number in range(30):
        value = VALUES[kind](rng)
        others = [rng.choice(("Red", "Blue")), rng.choice(("Wool", "Silk")), f"{rng.randint(2, 90)} pieces", rng.choice(("Rome", "Oslo"))]
        items = [value, *others]
        rng.shuffle(items)
        pages.append(page(f"<h1>P{number}</h1><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"))
        truth.append(value)
    marks = [Example(n, (next(at for at, text in places(pages[n], "//li") if text == truth[n]),)) for n in range(3)]
    learned = learn_attribute(pages, marks)
    given_values = [values(learned, table) for table in pages]
    assert all(found in ([], [value]) for found, value in zip(given_values, truth, strict=True))
    assert sum(map(bool, given_values)) >= 0.9 * len(pages)
    assert isinstance(learned, Learned)
    assert not any(text in one.xpath for one in learned.alternatives for text in ("Wool", "Red", "Rome"))


TEXTS = st.text("aB1 .@-€é", min_size=1, max_size=12).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS)
def test_each_condition_holds_for_its_texts_and_means_the_same_in_xpath(known: list[str], other: str) -> None:
    for condition in list_conditions(known):
        assert all(map(condition.holds, known)), condition.words
        element = etree.fromstring("<p/>")
        for text in (*known, other):
            element.text = text
            assert bool(XPath(f"self::p[{condition.test}]").select(element)) == condition.holds(text), condition.words


def test_links_of_one_kind_are_told_by_where_they_lead() -> None:
    def cafe(*kinds: str, menu: bool) -> str:
        first = "<p><b><a href='http://cafe.example/menu'>Menu</a></b></p>" if menu else ""
        return f"{first}<p>{' and '.join(f'<b><a href=/food/7/{kind}>{kind}</a></b>' for kind in kinds)}</p>"

    shown = [("Pizza", "Pasta"), ("Thai", "Sushi"), ("Diner",), ("Cake", "Tea", "Pies"), ("Soup",), ("Bread", "Fish")]
    pages = [page(cafe(*kinds, menu=number % 3 == 0)) for number, kinds in enumerate(shown)]
    marks = [Example(n, tuple(at for at, text in places(pages[n], "//a") if text in shown[n])) for n in (0, 3)]
    learned = learn_attribute(pages, marks, multiple=True)
    assert [values(learned, table) for table in pages] == [list(kinds) for kinds in shown]


def test_values_that_cannot_be_read_as_the_type_count_against_a_rule() -> None:
    """Two names fit the marked page. Only the dearer one leads to colours on the others."""
    colours = ["red", "blue", "pink", "grey", "teal"]
    bodies = [
        "<p class=note title=x data-c=1>red</p>",
        *(f"<p class=note>cats {n}</p><p data-c=1>{c}</p>" for n, c in enumerate(colours[1:])),
    ]
    pages = [page(body) for body in bodies]
    marks = [example(pages, 0, "//p")]
    assert values(learn_attribute(pages, marks), pages[2]) == ["cats 1"]
    typed = learn_attribute(pages, marks, reads=lambda text: text in colours)
    assert [values(typed, table) for table in pages] == [[colour] for colour in colours]
