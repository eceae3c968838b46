"""The papers' bookstore: its pages give the wrapper and the data set that the papers print."""

from extraction.algorithms.alignment.roadrunner.data import WrapperMismatch
from extraction.algorithms.alignment.schema import Repeated
from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from tests.algorithms.alignment.roadrunner.pages import JOHN, JONES, PAUL, SMITH, authors_page, inferred, inside, plain


def test_the_matching_example_gives_the_papers_wrapper() -> None:
    found = inferred(SMITH, JONES)
    assert inside(found) == "Books of: <b>#PCDATA</b> ( <img/> )? <ul> ( <li> <i>Title:</i> #PCDATA </li> )+ </ul>"
    assert found.resorts == 0


def test_the_pages_can_come_in_any_order() -> None:
    assert inside(inferred(JONES, SMITH)) == inside(inferred(SMITH, JONES))


def test_the_data_set_is_nested() -> None:
    rows = inferred(SMITH, JONES).structure.rows
    assert [plain(row) for row in rows] == [
        {"A": "John Smith", "C": [{"B": "DB Primer"}, {"B": "Comp. Sys."}]},
        {"A": "Paul Jones", "C": [{"B": "XML at Work"}, {"B": "HTML Scripts"}, {"B": "Javascript"}]},
    ]


def test_authors_have_books_and_books_have_editions() -> None:
    structure = inferred(JOHN, PAUL).structure
    books, editions = structure.schema.sets()
    assert isinstance(structure.schema.parts[1], Repeated)
    assert list(structure.schema.fields(within_sets=False)) == ["A"]
    assert list(books.part.fields(within_sets=False)) == ["B", "C"]
    assert list(editions.part.fields()) == ["D", "E", "F"]
    assert [plain(row) for row in structure.rows][1] == {
        "A": "Paul Jones",
        books.name: [
            {
                "B": "XML at Work",
                "C": "A comprehensive description of XML",
                editions.name: [{"D": "First Edition, Paperback", "E": "1999", "F": "$30"}],
            },
            {
                "B": "HTML and Scripts",
                "C": "A nice HTML handbook",
                editions.name: [
                    {"D": "First Edition, Paperback", "F": "$30"},
                    {"D": "Second Edition, Hard Cover", "E": "1999", "F": "$45"},
                ],
            },
            {
                "B": "JavaScripts",
                "C": "A must in every webmaster's bookshelf",
                editions.name: [{"D": "First Edition, Hard Cover", "E": "2000", "F": "$50"}],
            },
        ],
    }
    assert {name: {page: len(rows) for page, rows in pages.items()} for name, pages in structure.tables().items()} == {
        books.name: {0: 2, 1: 3},
        editions.name: {0: 3, 1: 4},
    }


def test_values_have_their_places_on_the_page() -> None:
    found = inferred(JOHN, PAUL)
    nodes = elements(parse(PAUL.encode()).root)
    for pages in found.structure.columns().values():
        for each in pages.get(1, ()):
            assert value(nodes, each.place) == each.text


def test_a_wrapper_reads_pages_it_has_not_seen() -> None:
    wrapper = inferred(JOHN, PAUL).wrapper
    page = authors_page("Ann Moe", {"One": ("A book", (("Third Edition", "2001", "$9"),)), "Two": ("Another", (("Fourth", "", "$8"),))})
    row = wrapper.match(parse(page.encode()).root)
    assert not isinstance(row, WrapperMismatch)
    assert plain(row)["A"] == "Ann Moe"
    assert plain(row)["G"] == [
        {"B": "One", "C": "A book", "H": [{"D": "Third Edition", "E": "2001", "F": "$9"}]},
        {"B": "Two", "C": "Another", "H": [{"D": "Fourth", "F": "$8"}]},
    ]


def test_a_page_that_does_not_match_says_where() -> None:
    page = SMITH.replace("</ul>", "<li><u>Price:</u>3</li></ul>")
    met = inferred(SMITH, JONES).wrapper.match(parse(page.encode()).root)
    assert isinstance(met, WrapperMismatch)
    assert met.reason == "in <li> (3 of 3): <i> was expected, <u> is there"
    assert elements(parse(page.encode()).root)[met.node].tag == "u"


def test_a_mismatch_names_the_part_that_differs_not_the_equal_element_around_it() -> None:
    page = SMITH.replace("<b>John Smith</b>", "<b>John <u>Smith</u></b>")
    met = inferred(SMITH, JONES).wrapper.match(parse(page.encode()).root)
    assert isinstance(met, WrapperMismatch) and met.reason == "in <b> after “John”: its end was expected, <u> is there"
    other = inferred(SMITH, JONES).wrapper.match(parse(b"<?xml version='1.0'?><a/>").root)
    assert other == WrapperMismatch(0, "<html> was expected, <a> is there")


def test_a_wrapper_is_printed_with_names() -> None:
    lines = inferred(SMITH, JONES).wrapper.printed().splitlines()
    assert "    <b>#PCDATA</b>  A" in lines
    assert "      )+  C" in lines
