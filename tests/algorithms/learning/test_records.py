"""Repeating records learned from two marked rows: every row of every page, in many markups."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import Location, value
from extraction.algorithms.dom.rows import Rows, select_rows
from extraction.algorithms.learning.apriori import Learned, NotLearned
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.records import LearnedRecords, MarkedRow, RowField, learn_records, read_row_values
from tests.algorithms.learning.listings import MARKUPS, Listing, Markup, listing, mark
from tests.algorithms.learning.pages import page, places, trees


def fields(markup: Markup) -> list[RowField]:
    return [RowField(name, multiple=name == "authors") for name in markup.fields]


def extracted(learned: object, page: PageTable, names: tuple[str, ...]) -> list[dict[str, list[str]]]:
    assert isinstance(learned, LearnedRecords), learned
    rows = Rows(list(select_rows([learned.rows.xpath], page.root)))
    found = []
    for place in range(len(rows.elements)):
        row = {}
        for name in names:
            field = learned.fields[name]
            assert isinstance(field, Learned), (name, field)
            row[name] = read_row_values(rows, place, field)
        if any(row.values()):
            found.append(row)
    return found


def wrong(learned: object, shown: Listing) -> list[object]:
    """Rows that are there and not given, and those given that are not there."""
    got, true = extracted(learned, shown.page, shown.fields), shown.truth()
    return [row for row in true if row not in got] + [row for row in got if row not in true] + ([] if len(got) == len(true) else [len(got)])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("markup", MARKUPS, ids=lambda markup: markup.name)
def test_two_marked_rows_give_every_row_of_every_page(markup: Markup, seed: int) -> None:
    pages = [listing(markup, 10 * seed + n, count) for n, count in enumerate((11, 17, 5, 8))]
    learned = learn_records([one.page for one in pages], mark(pages[0], (0, 1)), fields(markup))
    assert [wrong(learned, one) for one in pages] == [[], [], [], []], learned


def by_name(name: str) -> Markup:
    return next(markup for markup in MARKUPS if markup.name == name)


def test_rows_need_not_be_the_first_ones_nor_neighbours() -> None:
    markup = by_name("list items")
    pages = [listing(markup, n, 12) for n in range(2)]
    whole = [n for n, item in enumerate(pages[0].items) if item.price and item.authors]
    learned = learn_records([one.page for one in pages], mark(pages[0], (whole[1], whole[-1])), fields(markup))
    assert [wrong(learned, one) for one in pages] == [[], []]


def test_one_row_on_each_of_two_pages_is_enough() -> None:
    markup = by_name("list items")
    pages = [listing(markup, n, 9) for n in range(3)]
    rows = [*mark(pages[0], (0,)), *mark(pages[1], (1,), at_page=1)]
    learned = learn_records([one.page for one in pages], rows, fields(markup))
    assert [wrong(learned, one) for one in pages] == [[], [], []]


def test_a_field_that_a_marked_row_lacks_is_no_example_of_its_neighbour() -> None:
    markup = by_name("headings and paragraphs")
    pages = [listing(markup, n, 12) for n in range(3)]
    without = next(n for n, item in enumerate(pages[0].items) if not item.price)
    rows = mark(pages[0], (0, without))
    assert rows[1].fields["price"] == ()
    learned = learn_records([one.page for one in pages], rows, fields(markup))
    assert [wrong(learned, one) for one in pages] == [[], [], []]


def test_a_third_row_in_another_list_makes_them_one() -> None:
    """Two lists of one look: whoever marks rows in both means both."""
    body = "<h2>A</h2><ul class=l><li>a1 <i>1</i></li><li>a2 <i>2</i></li><li>a3 <i>3</i></li></ul>"
    body += "<h2>B</h2><ul class=l><li>b1 <i>4</i></li><li>b2 <i>5</i></li></ul><ul class=m><li>c <i>6</i></li></ul>"
    shown = page(body)
    rows = [
        MarkedRow(0, {"n": tuple(place for place, text in places(shown, f"//li[{test}]/i") if text)})
        for test in ("contains(., 'a1')", "contains(., 'a2')", "contains(., 'b1')")
    ]
    learned = learn_records([shown], rows, [RowField("n")])
    assert [row["n"] for row in extracted(learned, shown, ("n",))] == [["1"], ["2"], ["3"], ["4"], ["5"]]


def test_a_page_without_rows_says_which_list_is_not_meant() -> None:
    markup = by_name("plain list")
    shown, bare = listing(markup, 1, 8), page("<ol><li><a href=/1>Most read</a> <b>$1.00</b></li><li><a href=/2>Least</a></li></ol>")
    learned = learn_records([shown.page, bare], mark(shown, (0, 1)), fields(markup), without=[1])
    assert wrong(learned, shown) == []
    assert extracted(learned, bare, shown.fields) == []


def test_one_marked_row_is_not_enough_and_that_is_said() -> None:
    shown = listing(MARKUPS[0], 1, 5)
    learned = learn_records([shown.page], mark(shown, (0,)), fields(MARKUPS[0]))
    assert isinstance(learned, NotLearned)
    assert "second row" in learned.reason


def test_a_field_marked_at_places_without_anything_in_common_is_named_with_the_reason() -> None:
    shown = page("<ul><li><b>x1</b><i>a</i><i>b</i></li><li><b>x2</b><i>c</i><i>d</i></li><li><b>x3</b><i>e</i><i>f</i></li></ul>")
    rows = [
        MarkedRow(0, {"t": (places(shown, "//li[1]/b")[0][0],), "v": (places(shown, "//li[1]/i")[0][0],)}),
        MarkedRow(0, {"t": (places(shown, "//li[2]/b")[0][0],), "v": tuple(place for place, _ in places(shown, "//li[2]/i"))}),
    ]
    learned = learn_records([shown], rows, [RowField("t"), RowField("v")])
    assert isinstance(learned, LearnedRecords)
    assert isinstance(learned.fields["t"], Learned)
    problem = learned.fields["v"]
    assert isinstance(problem, NotLearned)
    assert "row" in problem.reason


def test_marks_that_are_nowhere_alike_give_no_rows() -> None:
    shown = page("<div><h1>a</h1></div><p><span>b</span></p>")
    rows = [MarkedRow(0, {"t": (places(shown, path)[0][0],)}) for path in ("//h1", "//span")]
    assert isinstance(learn_records([shown], rows, [RowField("t")]), NotLearned)


@given(trees(), st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_is_marked_is_given_back_or_refused(body: str, data: st.DataObject) -> None:
    """Any two disjoint elements of any tree: never an exception, never a rule that gives the marked rows otherwise."""
    shown = page(body + "<p>end</p><p>last</p>")
    marked = [location for location, text in places(shown, "//*[not(*)]") if text]
    if len(marked) < 2:
        return
    chosen = data.draw(st.lists(st.sampled_from(marked), min_size=2, max_size=3, unique=True))
    rows = [MarkedRow(0, {"v": (location,)}) for location in sorted(chosen)]
    learned = learn_records([shown], rows, [RowField("v")])
    if isinstance(learned, LearnedRecords):
        given_back = [row["v"] for row in extracted(learned, shown, ("v",))]
        for location in chosen:
            assert [value(shown.nodes, location)] in given_back


def test_what_is_not_marked_on_a_page_marked_whole_is_no_row_anywhere() -> None:
    def made(n: int, count: int) -> PageTable:
        games = "".join(f"<tr><td><i>{n}/{k}</i></td><td>Club {n}{k}</td><td>{n + k}</td></tr>" for k in range(count))
        others = f"<tr><td>Mean {n}</td><td>All clubs {n}</td><td>{n}.5</td></tr>"
        return page(f"<table>{games}{others}</table><table>{others.replace('Mean', 'Sum')}</table>")

    pages = [made(n, count) for n, count in enumerate((4, 6, 3))]
    cells = [node for node in pages[0].nodes if node.tag == "tr"][:4]
    marked = []
    for row in cells:
        first, second = (list(pages[0].nodes).index(each) for each in (row[0][0], row[1]))
        marked.append(MarkedRow(0, {"date": (Location(first, "text", 1),), "club": (Location(second, "text", 1),)}))
    two = learn_records(pages, marked[:2], [RowField("date"), RowField("club")])
    every = learn_records(pages, marked, [RowField("date"), RowField("club")], whole=[0])
    assert isinstance(two, LearnedRecords) and isinstance(every, LearnedRecords)
    assert [len(list(select_rows([every.rows.xpath], one.root))) for one in pages] == [4, 6, 3]
    assert len(list(select_rows([two.rows.xpath], pages[0].root))) >= 4


def item(number: int, more: str = "", *, name: str = "item") -> str:
    return f"<div class={name}><h3>n{number}</h3><span>{number}0</span>{more}</div>"


def mark_items(shown: PageTable, numbers: Sequence[int]) -> list[MarkedRow]:
    names, counts = places(shown, "//h3"), places(shown, "//span")
    return [MarkedRow(0, {"name": (names[n - 1][0],), "count": (counts[n - 1][0],)}) for n in numbers]


FIELDS = [RowField("name"), RowField("count")]


def test_a_row_that_a_whole_page_leaves_out_is_named() -> None:
    shown = page("".join(map(item, range(1, 6))))
    learned = learn_records([shown], mark_items(shown, (1, 2, 4)), FIELDS, whole=[0])
    assert isinstance(learned, NotLearned)
    assert "n3" in learned.reason and learned.places


def test_a_row_that_a_whole_page_leaves_out_is_told_by_what_only_it_has() -> None:
    shown = page(f"{item(1)}{item(2)}{item(3, name='paid')}{item(4)}{item(5)}")
    learned = learn_records([shown], mark_items(shown, (1, 2, 4, 5)), FIELDS, whole=[0])
    assert isinstance(learned, LearnedRecords), learned
    assert learned.rows.precision == 1.0
    assert [row["name"] for row in extracted(learned, shown, ("name",))] == [["n1"], ["n2"], ["n4"], ["n5"]]


def test_a_featured_row_in_another_box_keeps_its_fellow_rows() -> None:
    for box in ("<div class=featured>{}</div>", "<div class=featured><section>{}</section></div>"):
        shown = page(f"<h1>x</h1>{box.format(item(1))}<div class=list>{''.join(map(item, range(2, 6)))}</div>")
        learned = learn_records([shown], mark_items(shown, (1, 2)), FIELDS)
        assert isinstance(learned, LearnedRecords), learned
        assert [row["name"] for row in extracted(learned, shown, ("name",))] == [[f"n{n}"] for n in range(1, 6)]


def test_adverts_like_a_refused_one_are_no_rows() -> None:
    def advert(text: str) -> str:
        return f"<div class=item><h3>{text}</h3><span>99</span><em>Advert</em></div>"

    shown = page(f"<h1>x</h1><div class=list>{item(1)}{item(2)}{advert('Buy now')}{item(3)}{advert('Call us')}{item(4)}</div>")
    later = page(f"<h1>y</h1><div class=list>{item(5)}{advert('Act today')}{item(6)}</div>")
    refused = next(n for n, node in enumerate(shown.nodes) if node.tag == "div" and node[0].text == "Buy now")
    learned = learn_records([shown, later], mark_items(shown, (1, 2)), FIELDS, refused={0: [refused]})
    assert isinstance(learned, LearnedRecords), learned
    assert [row["name"] for row in extracted(learned, shown, ("name",))] == [[f"n{n}"] for n in range(1, 5)]
    assert [row["name"] for row in extracted(learned, later, ("name",))] == [["n5"], ["n6"]]


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_change_places_are_told_by_their_labels(seed: int) -> None:
    rng = Random(seed)

    def row(number: int) -> str:
        cells = [("Name", f"n{number}"), ("Size", f"{number} cm"), ("Colour", ("red", "blue")[number % 2])]
        rng.shuffle(cells)
        return f"<tr>{''.join(f'<td><b>{label}:</b> {text}</td>' for label, text in cells)}</tr>"

    shown = page(f"<table>{''.join(map(row, range(1, 8)))}</table>")
    labels = ("Name", "Size", "Colour")
    marked = [MarkedRow(0, {label: (places(shown, f"//tr[{n}]/td[b='{label}:']/text()")[0][0],) for label in labels}) for n in (1, 2)]
    learned = learn_records([shown], marked, [RowField(label) for label in labels])
    assert isinstance(learned, LearnedRecords), learned
    given_rows = [[row[label][0] for label in labels] for row in extracted(learned, shown, labels)]
    assert given_rows == [[f"n{n}", f"{n} cm", ("red", "blue")[n % 2]] for n in range(1, 8)]
