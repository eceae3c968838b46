"""Lists in the workbench in a real Chromium: two rows are marked, all others are found, shown, outlined and accepted."""

from typing import Any

import pytest

from extraction.models import Attribute, Label
from extraction.services.learning import workspaces
from tests.annotations.bench import Bench
from tests.services import lists

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def said(name: str) -> list[tuple[int, str]]:
    return list(Label.objects.filter(attribute__name=name).order_by("row").values_list("row", "value"))


def shown(bench: Any) -> list[list[str]]:
    rows = bench.page.locator(".wb-found tbody tr")
    return [[cell.strip() for cell in row.locator("td").all_inner_texts()[1:]] for row in rows.all()]


def chips(bench: Any) -> list[str]:
    return [" ".join(text.split()) for text in bench.page.locator(".wb-row-chip").all_inner_texts()]


def test_two_marked_rows_show_all_rows_and_enter_accepts_them(bench: Bench) -> None:
    shop = lists.shops()
    bench.open(shop)
    assert chips(bench) == ["row 1 ○", "+ row r"]
    bench.click("h1")
    bench.click_text("Tea 0-0")
    bench.click_text("£1.00")
    bench.until(lambda: chips(bench)[:2] == ["row 1 ✓", "row 2 ○"])
    bench.click(".offer:nth-of-type(2) b")
    bench.until(lambda: len(shown(bench)) > 1)
    bench.click_text("£2.00")
    wanted = [[name, price or "–"] for name, price in lists.offers(0)]
    bench.until(lambda: shown(bench) == wanted)
    assert said("thing") == [(1, "Tea 0-0"), (2, "Tea 0-1")]
    assert said("price") == [(1, "£1.00"), (2, "£2.00")]
    assert bench.page.locator(".wb-found-head b").inner_text() == "4 rows"
    bench.page.locator("#attributes .wb-attribute").last.click()
    bench.save("Enter")
    bench.until(lambda: "Accept" not in bench.page.locator(".wb-found-head").inner_text())
    assert said("thing") == [(n + 1, name) for n, (name, _) in enumerate(lists.offers(0))]
    assert said("price")[-1] == (4, "")
    assert Label.objects.get(attribute__name="price", row=4).absent
    bench.save("Control+z")
    assert len(said("thing")) == 2


def test_what_is_found_is_outlined_and_the_next_page_is_proposed(bench: Bench) -> None:
    shop = lists.shops()
    lists.mark(shop, 0, (0, 1))
    workspaces.forget_workspaces()
    bench.open(shop)
    bench.until(lambda: shown(bench) == [[name, price or "–"] for name, price in lists.offers(1)])
    bench.until(lambda: bench.page.locator("#attributes [data-standing=proposed]").count() == 3)
    bench.page.locator("#attributes .wb-attribute").first.click()
    bench.save("Shift+Enter")
    page = lists.snapshots(shop)[1]
    marked = Label.objects.filter(snapshot=page).order_by("attribute__position").values_list("attribute__name", "row", "value")
    assert list(marked) == [("shop", 0, "Shop 1"), ("thing", 1, "Tea 1-0"), ("price", 1, "£1.10")]


def test_r_goes_to_another_row_and_a_chip_back(bench: Bench) -> None:
    shop = lists.shops()
    bench.open(shop)
    bench.press("r")
    bench.until(lambda: chips(bench)[0] == "row 1 ○")
    thing = Attribute.objects.get(name="thing")
    assert bench.page.get_attribute("#attributes .wb-attribute[aria-current]", "data-attribute") == str(thing.pk)
    bench.click(".offer:nth-of-type(4) b")
    bench.until(lambda: chips(bench)[0] == "row 1 ●")
    bench.save("x")
    bench.until(lambda: chips(bench)[:2] == ["row 1 ✓", "row 2 ○"])
    bench.page.locator(".wb-row-chip").first.click()
    bench.until(lambda: bench.page.locator(".wb-row-chip").first.get_attribute("aria-current") == "true")
    assert said("thing") == [(1, "Tea 0-2")]
