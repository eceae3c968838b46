"""Monitoring and records in a browser: what the header follows, where an uploaded site gets its address, and where rules are run."""

from typing import Any

import pytest
from django.utils import timezone

from extraction.models import Breakage, Check, Run, Site, Source
from extraction.services.sites import sources
from tests.services import factory
from tests.views.conftest import Opened
from tests.views.world import World

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def idle(world: World) -> World:
    """The site, with nothing going on and nothing broken."""
    factory.put(Run.objects.unfinished(), Run.State.DONE)
    Breakage.objects.all().delete()
    return world


def test_the_address_of_an_uploaded_site_is_entered_where_it_is_missing(opened: Opened, idle: World, wrong: list[str]) -> None:
    Source.objects.all().delete()
    Site.objects.update(address="")
    page = opened(f"/sites/{idle.site.slug}/monitoring/", "editor")
    assert page.get_by_role("button", name="Check now").count() == 0
    page.get_by_label("Address").fill("https://shop.example/")
    page.get_by_role("button", name="Save the address").click()
    page.get_by_text("can now be fetched from this address and checked").wait_for()
    assert sources.can_fetch(idle.site)
    page.get_by_role("button", name="Check now").click()
    page.locator("#watch").get_by_text("is running").wait_for()
    assert Run.objects.unfinished().filter(site=idle.site, kind=Run.Kind.CHECK).count() == 1
    assert not wrong


def test_the_header_follows_a_check_and_leaves_a_form_alone(opened: Opened, idle: World, wrong: list[str]) -> None:
    run = factory.run(idle.site, Run.Kind.CHECK, Run.State.RUNNING, total=3)
    page = opened(f"/sites/{idle.site.slug}/settings/", "operator")
    page.get_by_label("Name").fill("Half a na")
    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING, done=2)
    page.locator("#site-busy", has_text="Check rules, 2 of 3").wait_for()
    found = Check.objects.create(cluster=idle.cluster, rule=idle.rule, checked_at=timezone.now(), verdict="null", asked=4, reached=4)
    Breakage.objects.create(cluster=idle.cluster, rule=idle.rule, check_found=found, opened_at=timezone.now())
    factory.put(Run.objects.filter(pk=run.pk), Run.State.DONE)
    page.locator("#tab-broken", has_text="1").wait_for()
    page.wait_for_function("document.querySelector('#site-busy').textContent.trim() === ''")
    assert page.get_by_label("Name").input_value() == "Half a na"
    assert not wrong


def test_a_lost_attribute_never_has_a_hundred_per_cent(opened: Opened, idle: World) -> None:
    lost: dict[str, Any] = {"kind": "null", "pages": 8, "fraction": 1.0, "null_fraction": 1.0}
    found = Check.objects.create(
        cluster=idle.cluster,
        rule=idle.rule,
        checked_at=timezone.now(),
        verdict="null",
        asked=8,
        reached=8,
        covered_fraction=0.25,
        attributes={"price": lost},
    )
    page = opened(f"/sites/{idle.site.slug}/monitoring/{found.pk}/", "viewer")
    assert page.locator("tbody tr", has_text="price").locator("td.number").all_inner_texts() == ["8", "8", "0 %"]
    page.goto(f"/sites/{idle.site.slug}/monitoring/")
    assert page.locator(".spark-rows .number").all_inner_texts()[:2] == ["25 %", "0 %"]


@pytest.mark.parametrize("screen", ["records", "changes", "values"])
def test_a_rule_is_run_wherever_its_records_are_shown(opened: Opened, idle: World, screen: str) -> None:
    page = opened(f"/sites/{idle.site.slug}/templates/{idle.cluster.number}/{screen}/", "editor")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/runs/*/")
    assert Run.objects.unfinished().get(kind=Run.Kind.EXTRACT).cluster == idle.cluster


def test_all_rules_of_a_record_type_are_run_from_its_export(opened: Opened, idle: World) -> None:
    page = opened(f"/record-types/{idle.record_type.slug}/records/", "editor")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/runs/*/")
    assert Run.objects.unfinished().get(kind=Run.Kind.EXTRACT).read_parameters().rules == (idle.rule.pk,)
