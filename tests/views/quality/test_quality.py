"""The screens of quality rules and held runs."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import QualityRule, RunRelease
from extraction.services.quality import releases
from tests.services.quality.shop_rules import add_rule, extract
from tests.services.records.bookshop import Bookshop, open_shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Bookshop:
    shop = open_shop(7)
    shop.visit()
    return shop


@pytest.fixture
def held(shop: Bookshop) -> RunRelease:
    add_rule(shop, "range", "price", high="0.01")
    return extract(shop)


def decide(client: Any, held: RunRelease, decision: str) -> str:
    address = reverse("release_decide", args=[held.cluster.site.slug, held.cluster.number, held.pk])
    text: str = client.post(address, {"decision": decision, "note": "looked at"}, follow=True).content.decode()
    return text


def test_a_held_run_is_named_wherever_its_records_are_seen(signed_in: Any, held: RunRelease) -> None:
    client = signed_in("operator")
    place = [held.cluster.site.slug, held.cluster.number]
    said = "is held back, so its records are not delivered: price is at most 0.01"
    for name in ("records", "cluster", "records_export_figures"):
        assert said in client.get(reverse(name, args=place)).content.decode(), name
    assert said in client.get(reverse("record_type_export_figures", args=["book"])).content.decode()
    assert "Runs held back because of their quality" in client.get(reverse("home")).content.decode()
    assert "are held back" in client.get(reverse("run", args=[held.run_id])).content.decode()
    suggested = client.get(reverse("record_type_quality_suggest", args=["book"])).content.decode()
    assert "its records are among those that were looked at" in suggested
    assert decide(client, held, "release").count("is delivered from now on") == 1
    assert "is held back, so its records" not in client.get(reverse("records", args=place)).content.decode()


def test_who_decides_second_is_told_who_was_first(signed_in: Any, held: RunRelease, person: Any) -> None:
    releases.reject_run(held, person("admin"))
    text = decide(signed_in("operator"), held, "release")
    assert "Your decision does not count: admin has already decided" in text
    assert "the run is rejected" in text
    held.refresh_from_db()
    assert held.state == "rejected"


def test_failing_records_are_listed_in_pages_with_links_to_their_places(
    signed_in: Any, held: RunRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extraction.views.quality.releases.PER_PAGE", 5)
    earlier, failure = held.results.get().failures.all()[4:6]
    client = signed_in("viewer")
    assert f"?after={earlier.pk}" in client.get(held.get_absolute_url()).text
    text = client.get(held.get_absolute_url(), {"after": earlier.pk}).text
    assert f"/pages/{failure.page_id}/?snapshot={failure.snapshot_id}&amp;value=price.0" in text
    assert failure.record
    assert failure.record.get_absolute_url() in text
    assert earlier.record
    assert f'{earlier.record.get_absolute_url()}"' not in text


def test_an_editor_adds_a_rule_in_two_steps_and_tries_it(signed_in: Any, shop: Bookshop) -> None:
    extract(shop)
    client = signed_in("editor")
    price = shop.kind.attributes.get(name="price")
    address = f"{reverse('record_type_quality_new', args=['book'])}?kind=range&about=attribute-{price.pk}"
    assert 'name="currency"' in client.get(address).content.decode()
    filled = {"low": "0", "high": "0.01", "currency": "gbp", "share": "95", "weight": "block"}
    tried = client.get(reverse("record_type_quality_try", args=["book"]), {**filled, "kind": "range", "about": f"attribute-{price.pk}"})
    assert "Would be broken" in tried.content.decode()
    assert "records only" not in tried.text
    client.post(address, filled)
    rule = QualityRule.objects.get()
    assert (rule.limits, rule.allowed_fraction) == ({"low": "0", "high": "0.01", "currency": "GBP"}, 0.05)


def test_a_rule_is_tried_on_few_records_at_once_and_on_more_when_asked(
    signed_in: Any, shop: Bookshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract(shop)
    monkeypatch.setattr("extraction.services.quality.try_rule.SOON_TRIED", 5)
    about = f"attribute-{shop.kind.attributes.get(name='price').pk}"
    filled = {"kind": "range", "about": about, "low": "0", "currency": "gbp", "share": "95", "weight": "block"}
    address = reverse("record_type_quality_try", args=["book"])
    soon = signed_in("editor").get(address, filled).text
    assert "All 5 pass" in soon
    assert "first 5 records only" in soon
    assert "Try on up to" in soon
    more = signed_in("editor").get(address, {**filled, "many": "1"}).text
    assert f"All {len(shop.books)} pass" in more
    assert "records only" not in more
    assert "Try on up to" not in more


@pytest.mark.parametrize(
    ("kind", "name", "filled", "said"),
    [
        ("range", "price", {}, "at least one of the two limits"),
        ("range", "price", {"low": "5", "high": "1"}, "less than the other limit"),
        ("range", "price", {"low": "cheap"}, "is not a number such as 12.50"),
        ("pattern", "title", {"pattern": "("}, "cannot be used"),
        ("language", "title", {"languages": "xx"}, "cannot recognise “xx”"),
        ("values", "title", {"values": " \n "}, "field is required"),
        ("range", "price", {"low": "1", "share": "101"}, "at most 100"),
    ],
)
def test_limits_that_make_no_sense_are_refused_with_a_reason(
    signed_in: Any, shop: Bookshop, kind: str, name: str, filled: dict[str, str], said: str
) -> None:
    attribute = shop.kind.attributes.get(name=name)
    address = f"{reverse('record_type_quality_new', args=['book'])}?kind={kind}&about=attribute-{attribute.pk}"
    answer = signed_in("editor").post(address, {"share": "99", "weight": "warn", **filled})
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not QualityRule.objects.exists()


def test_a_rule_is_changed_and_switched_off_for_one_template_only(signed_in: Any, shop: Bookshop) -> None:
    rule = add_rule(shop, "range", "price", high="0.01")
    client = signed_in("editor")
    address = f"{reverse('quality_rule', args=[rule.pk])}?template={shop.cluster.pk}"
    client.post(address, {"low": "", "high": "900", "currency": "", "share": "100", "weight": "block"})
    own = QualityRule.objects.get(overrides=rule)
    assert (own.limits, own.cluster, QualityRule.objects.get(pk=rule.pk).limits) == ({"high": "900"}, shop.cluster, {"high": "0.01"})
    assert extract(shop).state == "released"
    client.post(reverse("quality_rule_delete", args=[own.pk]))
    client.post(reverse("quality_rule_switch", args=[rule.pk]), {"on": "0", "template": shop.cluster.pk})
    assert extract(shop).state == "released"
    assert "switched off" in client.get(reverse("quality", args=["books", 1])).content.decode()


def test_chosen_suggestions_are_taken_over_with_their_weights(signed_in: Any, sent: list[int]) -> None:
    shop = open_shop(3, count=50)
    shop.visit()
    extract(shop)
    client = signed_in("editor")
    address = reverse("record_type_quality_suggest", args=["book"])
    assert "half of the smallest to twice the largest" in client.get(address).content.decode()
    client.post(address, {"taken": ["rule-0"], "weight-rule-0": "note"})
    assert list(QualityRule.objects.values_list("kind", "weight")) == [("required", "note")]
    assert client.post(address, {"taken": ["rule-99"]}).status_code == 400
    client.post(f"{address}?template={shop.cluster.pk}", {"taken": ["rule-1"]})
    assert QualityRule.objects.latest("pk").cluster == shop.cluster
