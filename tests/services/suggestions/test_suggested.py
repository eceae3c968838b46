"""From a template without annotations to a record type, marked pages and a rule."""

import re
from typing import Any

import pytest
from django.urls import reverse

from extraction import pipeline
from extraction.algorithms.dom.nodes import Location
from extraction.models import Attribute, Cluster, Label, RecordType, Snapshot
from extraction.services.core.runs import JobError
from extraction.services.learning import learn_rule
from extraction.services.suggestions import suggested_fields
from extraction.services.suggestions.taking_fields import TakenColumns
from tests.algorithms.suggestion.pages import html
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def books() -> Cluster:
    """A template of eight books without a record type."""
    site = factory.site("Shop")
    cluster = factory.cluster(site)
    for number in range(8):
        factory.snapshot(site, f"https://shop.example/{number}", html(number).encode(), cluster=cluster)
    return cluster


def place(offer: suggested_fields.FieldOffer, name: str) -> int:
    return next(field.place for field in offer.fields if field.name == name)


def take(offer: suggested_fields.FieldOffer, *names: str) -> list[TakenColumns]:
    return [TakenColumns(place(offer, name), name, offer.fields[place(offer, name)].type) for name in names]


def test_fields_are_offered_with_types_values_and_coverage(books: Cluster) -> None:
    offer = suggested_fields.suggest_fields(books)
    fields = {field.name: field for field in offer.fields}
    assert offer.pages == 8
    assert {name: fields[name].type for name in ("title", "price", "isbn")} == {"title": "text", "price": "price", "isbn": "text"}
    assert fields["authors"].multiple and not fields["title"].multiple
    assert fields["pages"].coverage == sum(bool(n % 3) for n in range(8)) / 8
    assert len(fields["price"].examples) == 5 and all(re.fullmatch(r"\$\d\.50", text) for text in fields["price"].examples)


def test_fields_that_are_nearly_the_same_everywhere_are_offered_folded(books: Cluster) -> None:
    fields = {field.name: field for field in suggested_fields.suggest_fields(books).fields}
    assert fields["language"].folded and fields["language"].constant and fields["language"].examples[0] == "English"
    assert not any(fields[name].folded for name in ("title", "price", "isbn", "publisher"))


def test_accepted_fields_become_attributes_marked_on_three_pages(books: Cluster, person: Any) -> None:
    offer = suggested_fields.suggest_fields(books)
    assert suggested_fields.take_fields(books, offer.key, take(offer, "title", "authors", "pages"), person("editor"), type_name="Book") == 3
    books.refresh_from_db()
    assert books.record_type and books.record_type.name == "Book"
    assert [(each.name, each.multiple) for each in books.record_type.attributes.all()] == [
        ("title", False),
        ("authors", True),
        ("pages", False),
    ]
    assert Label.objects.filter(cluster=books).order_by().values("snapshot").distinct().count() == 3
    for label in Label.objects.filter(cluster=books, attribute__name="title"):
        number = label.snapshot.page.url.rsplit("/", 1)[1]
        assert f">{label.value}</h1>" in html(int(number))
    said = {label.snapshot.page.url[-1]: label.location for label in Label.objects.filter(cluster=books, attribute__name="pages")}
    assert {url: place is None for url, place in said.items()} == {url: int(url) % 3 == 0 for url in said}


def test_accepted_fields_are_added_to_the_record_type_of_the_given_name(books: Cluster, signed_in: Any) -> None:
    known = RecordType.objects.create(name="Book", slug="book")
    Attribute.objects.create(record_type=known, name="title")
    offer = suggested_fields.suggest_fields(books)
    data = {"key": offer.key, "record_type": "book", "take": [place(offer, "title"), place(offer, "price")]}
    data |= {f"{what}-{each.place}": getattr(each, what) for each in offer.fields for what in ("name", "type")}
    answer = signed_in("editor").post(reverse("cluster_suggest", args=[books.site.slug, books.number]), data)
    assert answer.status_code == 302
    books.refresh_from_db()
    assert books.record_type == known
    assert [(each.name, each.type) for each in known.attributes.all()] == [("title", "text"), ("price", "price")]
    assert RecordType.objects.count() == 1


def test_folded_fields_are_open_when_something_entered_was_refused(books: Cluster, signed_in: Any) -> None:
    client, address = signed_in("editor"), reverse("cluster_suggest", args=[books.site.slug, books.number])
    shown = client.get(reverse("cluster_suggest_table", args=[books.site.slug, books.number])).content.decode()
    assert re.search(r'<details class="suggested-more"\s*>', shown), "nothing is wrong yet"
    offer = suggested_fields.suggest_fields(books)
    taken = [place(offer, "title"), place(offer, "language")]
    data = (
        {"key": offer.key, "record_type": "Book", "take": taken}
        | {f"name-{n}": "same" for n in taken}
        | {f"type-{n}": "text" for n in taken}
    )
    refused = client.post(address, data)
    assert refused.status_code == 400
    assert not re.search(r'<details class="suggested-more"\s*>', refused.content.decode())


def test_a_field_that_the_first_pages_lack_is_marked_where_it_is(person: Any) -> None:
    site = factory.site("Few")
    cluster = factory.cluster(site)
    for number in range(8):
        rare = f"<li>Depth: {number} mm</li>" if number >= 5 else ""
        body = f"<h1>Thing {number}</h1><ul><li>Code: K{number}7</li><li>Height: {number}5 cm</li>{rare}</ul>"
        factory.snapshot(site, f"https://few.example/{number}", f"<html><body>{body}</body></html>".encode(), cluster=cluster)
    offer = suggested_fields.suggest_fields(cluster)
    assert (
        suggested_fields.take_fields(cluster, offer.key, take(offer, "code", "height", "depth"), person("editor"), type_name="Thing") == 3
    )
    assert Label.objects.filter(cluster=cluster, attribute__name="depth").exclude(value="").exists()


def write_lamp(number: int) -> bytes:
    rows = [("Height", f"{number}5 cm"), ("Colour", ("red", "blue", "sand")[number % 3])]
    rows += [(label, f"{label} of {number}") for at, label in ((4, "Care"), (6, "Origin"), (8, "Norm"), (9, "Dimmer")) if number == at]
    cells = "".join(f"<tr><th>{label}</th><td>{text}</td></tr>" for label, text in rows)
    return f"<html><body><h1>Lamp {number}</h1><table>{cells}</table></body></html>".encode()


@pytest.fixture
def lamps() -> Cluster:
    """Ten lamps, of which four have a property that no other has."""
    site = factory.site("Lamps")
    cluster = factory.cluster(site)
    for number in range(10):
        factory.snapshot(site, f"https://lamps.example/{number}", write_lamp(number), cluster=cluster)
    return cluster


def test_fields_of_few_pages_are_folded_and_not_ticked(lamps: Cluster, signed_in: Any) -> None:
    fields = {field.name: field for field in suggested_fields.suggest_fields(lamps).fields}
    assert {name for name, field in fields.items() if field.further} == {"care", "origin", "norm", "dimmer"}
    assert fields["care"].filled == 1 and fields["care"].pages == 10
    assert not any("Care of 4" in field.examples for name, field in fields.items() if name != "care"), (
        "the third cell of a page is no field"
    )
    shown = signed_in("editor").get(reverse("cluster_suggest_table", args=[lamps.site.slug, lamps.number])).content.decode()
    assert shown.count("4 more fields from the same rows") == 1
    own, further = shown.split("4 more fields")
    assert 'value="height"' in own and 'value="care"' in further and 'value="care"' not in own
    assert "checked" in own and "checked" not in further


def test_a_field_of_few_pages_that_is_taken_is_marked_where_it_is(lamps: Cluster, person: Any) -> None:
    offer = suggested_fields.suggest_fields(lamps)
    names = ("height", "colour", "care", "origin", "norm", "dimmer")
    assert suggested_fields.take_fields(lamps, offer.key, take(offer, *names), person("editor"), type_name="Lamp") == 4
    for name in names:
        assert Label.objects.filter(cluster=lamps, attribute__name=name).exclude(value="").exists(), name


def test_fields_are_marked_on_pages_of_each_language_and_never_missed_where_their_label_is_unknown(person: Any) -> None:
    """Each third page is in German. The warranty has a word that no list of meanings knows."""
    site = factory.site("Lamps")
    cluster = factory.cluster(site)
    for number in range(12):
        language, names = ("de", ("Hersteller", "Rückgaberecht")) if number % 3 == 2 else ("en", ("Maker", "Returns within"))
        days = f"{20 + number} {'Tage' if language == 'de' else 'days and nights'}"
        cells = list(zip(names, (f"Maker {number % 4}", days), strict=True))[:: 1 if number % 2 else -1]
        rows = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in cells)
        body = f"<html lang={language}><title>Lamp {number}</title><h1>Lamp {number}</h1><table>{rows}</table>"
        factory.snapshot(site, f"https://lamps.example/{number}", body.encode(), cluster=cluster)
    offer = suggested_fields.suggest_fields(cluster)
    suggested_fields.take_fields(cluster, offer.key, take(offer, "maker", "returns_within"), person("editor"), type_name="Lamp")
    marked = {(each.snapshot.page.url[-1], each.attribute.name): each.value for each in Label.objects.filter(cluster=cluster)}
    pages = {url for url, _ in marked}
    assert len(pages) == 3 and len({int(url) % 3 == 2 for url in pages}) == 2, "pages in both languages"
    assert all(marked[url, "maker"] == f"Maker {int(url) % 4}" for url in pages)
    assert all(text.endswith("nights") for (_, name), text in marked.items() if name == "returns_within"), "no mark says that it is missing"


def test_a_rule_learned_from_accepted_fields_reads_the_other_pages(books: Cluster, person: Any) -> None:

    offer = suggested_fields.suggest_fields(books)
    suggested_fields.take_fields(books, offer.key, take(offer, "title", "price"), person("editor"), type_name="Book")
    books.refresh_from_db()
    run = learn_rule.start_learning(books)
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == "done", run.error
    rule = books.rules.get()
    assert {row["name"]: row["hits"] for row in rule.report["attributes"]} == {"title": 8, "price": 8}


def test_an_existing_record_type_gets_the_fields_and_keeps_its_marks(books: Cluster, person: Any) -> None:
    kind = RecordType.objects.create(name="Thing", slug="thing")
    title = Attribute.objects.create(record_type=kind, name="title", position=0)
    Cluster.objects.filter(pk=books.pk).update(record_type=kind)
    books.refresh_from_db()
    page = Snapshot.objects.filter(cluster=books).order_by("pk")[0]
    offer = suggested_fields.suggest_fields(books)
    for snapshot in Snapshot.objects.filter(cluster=books):
        factory.label(books, snapshot, title, [Location(0)])
    suggested_fields.take_fields(books, suggested_fields.suggest_fields(books).key, take(offer, "title", "price"), person("editor"))
    assert [each.name for each in kind.attributes.all()] == ["title", "price"]
    assert Label.objects.get(snapshot=page, attribute=title).location == Location(0).as_json()
    assert Label.objects.filter(attribute__name="price").exists()


def test_pages_that_changed_meanwhile_are_not_marked(books: Cluster, person: Any) -> None:
    offer = suggested_fields.suggest_fields(books)
    with pytest.raises(JobError, match="sample pages have changed"):
        suggested_fields.take_fields(books, "1-2-3", take(offer, "title"), person("editor"), type_name="Book")
    assert not RecordType.objects.exists() and not Label.objects.exists()


def test_pages_that_cannot_be_read_are_left_out(books: Cluster) -> None:
    factory.snapshot(books.site, "https://shop.example/empty", b"", cluster=books)
    assert suggested_fields.suggest_fields(books).pages == 8
    alone = factory.cluster(books.site, number=2)
    factory.snapshot(books.site, "https://shop.example/alone", html(1).encode(), cluster=alone)
    assert suggested_fields.suggest_fields(alone).fields == ()


def form(offer: suggested_fields.FieldOffer, *names: str, **more: str) -> dict[str, Any]:
    places = [place(offer, name) for name in names]
    fields = {f"name-{at}": offer.fields[at].name for at in places} | {f"type-{at}": offer.fields[at].type for at in places}
    return {"key": offer.key, "take": places, **fields, **more}


def test_the_screen_shows_a_table_and_accepts_fields(books: Cluster, signed_in: Any) -> None:
    client, address = signed_in("editor"), reverse("cluster_suggest", args=[books.site.slug, books.number])
    assert f'hx-get="{address}table/"' in client.get(address).content.decode()
    text = client.get(f"{address}table/").content.decode()
    assert 'value="isbn"' in text and "8 of 8" in text and text.count(" checked") == 8
    offer = suggested_fields.suggest_fields(books)
    answer = client.post(address, form(offer, "title", "price", record_type="Book") | {f"name-{place(offer, 'price')}": "cost"})
    assert answer.headers["Location"] == reverse("workbench", args=[books.site.slug, books.number])
    assert [each.name for each in RecordType.objects.get().attributes.all()] == ["title", "cost"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"take": []}, "Tick at least one field."),
        ({"record_type": ""}, "Record type: This field is required."),
        ({"name-0": "no name!"}, "cannot be a column"),
        ({"name-0": ""}, "Each ticked field needs a name."),
        ({"type-0": "nonsense"}, "Select a valid choice"),
        ({"name-0": "x", "name-1": "X", "take": [0, 1]}, "x is used twice"),
        ({"key": "7"}, "sample pages have changed"),
    ],
)
def test_a_bad_form_says_what_is_wrong_and_keeps_the_input(books: Cluster, signed_in: Any, change: dict[str, Any], said: str) -> None:
    offer = suggested_fields.suggest_fields(books)
    sent = {"key": offer.key, "record_type": "Book", "take": [0], "name-0": "mine", "type-0": "text", **change}
    answer = signed_in("editor").post(reverse("cluster_suggest", args=[books.site.slug, books.number]), sent)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert sent["name-0"] == "" or f'value="{sent["name-0"]}"' in answer.content.decode()
    assert not RecordType.objects.exists()


def test_only_editors_can_use_suggested_fields(books: Cluster, signed_in: Any) -> None:
    address = reverse("cluster_suggest", args=[books.site.slug, books.number])
    assert signed_in("viewer").post(address).status_code == 403
    assert address not in signed_in("viewer").get(books.get_absolute_url()).content.decode()
    assert address in signed_in("editor").get(books.get_absolute_url()).content.decode()
    assert address in signed_in("editor").get(reverse("workbench", args=[books.site.slug, books.number])).content.decode()
    assert signed_in("editor").put(address).status_code == 405
