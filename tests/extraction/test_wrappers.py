"""The wrapper of a template: looked at, taken fields from, asked for its opinion, printed."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from extraction.models import Cluster, Label
from extraction.services import wrappers
from extraction.services.runs import JobError
from extraction.services.taking_fields import Taken
from tests.algorithms.alignment.roadrunner.pages import JOHN, PAUL
from tests.algorithms.suggestion.pages import html
from tests.extraction import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def authors() -> Cluster:
    """A template of the papers' two pages of authors, and one page that is different."""
    cluster = factory.cluster(factory.site("Shop"))
    for name, page in (("john", JOHN), ("paul", PAUL)):
        factory.snapshot(cluster.site, f"https://shop.example/{name}", page.encode(), cluster=cluster)
    return cluster


@pytest.fixture
def books() -> Cluster:
    """A template of eight books."""
    cluster = factory.cluster(factory.site("Books"))
    for number in range(8):
        factory.snapshot(cluster.site, f"https://books.example/{number}", html(number).encode(), cluster=cluster)
    return cluster


def test_columns_have_letters_types_and_examples(authors: Cluster) -> None:
    columns = {each.letter: each for each in wrappers.columns(wrappers.look(authors))}
    assert list(columns) == ["A", "B", "C", "D", "E", "F"]
    assert {"John Smith", "Paul Jones"} == set(columns["A"].examples) and not columns["A"].multiple and columns["A"].set == ""
    assert columns["B"].multiple and columns["B"].set == "G" and columns["F"].set == "H"
    assert columns["F"].type == "price" and columns["F"].filled == 2


def test_repeated_parts_say_which_element_holds_how_many_rows_and_which_columns(authors: Cluster) -> None:
    seen = wrappers.look(authors)
    editions, books = wrappers.tables(seen)
    assert (editions.element, editions.columns, sorted(editions.rows.values())) == ("tr", ("D", "E", "F"), [3, 4])
    assert (books.element, books.columns, books.sets, sorted(books.rows.values())) == ("div.book", ("B", "C"), ("H",), [2, 3])


def test_columns_that_are_taken_are_attributes_marked_on_the_pages(authors: Cluster, person: Any) -> None:
    seen = wrappers.look(authors)
    taken = [Taken(0, "author", "text"), Taken(1, "title", "text"), Taken(5, "price", "price")]
    assert wrappers.use(authors, seen.key, taken, person("editor"), type_name="Author") == 2
    authors.refresh_from_db()
    assert authors.record_type
    assert [(each.name, each.multiple) for each in authors.record_type.attributes.all()] == [
        ("author", False),
        ("title", True),
        ("price", True),
    ]
    prices = Label.objects.filter(cluster=authors, attribute__name="price", snapshot__page__url__endswith="paul")
    assert sorted(prices.values_list("value", flat=True)) == ["$30", "$30", "$45", "$50"]


def test_pages_that_changed_meanwhile_are_not_marked(authors: Cluster, person: Any) -> None:
    with pytest.raises(JobError, match="changed meanwhile"):
        wrappers.use(authors, "0", [Taken(0, "author", "text")], person("editor"), type_name="Author")
    assert not Label.objects.exists()


def test_suggested_fields_are_agreed_with(books: Cluster) -> None:
    assert ("ExAlg", "RoadRunner") in wrappers.agreement(books)
    assert wrappers.agreement(books) is wrappers.agreement(books), "computed once"


def told(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("roadrunner", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_the_command_prints_wrapper_and_data(authors: Cluster) -> None:
    lines = told("Shop")
    assert lines[0] == "# from 2 pages, matches 2 of 2; last resort at 0 places"
    assert "    <h2>#PCDATA</h2>  A" in lines
    table = [line.split("\t") for line in lines[lines.index("") + 1 :]]
    assert table[0] == ["page", "A", "B", "C", "D", "E", "F"]
    assert {row[1]: row[2] for row in table[1:]} == {
        "John Smith": "Database Primer | Computer Systems",
        "Paul Jones": "XML at Work | HTML and Scripts | JavaScripts",
    }
    rows = [json.loads(line) for line in told("Shop", "1", "--as", "json") if line.startswith("{")]
    assert {row["A"]: [len(book["H"]) for book in row["G"]] for row in rows} == {"John Smith": [2, 1], "Paul Jones": [1, 2, 1]}


def test_the_command_says_what_a_wrapper_does_not_match(books: Cluster) -> None:
    factory.snapshot(books.site, "https://books.example/odd", b"<html><body><h5>Other</h5><h6>x</h6></body></html>", cluster=books)
    lines = told("Books", "1", "--pages", "8")
    assert re.match(r"# from 8 pages, matches \d of 9", lines[0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("Shop", "1", "--pages", "1"), "it takes two to compare"), (("Shop", "9"), "no template '9'"), (("Empty",), "no templates yet")],
)
def test_the_command_says_what_is_wrong(authors: Cluster, arguments: tuple[str, ...], said: str) -> None:
    factory.site("Empty")
    with pytest.raises(CommandError, match=said):
        told(*arguments)


def test_one_page_has_no_wrapper(authors: Cluster) -> None:
    alone = factory.cluster(authors.site, number=2)
    factory.snapshot(authors.site, "https://shop.example/alone", PAUL.encode(), cluster=alone)
    with pytest.raises(JobError, match="1 readable sample page; it takes two to compare"):
        wrappers.look(alone)
