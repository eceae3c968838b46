"""The wrapper of a template: its screen, its fields, its agreement with suggested fields, and its command."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from extraction.models import Cluster, Label, RecordType
from extraction.services.core.runs import JobError
from extraction.services.lab import wrappers
from extraction.services.suggestions import second_opinions, suggested_fields
from extraction.services.suggestions.taking_fields import TakenColumns
from tests.algorithms.alignment.roadrunner.pages import JOHN, PAUL
from tests.algorithms.suggestion.pages import html
from tests.reading import words
from tests.services import factory

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
    columns = {each.letter: each for each in wrappers.find_columns(authors, wrappers.infer_wrapper(authors))}
    assert list(columns) == ["A", "B", "C", "D", "E", "F"]
    assert {"John Smith", "Paul Jones"} == set(columns["A"].examples) and not columns["A"].multiple and columns["A"].set == ""
    assert columns["B"].multiple and columns["B"].set == "G" and columns["F"].set == "H"
    assert columns["F"].type == "price" and columns["F"].filled == 2


def test_a_column_gets_the_name_of_the_suggested_field_with_the_same_values(books: Cluster) -> None:
    named = {each.name: each.examples[0] for each in wrappers.find_columns(books, wrappers.infer_wrapper(books)) if each.name}
    assert {"title", "price", "isbn"} <= named.keys() and named["price"].startswith("$")


def test_repeated_parts_say_which_element_holds_how_many_rows_and_which_columns(authors: Cluster) -> None:
    seen = wrappers.infer_wrapper(authors)
    editions, books = wrappers.build_tables(seen)
    assert (editions.element, editions.columns, sorted(editions.rows.values())) == ("tr", ("D", "E", "F"), [3, 4])
    assert (books.element, books.columns, books.sets, sorted(books.rows.values())) == ("div.book", ("B", "C"), ("H",), [2, 3])


def test_selected_columns_become_attributes_that_are_marked_on_the_pages(authors: Cluster, person: Any) -> None:
    seen = wrappers.infer_wrapper(authors)
    taken = [TakenColumns(0, "author", "text"), TakenColumns(1, "title", "text"), TakenColumns(5, "price", "price")]
    assert wrappers.take_columns(authors, seen.key, taken, person("editor"), type_name="Author") == 2
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
    with pytest.raises(JobError, match="sample pages have changed"):
        wrappers.take_columns(authors, "0", [TakenColumns(0, "author", "text")], person("editor"), type_name="Author")
    assert not Label.objects.exists()


def test_the_wrapper_agrees_with_suggested_fields(books: Cluster) -> None:
    key, agreed = second_opinions.find_opinions(books)
    assert key == suggested_fields.suggest_fields(books).key and len(agreed) == len(suggested_fields.suggest_fields(books).fields)
    assert ("ExAlg", "RoadRunner") in agreed


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
    [
        (("Shop", "1", "--pages", "1"), "at least two pages are needed"),
        (("Shop", "9"), "no template '9'"),
        (("Empty",), "no templates yet"),
    ],
)
def test_the_command_says_what_is_wrong(authors: Cluster, arguments: tuple[str, ...], said: str) -> None:
    factory.site("Empty")
    with pytest.raises(CommandError, match=said):
        told(*arguments)


def test_one_page_has_no_wrapper(authors: Cluster) -> None:
    alone = factory.cluster(authors.site, number=2)
    factory.snapshot(authors.site, "https://shop.example/alone", PAUL.encode(), cluster=alone)
    with pytest.raises(JobError, match="1 readable sample page; a comparison needs at least two"):
        wrappers.infer_wrapper(alone)


def test_the_screen_shows_fields_template_and_data_and_uses_the_ticked_fields(authors: Cluster, signed_in: Any) -> None:
    client, address = signed_in("editor"), reverse("cluster_wrapper", args=[authors.site.slug, authors.number])
    assert f'hx-get="{address}look/"' in client.get(address).content.decode()
    text = client.get(f"{address}look/").content.decode()
    assert "<b>6</b> fields" in text and "fits <b>2</b> of 2" in text
    assert "&lt;h2&gt;#PCDATA&lt;/h2&gt;" in text and "<code>div.book</code>" in text and "XML at Work" in text
    sent = {
        "key": wrappers.infer_wrapper(authors).key,
        "take": [0, 5],
        "name-0": "author",
        "type-0": "text",
        "name-5": "cost",
        "type-5": "price",
    }
    answer = client.post(address, {**sent, "record_type": "Author"})
    assert answer.headers["Location"] == reverse("workbench", args=[authors.site.slug, authors.number])
    assert [each.name for each in RecordType.objects.get().attributes.all()] == ["author", "cost"]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"take": []}, "Tick at least one field."), ({"name-0": ""}, "needs a name"), ({"key": "7"}, "sample pages have changed")],
)
def test_a_bad_selection_is_refused_with_the_reason_and_changes_nothing(
    authors: Cluster, signed_in: Any, change: dict[str, Any], said: str
) -> None:
    sent = {"key": wrappers.infer_wrapper(authors).key, "record_type": "Author", "take": [0], "name-0": "mine", "type-0": "text", **change}
    answer = signed_in("editor").post(reverse("cluster_wrapper", args=[authors.site.slug, authors.number]), sent)
    assert answer.status_code == 400 and said in answer.content.decode()
    assert not RecordType.objects.exists()


def test_the_screen_says_why_there_is_no_wrapper(authors: Cluster, signed_in: Any) -> None:
    alone = factory.cluster(authors.site, number=2)
    factory.snapshot(authors.site, "https://shop.example/alone", PAUL.encode(), cluster=alone)
    text = signed_in("editor").get(reverse("cluster_wrapper_look", args=[authors.site.slug, 2])).content.decode()
    assert "a comparison needs at least two" in text


def test_suggested_fields_show_which_methods_agree(books: Cluster, signed_in: Any) -> None:
    client, address = signed_in("editor"), reverse("cluster_suggest_opinions", args=[books.site.slug, books.number])
    key = suggested_fields.suggest_fields(books).key
    assert f'hx-get="{address}?key={key}"' in client.get(reverse("cluster_suggest_table", args=[books.site.slug, 1])).content.decode()
    text = words(client.get(f"{address}?key={key}"))
    assert "ExAlg and RoadRunner agree<" in text and "RoadRunner agrees<" in text and 'id="opinion-0"' in text
    assert "agree" not in client.get(f"{address}?key=7").content.decode(), "of other pages than those shown nothing is said"


def test_only_the_first_of_thousands_of_fields_are_shown(signed_in: Any) -> None:
    """A table with the same number of rows on every page becomes a field for each row, not an iterator."""
    cluster = factory.cluster(factory.site("Tables"))
    for page in range(2):
        rows = "".join(f"<tr><td>{page}-{row}</td></tr>" for row in range(1000))
        factory.snapshot(cluster.site, f"https://tables.example/{page}", f"<table>{rows}</table>".encode(), cluster=cluster)
    text = words(signed_in("editor").get(reverse("cluster_wrapper_look", args=[cluster.site.slug, cluster.number])))
    assert "fields, of which the first 300 are shown" in text
    assert text.count('name="take"') == 300
