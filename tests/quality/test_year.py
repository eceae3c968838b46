"""The simulated year: its shops are what they say, its redesigns do what they say, and monitoring tells them from news."""

import random

import pytest

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.dom.parse import parse
from tests.quality import year_events
from tests.quality.year import simulate_year
from tests.quality.year_shops import Shop


def read_texts(content: bytes) -> list[str]:
    return [clean(text) for text in parse(content).root.itertext() if clean(text)]


@pytest.mark.parametrize("seed", range(6))
def test_every_true_value_stands_on_its_page_and_a_seed_always_gives_the_same_shop(seed: int) -> None:
    one, other = Shop(seed), Shop(seed)
    for _ in range(40):
        one.pass_day()
        other.pass_day()
    for mine, same in zip(one.watched, other.watched, strict=True):
        page = one.render(mine)
        assert page == other.render(same)
        texts = read_texts(page)
        assert all(value in texts for values in one.tell_truth(mine).values() for value in values)


@pytest.mark.parametrize("redesign", year_events.REDESIGNS)
def test_a_redesign_keeps_every_value_on_the_page_that_it_does_not_remove(redesign: year_events.Redesign) -> None:
    shop = Shop(3)
    before = [shop.render(each) for each in shop.watched]
    assert redesign(shop, random.Random(1))
    after = [shop.render(each) for each in shop.watched]
    assert before != after
    for product, page in zip(shop.watched, after, strict=True):
        whole = " ".join(read_texts(page))
        assert all(value in whole for values in shop.tell_truth(product).values() for value in values)


@pytest.mark.parametrize("seed", [2, 5, 9])
def test_half_a_year_has_no_false_alarm_and_no_break_is_missed(seed: int) -> None:
    found = simulate_year(seed, days=130)
    assert found.redesigns >= 2 and found.breaks >= 1
    assert (found.false_alarms, found.missed, found.wrong_automatic) == (0, 0, 0), found.notes
    assert found.exact == found.breaks
