"""Record types on their screens: rows are added, moved, renamed and removed, and annotations are deleted only after a confirmation."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Attribute, Cluster, DeliveryTarget, Label, Record, RecordType, Rule
from tests.services import factory
from tests.views import world as worlds
from tests.views.addresses import address
from tests.views.world import World


def record_type_form(*attributes: dict[str, str], **more: str) -> dict[str, str]:
    data = {"name": "Film", "description": "", "attribute-TOTAL_FORMS": str(len(attributes)), "attribute-INITIAL_FORMS": "0", **more}
    for n, attribute in enumerate(attributes):
        data |= {f"attribute-{n}-{field}": value for field, value in {"type": "text", "ORDER": str(n + 1), **attribute}.items()}
    return data


def test_a_new_record_type_has_its_attributes_in_the_order_of_the_rows(signed_in: Any, db: None) -> None:
    data = record_type_form(
        {"name": "year", "type": "number", "ORDER": "2"}, {"name": "full title", "ORDER": "1", "mandatory": "on", "hotkey": "T"}, {}
    )
    signed_in("editor").post(reverse("record_type_new"), data)
    made = [(a.name, a.type, a.mandatory, a.hotkey, a.position) for a in Attribute.objects.all()]
    assert made == [("full_title", "text", True, "t", 0), ("year", "number", False, "", 1)]


@pytest.mark.parametrize(
    "data",
    [
        record_type_form(),
        record_type_form({"name": "a"}, {"name": "A"}),
        record_type_form({"name": "a", "hotkey": "1"}, {"name": "b", "hotkey": "1"}),
        record_type_form({"name": "1st"}),
        record_type_form({"name": 'the "best"'}),
        record_type_form({"name": "Source URL"}),
        record_type_form({"name": "a", "hotkey": "?"}),
        record_type_form({"name": "a", "type": "nothing"}),
        record_type_form({"name": "a"}, name=""),
        record_type_form({"name": "a"}, name="Book"),
        record_type_form({"name": "a"}) | {"attribute-TOTAL_FORMS": "oops"},
        record_type_form({"name": "a" * 61}),
    ],
)
def test_a_bad_record_type_is_shown_again_with_the_reason(signed_in: Any, db: None, data: dict[str, str]) -> None:
    factory.record_type()
    answer = signed_in("editor").post(reverse("record_type_new"), data)
    assert (answer.status_code, RecordType.objects.count()) == (400, 1)
    assert b"field-error" in answer.content


def test_a_new_record_type_is_used_by_the_template_it_was_made_for(signed_in: Any, db: None) -> None:
    cluster = factory.cluster(factory.site())
    answer = signed_in("editor").post(f"{reverse('record_type_new')}?template={cluster.pk}", record_type_form({"name": "title"}))
    cluster.refresh_from_db()
    assert cluster.record_type == RecordType.objects.get()
    assert answer.headers["Location"] == reverse("workbench", args=[cluster.site.slug, cluster.number])


def test_whoever_adds_an_attribute_from_the_workbench_goes_back_to_it(signed_in: Any, db: None) -> None:
    kind = factory.record_type({"title": "text"})
    cluster = factory.cluster(factory.site(), kind=kind)
    other = factory.cluster(cluster.site, number=2)
    title = {"id": str(kind.attributes.get().pk), "name": "title"}
    workbench = reverse("workbench", args=[cluster.site.slug, cluster.number])
    for template, goal in ((cluster.pk, workbench), (other.pk, kind.get_absolute_url()), ("x", kind.get_absolute_url())):
        answer = signed_in("editor").post(f"{kind.get_absolute_url()}?template={template}", record_type_form(title, name="Book"))
        assert answer.headers["Location"] == goal
    assert f'href="{workbench}">Cancel' in signed_in("editor").get(f"{kind.get_absolute_url()}?template={cluster.pk}").content.decode()


def test_attributes_can_be_moved_and_renamed_without_losing_marks_or_records(signed_in: Any, world: World) -> None:
    title, price, author = world.record_type.attributes.all()
    data = record_type_form(
        {"id": str(price.pk), "name": "title", "type": "price"},
        {"id": str(title.pk), "name": "price"},
        {"id": str(author.pk), "name": "author", "DELETE": "on"},
        name="Book",
    )
    before = {record.pk: record.values for record in Record.objects.all()}
    definitions = Rule.objects.get().definition["attributes"]
    answer = signed_in("editor").post(world.record_type.get_absolute_url(), data | {"drop_labels": "1"}, follow=True)
    assert answer.status_code == 200
    assert [(a.pk, a.name) for a in world.record_type.attributes.all()] == [(price.pk, "title"), (title.pk, "price")]
    assert Label.objects.filter(attribute=title).count() == 1
    rule = Rule.objects.get()
    swapped = {"title": "price", "price": "title", "author": "author"}
    assert {each["name"]: each["alternatives"] for each in rule.definition["attributes"]} == {
        swapped[each["name"]]: each["alternatives"] for each in definitions
    }
    assert {each["name"] for each in rule.report["attributes"]} == set(swapped)
    for record in Record.objects.all():
        assert record.values == {swapped[name]: found for name, found in before[record.pk].items()}
    worlds.extract(world.cluster)
    assert Record.objects.order_by("pk")[0].values["price"][0]["raw"] == "Book 0"


def test_an_attribute_renamed_to_the_name_of_another_keeps_its_own_xpath_and_values(signed_in: Any, world: World) -> None:
    title = world.record_type.attributes.get(name="title")
    Label.objects.all().delete()
    data = record_type_form({"id": str(title.pk), "name": "author", "mandatory": "on"}, name="Book")
    asked = signed_in("editor").post(world.record_type.get_absolute_url(), data)
    assert (asked.status_code, "price is in 1 live rule" in asked.content.decode()) == (400, True)
    signed_in("editor").post(world.record_type.get_absolute_url(), data | {"drop_labels": "1"})
    found = {each["name"]: each["alternatives"][0]["xpath"] for each in Rule.objects.get().definition["attributes"]}
    assert found == {"author": worlds.XPATHS["title"], "price": worlds.XPATHS["price"]}
    assert Record.objects.order_by("pk")[0].values["author"][0]["raw"] == "Book 0"


def test_changed_demands_of_a_record_type_apply_to_its_rules_and_the_screen_says_so(signed_in: Any, world: World) -> None:
    title, price, author = world.record_type.attributes.all()
    data = record_type_form(
        {"id": str(title.pk), "name": "title", "mandatory": "on"},
        {"id": str(price.pk), "name": "price", "type": "price"},
        {"id": str(author.pk), "name": "author", "multiple": "on"},
        name="Book",
    )
    states = Record.objects.order_by("pk").values_list("state", flat=True)
    assert states[4] == Record.State.INCOMPLETE
    for said in (True, False):
        answer = signed_in("editor").post(world.record_type.get_absolute_url(), data, follow=True)
        assert (b"Run the rule again to update the records" in answer.content) is said
    worlds.extract(world.cluster)
    assert set(states.all()) == {Record.State.COMPLETE}


def test_annotations_are_deleted_only_after_a_confirmation(signed_in: Any, world: World) -> None:
    author = world.record_type.attributes.get(name="author")
    data = record_type_form({"id": str(author.pk), "name": "author"}, name="Book")
    answer = signed_in("editor").post(world.record_type.get_absolute_url(), data)
    assert answer.status_code == 400
    assert b"title has 1 marked value; price has 1 marked value" in answer.content
    assert signed_in("editor").post(world.record_type.get_absolute_url(), data | {"drop_labels": "1"}).status_code == 302
    assert not Label.objects.exists()


def test_a_viewer_can_see_but_not_change_a_record_type(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    text = client.get(world.record_type.get_absolute_url()).content.decode()
    main = text[text.index("<main") : text.index("</main>")]
    assert all(name in main for name in world.record_type.attributes.values_list("name", flat=True))
    assert not any(field in main for field in ("<input", "<select", "<textarea", "<fieldset", "Add column", "<template"))
    assert client.post(world.record_type.get_absolute_url(), record_type_form({"name": "a"})).status_code == 403


def test_a_record_type_in_use_cannot_be_deleted(signed_in: Any, world: World) -> None:
    answer = signed_in("operator").post(address(world, "record_type_delete"), follow=True)
    assert b"Template 1 of Books" in answer.content
    Cluster.objects.update(record_type=None)
    answer = signed_in("operator").post(address(world, "record_type_delete"), follow=True)
    assert f"delivered to {world.delivery.target.name}".encode() in answer.content
    DeliveryTarget.objects.all().delete()
    signed_in("operator").post(address(world, "record_type_delete"))
    assert not RecordType.objects.exists()


def test_a_name_or_key_used_twice_is_refused_in_words(signed_in: Any, world: World) -> None:
    rows = {"attribute-TOTAL_FORMS": "2", "attribute-INITIAL_FORMS": "0", "name": "Film"}
    for n in range(2):
        rows |= {
            f"attribute-{n}-name": "title",
            f"attribute-{n}-type": "text",
            f"attribute-{n}-hotkey": "t",
            f"attribute-{n}-ORDER": str(n + 1),
        }
    text = signed_in("editor").post(reverse("record_type_new"), rows).content.decode()
    assert "There is another attribute with the name “title”." in text
    assert "There is another attribute with the shortcut “t”." in text
