"""Suggested fields in a real Chromium: from a template without anything to a workbench with marked pages, without scripts of its own."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from extraction.models import Label, RecordType
from tests.algorithms.suggestion.pages import html
from tests.e2e import browser
from tests.extraction import factory

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

api = pytest.importorskip("playwright.sync_api")


@pytest.fixture
def page(live_server: Any, person: Any) -> Iterator[Any]:
    """A page of Chromium, signed in as an editor; what it complains of fails the test."""
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


def test_from_no_click_to_marked_pages(page: Any) -> None:
    site = factory.site("Shop")
    cluster = factory.cluster(site)
    for number in range(8):
        factory.snapshot(site, f"https://shop.example/{number}", html(number).encode(), cluster=cluster)
    page.goto(cluster.get_absolute_url())
    page.get_by_role("link", name="Suggest fields").click()
    names = page.get_by_role("textbox", name="Name", exact=True)
    api.expect(names.first).to_have_value("title")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_label("A record of these pages is a").fill("Book")
    names.first.fill("book_title")
    page.get_by_role("button", name="Use these").click()
    page.wait_for_url(re.compile(re.escape(reverse("workbench", args=[site.slug, cluster.number]))))
    api.expect(page.get_by_text("book_title").first).to_be_visible()
    assert RecordType.objects.get().attributes.count() == 8
    assert Label.objects.filter(attribute__name="book_title").count() == 3
