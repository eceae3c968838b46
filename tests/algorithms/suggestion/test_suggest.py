"""Suggested fields: what is found, how it is named, and that neither the pages' order nor hostile pages matter."""

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.html import document_fromstring

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion import units
from extraction.algorithms.suggestion.suggest import SuggestedColumn, suggest_columns
from tests.algorithms.suggestion.pages import html, roots, texts
from tests.fixtures.hostile import hostile_html


def by_name(columns: list[SuggestedColumn]) -> dict[str, SuggestedColumn]:
    return {column.name: column for column in columns}


def test_the_fields_of_a_page_are_found_and_named() -> None:
    found = by_name(suggest_columns(roots()))
    books = [html(number) for number in range(10)]
    assert texts(found["title"]) == {n: [re.findall("<h1.*?>(.*?)</h1>", book)[0]] for n, book in enumerate(books)}
    assert texts(found["isbn"]) == {n: [f"97800000{10000 + n}"] for n in range(10)}
    assert texts(found["price"]) == {n: [f"${n}.50"] for n in range(10)}
    assert texts(found["authors"]) == {n: re.findall("/by/.*?>(.*?)</a>", book) for n, book in enumerate(books)}
    assert texts(found["publisher"]) == {
        n: re.findall("Publisher</th><td>(.*?)</td>", book.replace("&amp;", "&")) for n, book in enumerate(books)
    }


def test_the_title_comes_first_and_an_optional_field_only_where_it_is() -> None:
    columns = suggest_columns(roots())
    assert columns[0].name == "title"
    assert sorted(by_name(columns)["pages"].values) == [n for n in range(10) if n % 3]


def test_a_place_gives_its_value_back() -> None:
    pages = roots()
    nodes = [elements(root) for root in pages]
    for column in suggest_columns(pages):
        for page, row in column.values.items():
            assert [value(nodes[page], each.place) for each in row] == [each.text for each in row], column.name


def test_a_paragraph_with_inline_elements_is_a_unit_as_a_whole() -> None:
    blurbs = [column for column in suggest_columns(roots()) if any("told in 3 chapters." in text for text in texts(column).get(0, ()))]
    assert any(text.startswith("A story of ") and text.endswith("told in 3 chapters.") for column in blurbs for text in texts(column)[0])


def test_the_order_of_the_pages_makes_no_difference() -> None:
    pages = roots(8)
    straight = [(each.name, round(each.score, 6), texts(each)) for each in suggest_columns(pages)]
    for seed in range(4):
        order = random.Random(seed).sample(range(8), 8)
        mixed = [
            (each.name, round(each.score, 6), {order[n]: row for n, row in texts(each).items()})
            for each in suggest_columns([pages[n] for n in order])
        ]
        assert mixed == straight


def test_labels_navigation_and_other_constants_are_no_values() -> None:
    columns = suggest_columns(roots())
    said = {text for column in columns for row in texts(column).values() for text in row}
    assert not said & {"Publisher", "Price:", "ISBN", "Home", "Books", "Help", "Imprint"}
    constants = [column for column in columns if column.constant]
    assert [set(map(tuple, texts(column).values())) for column in constants] in ([], [{("English",)}])
    assert len(constants) <= 0.1 * len(columns)


def test_a_constant_after_a_label_is_proposed_once_there_are_ten_columns() -> None:
    rows = "".join(f"<tr><th>Field {chr(65 + n)}</th><td>{{{n}}}</td></tr>" for n in range(12))
    pages = [
        parse(
            f"<table>{rows}<tr><th>Team</th><td>Rovers</td></tr></table>".format(
                *(f"w{n} {page * 31 % 17} {n}" for n in range(12))
            ).encode()
        ).root
        for page in range(8)
    ]
    columns = suggest_columns(pages)
    assert [(column.name, column.constant) for column in columns if column.constant] == [("team", True)]
    assert columns.index(by_name(columns)["team"]) >= 9


def test_what_nearly_all_pages_say_after_a_label_is_offered_last_with_what_the_others_say_there() -> None:
    def body(n: int) -> str:
        rows = (
            ("Stock", "Sold out" if n == 3 else "In stock"),
            ("Seller", "Us"),
            ("Wifi", "Yes"),
            ("Lift", "Yes"),
            ("Colour", COLOURS[n % 5]),
        )
        return (
            f"<h1>Lamp {n}</h1><nav>Home</nav><table>{''.join(f'<tr><th>{name}</th><td>{text}</td></tr>' for name, text in rows)}</table>"
        )

    pages = [parse(f"<html><head><title>Lamp {n}</title></head><body>{body(n)}</body></html>".encode()).root for n in range(14)]
    plain = [column.name for column in suggest_columns(pages)]
    columns = suggest_columns(pages, constants=12)
    assert [column.name for column in columns][: len(plain)] == plain
    found, more = by_name(columns), {column.name for column in columns[len(plain) :]}
    assert more == {"stock", "seller", "wifi", "lift"} - set(plain)
    assert texts(found["stock"]) == {n: ["Sold out" if n == 3 else "In stock"] for n in range(14)}
    assert (found["stock"].constant, found["seller"].constant) == (False, True)
    assert all(found[name].mostly_constant for name in more) and not found["colour"].mostly_constant
    assert {text for row in texts(found["lift"]).values() for text in row} == {"Yes"}  # like wifi, but another field
    assert not any("Home" in row for column in columns for row in texts(column).values())
    assert len(suggest_columns(pages, constants=2)) == len(plain) + 2


def test_no_two_columns_are_nearly_the_same_and_names_are_unique_identifiers() -> None:
    columns = suggest_columns(roots())
    sets = [{(page, text) for page, row in texts(column).items() for text in row} for column in columns]
    assert all(len(a & b) <= 0.8 * len(a | b) for n, a in enumerate(sets) for b in sets[:n])
    assert len(by_name(columns)) == len(columns)
    assert all(column.name.isidentifier() for column in columns)


def test_a_list_that_never_varies_in_number_is_fields_of_their_own() -> None:
    pages = [parse(f"<p><a class='x'>Make {n}</a> &gt; <a class='x'>Kind {n % 4}</a></p>".encode()).root for n in range(8)]
    found = suggest_columns(pages)
    assert {0: ["Make 0"]}.items() <= texts(found[0]).items()


def test_at_most_so_many_columns_as_are_asked_for() -> None:
    assert [column.name for column in suggest_columns(roots(), most=3)] == [column.name for column in suggest_columns(roots())][:3]


def test_pages_of_which_nothing_can_be_learned_give_nothing() -> None:
    assert suggest_columns([]) == []
    assert suggest_columns(roots(1)) == []
    blank = parse(b"<html><body><img><p>  </p><script>var a = 'text'</script></body></html>").root
    assert suggest_columns([blank, blank]) == []
    assert suggest_columns([roots(1)[0]] * 5) == [] or all(column.constant for column in suggest_columns([roots(1)[0]] * 5))


def test_hostile_pages_are_read() -> None:
    pages = [parse(hostile_html()).root, *roots(3), parse(b"<p>only").root, parse(b"<b>" * 3_000 + b"deep" + b"<i>x" * 3_000).root]
    columns = suggest_columns(pages)
    assert columns
    assert not any("pwned" in text for column in columns for row in texts(column).values() for text in row)


def test_of_a_huge_page_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "MAX_TEXTS", 100)
    huge = parse("".join(f"<p class='c{n}' id='i{n}'>{n} text</p>" for n in range(400)).encode()).root
    pages, _ = units.read_units([huge, *roots(2)])
    assert [text.text for text in pages[0].texts] == [f"{n} text" for n in range(100)]


def test_text_inside_text_of_great_depth_is_read_as_part_of_one_whole_only() -> None:
    """A whole element inside a whole element, two thousand deep."""
    deep = parse(b"<div>0" + b"x<span>" * 1_900 + b"y0").root
    pages, _ = units.read_units([deep, deep])
    assert [len(whole.text) for whole in pages[0].wholes] == [1_900 + 3]
    assert suggest_columns([deep, deep]) == [] or all(column.constant for column in suggest_columns([deep, deep]))


def named(body: Callable[[int], str]) -> dict[str, str]:
    """The suggested names for pages with these bodies, each with the value of the first page."""
    pages = [document_fromstring(f"<html><head><title>{n}</title></head><body>{body(n)}<p>end</p></body></html>") for n in range(14)]
    return {column.name: column.values[0][0].text for column in suggest_columns(pages) if 0 in column.values}


MATERIALS, COLOURS = ("oak wood", "brass", "clear glass", "linen cloth"), ("red", "green", "dark blue", "sand", "white")


@pytest.mark.parametrize(
    "row",
    [
        "<tr><td><a href=/x>{}</a>:</td><td>{}</td></tr>",
        "<tr><th>{}</th><td class=q>{}</td></tr>",
        "<p><b>{}</b>: {}</p>",
        "<p><b>{}:</b> {}</p>",
    ],
)
def test_a_field_is_named_by_the_label_beside_it_and_has_no_colon(row: str) -> None:
    def body(n: int) -> str:
        values = (("Material", f"{MATERIALS[n % 4]} {n}"), ("Colour", COLOURS[n % 5]))
        lines = [row.format(name, text) for name, text in values]
        return f"<h1>Lamp {n}</h1><table>{''.join(lines)}</table>" if row.startswith("<tr") else f"<h1>Lamp {n}</h1>{''.join(lines)}"

    found = named(body)
    assert (found["material"], found["colour"]) == ("oak wood 0", "red")


def test_a_field_below_its_name_is_named_by_the_head_of_its_column() -> None:
    heads = "<tr><th>Material</th><th>Colour</th></tr>"
    found = named(lambda n: f"<h1>Lamp {n}</h1><table>{heads}<tr><td>{MATERIALS[n % 4]} {n}</td><td>{COLOURS[n % 5]}</td></tr></table>")
    assert (found["material"], found["colour"]) == ("oak wood 0", "red")


def test_a_place_without_its_colon_gives_the_value_back() -> None:
    pages = [document_fromstring(f"<html><body><p><b>Material</b>: {MATERIALS[n % 4]} {n}</p><p>end</p></body></html>") for n in range(14)]
    column = by_name(suggest_columns(pages))["material"]
    for page, row in column.values.items():
        assert (
            [value(elements(pages[page]), each.place) for each in row] == [each.text for each in row] == [f"{MATERIALS[page % 4]} {page}"]
        )


LABELLED = {
    "a link and a colon in a cell": "<tr><td><a href='/x'>{label}</a>:</td><td class={key}>{value}</td></tr>",
    "a cell": "<tr><td>{label}</td><td class={key}>{value}</td></tr>",
    "a cell with a colon": "<tr><td>{label}:</td><td class={key}><span>{value}</span></td></tr>",
    "a head": "<tr><th>{label}</th><td><b class={key}>{value}</b></td></tr>",
    "a picture in the label": "<tr><td><img alt='small icon'>{label}:</td><td class={key}>{value}</td></tr>",
    "a picture in the value": "<tr><td>{label}</td><td class={key}><img alt='info icon'> {value}</td></tr>",
    "a term": "<dt>{label}</dt><dd class={key}>{value}</dd>",
    "a term with a link": "<dt><a>{label}</a></dt><dd class={key}>{value}</dd>",
    "bold": "<p class={key}><b>{label}</b>: {value}</p>",
    "bold with a colon": "<p class={key}><b>{label}:</b> {value}</p>",
    "bold and a picture": "<p><b>{label}</b>: <img alt='hint picture'> {value}</p>",
    "strong and a span": "<p><strong>{label}</strong>: <span class={key}>{value}</span></p>",
    "two spans": "<div><span class=lbl>{label}</span><span class={key}>{value}</span></div>",
    "two blocks": "<div><div class=h>{label}</div><div class={key}>{value}</div></div>",
    "a label": "<div><label>{label}</label> <span class={key}>{value}</span></div>",
    "a line": "<b>{label}</b>: {value}<br>",
    "one text": "<p class={key}>{label}: {value}</p>",
}
"""Ways to write a label beside its value. The class says something else, or nothing."""

FIELDS = {
    "Maker": lambda dice: f"{dice.choice(('Ada', 'Bo', 'Cleo'))} Works {dice.randint(1, 99)}",
    "Net weight": lambda dice: f"{dice.randint(10, 900)} g",
    "Country": lambda dice: f"{dice.choice(('Peru', 'Oman', 'Chad', 'Fiji'))} ({dice.choice(('north', 'south'))})",
    "Colour": lambda dice: f"{dice.choice(('red', 'blue', 'white'))} {dice.randint(1, 9)}",
    "Warranty": lambda dice: f"{dice.randint(1, 9)} years and {dice.randint(1, 11)} months",
}


@pytest.mark.parametrize("way", LABELLED)
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), names=st.permutations(sorted(FIELDS)), pages=st.integers(8, 12))
def test_the_label_beside_a_value_names_it_whatever_its_class_says(way: str, seed: int, names: list[str], pages: int) -> None:
    keys, truth, roots = ("xq1", "zz", "product-detail", "nbk", "info"), list[dict[str, str]](), []
    for number in range(pages):
        dice = random.Random(f"{seed} {number}")
        truth.append({name: FIELDS[name](dice) for name in names})
        rows = "".join(LABELLED[way].format(label=name, value=truth[-1][name], key=key) for name, key in zip(names, keys, strict=True))
        around = "table" if rows.startswith("<tr") else "dl" if rows.startswith("<dt") else "section"
        body = f"<nav><a>Home</a> <a>Shop</a></nav><h1>Thing {seed + number}</h1><{around}>{rows}</{around}><p>Imprint</p>"
        roots.append(parse(f"<html><head><title>Thing {seed + number}</title></head><body>{body}</body></html>".encode()).root)
    found = by_name(suggest_columns(roots))
    for name in names:
        column = found[name.lower().replace(" ", "_")]
        assert texts(column) == {page: [values[name]] for page, values in enumerate(truth)}, "without the label and its colon"
        assert [[value(elements(roots[page]), each.place) for each in row] for page, row in column.values.items()] == [
            [values[name]] for values in truth
        ]


def test_a_value_is_not_its_own_name() -> None:
    rows = "<div class=box><h3>Gift card</h3><p>{}</p></div>"
    pages = [document_fromstring(f"<html><body><h1>Lamp {n}</h1>{rows.format(COLOURS[n % 5])}</body></html>") for n in range(14)]
    for column in suggest_columns(pages, constants=5):
        words = {each.text.lower().replace(" ", "_") for row in column.values.values() for each in row}
        assert column.name not in words, column


def test_an_amount_before_every_ingredient_does_not_name_it() -> None:
    def body(n: int) -> str:
        units = ["cup", "spoon", "cup"]
        items = "".join(
            f"<li><i class=unit>{unit}</i> <b class=part>{MATERIALS[(n + at) % 4]} {n}</b></li>" for at, unit in enumerate(units)
        )
        return f"<h1>Lamp {n}</h1><ul>{items}</ul>"

    assert not {"cup", "spoon"} & set(named(body))


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_come_and_go_in_two_languages_are_told_apart_by_their_labels(seed: int) -> None:
    """The labels are links with a colon behind them. None stands on 90 % of the pages, and still no value may swallow the rows after it."""
    dice = random.Random(seed)
    labels = {"de": ("Material", "Marke", "Gewicht", "Garantie"), "en": ("Material", "Brand", "Weight", "Warranty")}
    roots, wanted = [], []
    for number in range(12):
        values = (dice.choice(["oak", "beech", "steel"]), dice.choice(["Sun", "Moon"]), f"{number + 2}.5 kg", f"{number % 4 + 1} years")
        rows = [(label, value) for label, value in zip(labels["de" if number % 2 else "en"], values, strict=True) if dice.random() < 0.8]
        table = "".join(f"<tr><td><a href='/g#{label}'>{label}</a>:</td><td>{value}</td></tr>" for label, value in rows)
        roots.append(parse(f"<body><h1>Thing {number}</h1><table>{table}</table><p>End of {number}</p></body>".encode()).root)
        wanted.append(dict(rows))
    materials = [each for each in suggest_columns(roots) if each.words == "material"]
    assert materials
    for column in materials:
        assert {page: [value.text for value in row] for page, row in column.values.items()} == {
            page: [row["Material"]] for page, row in enumerate(wanted) if "Material" in row
        }
