"""People are told of held and doubtful runs through their channels, once, and the digest names what still waits."""

import pytest
from django.utils import timezone

from extraction.models import Alert, AlertChannel, Event
from extraction.services.monitoring import alert_words
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
def channel(db: None) -> AlertChannel:
    return AlertChannel.objects.create(name="Data team", url="json://localhost/", events=[Event.HELD, Event.DOUBT])


def test_a_held_run_is_told_once_until_a_person_has_decided(shop: Bookshop, channel: AlertChannel, person: object) -> None:
    rule = add_rule(shop, "range", "price", high="0.01")
    held = extract(shop)
    alert = Alert.objects.get()
    assert (alert.event, alert.title) == ("held", "Held back: the records of Books, Template 1")
    assert "12 of 12 records (100 %) fail" in alert.body
    assert "nothing is delivered" in alert.body
    assert held.get_absolute_url() in alert.body
    again = extract(shop)
    assert Alert.objects.count() == 1  # the same rule, and nobody has decided
    releases.reject_run(again, person("operator"))  # type: ignore[operator]
    extract(shop)
    assert Alert.objects.count() == 2
    rule.delete()


def test_a_doubtful_run_is_told_when_the_doubt_is_new(shop: Bookshop, channel: AlertChannel) -> None:
    add_rule(shop, "range", "price", weight="warn", high="0.01")
    add_rule(shop, "range", "price", weight="note", high="0.02")
    assert extract(shop).state == "released"
    alert = Alert.objects.get()
    assert (alert.event, alert.body.count("fail")) == ("doubt", 2)  # the rule, and the advice to look at the records that fail
    extract(shop)
    assert Alert.objects.count() == 1


def test_a_channel_that_does_not_ask_for_it_is_not_told(shop: Bookshop, channel: AlertChannel) -> None:
    AlertChannel.objects.update(events=[Event.DOUBT])
    add_rule(shop, "range", "price", high="0.01")
    extract(shop)
    assert not Alert.objects.exists()


def test_the_digest_names_the_runs_that_wait(shop: Bookshop, channel: AlertChannel) -> None:
    add_rule(shop, "range", "price", high="0.01")
    held = extract(shop)
    digest = alert_words.write_digest(channel, timezone.now())
    assert digest.title.endswith("1 run held back")
    assert f"Books, Template 1: run {held.run_id}" in digest.body
