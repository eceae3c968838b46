"""Suggested fields in a real Chromium: from a template without anything to a workbench with marked pages, without scripts of its own."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from extraction.models import Cluster, Label, RecordType
from tests.algorithms.proposals.pages import film, film_page
from tests.algorithms.suggestion.pages import html
from tests.e2e import browser
from tests.services import factory, lists

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

api = pytest.importorskip("playwright.sync_api")


@pytest.fixture
def page(live_server: Any, person: Any) -> Iterator[Any]:
    """A page of Chromium, signed in as an editor. Any error it reports fails the test."""
    client, wrong = Client(), []
    client.force_login(person("editor"))
    with api.sync_playwright() as playwright:
        launched = browser.launch(playwright)
        context = launched.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
        opened = context.new_page()
        opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        yield opened
        launched.close()
    assert wrong == []


def test_suggested_fields_become_marked_pages(page: Any) -> None:
    site = factory.site("Shop")
    cluster = factory.cluster(site)
    for number in range(8):
        factory.snapshot(site, f"https://shop.example/{number}", html(number).encode(), cluster=cluster)
    page.goto(cluster.get_absolute_url())
    page.get_by_role("link", name="Suggest fields").click()
    api.expect(page.get_by_text("No repeating records were found on these pages.")).to_be_visible()
    names = page.get_by_role("textbox", name="Name", exact=True)
    api.expect(names.first).to_have_value("title")
    api.expect(page.get_by_text("ExAlg and RoadRunner agree", exact=True).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_label("New record type").fill("Book")
    names.first.fill("book_title")
    api.expect(page.get_by_label("Use language")).not_to_be_visible()
    page.get_by_text("with the same value on all or nearly all pages").click()
    api.expect(page.get_by_label("Use language")).not_to_be_checked()
    page.get_by_label("Use language").check()
    page.get_by_role("button", name="Use selected").click()
    page.wait_for_url(re.compile(re.escape(reverse("workbench", args=[site.slug, cluster.number]))))
    api.expect(page.get_by_text("book_title").first).to_be_visible()
    assert RecordType.objects.get().attributes.count() == 9
    assert Label.objects.filter(attribute__name="language", value="English").count() == 3
    assert Label.objects.filter(attribute__name="book_title").count() == 3


def test_a_field_is_taken_from_the_wrapper(page: Any) -> None:
    site = factory.site("Shop")
    cluster = factory.cluster(site)
    for number in range(8):
        factory.snapshot(site, f"https://shop.example/{number}", html(number).encode(), cluster=cluster)
    page.goto(reverse("cluster_wrapper", args=[site.slug, cluster.number]))
    page.get_by_label("Use B").check()
    page.get_by_label("Name of B").fill("heading")
    page.get_by_label("New record type").fill("Book")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("button", name="Use selected").click()
    page.wait_for_url(re.compile(re.escape(reverse("workbench", args=[site.slug, cluster.number]))))
    api.expect(page.get_by_text("heading").first).to_be_visible()
    assert Label.objects.filter(attribute__name="heading").count() == 3


def test_a_suggested_list_becomes_a_list_with_marked_rows(page: Any) -> None:
    site = factory.site("Shops")
    cluster = factory.cluster(site)
    factory.samples(cluster, [factory.snapshot(site, f"https://shops.example/{n}", lists.html(n), cluster=cluster) for n in range(5)])
    page.goto(reverse("cluster_suggest", args=[site.slug, cluster.number]))
    page.get_by_role("textbox", name="Name of the list").fill("offers")
    card = page.locator(".suggested-list")
    api.expect(card.get_by_text("Tea 0-0")).to_be_visible()
    card.get_by_role("textbox", name="Name", exact=True).first.fill("thing")
    page.get_by_label("New record type").fill("Shop")
    api.expect(page.get_by_role("button", name="Use selected")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    card.get_by_role("button", name="Use this list").click()
    page.wait_for_url(re.compile(re.escape(reverse("workbench", args=[site.slug, cluster.number]))))
    api.expect(page.get_by_text("6 rows of the list “offers” marked on 2 pages")).to_be_visible()
    assert [each.name for each in RecordType.objects.get().attributes.filter(list__name="offers")] == ["thing", "price"]
    assert Label.objects.filter(attribute__name="thing", row__in=(1, 2)).count() == 4


def test_from_names_to_marked_pages(page: Any) -> None:
    site = factory.site("Cinema")
    kind = RecordType.objects.create(name="Film", slug="film")
    for position, name in enumerate(("title", "director", "running_time", "genre", "isbn")):
        kind.attributes.create(name=name, position=position)
    cluster = factory.cluster(site)
    Cluster.objects.filter(pk=cluster.pk).update(record_type=kind)
    for number in range(8):
        factory.snapshot(site, f"https://cinema.example/{number}", film_page(number, "de").encode(), cluster=cluster)
    page.goto(reverse("cluster_suggest", args=[site.slug, cluster.number]))
    api.expect(page.get_by_text("the label “Regie” stands before it on 8 of 8 pages")).to_be_visible()
    api.expect(page.get_by_text("Comparing the sample pages…")).to_have_count(0)
    for name in ("title", "director", "running_time", "genre"):
        page.get_by_role("checkbox", name=f"Use {name}", exact=True).first.check()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("button", name="Mark these values").click()
    page.wait_for_url(re.compile(re.escape(reverse("workbench", args=[site.slug, cluster.number]))))
    api.expect(page.get_by_text("4 fields marked on 3 pages")).to_be_visible()
    for label in Label.objects.filter(attribute__name="director"):
        assert label.value == film(int(label.snapshot.page.url.rsplit("/", 1)[1])).texts["director"]
