"""What is learned from marks on pages: claims about rules, on small pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.apriori import Example, Learned, NotLearned, learn_attribute
from extraction.algorithms.learning.costs import PAPER_ORDER
from tests.algorithms.learning.pages import example, page, places, trees, values


def book(title: str, *, isbn: str = "", pages: str = "", advert: str = "", authors: str = "") -> str:
    rows = [f"<li><b>Pages:</b> {pages}</li>" if pages else "", f"<li><b>ISBN-13:</b> {isbn}</li>" if isbn else ""]
    people = "".join(f"<li class=au>{name}</li>" for name in authors.split(";") if name)
    lists = f"<ul class=facts>{''.join(rows)}</ul><h2>Authors</h2><ul>{people}</ul><ul><li>Home</li></ul>"
    return f"{advert}<div id=top><h1>{title}</h1></div>{lists}"


BOOKS = [
    page(book("Emma", isbn="978-1", pages="474", authors="Jane Austen")),
    page(book("Dune", isbn="978-2", pages="412", authors="Frank Herbert;Brian Herbert", advert="<div>Buy!</div>")),
    page(book("Ulysses", isbn="978-3", authors="James Joyce")),
    page(book("Persuasion", pages="249")),
]


def test_a_label_is_preferred_to_a_position() -> None:
    learned = learn_attribute(BOOKS, [example(BOOKS, n, "//li[b = 'ISBN-13:']/text()") for n in (0, 1)])
    assert [values(learned, p) for p in BOOKS] == [["978-1"], ["978-2"], ["978-3"], []]


def test_an_absent_attribute_gives_nothing() -> None:
    learned = learn_attribute(BOOKS, [example(BOOKS, 0, "//li[b = 'Pages:']/text()"), Example(2, ())])
    assert [values(learned, p) for p in BOOKS] == [["474"], ["412"], [], ["249"]]


def test_nowhere_marked_means_no_alternative() -> None:
    assert learn_attribute(BOOKS, [Example(0, ()), Example(1, ())]) == Learned(())


def test_several_values_are_all_selected_and_no_neighbour() -> None:
    learned = learn_attribute(BOOKS, [example(BOOKS, 1, "//li[@class = 'au']/text()")], multiple=True)
    assert [values(learned, p) for p in BOOKS] == [["Jane Austen"], ["Frank Herbert", "Brian Herbert"], ["James Joyce"], []]


def test_several_values_at_different_places_become_a_union() -> None:
    pages = [page("<p>by <a>Ann</a> and <i>Bob</i></p><p><b>x</b></p><i class=n>no</i>"), page("<p>by <a>Cid</a></p><i class=n>no</i>")]
    learned = learn_attribute(pages, [example(pages, 0, "//p/a/text() | //p/i/text()")], multiple=True)
    assert [values(learned, p) for p in pages] == [["Ann", "Bob"], ["Cid"]]


def test_a_single_value_at_different_places_becomes_ordered_alternatives() -> None:
    pages = [page("<h1>One</h1><h2>sub</h2><div><i>other</i></div>"), page("<h2>sub</h2><div><em>Two</em><i>other</i></div>")]
    learned = learn_attribute(pages, [example(pages, 0, "//h1/text()"), example(pages, 1, "//em/text()")])
    assert isinstance(learned, Learned)
    assert len(learned.alternatives) == 2
    assert [values(learned, p) for p in pages] == [["One"], ["Two"]]


def test_values_that_two_pages_share_are_no_labels() -> None:
    def car(engine: str, gears: str) -> str:
        return f"<ul><li class=g>{gears}</li><li class=e>{engine}</li><li>ABS</li></ul>"

    pages = [page(car(e, g)) for e, g in [("1.5L", "manual"), ("1.6L", "manual"), ("2L", "automatic"), ("3L", "CVT"), ("4L", "DSG")]]
    learned = learn_attribute(pages, [example(pages, n, "//li[2]/text()") for n in (0, 1)])
    assert [values(learned, p) for p in pages] == [["1.5L"], ["1.6L"], ["2L"], ["3L"], ["4L"]]


def test_page_specific_names_are_rejected_by_other_pages() -> None:
    pages = [
        page(f"<div class='c{n}x'><span id=s{n}>other</span></div><div><span class=v>{n}</span></div>".replace("'c0x'", "'c0x v0'"))
        for n in range(5)
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//div[2]/span/text()")])
    assert [values(learned, p) for p in pages] == [["0"], ["1"], ["2"], ["3"], ["4"]]


def test_labels_with_both_quotes_and_odd_white_space() -> None:
    label = '\u00a0The "author\'s\u2003cut" : '
    pages = [page(f"<p><b>x</b> {n}</p><p><b>{label}</b> value {n}</p><p><b>y</b> z</p>") for n in range(3)]
    learned = learn_attribute(pages, [example(pages, 0, "//p[2]/text()")])
    assert isinstance(learned, Learned)
    assert "author's" in learned.alternatives[0].xpath
    assert [values(learned, p) for p in pages] == [["value 0"], ["value 1"], ["value 2"]]


def table_rows(*rows: tuple[str, str]) -> str:
    return "<table>" + "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in rows) + "</table>"


def test_values_are_told_apart_by_the_shape_of_their_digits() -> None:
    def address(*lines: str) -> str:
        return f"<p>{'<br>'.join(lines)}</p>"

    bodies = [("Oak Street 7", "(325) 674-2000", "Abilene, TX 79699"), ("(952) 851-0066", "Room 12"), ("PO Box 1", "Elm", "(800) 292-9149")]
    pages = [page(address(*lines)) for lines in bodies]
    learned = learn_attribute(pages, [example(pages, 0, "//p/text()[2]"), example(pages, 1, "//p/text()[1]")])
    assert [values(learned, p) for p in pages] == [["(325) 674-2000"], ["(952) 851-0066"], ["(800) 292-9149"]]


def test_another_place_of_the_value_is_learned_from_when_the_marked_one_does_not_carry_over() -> None:
    pages = [page(f"<div id=c{n}><b>{name}</b> said</div><h1>{name}</h1>") for n, name in enumerate(["Ann", "Bob", "Cid", "Dee"])]
    learned = learn_attribute([*pages, page("<div><b>x</b></div><h1>Eve</h1>")], [example(pages, 0, "//div/b/text()")])
    assert values(learned, pages[1]) == ["Bob"]


def test_a_list_that_has_a_value_twice_is_marked_once() -> None:
    pages = [page("<h2>For the soup</h2><ul><li>1 onion</li><li>salt</li><li>1 onion</li></ul><p>x</p>"), page("<ul><li>egg</li></ul>")]
    learned = learn_attribute(pages, [example(pages, 0, "//li[position() < 3]/text()")], multiple=True)
    assert [values(learned, p) for p in pages] == [["1 onion", "salt", "1 onion"], ["egg"]]


def test_table_rows_are_found_by_their_header_wherever_they_stand() -> None:
    pages = [
        page(table_rows(("Height", "2 m"), ("Weight", "100 kg"))),
        page(table_rows(("Born", "1980"), ("Height", "1.9 m"), ("Weight", "90 kg"))),
        page(table_rows(("Weight", "80 kg"), ("Born", "1990"))),
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//tr[1]/td/text()")])
    assert [values(learned, p) for p in pages] == [["2 m"], ["1.9 m"], []]


def test_table_columns_are_found_by_their_header() -> None:
    def ranks(columns: list[str], rows: list[list[str]]) -> str:
        cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        return "<table><tr>" + "".join(f"<th>{c}</th>" for c in columns) + f"</tr>{cells}</table>"

    pages = [
        page(ranks(["Rank", "Country", "Value"], [["1", "Chad", "7"], ["2", "Mali", "6"]])),
        page(ranks(["Country", "Rank"], [["Peru", "1"], ["Cuba", "2"]])),
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//td[2]/text()")], multiple=True)
    assert values(learned, pages[0]) == ["Chad", "Mali"]
    learned = learn_attribute(pages, [example(pages, 0, "//td[2]/text()"), example(pages, 1, "//td[1]/text()")], multiple=True)
    assert [values(learned, p) for p in pages] == [["Chad", "Mali"], ["Peru", "Cuba"]]


def test_attribute_values_are_learned() -> None:
    pages = [page(f"<img src=logo.png><div class=cover><img alt=cover src=c{n}.jpg></div>") for n in range(3)]
    learned = learn_attribute(pages, [example(pages, 0, "//div/img/@src")])
    assert [values(learned, p) for p in pages] == [["c0.jpg"], ["c1.jpg"], ["c2.jpg"]]


def test_whole_elements_are_learned_with_what_is_in_them() -> None:
    pages = [page(f"<p>x</p><div class=d>A <b>bold {n}</b> end</div>") for n in range(3)]
    learned = learn_attribute(pages, [example(pages, 0, "//div")])
    assert [values(learned, p) for p in pages] == [["A bold 0 end"], ["A bold 1 end"], ["A bold 2 end"]]


def test_a_cell_stands_for_the_link_in_it_where_links_come_and_go() -> None:
    pages = [
        page(f"<table><tr><th>By</th><td>{cell}</td></tr><tr><th>On</th><td>x</td></tr></table>")
        for cell in ("<a>Ann</a>", "Bob", "<a><i>Cid</i></a>")
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//a/text()"), example(pages, 1, "//td[. = 'Bob']/text()")])
    assert [values(learned, p) for p in pages] == [["Ann"], ["Bob"], ["Cid"]]


def test_parts_of_texts_are_learned() -> None:
    pages = [page(f"<p>Published {year} by Knopf</p><p>x</p>") for year in (1999, 2003, 2010)]
    marks = [Example(n, (Location(places(pages[n], "//p[1]")[0][0].node, "text", 1, start=10, end=14),)) for n in (0, 1)]
    learned = learn_attribute(pages, marks)
    assert [values(learned, p) for p in pages] == [["1999"], ["2003"], ["2010"]]


def test_parts_that_nothing_describes_are_not_learned() -> None:
    pages = [page("<p>one two</p>"), page("<p>one two</p>")]
    node = places(pages[0], "//p")[0][0].node
    learned = learn_attribute(
        pages, [Example(0, (Location(node, "text", 1, start=0, end=3),)), Example(1, (Location(node, "text", 1, start=4, end=7),))]
    )
    assert isinstance(learned, NotLearned)
    assert "part" in learned.reason


def test_what_cannot_be_told_apart_is_said_with_its_page() -> None:
    pages = [page("<p>one</p><p>two</p><p>six</p>"), page("<p>one</p><p>two</p><p>six</p>")]
    learned = learn_attribute(pages, [example(pages, 0, "//p[1]/text()"), example(pages, 1, "//p[2]/text()")])
    assert isinstance(learned, NotLearned)
    assert learned.page in (0, 1)
    assert "nothing tells" in learned.reason


def test_several_marks_for_a_single_value_are_refused() -> None:
    learned = learn_attribute(BOOKS, [example(BOOKS, 1, "//li[@class = 'au']/text()")])
    assert learned == NotLearned("the page has several marked values, but the attribute allows one", 1)


def test_the_papers_order_can_be_chosen() -> None:
    body = "<div class=a><p><b>x</b><b>1</b></p></div><div><p><b>x</b><b>2</b></p></div>"
    pages = [page(body), page(body)]
    marks = [example(pages, 0, "//div[1]/p/b[2]/text()")]
    assert [
        learned.alternatives[0].distance
        for learned in (learn_attribute(pages, marks, cost=PAPER_ORDER), learn_attribute(pages, marks))
        if isinstance(learned, Learned)
    ] == [2, 2]


def test_a_place_that_is_not_on_the_page_is_said() -> None:
    assert isinstance(learn_attribute(BOOKS, [Example(0, (Location(9999),))]), NotLearned)
    assert isinstance(learn_attribute(BOOKS, [Example(0, (Location(0, "text", 7),))]), NotLearned)
    assert isinstance(learn_attribute(BOOKS, [Example(9, ())]), NotLearned)


@settings(max_examples=100, deadline=None)
@given(st.lists(trees(), min_size=1, max_size=4), st.booleans(), st.data())
def test_a_learned_rule_gives_back_its_annotations_exactly(bodies: list[str], multiple: bool, data: st.DataObject) -> None:
    pages = [page(body) for body in bodies]
    marks, wanted = [], {}
    for number in range(data.draw(st.integers(1, len(pages)))):
        found = [(place, text) for place, text in places(pages[number], "//body//text() | //body//*[@class]/@class") if text]
        most = len(found) if multiple else 1
        chosen = data.draw(st.lists(st.sampled_from(found), max_size=most, unique=True)) if found else []
        marks.append(Example(number, tuple(place for place, _ in chosen)))
        wanted[number] = sorted({text for _, text in chosen})
    learned = learn_attribute(pages, marks, multiple=multiple)
    if isinstance(learned, Learned):
        given_back = {n: values(learned, pages[n]) for n in wanted}
        assert {n: sorted(set(row)) for n, row in given_back.items()} == wanted
        assert multiple or all(len(row) < 2 for row in given_back.values())
    else:
        assert learned.reason


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_the_order_of_pages_does_not_matter(order: list[int]) -> None:
    pages = [BOOKS[n] for n in order]
    learned = learn_attribute(pages, [example(pages, order.index(n), "//li[b = 'ISBN-13:']/text()") for n in (0, 1)])
    assert isinstance(learned, Learned)
    assert learned.alternatives[0].features == ("text of <li>", "after “ISBN-13:”")
