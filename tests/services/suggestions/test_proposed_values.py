"""A record type's attributes are proposed on a new template without a mark, and accepted with one click."""

from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.algorithms.dom.nodes import Location
from extraction.models import Attribute, Cluster, Label, Record, RecordType
from extraction.services.core.runs import JobError
from extraction.services.suggestions import proposed_values
from extraction.services.suggestions.proposed_values import ProposedAttribute
from tests.algorithms.proposals.pages import film, film_page
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def film_type() -> RecordType:
    kind = RecordType.objects.create(name="Film", slug="film")
    for position, (name, type_) in enumerate((("title", "text"), ("director", "text"), ("release_date", "date"), ("isbn", "text"))):
        Attribute.objects.create(record_type=kind, name=name, type=type_, position=position)
    return kind


@pytest.fixture
def films(film_type: RecordType) -> Cluster:
    """A template of eight films on which nothing is marked."""
    site = factory.site("Cinema")
    cluster = factory.cluster(site)
    Cluster.objects.filter(pk=cluster.pk).update(record_type=film_type)
    for number in range(8):
        factory.snapshot(site, f"https://cinema.example/{number}", film_page(number, "de", "table").encode(), cluster=cluster)
    cluster.refresh_from_db()
    return cluster


def proposed(cluster: Cluster) -> dict[str, ProposedAttribute]:
    return {each.name: each for each in proposed_values.propose_attributes(cluster).attributes}


def test_attributes_are_proposed_with_confidence_and_reasons(films: Cluster) -> None:
    rows = proposed(films)
    assert rows["director"].filled == rows["director"].pages == 8
    assert "the label “Regie:” stands before it on 8 of 8 pages" in rows["director"].reasons
    assert rows["director"].examples[0] in {film(number).texts["director"] for number in range(8)}
    assert not rows["isbn"].confident


def test_a_template_without_a_record_type_has_no_proposals() -> None:
    cluster = factory.cluster(factory.site("Empty"))
    assert proposed_values.propose_attributes(cluster).attributes == ()


def test_accepted_values_are_marked_and_nothing_else(films: Cluster, person: Any) -> None:
    offer = proposed_values.propose_attributes(films)
    director = Attribute.objects.get(name="director")
    assert not Label.objects.exists() and not Record.objects.exists()
    assert proposed_values.take_proposals(films, offer.key, [director.pk], person("editor")) == 3
    labels = Label.objects.filter(cluster=films)
    assert {label.attribute_id for label in labels} == {director.pk}
    for label in labels:
        assert label.value == film(int(label.snapshot.page.url.rsplit("/", 1)[1])).texts["director"]
    assert proposed(films)["director"].marked


def test_existing_marks_stay(films: Cluster, person: Any) -> None:
    director, page = Attribute.objects.get(name="director"), films.snapshots.order_by("pk")[0]
    factory.label(films, page, director, [Location(0)])
    offer = proposed_values.propose_attributes(films)
    proposed_values.take_proposals(films, offer.key, [director.pk], person("editor"))
    assert Label.objects.get(snapshot=page, attribute=director).location == Location(0).as_json()


def test_proposals_of_other_pages_or_another_record_type_are_not_taken(films: Cluster, person: Any) -> None:
    offer = proposed_values.propose_attributes(films)
    director = Attribute.objects.get(name="director")
    assert films.record_type
    films.record_type.attributes.create(name="genre", position=9)
    with pytest.raises(JobError, match="have changed"):
        proposed_values.take_proposals(films, offer.key, [director.pk], person("editor"))
    assert not Label.objects.exists()


def test_nothing_proposed_is_said_and_not_taken(films: Cluster, person: Any) -> None:
    offer = proposed_values.propose_attributes(films)
    with pytest.raises(JobError, match="nothing is proposed"):
        proposed_values.take_proposals(films, offer.key, [10**9], person("editor"))


def test_values_of_other_sites_of_the_type_are_used(films: Cluster, film_type: RecordType) -> None:
    before = proposed_values.propose_attributes(films)
    site = factory.site("Other cinema")
    other = factory.cluster(site)
    Cluster.objects.filter(pk=other.pk).update(record_type=film_type)
    rule = factory.rule(other)
    for number in range(8):
        snapshot = factory.snapshot(site, f"https://other.example/{number}", film_page(number).encode(), cluster=other)
        values = {"director": [{"raw": film(number).texts["director"], "value": film(number).texts["director"], "problem": ""}]}
        Record.objects.create(snapshot=snapshot, cluster=other, rule=rule, state="complete", values=values, extracted_at=timezone.now())
    after = proposed_values.propose_attributes(films)
    assert (before.others, after.others) == (0, 1) and before.key != after.key
    director = next(each for each in after.attributes if each.name == "director")
    assert any("other sites" in reason for reason in director.reasons)


def test_the_screen_shows_and_takes_them(films: Cluster, signed_in: Any) -> None:
    client, address = signed_in("editor"), reverse("cluster_suggest_proposed", args=[films.site.slug, films.number])
    screen = client.get(reverse("cluster_suggest", args=[films.site.slug, films.number])).content.decode()
    assert f'hx-get="{address}"' in screen and "Attributes of Film" in screen
    text = client.get(address).content.decode()
    assert "the label “Regie:” stands before it on 8 of 8 pages" in text
    offer, director = proposed_values.propose_attributes(films), Attribute.objects.get(name="director")
    answer = client.post(address, {"key": offer.key, "attribute": [director.pk]})
    assert answer.status_code == 302 and Label.objects.filter(attribute=director).count() == 3


@pytest.mark.parametrize(
    ("sent", "words"),
    [({"attribute": []}, "Tick at least one attribute."), ({"key": "1-2"}, "have changed"), ({"attribute": ["x"]}, "Tick")],
)
def test_what_cannot_be_taken_says_why(films: Cluster, signed_in: Any, sent: dict[str, Any], words: str) -> None:
    address = reverse("cluster_suggest_proposed", args=[films.site.slug, films.number])
    offer, director = proposed_values.propose_attributes(films), Attribute.objects.get(name="director")
    answer = signed_in("editor").post(address, {"key": offer.key, "attribute": [director.pk], **sent})
    assert answer.status_code == 400 and words in answer.content.decode()
    assert not Label.objects.exists()


def test_without_a_record_type_the_screen_has_no_proposals(signed_in: Any) -> None:
    site = factory.site("Shop")
    cluster = factory.cluster(site)
    text = signed_in("editor").get(reverse("cluster_suggest", args=[site.slug, cluster.number])).content.decode()
    assert "suggest/proposed" not in text


def test_a_value_that_was_not_found_on_a_page_is_not_marked_as_missing_there(film_type: RecordType, person: Any) -> None:
    """Of ten pages, two are in English, and the values that were found stand after the German label only."""
    site = factory.site("Bilingual")
    cluster = factory.cluster(site)
    Cluster.objects.filter(pk=cluster.pk).update(record_type=film_type)
    for number in range(10):
        language, label = ("en", "Shot by") if number in (0, 5) else ("de", "Regie")
        body = f"<h1>Film {number}</h1><dl><dt>{label}</dt><dd>Person {'ABCDEFGHIJ'[number]}. Smith</dd><dt>Z</dt><dd>{number}</dd></dl>"
        factory.snapshot(
            site, f"https://two.example/{number}", f"<html lang={language}><body>{body}</body></html>".encode(), cluster=cluster
        )
    cluster.refresh_from_db()
    offer, attributes = proposed_values.propose_attributes(cluster), {each.name: each for each in Attribute.objects.all()}
    director = proposed(cluster)["director"]
    assert 0 < director.filled < director.pages == 10
    assert proposed_values.take_proposals(cluster, offer.key, [attributes["title"].pk, attributes["director"].pk], person("editor")) == 3
    marks = Label.objects.filter(cluster=cluster)
    assert {each.snapshot.page.url[-1] in "05" for each in marks} == {True, False}, "pages in both languages"
    assert not marks.filter(location__isnull=True).exists()
