"""The explanation of a rule is stored when it is learned and shown with links to pages. An XPath edited by a person has none."""

from collections.abc import Iterator

import pytest
from django.urls import reverse

from extraction.models import Attribute, Cluster, Rule, Run, Snapshot
from extraction.services.core import runs, stored_bytes
from extraction.services.learning import learn_rule, workspaces
from extraction.services.rules import rules
from tests.services import factory
from tests.services.learning.test_page_recommendations import ids, offers

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield
    workspaces.forget_workspaces()


def learned(cluster: Cluster) -> Rule:
    runs.execute_run(learn_rule.start_learning(cluster).pk, {Run.Kind.LEARN: learn_rule.run_learning})
    return Rule.objects.latest("pk")


def test_a_rule_explains_what_its_features_rule_out_and_which_rules_it_beat() -> None:
    group = offers(8, odd={2: {"style": "sale"}})
    factory.mark(group, 0, price=["£0.10"])
    why = learned(group).report["explained"]["price"]
    assert sum(row["rules_out"] for row in why["features"][0]) >= 8  # the other span of each page
    rival = next(row for row in why["rivals"] if row["differs"])
    assert rival["more"] > 0 and [row["snapshot"] for row in rival["pages"]] == [ids(group)[2]]
    assert {rival["pages"][0]["mine"], rival["pages"][0]["theirs"]} == {"", "£2.10"}


def test_unusual_values_are_listed_and_can_be_opened_in_the_workbench(signed_in) -> None:
    group = offers(12, odd={})
    Snapshot.objects.filter(pk=ids(group)[11]).update(
        sha256=stored_bytes.put_bytes(
            stored_bytes.get_bytes(Snapshot.objects.get(pk=ids(group)[11]).sha256).replace(b"\xc2\xa311.10", b"call us for a price")
        )
    )
    factory.mark(group, 0, price=["£0.10"])
    rule = learned(group)
    assert [row["snapshot"] for row in rule.report["explained"]["price"]["odd"]] == [ids(group)[11]]
    address = reverse("rule", args=[group.site.slug, group.number, rule.version])
    body = signed_in("editor").get(address).content.decode()
    price = Attribute.objects.get(name="price")
    assert "1 value unlike the others" in body and f"annotate/?page={ids(group)[11]}&amp;attribute={price.pk}" in body
    assert "annotate/?page=" not in signed_in("viewer").get(address).content.decode()


def test_an_edited_xpath_has_no_explanation_from_learning(signed_in) -> None:
    group = offers(8, odd={2: {"style": "sale"}})
    factory.mark(group, 0, price=["£0.10"])
    draft = rules.edit_xpath(learned(group), "price", "//p[1]/span")
    address = reverse("rule", args=[group.site.slug, group.number, draft.version])
    body = signed_in("editor").get(address).content.decode()
    assert "Why this rule" not in body


def test_marks_that_contradict_each_other_are_listed_with_both_places(signed_in) -> None:
    site = factory.site("Twins")
    group = factory.cluster(site, kind=factory.record_type({"a": "text", "b": "text"}, mandatory=(), multiple=()))
    html = b"<html><body><h1>Good</h1><p>one</p><p>one</p></body></html>"
    pages = [factory.snapshot(site, f"https://t.example/{n}", html, cluster=group) for n in range(2)]
    factory.samples(group, pages)
    a, b = Attribute.objects.get(name="a"), Attribute.objects.get(name="b")
    factory.label(group, pages[0], a, [factory.text_at(html, "Good")])
    factory.label(group, pages[0], b, [factory.text_at(html, "one")])
    factory.label(group, pages[1], b, None)  # the same text at the same place of an equal page
    rule = learned(group)
    (failed,) = rule.report["failed"]
    assert failed["name"] == "b" and [place["snapshot"] for place in failed["places"]] == [pages[0].pk, pages[1].pk]
    body = signed_in("editor").get(reverse("rule", args=[site.slug, group.number, rule.version])).content.decode()
    assert "These marks contradict each other" in body and body.count("&amp;show=") == 2
