"""Values of other sites tell what a value looks like, whatever their words."""

import random

import pytest

from extraction.algorithms.proposals.learned_forms import CAP, LearnedForm, learn_form, make_shape
from tests.algorithms.proposals.pages import PEOPLE

WORDS = ["Home", "About us", "Add to cart", "Customer reviews", "All rights reserved.", "2 of 5 people", "Page 3", "Next »"]


def phones(seed: int, count: int = 30) -> list[str]:
    dice = random.Random(seed)
    return [f"({dice.randint(200, 999)}) {dice.randint(200, 999)}-{dice.randint(1000, 9999)}" for _ in range(count)]


def learned(sites: list[list[str]]) -> LearnedForm:
    form = learn_form(sites, [*WORDS, *PEOPLE])
    assert form is not None
    return form


def test_new_values_of_the_same_shape_score_high_and_other_texts_low() -> None:
    form = learned([phones(1), phones(2)])
    assert min(map(form.score, phones(3))) > 1
    assert max(map(form.score, [*WORDS, *PEOPLE])) < -1


def test_scores_stay_within_their_bounds() -> None:
    form = learned([phones(1)])
    assert all(-CAP <= form.score(text) <= CAP for text in ["", "x", "x" * 10_000, *phones(2), *WORDS])


def test_the_share_of_known_values_does_not_depend_on_case_and_spaces() -> None:
    form = learned([["Boston  Celtics", "Utah Jazz"]])
    assert form.measure(["boston celtics", "Chicago Bulls"])["known values"] == 0.5


def test_no_values_give_no_form() -> None:
    assert learn_form([], WORDS) is None and learn_form([[]], WORDS) is None


def test_each_site_counts_alike_whatever_its_size() -> None:
    many, few = phones(1, 300), ["extension 7", "extension 9"]
    form = learned([many, few])
    assert form.score("extension 8") > form.score("About us")


@pytest.mark.parametrize(
    ("text", "shape"), [("(505) 266-0550", "(000) 000-0000"), ("6 ft 5 in", "0 a 0 a"), ("Ada  Stone", "A A"), ("123456789", "0000")]
)
def test_shapes_keep_marks_and_forget_words(text: str, shape: str) -> None:
    assert make_shape(text) == shape
