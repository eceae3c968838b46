"""What changes of a record type in use do: a new attribute waits to be annotated, a renamed one follows, a removed one asks."""

from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Attribute, Breakage, Check, Cluster, DeliveryTarget, RecordType, Rule
from extraction.models.delivery import TargetContent
from extraction.services.schema import new_attributes, record_types
from extraction.services.schema.record_types import AttributeDraft, InUse
from extraction.views import home_view
from extraction.views.templates import cluster_view
from tests.services import factory

pytestmark = pytest.mark.django_db


def define(**xpaths: str) -> dict[str, Any]:
    return RuleDefinition(tuple(AttributeRule(name, alternatives=(Selector(xpath),)) for name, xpath in xpaths.items())).as_json()


TITLE = define(title="//h1")


def drafts(cluster: Cluster, **renamed: str) -> list[AttributeDraft]:
    known = Attribute.objects.of_cluster(cluster).order_by("position")
    return [AttributeDraft(each.pk, renamed.get(each.name, each.name), each.type) for each in known]


def change(cluster: Cluster, wanted: list[AttributeDraft], **more: Any) -> None:
    record_type = cluster.record_type
    assert record_type is not None
    record_types.update_record_type(record_type, record_type.name, "", wanted, **more)


@pytest.fixture
def cluster() -> Cluster:
    """A template whose live rule has all attributes of its record type, of which there is one."""
    made = factory.cluster(factory.site(), kind=factory.record_type({"title": "text"}))
    factory.rule(made, state=Rule.State.LIVE, definition=TITLE)
    return made


def test_a_new_attribute_is_to_be_annotated_until_a_rule_is_learned_again(cluster: Cluster, person: Any) -> None:
    assert cluster_view.build_cluster_view(cluster).step == "run"
    change(cluster, [*drafts(cluster), AttributeDraft(None, "price", "price")])
    view = cluster_view.build_cluster_view(cluster)
    assert (view.step, view.new_attributes) == ("annotate", ("price",))
    waiting = {kind.kind: [each for each, _ in kind.clusters] for kind in home_view.build_home(person("editor")).waiting}
    assert waiting == {"new": [cluster]}
    factory.rule(cluster, version=2, definition=TITLE)
    assert cluster_view.build_cluster_view(cluster).new_attributes == ()


def test_marking_the_new_attribute_leads_on_to_learning(cluster: Cluster) -> None:
    change(cluster, [*drafts(cluster), AttributeDraft(None, "price", "price")])
    page = factory.snapshot(cluster.site, "https://b.example/1", factory.book_html("A"), cluster=cluster)
    factory.label(cluster, page, Attribute.objects.get(name="price"), None)
    assert cluster_view.build_cluster_view(cluster).step == "learn"


def test_an_attribute_that_a_person_added_to_the_rule_is_not_new(cluster: Cluster) -> None:
    change(cluster, [*drafts(cluster), AttributeDraft(None, "price", "price")])
    edited = factory.rule(cluster, version=2, definition=define(title="//h1", price="//p"))
    Rule.objects.filter(pk=edited.pk).update(origin=Rule.Origin.EDITED)
    assert new_attributes.find_new_attributes(Cluster.objects.all()) == {}


def test_removing_an_attribute_of_a_live_rule_asks(cluster: Cluster) -> None:
    with pytest.raises(InUse, match="title is in 1 live rule"):
        change(cluster, [AttributeDraft(None, "name", "text")])
    change(cluster, [AttributeDraft(None, "name", "text")], drop_labels=True)
    assert [each.name for each in Attribute.objects.all()] == ["name"]


def test_the_columns_of_a_delivery_follow_a_new_name(cluster: Cluster) -> None:
    content = TargetContent(columns=("title",)).as_json()
    assert cluster.record_type is not None
    target = DeliveryTarget.objects.create(name="Files", record_type=cluster.record_type, kind="folder", content=content)
    change(cluster, drafts(cluster, title="name"))
    target.refresh_from_db()
    assert target.read_content().columns == ("name",)
    other = DeliveryTarget.objects.create(name="All", record_type=cluster.record_type, kind="folder", content=TargetContent().as_json())
    change(cluster, drafts(cluster, name="headline"))
    other.refresh_from_db()
    assert other.content == TargetContent().as_json(), "all columns are not named"


def test_checks_and_breakages_follow_a_new_name(cluster: Cluster) -> None:
    change(cluster, [*drafts(cluster), AttributeDraft(None, "price", "price")])
    rule = Rule.objects.get()
    now = timezone.now()
    counted = {"kind": "ok", "pages": 4, "fraction": 0.0}
    check = Check.objects.create(
        cluster=cluster, rule=rule, checked_at=now, verdict="null", asked=4, reached=4, attributes={"title": counted, "price": counted}
    )
    both = Check.objects.create(cluster=cluster, rule=rule, checked_at=now, verdict="ok", asked=4, reached=4, attributes={"price": counted})
    broken = Breakage.objects.create(cluster=cluster, rule=rule, check_found=check, opened_at=now, attributes=["title"])
    change(cluster, drafts(cluster, title="name"))
    for each in (check, both, broken):
        each.refresh_from_db()
    assert (set(check.attributes), set(both.attributes), broken.attributes) == ({"name", "price"}, {"price"}, ["name"])
    change(cluster, drafts(cluster, price="cost"))
    broken.refresh_from_db()
    assert broken.attributes == ["name"]


def test_a_record_type_that_is_used_or_delivered_is_not_deleted(cluster: Cluster) -> None:
    kind = cluster.record_type
    assert kind is not None
    with pytest.raises(InUse, match=r"^used by Template 1 of Books$"):
        record_types.delete_record_type(kind)
    Cluster.objects.update(record_type=None)
    DeliveryTarget.objects.create(name="Files", record_type=kind, kind="folder", content=TargetContent().as_json())
    with pytest.raises(InUse, match=r"^delivered to Files$"):
        record_types.delete_record_type(kind)
    DeliveryTarget.objects.all().delete()
    record_types.delete_record_type(kind)
    assert not RecordType.objects.exists()


def test_the_card_of_a_template_with_a_new_attribute_says_that_its_rule_is_live(cluster: Cluster, signed_in: Any) -> None:
    change(cluster, [*drafts(cluster), AttributeDraft(None, "price", "price")])
    factory.snapshot(cluster.site, "https://b.example/1", factory.book_html("A"), cluster=cluster)
    shown = signed_in("viewer").get(reverse("site", args=[cluster.site.slug])).content.decode()
    card = shown[shown.index('class="card template-card"') :].partition("</article>")[0]
    assert "To annotate" in card and "Live" in card
