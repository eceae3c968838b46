"""MSE finds the sections of result pages, the records in them, and the same sections on pages that show few or none of their records."""

import json
import random
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.alignment.methods import find_sections_structure
from extraction.algorithms.alignment.mse import Section, build_structure, find_sections, lines
from extraction.algorithms.alignment.mse.lines import MAX_LINES, read_pages
from extraction.algorithms.alignment.mse.page import LineKind
from extraction.algorithms.alignment.mse.records import Codes, edit_distance, line_distance, measure_diversity
from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from tests.algorithms.learning.listings import MARKUPS, Item, Markup, items

Hits = Sequence[tuple[str, str]]
"""(title, snippet) of a section's records on a page."""

DATA = Path(__file__).parents[3] / ".data" / "records" / "factbook-rank"

MENU = "<ul id=menu>" + "".join(f"<li><a href=/{n}>Go to {n}</a></li>" for n in ("home", "shop", "news", "help")) + "</ul>"

RESULTS: Sequence[Mapping[str, Hits]] = (
    {
        "News": [("Moon lands", "Paper A"), ("Sun sets", "Paper B"), ("Rain falls", "Paper C")],
        "Web": [("w1", "about one"), ("w2", "about two")],
    },
    {"News": [("Only one", "Paper D")], "Web": [(f"w{n}", f"about {n}") for n in (3, 4, 5, 6)]},
    {"Web": [(f"w{n}", f"about {n}") for n in (7, 8, 9)]},
    {"News": [("Wind blows", "Paper E"), ("Snow melts", "Paper F"), ("Ice holds", "Paper G")], "Web": [("w10", "about ten")]},
    {"News": [("Tide turns", "Paper H"), ("Fog lifts", "Paper I")], "Web": [(f"w{n}", f"about {n}") for n in range(11, 16)]},
)
"""What five result pages show; the news are hidden on one, and a single record on two."""


def root(body: str) -> etree._Element:
    return parse(f"<html><body>{body}</body></html>".encode()).root


def result_page(number: int, shown: Mapping[str, Hits]) -> etree._Element:
    parts = []
    for name, hits in shown.items():
        rows = "".join(f"<li><a href=/x>{title}</a><p>{snippet}</p></li>" for title, snippet in hits)
        parts.append(f"<h2>{name}</h2><ul>{rows}</ul>")
    total = sum(map(len, shown.values()))
    return root(f"{MENU}<p>Results 1 to {total} for query {number}</p><div>{''.join(parts)}</div><p>Imprint and privacy</p>")


def said(section: Section) -> dict[int, list[tuple[str, ...]]]:
    """{page: the texts of its records}"""
    return {
        page: [tuple(each.text for values in row.values.values() for each in values) for row in rows] for page, rows in section.rows.items()
    }


def test_sections_are_found_with_their_records_and_menus_are_not_sections() -> None:
    found = find_sections([result_page(number, shown) for number, shown in enumerate(RESULTS)])
    by_label = {section.label: said(section) for section in found if section.several}
    assert by_label == {
        name: {number: list(shown[name]) for number, shown in enumerate(RESULTS) if name in shown} for name in ("News", "Web")
    }
    assert len({section.family for section in found if section.several}) == 1, "both have one format"


def test_a_section_of_never_more_than_one_record_is_found_between_its_boundaries() -> None:
    pages = [root(f"{MENU}<h2>Best answer</h2><div><b>Answer {n}{n}</b><p>By writer {n}</p></div><p>Imprint</p>") for n in "abcd"]
    found = [said(section) for section in find_sections(pages)]
    assert {number: [(f"Answer {n}{n}", f"By writer {n}")] for number, n in enumerate("abcd")} in found


def test_a_shared_line_that_looks_like_lines_of_many_records_is_not_a_boundary() -> None:
    """The same countries stand on every page, in another order."""
    countries = [f"Country {name}" for name in "abcdefgh"]
    bodies = []
    for seed in range(4):
        rows = random.Random(seed).sample(countries, 8)
        bodies.append("".join(f"<div><p>{n}</p><b>{name}</b><p>{seed}{n}.{n}</p></div>" for n, name in enumerate(rows, 1)))
    found = [section for section in find_sections([root(f"<h1>Ranks</h1><section>{body}</section>") for body in bodies]) if section.several]
    assert [{page: len(rows) for page, rows in section.rows.items()} for section in found] == [dict.fromkeys(range(4), 8)]


def test_an_advertisement_among_the_items_does_not_split_a_list() -> None:
    pages = []
    for number in range(4):
        rows = [f"<li class=o><b>Tea {number}-{n}</b><i>{n}.{number}0</i></li>" for n in range(4 + number % 3)]
        rows.insert(2, "<li class=ad><b>Sponsored</b></li>")
        pages.append(root(f"<h1>Shop {number}</h1><ul>{''.join(rows)}</ul>"))
    found = [section for section in find_sections(pages) if section.several]
    assert [{page: len(rows) for page, rows in section.rows.items()} for section in found] == [{0: 4, 1: 5, 2: 6, 3: 4}]


def test_values_and_rows_are_at_the_places_given() -> None:
    roots = [result_page(number, shown) for number, shown in enumerate(RESULTS)]
    nodes = [elements(each) for each in roots]
    for section in find_sections(roots):
        for page, rows in section.rows.items():
            for row in rows:
                assert not section.several or nodes[page][row.first].tag == "li"
                for each in (each for values in row.values.values() for each in values):
                    assert value(nodes[page], each.place) == each.text


def test_sections_are_sets_of_a_structure() -> None:
    roots = [result_page(number, shown) for number, shown in enumerate(RESULTS)]
    found = [section for section in find_sections(roots) if section.several]
    made = build_structure(found, len(roots))
    tables = list(made.tables().values())
    assert [{page: len(rows) for page, rows in table.items()} for table in tables] == [
        {page: len(rows) for page, rows in section.rows.items()} for section in found
    ]
    titles = next(iter(build_structure([each for each in found if each.label == "News"], len(roots)).columns().values()))
    assert [each.text for each in titles[0]] == ["Moon lands", "Sun sets", "Rain falls"]


UNTOLD = {"two plain rows a record"}
"""Nothing but the order of the rows says which begins a record."""


def made_listings(markup: Markup) -> tuple[list[etree._Element], list[Sequence[Item]]]:
    roots: list[etree._Element] = []
    shown: list[Sequence[Item]] = []
    for seed, count in enumerate((7, 12, 9, 5)):
        rng = random.Random(f"{markup.name} {seed}")
        some = items(rng, count, markup.missing)
        roots.append(parse(markup.body(some, rng).encode()).root)
        shown.append(some)
    return roots, shown


@pytest.mark.parametrize("markup", [each for each in MARKUPS if each.name not in UNTOLD], ids=lambda markup: markup.name)
def test_the_rows_of_listings_are_found_and_no_others(markup: Markup) -> None:
    roots, shown = made_listings(markup)
    rows = [said(section) for section in find_sections(roots) if section.several]
    titles = [
        [[text for text in row if any(item.title in text for item in shown[page])] for row in pages] for page, pages in rows[0].items()
    ]
    assert [[len(each) for each in page] for page in titles] == [[1] * len(some) for some in shown]


def test_lines_and_their_kinds() -> None:
    body = (
        "<h1>Head</h1>plain <b>bold</b><br><a href=x>link</a><p>text <a href=y>and link</a></p><hr><img src=i><form><input></form>"
        "<table><tr><td>a<td>b</tr><tr><td><p>c</p><td>d</tr></table><script>no</script>"
    )
    (page,), _ = read_pages([root(body)])
    assert [(line.kind, line.text) for line in page.lines] == [
        (LineKind.HEADING, "Head"),
        (LineKind.TEXT, "plain bold"),
        (LineKind.LINK, "link"),
        (LineKind.LINK_TEXT, "text and link"),
        (LineKind.RULE, ""),
        (LineKind.IMAGE, ""),
        (LineKind.FORM, ""),
        (LineKind.TEXT, "a b"),
        (LineKind.TEXT, "c"),
        (LineKind.TEXT, "d"),
    ]


def test_a_cell_that_spans_rows_or_columns_moves_those_after_it() -> None:
    (page,), _ = read_pages([root("<table><tr><th rowspan=2>g<td>a<td>b</tr><tr><td>c<td>d</tr><tr><td colspan=2>e<td>f</tr></table>")])
    assert [node.step for node in page.nodes if node.tag in ("td", "th")] == ["th[1]", "td[2]", "td[3]", "td[2]", "td[3]", "td[1]", "td[3]"]


codes = st.lists(st.tuples(st.integers(1, 2), st.integers(1, 2)), max_size=5).map(tuple)


@settings(max_examples=60, deadline=None)
@given(codes, codes)
def test_the_distance_of_records_is_the_cheapest_edit(one: Codes, other: Codes) -> None:
    @cache
    def cheapest(at: int, to: int) -> float:
        if at == len(one) or to == len(other):
            return len(one) - at + len(other) - to
        changed = cheapest(at + 1, to + 1) + line_distance(one[at], other[to])
        return min(changed, cheapest(at + 1, to) + 1, cheapest(at, to + 1) + 1)

    assert edit_distance(one, other) == pytest.approx(cheapest(0, 0))


@settings(max_examples=60, deadline=None)
@given(codes)
def test_diversity_is_the_mean_of_all_pairs(lines: Codes) -> None:
    pairs = [line_distance(one, other) for at, one in enumerate(lines) for other in lines[:at]]
    assert measure_diversity(lines) == pytest.approx(sum(pairs) / len(pairs) if pairs else 0)


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 1900 + "deep",
        "<p>x</p>" * 9_000,
        "<div><p>a</p><p>b</p><p>c</p>" * 600,
        "".join(f"<{'bi'[n % 2]}>{n}<br></{'bi'[n % 2]}>" for n in range(3_000)),
        "",
    ],
    ids=["deep", "lines", "nested", "inline", "empty"],
)
def test_hostile_pages_are_read_up_to_the_limits(body: str) -> None:
    roots = [root(body), root(body + "<p>more</p>")]
    assert all(len(page.lines) <= MAX_LINES + 1 for page in read_pages(roots)[0])
    find_sections(roots)


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation pages are not in .data/")
def test_the_rows_of_an_almanac_are_found_exactly() -> None:
    files = [DATA / "pages" / f"{name}.html" for name in ("2063", "2064", "2093", "2129")]
    section = next(each for each in find_sections([parse(file.read_bytes()).root for file in files]) if each.several)
    for page, file in enumerate(files):
        truth = json.loads((DATA / "truth" / f"{file.stem}.json").read_text())
        assert [row[:3] for row in said(section).get(page, ())] == [tuple(row) for row in truth]


def test_a_text_of_most_records_is_a_value_if_the_others_have_another_text_there() -> None:
    pages = []
    for n in range(4):
        games = "".join(f"<tr><td>Club {n}{k}</td><td><b>{'W' if k % 4 else 'L'}</b> {n + k}:{k}</td></tr>" for k in range(8))
        pages.append(parse(f"<body><h1>Side {n}</h1><table>{games}</table>".encode()).root)
    section = max(find_sections(pages), key=lambda each: len(each.fields))
    assert not any(field.label for field in section.fields)
    assert {value.text for row in section.rows[0] for values in row.values.values() for value in values} >= {"W", "L"}


def long_results(rows: int, page: int) -> str:
    records = "".join(f"<div class=r><a href=/{n}>Item {7 * n + page}</a><p>Price {n}</p></div>" for n in range(rows))
    return f"<html><body><h1>Results</h1><p>page {page}</p><div class=l>{records}</div><footer>All rights reserved</footer></body></html>"


def test_five_thousand_records_are_all_found() -> None:
    found = find_sections_structure([parse(long_results(rows, page).encode()).root for page, rows in enumerate((5_000, 20))])
    assert [{page: len(rows) for page, rows in pages.items()} for pages in found.tables().values()] == [{0: 5_000, 1: 20}]
    assert found.notices == {}


def test_a_page_with_more_records_than_are_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINES", 100)
    found = find_sections_structure([parse(long_results(rows, page).encode()).root for page, rows in enumerate((30, 200))])
    rows = max(found.tables().values(), key=lambda pages: len(pages.get(0, ())))
    assert len(rows[0]) == 30 and len(rows[1]) < 200
    assert list(found.notices) == [1] and "records after them are missing" in found.notices[1]
