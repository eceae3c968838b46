"""Everyday work in a browser: what is outdated, wrong, new, superfluous or to be merged is dealt with where it is seen."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from extraction import pipeline
from extraction.models import Cluster, MergeProposal, Page, Run, SamplePage
from extraction.services.rules import rules
from tests.services import factory
from tests.views import world as worlds
from tests.views.conftest import Opened
from tests.views.world import World

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def idle(world: World) -> World:
    """The site, with nothing going on."""
    factory.put(Run.objects.unfinished(), Run.State.DONE)
    return world


def test_outdated_records_are_counted_and_made_again_and_those_of_gone_pages_can_be_asked_for(
    opened: Opened, idle: World, wrong: list[str]
) -> None:
    Page.objects.filter(pk=idle.page.pk).update(gone_at=timezone.now(), left_at=timezone.now())
    rules.publish_rule(worlds.draft(idle.cluster))
    records = reverse("records", args=idle.template)
    page = opened(records, "editor")
    page.get_by_text(re.compile("of these records are outdated")).wait_for()
    page.get_by_role("button", name="Make them again").click()
    page.wait_for_url("**/runs/*/")
    pipeline.execute_run(Run.objects.unfinished().get(kind=Run.Kind.EXTRACT).pk)
    page.goto(records)
    assert page.get_by_text(re.compile("of these records")).count() == 0
    assert page.get_by_text("Book 0", exact=True).count() == 0
    page.get_by_role("link", name=re.compile("1\\s+record of pages that are gone")).first.click()
    page.wait_for_url("**of=gone**")
    page.get_by_text("Book 0", exact=True).first.wait_for()
    assert wrong == []


def test_a_wrong_value_is_fixed_on_its_own_page_though_it_is_no_sample(opened: Opened, idle: World, wrong: list[str]) -> None:
    samples = SamplePage.objects.values("snapshot")
    found = Page.objects.filter(site=idle.site).exclude(current__in=samples).latest("pk")
    page = opened(reverse("page", args=[idle.site.slug, found.pk]), "editor")
    page.get_by_role("link", name=re.compile("Fix this value.*price")).click()
    page.wait_for_url(f"**page={found.current_id}**")
    page.wait_for_selector("#workbench:not([data-loading])")
    assert page.locator("[aria-current=true] .wb-name").inner_text() == "price"
    page.frame_locator("iframe").get_by_role("heading", name=f"Book {found.url.rsplit('/', 1)[1]}").wait_for()
    assert wrong == []


def test_a_changed_record_type_says_what_it_does(opened: Opened, idle: World, wrong: list[str]) -> None:
    edit = reverse("record_type", args=[idle.record_type.slug])
    page = opened(edit, "operator")
    page.get_by_role("button", name="Add attribute").click()
    page.keyboard.type("isbn")
    page.locator("[data-row]:visible [name$='-name']").first.fill("heading")
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state("load")
    page.goto(idle.site.get_absolute_url())
    page.locator(".template-card").get_by_text("To annotate").wait_for()
    page.goto("/")
    page.get_by_role("heading", name="Templates with new attributes to annotate").wait_for()
    page.goto(reverse("records", args=idle.template))
    page.get_by_role("columnheader", name="heading").wait_for()
    page.goto(edit)
    page.locator("[data-row]:visible").first.locator("[data-remove]").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("You are removing what is in use").wait_for()
    assert idle.record_type.attributes.filter(name="heading").exists()
    page.get_by_label("Remove it anyway").check()
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state("load")
    names = set(idle.record_type.attributes.values_list("name", flat=True))
    assert "isbn" in names and "heading" not in names
    assert [each for each in wrong if "400 (Bad Request)" not in each] == [], "the form that asks first is a refusal"


def test_a_person_changes_the_own_password(opened: Opened, idle: World, wrong: list[str]) -> None:
    person = User.objects.create_user("editor", password="the-old-one-of-mine")
    page = opened("/account/", "editor")
    page.get_by_role("link", name="Change your password").click()
    page.get_by_label("Old password").fill("the-old-one-of-mine")
    page.get_by_label("New password", exact=True).fill("a-new-one-of-mine")
    page.get_by_label("New password confirmation").fill("a-new-one-of-mine")
    page.get_by_role("button", name="Change it").click()
    page.wait_for_url(lambda url: "password" not in url)
    person.refresh_from_db()
    assert person.check_password("a-new-one-of-mine")
    assert wrong == []


def test_a_page_is_deleted_from_its_screen(opened: Opened, idle: World, wrong: list[str]) -> None:
    page = opened(reverse("page", args=[idle.site.slug, idle.page.pk]), "operator")
    page.get_by_text("Delete this page").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_text(f"{idle.page.url} was deleted.").wait_for()
    assert not Page.objects.filter(pk=idle.page.pk).exists()
    assert wrong == []


def test_all_proven_pairs_are_merged_and_run_in_one_step(opened: Opened, idle: World, wrong: list[str]) -> None:
    for number, kind in ((2, "same"), (3, "reads")):
        other = factory.cluster(idle.site, number=number, kind=idle.record_type)
        factory.snapshot(idle.site, f"https://shop.example/other/{number}", factory.book_html("Other"), cluster=other)
        MergeProposal.objects.create(into=idle.cluster, other=other, kind=kind, evidence={"pages": 7, "same": 20, "answers": 21})
    page = opened(idle.site.get_absolute_url(), "editor")
    page.get_by_role("button", name="Merge all 2 and run").click()
    page.wait_for_url("**/runs/*/")
    assert Run.objects.unfinished().get(kind=Run.Kind.EXTRACT).get_absolute_url() in page.url
    assert [each.number for each in idle.site.clusters.order_by("number")] == [1]
    assert wrong == []


def test_adopting_a_clustering_changes_what_it_said(opened: Opened, idle: World, wrong: list[str]) -> None:
    page = opened(reverse("site_lab_adopt", args=[idle.site.slug, idle.clustering.pk]), "operator")
    said = int(page.locator(".figure-card", has_text="change template").locator("b").inner_text())
    before = dict(Page.objects.filter(site=idle.site).values_list("pk", "current__cluster__number"))
    page.get_by_role("button", name="Adopt LSH").click()
    page.wait_for_url("**/runs/*/")
    pipeline.execute_run(Run.objects.unfinished().get(kind=Run.Kind.CLUSTER).pk)
    after = dict(Page.objects.filter(site=idle.site).values_list("pk", "current__cluster__number"))
    assert sum(before[pk] != after[pk] for pk in before) == said == 2
    assert Cluster.objects.filter(site=idle.site).count() == 2
    assert wrong == []
