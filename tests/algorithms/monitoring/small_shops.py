"""Shops of a few lines whose prices, stock or conditions have few values, for the tests of verdicts."""

import random
from collections.abc import Callable, Mapping, Sequence

from extraction.algorithms.monitoring.constancy import ChangeCounts
from extraction.algorithms.monitoring.evidence import Revisit
from extraction.algorithms.monitoring.profiles import Profile
from extraction.algorithms.monitoring.verdict import RuleVerdict, judge_rule
from extraction.algorithms.rules.apply import read_attribute
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from tests.algorithms.monitoring.shops import page

PAGES = 15

TITLE = AttributeRule("title", mandatory=True, alternatives=(Selector("/descendant::h1"),))
PRICE = AttributeRule("price", "price", mandatory=True, alternatives=(Selector("(/descendant::p[@class = 'price'])[1]"),))
STOCK = AttributeRule("stock", alternatives=(Selector("/descendant::p[@class = 'stock']"),))
RATING = AttributeRule("rating", "number", alternatives=(Selector("/descendant::p[@class = 'rating']"),))

Html = Sequence[str]


def judge(
    rule: Sequence[AttributeRule], old_html: Html, new_html: Html, *, counts: Mapping[str, ChangeCounts] | None = None
) -> RuleVerdict:
    """What a check says of a rule whose pages were `old_html` and are `new_html`."""
    before, now = [page(html) for html in old_html], [page(html) for html in new_html]
    values = [[{each.name: read_attribute(each, table.root) for each in rule} for table in tables] for tables in (before, now)]
    profiles = {each.name: Profile.learn([row[each.name] for row in values[0]], type=each.type) for each in rule}
    pairs = enumerate(zip(before, now, *values, strict=True))
    visits = [Revisit(f"/{n}", old, new, then, today, covered=True) for n, (old, new, then, today) in pairs]
    return judge_rule(RuleDefinition(tuple(rule)), profiles, visits, counts=counts)


def title(number: int) -> str:
    return f"Product {number} of the spring range"


def price_shop(points: int, changes: int, *, seed: int, same_third: bool = False) -> tuple[list[str], list[str]]:
    """Old and new pages: each shows four related products with their prices. same_third: the third price is the product's own."""
    rng = random.Random(seed)
    values = [f"{9 + 5 * n}.90 EUR" for n in range(points)]
    old = [rng.choice(values) for _ in range(PAGES)]
    related = [rng.sample([n for n in range(PAGES) if n != number], 4) for number in range(PAGES)]
    new = list(old)
    for number in rng.sample(range(PAGES), changes):
        new[number] = rng.choice([value for value in values if value != old[number]])

    def html(number: int, prices: Sequence[str]) -> str:
        rows = [
            (title(other), prices[number] if same_third and place == 2 else prices[other]) for place, other in enumerate(related[number])
        ]
        beside = "".join(f"<li><a>{name}</a><span>{price}</span></li>" for name, price in rows)
        return f"<body><h1>{title(number)}</h1><p class='price'>{prices[number]}</p><ul>{beside}</ul></body>"

    return [html(n, old) for n in range(PAGES)], [html(n, new) for n in range(PAGES)]


def sale_shop(points: int, share: float, *, seed: int) -> tuple[list[str], list[str]]:
    """Old and new pages of a shop with few price points in which a sale begins.

    points: the number of price points.
    share: of the products on sale. Their prices become another of the points, and the old ones are struck out beside them. The pages show
    five related products, whose prices change likewise.
    """
    rng = random.Random(seed)
    values = [f"{9 + 7 * n}.90 EUR" for n in range(points)]
    old = [rng.choice(values) for _ in range(2 * PAGES)]
    new = [rng.choice([value for value in values if value != price]) if rng.random() < share else price for price in old]
    related = [rng.sample([n for n in range(2 * PAGES) if n != number], 5) for number in range(PAGES)]

    def html(number: int, prices: Sequence[str]) -> str:
        was = f"<del class='was'>{old[number]}</del>" if prices[number] != old[number] else ""
        beside = "".join(f"<li><a>{title(other)}</a><span>{prices[other]}</span></li>" for other in related[number])
        return f"<body><h1>{title(number)}</h1><p class='price'>{prices[number]}</p>{was}<ul>{beside}</ul></body>"

    return [html(n, old) for n in range(PAGES)], [html(n, new) for n in range(PAGES)]


def choice_shop(cls: str, values: Sequence[str], changes: int, *, seed: int, beside: str) -> tuple[list[str], list[str]]:
    """Old and new pages with one value of a few, all of which also stand in a list of every page."""
    rng = random.Random(seed)
    old = [rng.choice(values) for _ in range(PAGES)]
    new = list(old)
    for number in rng.sample(range(PAGES), changes):
        new[number] = rng.choice([value for value in values if value != old[number]])
    html: Callable[[int, str], str] = lambda n, value: f"<body><h1>{title(n)}</h1><p class='{cls}'>{value}</p>{beside}</body>"  # noqa: E731
    return [html(n, old[n]) for n in range(PAGES)], [html(n, new[n]) for n in range(PAGES)]
