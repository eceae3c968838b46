"""What is exported and imported elsewhere is exported there as the same bytes."""

import pytest

from extraction.models import Attribute, Join, Page
from extraction.services.folders import apply_pages, collect_pages
from extraction.services.joins.plans import JoinPlan, ListingPlan, save_plan
from tests.services import factory, lists
from tests.services.folders import folders, rich_site

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("choice", ["marked", "all"])
def test_a_site_with_everything_comes_back_as_the_same_bytes(choice, sent) -> None:
    before = folders.export(rich_site.shops().site, choice)
    folders.empty()
    done = folders.load(before)
    assert folders.export(done.site, choice) == before
    assert done.notes == ("The delivery Data team is switched off: passwords are not in the files. Enter them and switch it on.",)


def test_an_empty_site_comes_back(sent) -> None:
    before = folders.export(factory.site("Empty"))
    folders.empty()
    assert folders.export(folders.load(before).site) == before


def test_importing_twice_changes_nothing(sent) -> None:
    before = folders.export(rich_site.shops().site)
    assert folders.plan(before).empty
    folders.empty()
    folders.load(before)
    again = folders.plan(before)
    assert again.empty and not again.changes


def test_many_pages_are_stored_in_batches_with_the_contents_that_they_share(sent, monkeypatch) -> None:
    cluster = rich_site.shops()
    for n in range(7):
        factory.snapshot(cluster.site, f"https://shops.example/same/{n}", lists.html(n % 2), cluster=cluster)
    before = folders.export(cluster.site, "all")
    monkeypatch.setattr(apply_pages, "BATCH_PAGES", 3)
    monkeypatch.setattr(collect_pages, "CHUNK", 4)
    folders.empty()
    done = folders.load(before)
    assert folders.export(done.site, "all") == before
    assert done.plan.pages == done.plan.contents == Page.objects.filter(site=done.site).count() == 13


def test_joins_of_the_same_name_and_a_join_by_link_come_back(sent) -> None:
    cluster = rich_site.shops()
    shop = Attribute.objects.get(name="shop")
    by_link = JoinPlan("Things with shops", cluster.pk, listings=(ListingPlan(cluster.pk, None, link=shop.pk),))
    save_plan(cluster.site, by_link)
    before = folders.export(cluster.site)
    folders.empty()
    site = folders.load(before).site
    assert folders.export(site) == before and Join.objects.filter(site=site, name="Things with shops").count() == 2
    assert folders.plan(before).empty
