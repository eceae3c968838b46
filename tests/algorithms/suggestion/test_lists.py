"""Lists are named after headers, labels and classes; a sheet of fields is no list; methods that see the same agree."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from lxml import etree

from extraction.algorithms.alignment.exalg import infer_with_exalg
from extraction.algorithms.alignment.mse import SectionField, build_structure, find_sections
from extraction.algorithms.alignment.schema import Structure, Tuple, Value
from extraction.algorithms.dom.nodes import Location, elements
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion.list_names import ListNames
from extraction.algorithms.suggestion.lists import choose_rows_to_mark, find_columns_within, is_in_structure, suggest_lists
from extraction.algorithms.suggestion.suggest import suggest_columns
from tests.algorithms.learning.listings import MARKUPS, items

NAMES = {
    "table with thead": ["title", "price", "author", "link"],
    "list items": ["title", "field", "price", "link"],
    "plain list": ["name", "price", "link"],
    "definitions": ["title", "price", "field", "link"],
    "labelled cards": ["title", "author", "pages", "price"],
    "a table a record": ["title", "price", "link"],
}


def made(name: str, counts: Sequence[int] = (7, 12, 9, 5)) -> list[etree._Element]:
    markup = next(each for each in MARKUPS if each.name == name)
    roots = []
    for page, count in enumerate(counts):
        rng = random.Random(f"{name} {page}")
        roots.append(parse(markup.body(items(rng, count, markup.missing), rng).encode()).root)
    return roots


@pytest.mark.parametrize("name", NAMES)
def test_fields_are_named(name: str) -> None:
    (found,) = suggest_lists(made(name))
    assert sorted(field.name for field in found.fields) == sorted(NAMES[name])
    assert found.rows == 33
    assert {field.filled == 33 for field in found.fields if field.name in ("title", "name")} == {True}


def test_a_list_of_one_field_and_a_sheet_of_one_record_are_no_lists() -> None:
    assert suggest_lists(made("one field")) == []
    names = ("Publisher", "Pages", "Language", "ISBN")
    sheets = ["".join(f"<tr><th>{name}</th><td>{name[:2]}{n}</td></tr>" for name in names[n % 2 :]) for n in range(6)]
    assert suggest_lists([parse(f"<body><h1>Book {n}</h1><table>{sheet}</table>".encode()).root for n, sheet in enumerate(sheets)]) == []


def test_the_same_names_in_another_order_on_each_page_are_a_list() -> None:
    pages = []
    for seed in range(5):
        names = random.Random(seed).sample(["Chad", "Mali", "Peru", "Oman", "Cuba", "Fiji"], 6)
        rows = "".join(f"<tr><td>{name}</td><td>{seed}{n}.5</td></tr>" for n, name in enumerate(names))
        pages.append(parse(f"<body><h1>Ranks {seed}</h1><table>{rows}</table>".encode()).root)
    (found,) = suggest_lists(pages)
    assert found.rows == 30


def test_what_agrees_has_as_many_rows_with_the_same_texts() -> None:
    roots = made("plain list")
    sections = [section for section in find_sections(roots) if section.several]
    assert is_in_structure(sections[0], build_structure(sections, len(roots)))
    assert not is_in_structure(sections[0], Structure(Tuple(()), tuple({} for _ in roots)))
    assert not is_in_structure(
        sections[0], build_structure([section for section in find_sections(made("definitions")) if section.several], len(roots))
    )
    (found,) = suggest_lists(roots, others={"ExAlg": infer_with_exalg(roots), "nobody": Structure(Tuple(()), tuple({} for _ in roots))})
    assert found.agree == ("ExAlg",)


def test_rows_that_have_most_of_the_fields_are_marked_in_their_order() -> None:
    (found,) = suggest_lists(made("plain list"))
    numbers = [field.number for field in found.fields]
    every = found.section.rows[0]
    rows = choose_rows_to_mark(found, 0, numbers, most=2)
    assert len(rows) == 2 and all(len(row.values) == 3 for row in rows)
    assert [row.first for row in rows] == sorted(row.first for row in rows)
    assert choose_rows_to_mark(found, 0, numbers, most=200) == list(every)
    assert choose_rows_to_mark(found, 99, numbers, most=2) == []


def test_fewer_than_two_pages_have_no_lists() -> None:
    assert suggest_lists([]) == suggest_lists(made("plain list", (5,))) == []


NAMED = ("Ann", "Bob", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal")


def pages(made: Callable[[int], str], *, most: int = 8) -> list[etree._Element]:
    return [parse(made(n).encode()).root for n in range(most)]


def rows(page: int, count: int) -> str:
    return "".join(
        f'<tr class="{("oddrow", "evenrow")[n % 2]}"><td>Town {page}{n}</td><td>{page}-{n}</td><td><b>{page + n}.5</b></td></tr>'
        for n in range(count)
    )


def test_columns_of_plain_cells_are_called_as_the_row_that_pages_have_above_them() -> None:
    head = "<tr class=top><td colspan=3>Away games: {}</td></tr><tr class=head><td>Place</td><td>Score</td><td>TO</td></tr>"
    (found,) = suggest_lists(pages(lambda n: f"<h1>Player {n}</h1><table>{head.format(2000 + n)}{rows(n, 4 + n % 3)}</table>"))
    assert (found.name, [field.name for field in found.fields]) == ("away_games", ["place", "score", "to"])
    assert found.rows == sum(4 + n % 3 for n in range(8))


def test_a_list_and_its_fields_of_xml_are_called_as_their_elements() -> None:
    def made(n: int) -> str:
        reviews = "".join(f"<review><by>P {n}{k}</by><text>Good {n}{k}</text></review>" for k in range(2 + n % 3))
        return f'<?xml version="1.0"?><thing><stock>{"yes" if n % 4 else "no"}</stock><reviews>{reviews}</reviews></thing>'

    (found,) = suggest_lists(pages(made))
    assert (found.name, [field.name for field in found.fields]) == ("reviews", ["by", "review_text"])


def test_a_value_above_a_list_and_classes_of_the_layout_are_no_names() -> None:
    def made(n: int) -> str:
        tiles = "".join(f'<div class="tile"><a>Book {n}{k}</a><span>Ann {n}{k}</span></div>' for k in range(3 + n % 2))
        return f"<h1>{NAMED[n]}</h1><p>{'In stock' if n % 4 else 'Sold out'}</p><div class=tiles>{tiles}</div>"

    (found,) = suggest_lists(pages(made))
    assert (found.name, [field.name for field in found.fields]) == ("rows", ["name", "field"])


def test_a_list_is_called_as_the_nearest_heading_and_a_field_as_the_cell_it_stands_in() -> None:
    def made(n: int) -> str:
        cast = "".join(
            f'<tr><td><a>Actor {n}{k}</a></td><td class="part"><div><a>Part {n}{k}</a></div></td></tr>' for k in range(3 + n % 2)
        )
        return f"<h1>Film {n}</h1><h2>Cast</h2><table>{cast}</table>"

    (found,) = suggest_lists(pages(made))
    assert (found.name, [field.name for field in found.fields]) == ("cast", ["name", "part"])


def test_columns_whose_values_stand_in_the_rows_of_a_list_are_its() -> None:
    roots = made("plain list")
    lists = suggest_lists(roots)
    inside = {page: [values[0] for row in many for values in row.values.values()] for page, many in lists[0].section.rows.items()}
    outside = {page: [Value("x", Location(0, "text", 1))] for page in inside}
    mixed = {page: [*values[:1], *outside[page] * 3] for page, values in inside.items()}
    assert find_columns_within(lists, roots, [outside, inside, mixed]) == {1: lists[0]}


def test_labelled_columns_of_a_table_of_properties_are_fields_of_the_page() -> None:
    labels = ("Brand", "Colour", "Weight", "Origin")

    def make_properties(n: int) -> str:
        order = [labels[(n + k) % 4] for k in range(3 + n % 2)]
        cells = "".join(f"<div><span>{label}</span><span>{label[0]} {n} value</span></div>" for label in order)
        return f"<h1>{NAMED[n]}</h1><p>Text {n}</p><h2>Details</h2><div class=props>{cells}</div>"

    roots = pages(make_properties)
    lists, columns = suggest_lists(roots), suggest_columns(roots, most=20, constants=5)
    within = find_columns_within(lists, roots, [each.values for each in columns], [each.words for each in columns])
    assert lists and not within, "the properties are a list, too, but have no columns"
    assert {"brand", "colour", "weight", "origin"} <= {each.words for each in columns}


def test_labelled_columns_of_a_list_of_records_stay_its_columns() -> None:
    def make_records(n: int) -> str:
        tiles = "".join(f"<li><a>Lamp {n}{k}</a><span>Price:</span> <b>{n}{k}.50 €</b></li>" for k in range(3 + n % 3))
        return f"<h1>{NAMED[n]}</h1><ul>{tiles}</ul>"

    roots = pages(make_records)
    columns = suggest_columns(roots, most=20, constants=5)
    within = find_columns_within(suggest_lists(roots), roots, [each.values for each in columns], [each.words for each in columns])
    priced = {n for n, each in enumerate(columns) if "€" in "".join(each.texts)}
    assert priced and priced <= within.keys()


def products(name: str, having: Sequence[int]) -> tuple[list[etree._Element], dict[int, int]]:
    """Ten product pages, some of which have a list of reviews, and {page: how many}."""
    markup = next(each for each in MARKUPS if each.name == name)
    roots, counts = [], {}
    for number in range(10):
        rng, reviews = random.Random(f"{name} {number}"), ""
        if number in having:
            counts[number] = 2 + (number + len(having)) % 5
            reviews = f"<section><h2>Reviews</h2>{markup.body(items(rng, counts[number], markup.missing), rng)}</section>"
        facts = f"<table class=facts><tr><th>Maker<td>M{number}</tr><tr><th>Weight<td>{number} g</tr></table>"
        body = f"<nav><a>Home</a><a>Shop</a></nav><main><h1>Product {number}</h1><p class=price>£{number}.50</p>{facts}{reviews}</main>"
        roots.append(parse(f"<html><body>{body}<footer>Imprint</footer></body></html>".encode()).root)
    return roots, counts


@pytest.mark.parametrize("having", [(1, 4, 6), (0, 2, 3, 7, 9), (0, 1, 2, 4, 6, 8, 9)], ids=["3", "5", "7"])
@pytest.mark.parametrize(
    "name",
    ["table with thead", "labels over rows", "definitions", "cards in a grid", "two lists of one look", "several bodies", "part of a text"],
)
def test_a_list_that_only_part_of_the_pages_have_is_found_with_its_rows_and_nothing_else(name: str, having: Sequence[int]) -> None:
    roots, counts = products(name, having)
    found = [{page: len(rows) for page, rows in each.section.rows.items()} for each in suggest_lists(roots)]
    assert counts in found


def test_an_advert_with_a_class_of_the_records_does_not_cut_their_list() -> None:
    pages = []
    for seed in range(6):
        tiles = [
            f'<div class="tile"><h3>Pot {seed}{n}</h3><p class="by">Maker {seed + n}</p><p class="pr">{seed}{n}.50 €</p></div>'
            for n in range(5)
        ]
        advert = '<div class="tile promo"><h3>Garden club: join now</h3></div>'
        pages.append(f"<body><h1>Shelf {seed}</h1><div class='grid'>{''.join(tiles[:2])}{advert}{''.join(tiles[2:])}</div></body>")
    (found,) = suggest_lists([parse(page.encode()).root for page in pages])
    assert found.rows == 30 and len(found.fields) == 3


def shelves(pages: int, *, link: str = "h3", at: int = 3) -> list[etree._Element]:
    """Pages with seven tiles. Some begin with a badge; an advert of another class stands among them on half of the pages, in two languages.

    at: before which tile the advert stands.
    link: what is the link to the lamp beside the picture: its `h3`, or `none`.
    """
    found = []
    for seed in range(pages):
        tiles = []
        for n in range(7):
            offer = (n + seed) % 3 == 0
            title = f'<a href="/p/{seed}{n}?ref=list">Lamp {seed}{n}</a>' if link == "h3" else f"Lamp {seed}{n}"
            tiles.append(
                f'<article class="tile"><a class="pic" href="/p/{seed}{n}?ref=list"><img src="/i/{seed}{n}.png" alt=""></a>'
                f'{"<em>Offer</em>" if offer else ""}<h3>{title}</h3><p class="mats">Steel {seed + n}</p>'
                f'<span class="stars">{n % 5}.5</span>'
                f'<p class="cost">{f"<s>€{seed}{n}.90</s> " if offer else ""}<strong>€{seed}{n}.50</strong></p></article>'
            )
        if seed % 4 < 2:
            promise = ("<b>Ten percent off</b><span>only this week</span>", "<b>Zehn Prozent auf alles</b><span>nur heute</span>")[seed % 2]
            tiles.insert(at, f'<article class="promo">{promise}</article>')
        head = f"<h2>{NAMED[seed]}</h2><p>7 {'Leuchten' if seed % 2 else 'lamps'}</p>"
        page = f"<body>{head}<div class='grid'>{''.join(tiles)}</div><p><a href='/c'>More</a></p></body>"
        found.append(parse(page.encode()).root)
    return found


def test_records_that_begin_with_different_lines_are_not_joined_over_an_advert() -> None:
    found = suggest_lists(shelves(8))[0]
    assert [len(rows) for rows in found.section.rows.values()] == [7] * 8


def test_a_list_is_not_named_after_a_field_that_few_rows_have() -> None:
    roots = shelves(8)
    found = suggest_lists(roots)[0].section
    rare = SectionField("", ("article.promo", "b"), 0, multiple=False)
    rows = {
        page: tuple(replace(row, values={n + 1: each for n, each in row.values.items()}) for row in rows)
        for page, rows in found.rows.items()
    }
    first = rows[0][0]
    rows[0] = (replace(first, values={0: first.values[min(first.values)], **first.values}), *rows[0][1:])
    assert ListNames(replace(found, label="", fields=(rare, *found.fields), rows=rows), roots).name_list() != "promo"


@pytest.mark.parametrize("others", [3, 5, 7])
def test_rows_stay_apart_where_most_of_the_pages_have_no_such_list(others: int) -> None:
    """Then no class of the tiles is the template's, so that only the elements tell them from adverts."""
    about = [
        parse(f"<body><h2>About {n}</h2><div class='prose'><p>Words {n}.</p><p>More {n}</p></div>".encode()).root for n in range(others)
    ]
    found = suggest_lists([*about, *shelves(6)])[0]
    assert [len(rows) for rows in found.section.rows.values()] == [7] * 6
    assert {"title", "link"} <= {field.name for field in found.fields if field.filled == 42}


@pytest.mark.parametrize("link", ["h3", "none"])
def test_where_the_rows_lead_is_a_column_and_only_one(link: str) -> None:
    roots = shelves(6, link=link)
    found = suggest_lists(roots)[0]
    (column,) = (field for field in found.fields if field.name.startswith("link"))
    values = [(page, row.values[column.number][0]) for page, rows in found.section.rows.items() for row in rows]
    assert [value.text for _, value in values] == [f"/p/{seed}{n}?ref=list" for seed in range(6) for n in range(7)]
    assert all(elements(roots[page])[value.place.node].get("href") == value.text for page, value in values)
