"""Labels are written by one service, completely or not at all."""

import pytest

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import PageError
from extraction.models import Attribute, Cluster, Label, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.labels import labelling
from extraction.services.labels.labelling import LabelError
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop() -> Cluster:
    return factory.shop(3)


def first(shop: Cluster) -> Snapshot:
    return Snapshot.objects.filter(cluster=shop).order_by("pk")[0]


def attribute(name: str) -> Attribute:
    return Attribute.objects.get(name=name)


def at(page: Snapshot, text: str) -> Location:
    return factory.text_at(stored_bytes.get_bytes(page.sha256), text)


def test_a_label_keeps_its_place_and_the_value_at_that_place(shop, person):
    page = first(shop)
    labelling.set_labels(shop, page, attribute("title"), [at(page, "Book 0")], person("editor"))
    label = Label.objects.get()
    assert label.created_by is not None and label.location is not None
    assert (label.value, label.absent, label.created_by.username) == ("Book 0", False, "editor")
    assert Location.from_json(label.location) == at(page, "Book 0")


def test_a_new_label_replaces_the_earlier_one(shop):
    page = first(shop)
    for said, kept in (([at(page, "Book 0")], ["Book 0"]), (None, [""]), ((), [])):
        labelling.set_labels(shop, page, attribute("title"), said, None)
        assert list(Label.objects.values_list("value", flat=True)) == kept
    assert labelling.get_labels(shop, page, attribute("title")) == ()


def test_several_values_are_kept_once_each_in_document_order(shop):
    page = Snapshot.objects.filter(cluster=shop).order_by("pk")[1]
    places = [at(page, "Second 1"), at(page, "Writer 1"), at(page, "Second 1")]
    labelling.set_labels(shop, page, attribute("author"), places, None)
    assert list(Label.objects.order_by("position").values_list("value", flat=True)) == ["Writer 1", "Second 1"]


@pytest.mark.parametrize("places", [[Location(4), Location(4, "text", 1), Location(2)], [Location(3, "text", 1), Location(2), Location(3)]])
def test_an_element_and_its_only_text_are_one_value(places):
    kind = factory.record_type({"colour": "text"}, multiple=["colour"])
    cluster = factory.cluster(factory.site(), kind=kind)
    page = factory.snapshot(
        cluster.site, "https://shop.example/1", b"<html><body><p><b>red</b></p><p>blue</p></body></html>", cluster=cluster
    )
    labelling.set_labels(cluster, page, attribute("colour"), [*places, Location(4)], None)
    assert list(Label.objects.order_by("position").values_list("value", flat=True)) == ["red", "blue"]


@pytest.mark.parametrize(
    ("name", "places", "words"),
    [
        ("title", [Location(9_999)], "no longer on the page"),
        ("title", [Location(1, "attribute", attribute="href")], "no longer on the page"),
        ("title", [Location(3), Location(4)], "one value"),
    ],
)
def test_a_bad_label_is_refused_and_the_earlier_one_stays(shop, name, places, words):
    page = first(shop)
    labelling.set_labels(shop, page, attribute(name), [at(page, "Book 0")], None)
    with pytest.raises(LabelError, match=words):
        labelling.set_labels(shop, page, attribute(name), places, None)
    assert Label.objects.get().value == "Book 0"


def test_a_page_or_attribute_of_another_template_is_refused(shop):
    other = factory.cluster(factory.site("Other"), number=2)
    with pytest.raises(LabelError, match="not an attribute"):
        labelling.set_labels(other, first(shop), attribute("title"), None, None)
    other.record_type = shop.record_type
    with pytest.raises(LabelError, match="does not belong to"):
        labelling.set_labels(other, first(shop), attribute("title"), None, None)


def test_a_page_whose_bytes_are_gone_is_an_error_that_says_so(shop):
    page = first(shop)
    page.sha256 = "0" * 64
    with pytest.raises(PageError, match="missing"):
        labelling.set_labels(shop, page, attribute("title"), [Location(3)], None)


def test_too_many_places_and_places_without_text_are_refused(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    page = first(shop)
    monkeypatch.setattr(labelling, "MAX_PLACES", 1)
    with pytest.raises(LabelError, match="author: 2 places were marked; at most 1 can be marked"):
        labelling.set_labels(shop, page, attribute("author"), [at(page, "Writer 0"), at(page, "Book 0")], None)
    content = b"<html><body><p>x</p><p></p></body></html>"
    empty = factory.snapshot(shop.site, "https://shop.example/empty", content, cluster=shop)
    with pytest.raises(LabelError, match="there is no text at that place"):
        labelling.set_labels(shop, empty, attribute("title"), [Location(3)], None)
    assert not Label.objects.exists()
