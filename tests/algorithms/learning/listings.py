"""Listings in many markups with their truth, for the tests of repeating records: seeded, no two values of a page equal."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from extraction.algorithms.dom.nodes import Location, clean, texts
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.row_levels import MarkedRow
from tests.algorithms.learning.pages import page

NOUNS = [
    "river",
    "garden",
    "winter",
    "harbour",
    "letter",
    "shadow",
    "mountain",
    "orchard",
    "mirror",
    "engine",
    "island",
    "lantern",
    "valley",
    "compass",
    "station",
]
NAMES = [
    "Ada",
    "Ben",
    "Cleo",
    "Dora",
    "Emil",
    "Fay",
    "Gus",
    "Hana",
    "Ivo",
    "June",
    "Kai",
    "Lena",
    "Milo",
    "Nora",
    "Otis",
    "Pia",
    "Quinn",
    "Rosa",
    "Sven",
    "Tess",
]


@dataclass(frozen=True)
class Item:
    """A record; "" and () are missing values."""

    title: str
    price: str = ""
    authors: tuple[str, ...] = ()
    link: str = ""

    def value(self, name: str) -> list[str]:
        found = getattr(self, name)
        return [one for one in (found if isinstance(found, tuple) else (found,)) if one]


@dataclass(frozen=True)
class Listing:
    """A page of a listing. fields: those that the markup shows."""

    page: PageTable
    items: tuple[Item, ...]
    fields: tuple[str, ...]

    def truth(self) -> list[dict[str, list[str]]]:
        return [{name: item.value(name) for name in self.fields} for item in self.items]


@dataclass(frozen=True)
class Markup:
    """How a listing is written. body: the whole body of some items; fields: what it shows; missing: what may be missing."""

    name: str
    body: Callable[[Sequence[Item], random.Random], str]
    fields: tuple[str, ...]
    missing: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)


def items(rng: random.Random, count: int, missing: Sequence[str]) -> tuple[Item, ...]:
    """The first two have every value, of the others each may be missing."""
    found = []
    for n in range(count):
        number = f"{rng.randrange(1000, 9999)}{n}"
        gone = {name for name in missing if n > 1 and rng.random() < 0.35}
        found.append(
            Item(
                title=f"The {rng.choice(NOUNS)} of {rng.choice(NOUNS)} {number}",
                price="" if "price" in gone else f"${rng.randrange(3, 90)}.{n:02d}",
                authors=() if "authors" in gone else tuple(f"{rng.choice(NAMES)} {n}{k}" for k in range(rng.choice((1, 2, 3)))),
                link="" if "link" in gone else f"/item/{number}",
            )
        )
    return tuple(found)


def listing(markup: Markup, seed: int, count: int) -> Listing:
    rng = random.Random(f"{markup.name} {seed}")
    some = items(rng, count, markup.missing)
    return Listing(page(markup.body(some, rng)), some, markup.fields)


def mark(shown: Listing, numbers: Sequence[int], *, at_page: int = 0) -> list[MarkedRow]:
    """The rows of these items, each value marked where it stands first; a value that is missing is said to be."""
    return [
        MarkedRow(at_page, {name: tuple(_place(shown.page, value) for value in shown.items[n].value(name)) for name in shown.fields})
        for n in numbers
    ]


def _place(table: PageTable, wanted: str) -> Location:
    for node, element in enumerate(table.nodes):
        for nth, text in enumerate(texts(element), 1):
            if wanted in clean(text):
                whole = clean(text)
                start = whole.index(wanted)
                return Location(node, "text", nth) if whole == wanted else Location(node, "text", nth, "", start, start + len(wanted))
        for name, found in element.attrib.items():
            if found == wanted:
                return Location(node, "attribute", attribute=str(name))
    raise AssertionError(f"{wanted} is not on the page")


def _link(item: Item) -> str:
    return f'<a href="{item.link}">{item.title}</a>' if item.link else f"<a>{item.title}</a>"


def _around(inside: str) -> str:
    menu = "".join(f'<li><a href="/c{n}">Category {n}</a></li>' for n in range(9))
    side = "".join(f"<li><a href='/b{n}'>Blog {n}</a> <span>{n} comments</span></li>" for n in range(4))
    head = f"<div id=head><ul class=menu>{menu}</ul></div>"
    return f"{head}<div id=main><h1>Results</h1>{inside}</div><div id=side><ul>{side}</ul></div><p>Imprint</p>"


def _pager(tag: str = "div") -> str:
    return f"<{tag} class=pager><a href='?p=1'>1</a> <a href='?p=2'>2</a> <a href='?p=3'>next</a></{tag}>"


def table_thead(some: Sequence[Item], rng: random.Random) -> str:
    rows = "".join(f"<tr><td>{_link(i)}</td><td>{i.price}</td><td>{', '.join(i.authors[:1])}</td></tr>" for i in some)
    return _around(f"<table><thead><tr><th>Title<th>Price<th>Author</thead><tbody>{rows}</tbody></table>{_pager()}")


def table_plain(some: Sequence[Item], rng: random.Random) -> str:
    """The header is a row as any other, adverts and a pager are rows over all columns."""
    rows = ["<tr><td>Title</td><td>Price</td></tr>"]
    for n, item in enumerate(some):
        rows.append(f"<tr><td>{item.title}</td><td>{item.price}</td></tr>")
        if n % 4 == 3:
            rows.append("<tr><td colspan=2>Buy a mattress today</td></tr>")
    rows.append("<tr><td colspan=2><a href=2>next page</a></td></tr>")
    return _around(f"<table>{''.join(rows)}</table>")


def nested_tables(some: Sequence[Item], rng: random.Random) -> str:
    """As pages of about 2000: a table in each row's only cell, everything in one more table."""
    rows = "".join(
        f"<tr><td><table border=0><tr><td width=80><img src='{n}.gif'></td><td><font size=2><b>{_link(i)}</b></font><br>"
        f"<font color=red>{i.price}</font></td></tr></table></td></tr>"
        for n, i in enumerate(some)
    )
    head = "<tr><td><font size=1>Home &gt; Books</font></td></tr>"
    return f"<table><tr><td><table>{head}</table></td><td><table>{rows}</table></td></tr></table><table><tr><td>Imprint</td></tr></table>"


def list_items(some: Sequence[Item], rng: random.Random) -> str:
    rows = []
    for n, i in enumerate(some):
        price = f"<span class=price>{i.price}</span>" if i.price else ""
        authors = "".join(f"<em>{name}</em>" for name in i.authors)
        rows.append(f"<li class='item {'odd' if n % 2 else 'even'}'><h3>{_link(i)}</h3><p class=by>{authors}</p>{price}</li>")
        if n in (2, 7):
            rows.append("<li class=advert><h3><a href=/ad>Sponsored mattress</a></h3></li>")
    return _around(f"<ul class=results>{''.join(rows)}</ul>{_pager()}")


def plain_list(some: Sequence[Item], rng: random.Random) -> str:
    rows = "".join(f"<li><a href='{i.link}'>{i.title}</a>{f' <b>{i.price}</b>' if i.price else ''}</li>" for i in some)
    return _around(f"<ol>{rows}</ol>{_pager()}")


def cards_in_grid(some: Sequence[Item], rng: random.Random) -> str:
    cards = [
        f"<div class='col'><div class='card x{rng.randrange(10**6)}'><h4>{i.title}</h4>"
        + (f"<div class=cost><span>{i.price}</span></div>" if i.price else "")
        + f"<a class=more href='{i.link}'>More</a></div></div>"
        for i in some
    ]
    rows = "".join(f"<div class=row>{''.join(cards[n : n + 3])}</div>" for n in range(0, len(cards), 3))
    return _around(f"<div class=grid>{rows}</div>{_pager()}")


def two_lists(some: Sequence[Item], rng: random.Random) -> str:
    """Two lists of one look; the second one is meant by nobody."""
    rows = "".join(f"<li><a href='{i.link}'>{i.title}</a> <i>{i.price}</i></li>" for i in some)
    others = "".join(f"<li><a href='/x/{n}'>Other thing {n}</a> <i>$1.9{n}</i></li>" for n in range(5))
    return _around(f"<h2>New</h2><ul class=l>{rows}</ul><h2>Old</h2><ul class=l>{others}</ul>")


def definitions(some: Sequence[Item], rng: random.Random) -> str:
    rows = "".join(
        f"<dt><a href='{i.link}'>{i.title}</a></dt>"
        + (f"<dd class=p>{i.price}</dd>" if i.price else "")
        + "".join(f"<dd class=a>{name}</dd>" for name in i.authors)
        for i in some
    )
    return _around(f"<dl class=books>{rows}</dl><dl><dt>About</dt><dd>us</dd></dl>")


def two_row_records(some: Sequence[Item], rng: random.Random) -> str:
    """Two rows a record, told apart by what they hold."""
    rows = "".join(
        f"<tr><td class=t><a href='{i.link}'>{i.title}</a></td></tr>"
        f"<tr><td class=d>{f'Price: <b>{i.price}</b>' if i.price else 'Sold'}</td></tr>"
        for i in some
    )
    return _around(f"<table class=r>{rows}</table>")


def two_row_plain(some: Sequence[Item], rng: random.Random) -> str:
    """Two rows a record, and nothing but their order tells them apart."""
    rows = "".join(f"<tr><td>{i.title}</td></tr><tr><td>{i.price}</td></tr>" for i in some)
    return _around(f"<table>{rows}</table>")


def headings(some: Sequence[Item], rng: random.Random) -> str:
    rows = "".join(
        f"<h3>{i.title}</h3>" + (f"<p class=price>{i.price}</p>" if i.price else "") + f"<p><a class=go href='{i.link}'>Read</a></p>"
        for i in some
    )
    return _around(f"<div class=content>{rows}</div>")


def rowspan_labels(some: Sequence[Item], rng: random.Random) -> str:
    """A group's label spans its rows, so that the first row of a group has a cell more."""
    rows = []
    for n, i in enumerate(some):
        label = "<th rowspan=3>Group</th>" if n % 3 == 0 else ""
        rows.append(f"<tr>{label}<td class=n>{i.title}</td><td class=v>{i.price}</td></tr>")
    return _around(f"<table class=g><tr><th>G<th>Name<th>Price</tr>{''.join(rows)}</table>")


def several_bodies(some: Sequence[Item], rng: random.Random) -> str:
    rows = [f"<tr><td>{i.title}</td><td>{i.price}</td></tr>" for i in some]
    bodies = "".join(f"<tbody>{''.join(rows[n : n + 4])}</tbody>" for n in range(0, len(rows), 4))
    return _around(f"<table><thead><tr><th>Title<th>Price</thead>{bodies}</table>")


def tables_as_rows(some: Sequence[Item], rng: random.Random) -> str:
    """A table for each record, as the rank orders of a well-known almanac; the first holds the header, too."""
    head = "<tr bgcolor=#eee><th>Title</th><th>Price</th></tr>"
    rows = "".join(
        f"<table width=600 bgcolor={'#fff' if n % 2 else '#eee'}>{head if not n else ''}<tr><td colspan=2><a name=r{n}></a></td></tr>"
        f"<tr><td class=c><a href='{i.link}'><strong>{i.title}</strong></a></td><td><div align=right>  {i.price}</div></td></tr></table>"
        for n, i in enumerate(some)
    )
    return f"<table id=frame><tr><td>Menu</td></tr><tr><td>{rows}</td></tr></table><table><tr><td>Top</td></tr></table>"


def part_of_text(some: Sequence[Item], rng: random.Random) -> str:
    rows = "".join(
        f"<li class=r><b>{i.title}</b> <span>{f'Price: {i.price} incl. tax' if i.price else 'Sold out'}</span></li>" for i in some
    )
    return _around(f"<ul>{rows}</ul>")


def labelled_cards(some: Sequence[Item], rng: random.Random) -> str:
    """Fields by their labels only; their order changes from card to card."""
    rows = []
    for i in some:
        lines = [f"<p><b>Title:</b> <span>{i.title}</span></p>"]
        lines += [f"<p><b>Price:</b> <span>{i.price}</span></p>"] if i.price else []
        lines += [f"<p><b>Author:</b> <span>{i.authors[0]}</span></p>", f"<p><b>Pages:</b> <span>{rng.randrange(9999)}</span></p>"]
        rng.shuffle(lines)
        rows.append(f"<div class=b>{''.join(lines)}</div>")
    return _around("".join(rows))


def one_field(some: Sequence[Item], rng: random.Random) -> str:
    rows = "".join(f"<li><a href='{i.link}'>{i.title}</a><a href='#'>compare</a></li>" for i in some)
    return _around(f"<ul class=names>{rows}</ul>")


def after_bold(some: Sequence[Item], rng: random.Random) -> str:
    """Bare texts between bold names and line breaks."""
    rows = "".join(f"<b>{i.title}</b> {i.price}<br>" for i in some)
    return _around(f"<div class=t>{rows}</div>")


MARKUPS = (
    Markup("table with thead", table_thead, ("title", "price", "link"), ("price",)),
    Markup("table without header cells", table_plain, ("title", "price"), ("price",)),
    Markup("nested tables", nested_tables, ("title", "price", "link"), ("price",)),
    Markup("list items", list_items, ("title", "price", "authors", "link"), ("price", "authors")),
    Markup("plain list", plain_list, ("title", "price", "link"), ("price",)),
    Markup("cards in a grid", cards_in_grid, ("title", "price", "link"), ("price",)),
    Markup("two lists of one look", two_lists, ("title", "price", "link")),
    Markup("definitions", definitions, ("title", "price", "authors", "link"), ("price", "authors")),
    Markup("two rows a record", two_row_records, ("title", "price", "link"), ("price",)),
    Markup("two plain rows a record", two_row_plain, ("title", "price")),
    Markup("headings and paragraphs", headings, ("title", "price", "link"), ("price",)),
    Markup("labels over rows", rowspan_labels, ("title", "price"), ("price",)),
    Markup("several bodies", several_bodies, ("title", "price"), ("price",)),
    Markup("a table a record", tables_as_rows, ("title", "price", "link"), ("price",)),
    Markup("part of a text", part_of_text, ("title", "price"), ("price",)),
    Markup("labelled cards", labelled_cards, ("title", "price"), ("price",)),
    Markup("one field", one_field, ("title",)),
    Markup("bold and bare text", after_bold, ("title", "price")),
)
