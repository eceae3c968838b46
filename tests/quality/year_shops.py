"""Made-up shops for the simulated year: what they sell, what is true of each product each day, and how their pages look.

Everything follows from a seed. A `Shop` has products whose prices, stock and ratings change from day to day, and a `Design`, which says
where each value stands. `year_events` changes designs.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from html import escape

from extraction.algorithms.rules.rule import AttributeRule

SYLLABLES = tuple(consonant + vowel for consonant in "bdfgklmnprstv" for vowel in "aeio")

STOCK = ("In stock", "Out of stock", "Ships in 3 days")

BRANDS = ("Nordlicht", "Halvorsen", "Tamino", "Quist & Sons", "Aurelia")

ATTRIBUTES = {
    "title": AttributeRule("title", mandatory=True),
    "price": AttributeRule("price", "price"),
    "stock": AttributeRule("stock"),
    "ean": AttributeRule("ean"),
    "brand": AttributeRule("brand"),
    "rating": AttributeRule("rating", "number"),
    "description": AttributeRule("description"),
}

OPTIONAL = ("stock", "ean", "brand", "rating", "description")

Content = Callable[["Shop", "Product"], str]


@dataclass(frozen=True)
class Slot:
    """An element that holds a value. label: a text before it, in an element of its own. around: the value's text, with {} for it."""

    tag: str
    cls: str
    label: str = ""
    around: str = "{}"

    def render(self, value: str) -> str:
        label = f"<span class='label'>{self.label}</span>" if self.label else ""
        return f"<div class='row'>{label}<{self.tag} class='{self.cls}'>{escape(self.around.format(value))}</{self.tag}></div>"


@dataclass(frozen=True)
class Design:
    """How a product's page looks.

    slots: where each attribute's value stands; an attribute without a slot is not shown.
    extras: {name: (slot, what stands there)} of other elements among them.
    order: names of attributes and extras, as they stand on the page.
    blocks: the page's blocks in order. related: slots of the title and the price of related products.
    wrappers: how many elements there are around the product.
    """

    slots: Mapping[str, Slot]
    order: tuple[str, ...]
    related: tuple[Slot, Slot]
    extras: Mapping[str, tuple[Slot, Content]] = field(default_factory=dict)
    blocks: tuple[str, ...] = ("crumbs", "product", "facets", "related", "pager")
    wrappers: int = 1
    classes: str = "page"


@dataclass
class Product:
    """A product as it is today."""

    number: int
    title: str
    price: str
    stock: str
    ean: str
    brand: str
    rating: str
    description: str
    teaser: str
    was: str = ""
    related: tuple[int, ...] = ()


class Shop:
    """A shop with its products, its habits and its design. half: the design of every second product, where it differs."""

    def __init__(self, seed: int, *, products: int = 30, watched: int = 15) -> None:
        self.random = rng = random.Random(seed)
        self.name = f"shop {seed}"
        self.names = ("title", "price", *sorted(rng.sample(OPTIONAL, rng.randint(3, 5))))
        self.points = [f"{9 + 7 * n}.90" for n in range(rng.choice((3, 3, 4, 6, 12, 40)))]
        self.currency = rng.choice(("{} EUR", "€{}", "${}", "{} kr"))
        self.price_rate, self.stock_rate = rng.choice((0.004, 0.01, 0.03)), rng.choice((0.005, 0.02, 0.05))
        self.rating_rate, self.title_rate, self.text_rate = rng.choice((0.005, 0.02)), 0.0003, rng.choice((0.0005, 0.003))
        self.rotates, self.crumbs, self.same_third = rng.random() < 0.5, rng.random() < 0.6, rng.random() < 0.3
        self.related_count = rng.randint(3, 5)
        self.sale_until, self.banner_until, self.test_until, self.day = -1, -1, -1, 0
        self.products = [self._make_product(n) for n in range(products)]
        self.watched = self.products[:watched]
        for each in self.products:
            each.related = self._relate(each)
        self.design = make_design(self, rng)
        self.half: Design | None = None

    @property
    def rules(self) -> tuple[AttributeRule, ...]:
        """The attributes that the shop's records have."""
        return tuple(ATTRIBUTES[name] for name in self.names)

    def word(self, syllables: int = 3) -> str:
        return "".join(self.random.choice(SYLLABLES) for _ in range(syllables))

    def sentence(self, words: int) -> str:
        return " ".join(self.word(self.random.randint(1, 3)) for _ in range(words)).capitalize()

    def pass_day(self) -> None:
        """Changes what changes from one day to the next."""
        rng = self.random
        self.day += 1
        if self.day > self.sale_until and rng.random() < 0.015:
            self._begin_sale()
        if self.day == self.sale_until:
            for each in self.products:
                each.price, each.was = each.was or each.price, ""
        if self.day > self.banner_until and rng.random() < 0.03:
            self.banner_until = self.day + rng.randint(3, 20)
        if self.day > self.test_until and rng.random() < 0.02:
            self.test_until = self.day + rng.randint(5, 25)
        for each in self.products:
            self._change(each)

    def tell_truth(self, product: Product) -> dict[str, tuple[str, ...]]:
        """The values that the product's page shows, by attribute."""
        design = self.design_of(product)
        shown: dict[str, tuple[str, ...]] = {}
        for name in self.names:
            slot, value = design.slots.get(name), self.show(product, name)
            shown[name] = (value,) if slot and value else ()
        return shown

    def show(self, product: Product, name: str) -> str:
        """An attribute's value as the page shows it."""
        value = str(getattr(product, name))
        return self.currency.format(value) if name == "price" and value else value

    def design_of(self, product: Product) -> Design:
        """The design of a product's page."""
        return self.half if self.half is not None and product.number % 2 else self.design

    def render(self, product: Product) -> bytes:
        """The product's page as it is today. During a test of two variants, each visit shows one of them."""
        return PageWriter(self, product, varied=self.day <= self.test_until and self.random.random() < 0.5).write()

    def _make_product(self, number: int) -> Product:
        rng = self.random
        return Product(
            number=number,
            title=self.sentence(rng.randint(2, 5)),
            price=rng.choice(self.points),
            stock=rng.choices(STOCK, (8, 2, 1))[0],
            ean=f"{rng.randrange(10**12, 10**13)}",
            brand=rng.choice(BRANDS),
            rating="" if rng.random() < 0.1 else f"{rng.randint(5, 10) / 2:g}",
            description=self.sentence(rng.randint(8, 20)),
            teaser=self.sentence(rng.randint(2, 6)),
        )

    def _relate(self, product: Product) -> tuple[int, ...]:
        return tuple(self.random.sample([n for n in range(len(self.products)) if n != product.number], self.related_count))

    def _begin_sale(self) -> None:
        rng = self.random
        self.sale_until, share = self.day + rng.randint(4, 14), rng.choice((0.2, 0.5, 1.0))
        for each in self.products:
            if rng.random() < share:
                among_points = rng.random() < 0.5
                each.was = each.price
                others = [point for point in self.points if point != each.price]
                each.price = rng.choice(others) if among_points else f"{float(each.price) * 0.8:.2f}"

    def _change(self, product: Product) -> None:
        rng = self.random
        if rng.random() < self.price_rate and not product.was:
            product.price = rng.choice(self.points)
        if rng.random() < self.stock_rate:
            product.stock = rng.choices(STOCK, (8, 2, 1))[0]
        if rng.random() < self.rating_rate:
            product.rating = f"{rng.randint(5, 10) / 2:g}"
        if rng.random() < self.title_rate:
            product.title = f"{product.title} {self.word(2)}"
        if rng.random() < self.text_rate:
            product.description = self.sentence(rng.randint(8, 20))
        if self.rotates and rng.random() < 0.3:
            product.related = self._relate(product)


class PageWriter:
    """Writes one page. varied: the other variant of a test of two."""

    def __init__(self, shop: Shop, product: Product, *, varied: bool) -> None:
        self.shop, self.product, self.varied, self.design = shop, product, varied, shop.design_of(product)

    def write(self) -> bytes:
        design, shop = self.design, self.shop
        blocks = list(design.blocks)
        if self.varied:
            blocks = [each for each in blocks if each != "facets"] + ["facets", "promise"]
        body = "".join(getattr(self, f"_{block}")() for block in blocks)
        banner = f"<div class='banner'>The great {shop.day // 30}th sale of the season</div>" if shop.day <= shop.banner_until else ""
        head = f"<header><a href='/'>{shop.name}</a><nav><a href='/cart'>Cart</a><a href='/help'>Help</a></nav></header>"
        title = f"<head><title>{escape(self.product.title)}</title></head>"
        return f"<html>{title}<body>{head}{banner}<div class='{design.classes}'>{body}</div></body></html>".encode()

    def _crumbs(self) -> str:
        last = f"<a>{escape(self.product.title)}</a>" if self.shop.crumbs else ""
        return f"<ul class='crumbs'><li><a>Home</a></li><li><a>Products</a></li><li>{last}</li></ul>"

    def _product(self) -> str:
        design, shop, product = self.design, self.shop, self.product
        parts = []
        for name in design.order:
            if name in design.extras:
                slot, content = design.extras[name]
                parts.append(slot.render(content(shop, product)))
            elif name in design.slots and (value := shop.show(product, name)):
                parts.append(design.slots[name].render(value))
                if name == "price" and product.was:
                    parts.append(f"<del class='was'>{escape(shop.currency.format(product.was))}</del>")
        inner = "".join(parts)
        for level in range(design.wrappers + self.varied):
            inner = f"<section class='box{level}'>{inner}</section>"
        return inner

    def _facets(self) -> str:
        rows = [*STOCK, *BRANDS, "4", "5"]
        return "<ul class='facets'>" + "".join(f"<li><a>{escape(each)}</a></li>" for each in rows) + "</ul>"

    def _related(self) -> str:
        shop, (name, price) = self.shop, self.design.related
        rows = []
        for place, number in enumerate(self.product.related):
            other = shop.products[number]
            shown = self.product.price if shop.same_third and place == 2 else other.price
            rows.append(name.render(other.title) + price.render(shop.currency.format(shown)))
        return f"<aside class='more'><h3>You may also like</h3>{''.join(rows)}</aside>"

    def _pager(self) -> str:
        return "<ol class='pager'>" + "".join(f"<li><a>{n}</a></li>" for n in range(1, 6)) + "</ol>"

    def _promise(self) -> str:
        return "<div class='promise'><b>Free returns</b><span>30 days</span></div>"


def make_design(shop: Shop, rng: random.Random) -> Design:
    """A new design with names of its own for every class."""
    tags = {"title": rng.choice(("h1", "h2", "div")), "description": "p"}
    labels = {name: f"{name.capitalize()}:" if rng.random() < 0.3 and name not in ("title", "description") else "" for name in shop.names}
    slots = {name: Slot(tags.get(name) or rng.choice(("span", "b", "div", "p")), shop.word(3), labels[name]) for name in shop.names}
    rest = [name for name in shop.names if name != "title"]
    rng.shuffle(rest)
    blocks = ["product", "facets", "related", "pager"]
    if rng.random() < 0.5:
        blocks = ["facets", "product", "related", "pager"]
    return Design(
        slots=slots,
        order=("title", *rest),
        related=(Slot("a", shop.word(2)), Slot("span", shop.word(2))),
        blocks=("crumbs", *blocks),
        wrappers=rng.randint(1, 3),
        classes=shop.word(2),
    )


def move_slot(design: Design, name: str, slot: Slot) -> Design:
    """The design with one attribute's value in another slot."""
    return replace(design, slots={**design.slots, name: slot})
