"""Lists whose pages were redesigned: the old rows are found again, rows of something else are not taken for them."""

from collections.abc import Callable, Sequence

import pytest

from extraction.algorithms.monitoring import list_places
from extraction.algorithms.monitoring.list_relearning import RelearnedList, relearn_list
from extraction.algorithms.monitoring.relearning import NotRelearned
from extraction.algorithms.rules import apply
from extraction.algorithms.rules.rule import AttributeRule, ListRule, Selector
from tests.algorithms.monitoring.shops import page

Teas = Sequence[tuple[str, str]]

PAGES = 8

WORDS = (
    "Assam",
    "Sencha",
    "Earl Grey",
    "Oolong",
    "Pu-erh",
    "Rooibos",
    "Mint",
    "Jasmine pearls",
    "First flush",
    "Mate",
    "Kukicha",
)

OLD = ListRule(
    "offers",
    (Selector("//li[@class='offer']"),),
    (
        AttributeRule("thing", mandatory=True, alternatives=(Selector("./b/text()"),)),
        AttributeRule("price", "price", alternatives=(Selector("./i/text()"),)),
    ),
)
BROKEN = ("thing", "price")


def teas(number: int) -> Teas:
    """(name, price) of a page's offers; each fourth has no price."""
    names = [WORDS[(number * 5 + n * 3) % len(WORDS)] + f" {number}-{n}" for n in range(4 + number % 3)]
    return [(name, "" if n % 4 == 3 else f"£{n + 1}.{number:02d}") for n, name in enumerate(names)]


def old(number: int) -> str:
    rows = [f'<li class="offer"><b>{name}</b>{f"<i>{price}</i>" if price else ""}</li>' for name, price in teas(number)]
    return f"<body><ul>{''.join(rows)}<li class='ad'><b>Sponsored</b></li></ul><p>Tel <b>1234</b><ul><li><b>Home</b></ul></body>"


def renamed(number: int, offers: Teas) -> str:
    rows = [f'<li class="deal"><b>{name}</b>{f"<i>{price}</i>" if price else ""}</li>' for name, price in offers]
    return f'<ul><li><b>Home</b></li></ul><ul>{"".join(rows)}<li class="ad"><b>Sponsored</b></li></ul>'


def table(number: int, offers: Teas) -> str:
    rows = "".join(f"<tr><td>{n}</td><td><a>{name}</a></td><td>{price}</td></tr>" for n, (name, price) in enumerate(offers))
    return f"<table><tr><th>No.</th><th>Tea</th><th>Price</th></tr>{rows}</table><table><tr><td>Tel.</td><td>1234</td></tr></table>"


def siblings(number: int, offers: Teas) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt>{f'<dd>{price}</dd>' if price else ''}" for name, price in offers) + "</dl>"


def swapped(number: int, offers: Teas) -> str:
    rows = "".join(f'<li class="offer"><i>{name}</i><b>{price}</b></li>' for name, price in offers)
    return f"<ul>{rows}</ul>"


def with_popular(number: int, offers: Teas) -> str:
    """Beside the list a box that has half of its names first, with the same tags, and other prices."""
    rows = "".join(f"<li><a>{name}</a>{f'<i>{price}</i>' if price else ''}</li>" for name, price in offers)
    popular = "".join(f"<li><a>{name}</a><i>£99</i></li>" for name, _ in offers[::2])
    return f"<div><ul>{popular}</ul></div><div><ul>{rows}</ul></div>"


def rewritten(number: int, offers: Teas) -> str:
    """Prices are written in another way."""
    rows = "".join(f"<p><b>{name}</b> <i>{price.replace('£', '').replace('.', ',')} GBP</i></p>" for name, price in offers if price)
    return f"<section>{rows}</section>"


def parts(number: int, offers: Teas) -> str:
    """Both stand in one text."""
    return "<ol>" + "".join(f"<li>{name} for {price} only</li>" for name, price in offers if price) + "</ol>"


def given(rule: ListRule, html: str) -> list[tuple[str, str]]:
    one = page(html)
    rows = apply.find_row_places(rule, one.root, {element: n for n, element in enumerate(one.nodes)})
    return [tuple("".join(text for _, text in row.get(name, ())) for name in BROKEN) for row in rows]  # type: ignore[misc]


def relearned(
    design: Callable[[int, Teas], str], *, changed: Callable[[int], Teas] = teas, broken: Sequence[str] = BROKEN
) -> RelearnedList | NotRelearned:
    before = [[{"thing": (name,), "price": (price,) if price else ()} for name, price in teas(n)] for n in range(PAGES)]
    pages = [page(f"<body><h1>Shop {n}</h1>{design(n, changed(n))}</body>") for n in range(PAGES)]
    return relearn_list(OLD, broken, pages, before, old_pages=[page(old(n)) for n in range(PAGES)])


@pytest.mark.parametrize("design", [renamed, table, siblings, swapped, with_popular])
def test_the_rows_of_another_design_are_found_on_pages_never_seen(design: Callable[[int, Teas], str]) -> None:
    made = relearned(design)
    assert isinstance(made, RelearnedList), made
    assert given(made.rule, design(70, teas(70))) == teas(70)
    assert set(made.attributes) == set(BROKEN)
    assert not made.failed
    assert all(each.judged == each.agreeing >= 4 for each in made.attributes.values())


def test_values_written_in_another_way_or_within_a_text_are_found() -> None:
    made = relearned(rewritten)
    assert isinstance(made, RelearnedList), made
    assert made.attributes["price"].stage == "typed"
    assert given(made.rule, rewritten(70, teas(70)))[0] == ("Mate 70-0", "1,70 GBP")
    made = relearned(parts)
    assert isinstance(made, RelearnedList), made
    assert given(made.rule, parts(70, teas(70))) == [offer for offer in teas(70) if offer[1]]


def test_rows_and_prices_that_changed_do_not_mislead() -> None:
    def today(number: int) -> Teas:
        fresh = [(f"Cake {number}", "£77.00"), *teas(number)[1:]]
        return [(name, "£55.00" if n == 2 else price) for n, (name, price) in enumerate(fresh)]

    made = relearned(renamed, changed=today)
    assert isinstance(made, RelearnedList), made
    assert given(made.rule, renamed(70, today(70))) == today(70)
    assert all(each.agreement_fraction == 1 for each in made.attributes.values())


def test_rows_of_something_else_are_not_taken() -> None:
    """The offers are gone; what is left of them stands in a box of what is popular, or their prices beside other things."""
    same_prices = relearned(renamed, changed=lambda n: [(f"Cake {n}-{k}", price) for k, (_, price) in enumerate(teas(n))])
    assert isinstance(same_prices, NotRelearned)
    assert isinstance(relearned(table, changed=lambda n: [(f"Cake {n}-{k}", "£3") for k in range(9)]), NotRelearned)
    popular = relearned(lambda n, offers: "<ul>" + "".join(f"<li><a>{name}</a></li>" for name, _ in offers[:2]) + "</ul>")
    assert isinstance(popular, NotRelearned)


def test_only_what_broke_gets_another_xpath() -> None:
    def partly(number: int, offers: Teas) -> str:
        rows = "".join(f'<li class="offer"><b>{name}</b>{f"<em>{price}</em>" if price else ""}</li>' for name, price in offers)
        return f"<ul>{rows}</ul>"

    made = relearned(partly, broken=["price"])
    assert isinstance(made, RelearnedList), made
    assert (made.rule.rows, made.rule.attributes[0]) == (OLD.rows, OLD.attributes[0])
    assert given(made.rule, partly(70, teas(70))) == teas(70)


def test_an_attribute_whose_values_are_all_gone_is_said_to_be_lost() -> None:
    made = relearned(renamed, changed=lambda n: [(name, f"{k}") for k, (name, _) in enumerate(teas(n))])
    assert isinstance(made, NotRelearned) or set(made.failed) == {"price"}
    none = relearned(renamed, changed=lambda n: [(name, "") for name, _ in teas(n)])
    assert isinstance(none, NotRelearned) or set(none.failed) == {"price"}


def test_a_list_of_one_attribute_and_one_without_old_rows() -> None:
    one = ListRule("names", (Selector("//li"),), (AttributeRule("name", alternatives=(Selector("./text()"),)),))
    pages = [page("<body><ol>" + "".join(f"<li><span>{name}</span></li>" for name, _ in teas(n)) + "</ol></body>") for n in range(PAGES)]
    made = relearn_list(one, ["name"], pages, [[{"name": (name,)} for name, _ in teas(n)] for n in range(PAGES)], old_pages=pages)
    assert isinstance(made, RelearnedList), made
    assert made.attributes["name"].agreement_fraction == 1
    assert isinstance(relearn_list(one, ["name"], pages, [()] * PAGES, old_pages=pages), NotRelearned)


def test_of_a_long_list_the_first_rows_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_places, "MAX_ROWS", 3)
    made = relearned(renamed)
    assert isinstance(made, RelearnedList), made
    assert given(made.rule, renamed(70, teas(70))) == teas(70)
    assert all(each.agreement_fraction == 1 for each in made.attributes.values())


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 2_000 + "".join(f"<p><b>{name}</b><i>{price}</i>" for name, price in teas(3)),
        "<ul>" + "".join(f"<li><b>{teas(1)[0][0]}</b><i>£1.01</i></li>" for _ in range(800)) + "</ul>",
        "".join(f"<div><b>{name}</b>" for _ in range(150) for name, _ in teas(2)),
    ],
    ids=["deep", "one value everywhere", "nested"],
)
def test_pages_made_to_keep_a_reader_busy_are_answered(html: str) -> None:
    pages = [page(f"<body>{html}</body>") for _ in range(3)]
    rows = [{"thing": (name,), "price": (price,) if price else ()} for n in range(40) for name, price in teas(n)]
    assert relearn_list(OLD, BROKEN, pages, [rows] * 3, old_pages=pages)
