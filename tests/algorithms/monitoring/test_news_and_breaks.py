"""News that looks like a break, and breaks that look like news."""

import random
from dataclasses import replace

import pytest

from extraction.algorithms.monitoring.constancy import ChangeCounts
from tests.algorithms.monitoring.small_shops import PAGES, PRICE, RATING, STOCK, TITLE, choice_shop, judge, price_shop, sale_shop, title

FACETS = "<ul>" + "".join(f"<li>{value}</li>" for value in ("In stock", "Out of stock", "Ships soon")) + "</ul>"
PAGER = "<ol>" + "".join(f"<li>{n}</li>" for n in range(1, 6)) + "</ol>"


def test_a_teaser_in_the_titles_place_is_a_break_while_the_titles_still_stand_on_the_pages() -> None:
    old = [f"<body><h1>{title(n)}</h1><p class='price'>{n}.90 EUR</p></body>" for n in range(PAGES)]
    new = [f"<body><h1>Joy no. {n * 7} awaits</h1><div>{title(n)}</div><p class='price'>{n}.90 EUR</p></body>" for n in range(PAGES)]
    found = judge((TITLE, PRICE), old, new)
    assert found.broken == ("title",)
    assert not found.attributes["title"].certain, "the teasers might be titles"
    assert found.doubted == {f"/{n}" for n in range(PAGES)}


def test_a_title_and_a_price_that_change_places_are_both_broken() -> None:
    old = [f"<body><h1>{title(n)}</h1><p class='price'>{n}.90 EUR</p></body>" for n in range(PAGES)]
    new = [f"<body><h1>{n}.90 EUR</h1><p class='price'>{title(n)}</p></body>" for n in range(PAGES)]
    assert judge((TITLE, PRICE), old, new).broken == ("title", "price")


@pytest.mark.parametrize("same_third", [False, True])
@pytest.mark.parametrize(("points", "changes"), [(2, 5), (3, 3), (3, 9), (3, 15), (6, 4), (20, 4), (20, 15)])
def test_new_prices_are_news_however_few_price_points_there_are(points: int, changes: int, same_third: bool) -> None:
    for seed in range(12):
        assert judge((TITLE, PRICE), *price_shop(points, changes, seed=seed, same_third=same_third)).broken == (), seed


@pytest.mark.parametrize("changes", [1, 3, 6])
def test_stock_beside_facets_and_ratings_beside_a_pager_are_news(changes: int) -> None:
    for seed in range(12):
        stock = choice_shop("stock", ("In stock", "Out of stock", "Ships soon"), changes, seed=seed, beside=FACETS)
        rating = choice_shop("rating", ("1", "2", "3", "4", "5"), changes, seed=seed, beside=PAGER)
        assert judge((TITLE, STOCK), *stock).broken == ()
        assert judge((TITLE, RATING), *rating).broken == ()


@pytest.mark.parametrize("points", [4, 6, 20])
def test_a_rule_that_slips_to_a_related_product_is_broken(points: int) -> None:
    for seed in range(8):
        rng = random.Random(seed)
        prices = [f"{9 + 5 * rng.randrange(points)}.90 EUR" for _ in range(PAGES)]
        others = [rng.sample([n for n in range(PAGES) if n != number], 3) for number in range(PAGES)]

        def rows(number: int, cls: str, others: list[list[int]] = others, prices: list[str] = prices) -> str:
            return "".join(f"<i>{title(n)}</i><p class='{cls}'>{prices[n]}</p>" for n in others[number])

        old = [f"<body><h1>{title(n)}</h1><p class='price'>{prices[n]}</p><hr>{rows(n, 'other')}</body>" for n in range(PAGES)]
        new = [f"<body><h1>{title(n)}</h1><b>{prices[n]}</b><h3>More</h3><u>like</u>{rows(n, 'price')}</body>" for n in range(PAGES)]
        assert judge((TITLE, PRICE), old, new).broken == ("price",), seed


@pytest.mark.parametrize("share", [5, 15])
def test_a_sale_that_keeps_the_old_price_beside_the_new_one_is_news_and_so_is_its_end(share: int) -> None:
    plain = [f"<body><h1>{title(n)}</h1><p class='price'>{9 + n % 3}.90 EUR</p></body>" for n in range(PAGES)]
    sale = [
        f"<body><h1>{title(n)}</h1><p class='price'>{8 + n % 3}.50 EUR</p><del>{9 + n % 3}.90 EUR</del></body>" if n < share else plain[n]
        for n in range(PAGES)
    ]
    long_known = {"price": ChangeCounts(2_000, 1), "title": ChangeCounts(2_000, 0)}
    for old, new in ((plain, sale), (sale, plain)):
        assert judge((TITLE, PRICE), old, new, counts=long_known).broken == ()


def test_a_sale_in_doubt_looks_the_same_at_the_next_check_because_no_baseline_moves() -> None:
    doubted = 0
    for seed in range(40):
        plain, sale = sale_shop(4, 0.8, seed=seed)
        first = judge((PRICE,), plain, sale)
        assert first.broken == (), seed
        pairs = enumerate(zip(plain, sale, strict=True))
        baselines = [new if first.renews_baseline(f"/{n}") else old for n, (old, new) in pairs]
        assert baselines in (plain, sale), "a test that compares pages needs all of them at one time"
        doubted += baselines == plain
        assert judge((PRICE,), baselines, sale).broken == (), seed
    assert doubted


def test_a_page_that_doubts_about_one_value_hold_counts_for_no_other_value_until_it_moves_on() -> None:
    old = [f"<body><h1>{title(n)}</h1><p class='stock'>{n} left</p></body>" for n in range(PAGES)]
    new = [old[0].replace("h1", "h2").replace("0 left", "none left"), *old[1:]]
    found = judge((TITLE, STOCK), old, new)
    assert found.held == {"/0"}
    assert found.attributes["stock"].counts == ChangeCounts(PAGES - 1, 0)


def test_a_few_known_values_that_become_entries_of_a_menu_are_a_break() -> None:
    old = [f"<body><h1>{title(n)}</h1><p class='stock'>{'New' if n % 2 else 'Used'}</p></body>" for n in range(PAGES)]
    menu = [f"<body><h1>{title(n)}</h1><p class='stock'>{'Cart' if n % 3 else 'Menu'}</p></body>" for n in range(PAGES)]
    third = [html.replace("Used", "Refurbished") if n < 3 else html for n, html in enumerate(old)]
    assert judge((TITLE, STOCK), old, menu).broken == ("stock",)
    assert judge((TITLE, STOCK), old, third).broken == ()


def test_of_one_page_alone_nothing_is_said_but_it_is_no_baseline() -> None:
    found = judge((TITLE,), [f"<body><h1>{title(1)}</h1></body>"], [f"<body><h2>{title(1)}</h2></body>"])
    assert (found.kind, found.broken) == ("ok", ())
    assert found.attributes["title"].evidence
    assert not found.renews_baseline("/0")


@pytest.mark.parametrize("pages", [3, 4, 7])
def test_a_few_pages_that_all_lost_a_price_that_still_stands_there_are_a_break(pages: int) -> None:
    price = replace(PRICE, mandatory=False)
    old = [f"<body><h1>{title(n)}</h1><p class='price'>{n}.90 EUR</p></body>" for n in range(pages)]
    moved, gone = [html.replace("'price'", "'cost'") for html in old], [f"<body><h1>{title(n)}</h1></body>" for n in range(pages)]
    assert judge((TITLE, price), old, moved).broken == ("price",)
    assert judge((TITLE, price), old, [*gone[:2], *old[2:]]).broken == ()


def test_one_doubted_page_of_many_keeps_its_baseline_and_the_others_move_on() -> None:
    old = [f"<body><h1>{title(n)}</h1></body>" for n in range(PAGES)]
    found = judge((TITLE,), old, [old[0].replace("h1", "h2"), *old[1:]])
    assert found.broken == ()
    assert [found.renews_baseline(f"/{n}") for n in range(PAGES)] == [False] + [True] * (PAGES - 1)


def test_the_same_text_around_most_values_belongs_to_the_template_but_a_series_may_be_renamed() -> None:
    old = [f"<body><h1>{title(n)}</h1></body>" for n in range(PAGES)]
    new = [f"<body><h1>Buy {title(n)} online</h1></body>" for n in range(PAGES)]
    assert judge((TITLE,), old, new).broken == ("title",)
    assert judge((TITLE,), old, [*new[:7], *old[7:]]).broken == ()
    assert judge((TITLE,), old[:8], new[:8]).broken == ()


def test_what_was_seen_to_change_often_is_no_longer_taken_to_be_constant() -> None:
    old = [f"<body><h1>{title(n)}</h1><p>Seen {n} times</p></body>" for n in range(PAGES)]
    new = [f"<body><h1>Deal {n * 7} of the day</h1><p>{title(n)}</p></body>" for n in range(PAGES)]
    assert judge((TITLE,), old, new).broken == ("title",)
    often = {"title": ChangeCounts(300, 200)}
    assert not judge((TITLE,), old[:4], new[:4], counts=often).broken


def test_a_number_that_never_changes_is_learned_to_be_constant() -> None:
    ean = RATING
    old = [f"<body><h1>{title(n)}</h1><p class='rating'>{4000 + 37 * n}</p></body>" for n in range(PAGES)]
    new = [
        f"<body><h1>{title(n)}</h1><b>{4000 + 37 * n}</b><i>or</i><u>so</u><p class='rating'>{4100 + 41 * n}</p></body>" for n in range(5)
    ]
    fresh = [*new, *old[5:]]
    assert judge((TITLE, ean), old, fresh).broken == ()
    assert judge((TITLE, ean), old, fresh, counts={"rating": ChangeCounts(600, 0)}).broken == ("rating",)
