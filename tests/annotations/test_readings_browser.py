"""The workbench shows how values are read, beside the text of the page, and opens those that could not be read."""

import os
from pathlib import Path

import pytest

from extraction.models import Attribute, Cluster, RecordType
from tests.annotations.bench import Bench
from tests.services import factory

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

SHOTS = os.environ.get("SCREENSHOTS")
"""A folder for pictures of what is shown, for a person to look at."""

PRICES = ["1.299,00 €", "49,90 €", "10–20 €", "1.099 €"]


def shop() -> Cluster:
    """Four pages with a price and a date; one price is a range, and one date settles the order of the others."""
    kind = RecordType.objects.create(name="Offer", slug="offer")
    for position, (name, type_) in enumerate((("price", "price"), ("day", "date"))):
        Attribute.objects.create(record_type=kind, name=name, type=type_, position=position)
    cluster = factory.cluster(factory.site("Offers"), kind=kind)
    pages = []
    for number, (price, day) in enumerate(zip(PRICES, ["03/04/2024", "25/12/2024", "05/06/2024", "07/08/2024"], strict=True)):
        content = f"<html><body><h1>Offer {number}</h1><p class='price'>{price}</p><p class='day'>{day}</p></body></html>".encode()
        pages.append(factory.snapshot(cluster.site, f"https://offers.example/{number}", content, cluster=cluster))
    factory.samples(cluster, pages[:2])
    return cluster


def picture(bench: Bench, name: str) -> None:
    if SHOTS:
        for scheme in ("light", "dark"):
            bench.page.emulate_media(color_scheme=scheme)
            bench.page.screenshot(path=str(Path(SHOTS) / f"{name}-{scheme}.png"))


def test_a_value_is_shown_with_its_reading_and_the_unread_ones_can_be_opened(bench: Bench) -> None:
    bench.open(shop())
    bench.click(".price")
    bench.click(".day")
    rows = bench.page.locator("#attributes > li")
    bench.until(lambda: "1299.00 EUR" in rows.nth(0).inner_text())
    bench.until(lambda: "2024-04-03" in rows.nth(1).inner_text())
    button = rows.nth(0).get_by_role("button", name="1 of 4 values could not be read as a price")
    bench.until(lambda: button.count() == 1)
    assert rows.nth(1).locator(".wb-unread-button").count() == 0
    picture(bench, "readings")
    button.click()
    line = bench.page.locator("#missing-list li")
    assert line.count() == 1 and "10–20 €" in line.inner_text() and "2 numbers" in line.inner_text()
    picture(bench, "unread")
    bench.page.locator("#missing-list a").click()
    bench.page.wait_for_url("**page=*")
    bench.page.wait_for_selector("#samples li")
    bench.ready()
    bench.until(lambda: bench.frame.evaluate("() => document.body.innerText").count("10–20 €") == 1)
    bench.until(lambda: bench.page.locator("#attributes .wb-unread").count() >= 1)
    picture(bench, "opened")
