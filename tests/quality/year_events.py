"""Redesigns of the made-up shops: what each kind does to a design. Some move values away from a rule, and some move nothing."""

import random
from collections.abc import Callable
from dataclasses import replace

from tests.quality.year_shops import Design, Product, Shop, Slot, make_design, move_slot

Redesign = Callable[[Shop, random.Random], str]


def rename_slot(shop: Shop, rng: random.Random) -> str:
    """One value's element gets another class."""
    name = _choose(shop, rng)
    shop.design = move_slot(shop.design, name, replace(shop.design.slots[name], cls=shop.word(4)))
    return f"{name}: other class"


def use_for_other_text(shop: Shop, rng: random.Random) -> str:
    """One value's place holds a text of its own on each page, and the value stands elsewhere."""
    name = "title" if rng.random() < 0.6 else _choose(shop, rng)
    _put_in_place(shop, name, lambda shop, product: product.teaser, rng)
    return f"{name}: teaser in its place"


def use_for_slogan(shop: Shop, rng: random.Random) -> str:
    """One value's place holds the same text on all pages."""
    name = _choose(shop, rng)
    _put_in_place(shop, name, lambda shop, product: f"Welcome to {shop.name}, your shop", rng)
    return f"{name}: slogan in its place"


def use_for_shipping(shop: Shop, rng: random.Random) -> str:
    """The price's place holds the price of shipping."""

    def shipping(shop: Shop, product: Product) -> str:
        return shop.currency.format("2.90" if product.number % 3 else "4.90")

    _put_in_place(shop, "price", shipping, rng)
    return "price: shipping in its place"


def use_for_menu(shop: Shop, rng: random.Random) -> str:
    """The place of an attribute with few values holds entries of a menu."""
    name = "stock" if "stock" in shop.design.slots else "brand"
    if name not in shop.design.slots:
        return rename_slot(shop, rng)
    _put_in_place(shop, name, lambda shop, product: "Basket" if product.number % 2 else "Menu", rng)
    return f"{name}: menu in its place"


def swap_slots(shop: Shop, rng: random.Random) -> str:
    """Two values change places."""
    one, other = rng.sample([name for name in shop.names if name in shop.design.slots], 2)
    slots = shop.design.slots
    order = tuple({one: other, other: one}.get(name, name) for name in shop.design.order)
    shop.design = replace(shop.design, slots={**slots, one: slots[other], other: slots[one]}, order=order)
    return f"{one} and {other}: places changed"


def put_related_first(shop: Shop, rng: random.Random) -> str:
    """Related products come first, with the class that the price had."""
    slot = shop.design.slots["price"]
    design = move_slot(shop.design, "price", Slot("strong", shop.word(4)))
    blocks = ("crumbs", "related", *(block for block in design.blocks if block not in ("crumbs", "related")))
    shop.design = replace(design, related=(design.related[0], slot), blocks=blocks)
    return "price: related prices have its class"


def add_text(shop: Shop, rng: random.Random) -> str:
    """One value's element holds more than the value."""
    name = rng.choice([name for name in shop.names if name in shop.design.slots and name != "price"])
    around = rng.choice(("New: {} and more to come", "{} (see below for all the details)"))
    shop.design = move_slot(shop.design, name, replace(shop.design.slots[name], around=around))
    return f"{name}: text around it"


def redesign_all(shop: Shop, rng: random.Random) -> str:
    """Every page looks new."""
    shop.design, shop.half = _with_shown(shop, make_design(shop, rng)), None
    return "all: new design"


def redesign_half(shop: Shop, rng: random.Random) -> str:
    """Every second page looks new."""
    shop.half = _with_shown(shop, make_design(shop, rng))
    return "half of the pages: new design"


def rearrange_blocks(shop: Shop, rng: random.Random) -> str:
    """Blocks change places and elements come around the product, but each value keeps its element."""
    blocks = list(shop.design.blocks)
    rng.shuffle(blocks)
    shop.design = replace(shop.design, blocks=tuple(blocks), wrappers=shop.design.wrappers % 4 + 1, classes=shop.word(2))
    return "blocks rearranged"


def remove_value(shop: Shop, rng: random.Random) -> str:
    """One value is no longer shown."""
    names = [name for name in shop.names if name in shop.design.slots and name not in ("title", "price", "rating")]
    if not names:
        return rename_slot(shop, rng)
    name = rng.choice(names)
    slots = {key: slot for key, slot in shop.design.slots.items() if key != name}
    shop.design, shop.half = replace(shop.design, slots=slots), None
    return f"{name}: no longer shown"


REDESIGNS: tuple[Redesign, ...] = (
    rename_slot,
    use_for_other_text,
    use_for_slogan,
    use_for_shipping,
    use_for_menu,
    swap_slots,
    put_related_first,
    add_text,
    redesign_all,
    redesign_half,
    rearrange_blocks,
    remove_value,
)


def _choose(shop: Shop, rng: random.Random) -> str:
    return rng.choice([name for name in shop.names if name in shop.design.slots])


def _put_in_place(shop: Shop, name: str, content: Callable[[Shop, Product], str], rng: random.Random) -> None:
    """Puts something else into an attribute's place, and its value at the end of the product in another element."""
    design: Design = shop.design
    slot, key = design.slots[name], f"extra {shop.day}"
    order = [key if each == name else each for each in design.order]
    order.insert(rng.randint(1, len(order)), name)
    moved = move_slot(design, name, Slot(rng.choice(("em", "strong", "u")), shop.word(4)))
    shop.design = replace(moved, order=tuple(order), extras={**design.extras, key: (slot, content)})
    shop.half = None


def _with_shown(shop: Shop, design: Design) -> Design:
    """The design without the attributes that the shop no longer shows."""
    return replace(design, slots={name: slot for name, slot in design.slots.items() if name in shop.design.slots})
