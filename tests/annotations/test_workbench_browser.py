"""The workbench in a real Chromium: marks are saved and undone, values are proposed and confirmed, with the mouse and with keys alone."""

import pytest

from extraction.models import Attribute, Label, Snapshot
from tests.annotations.bench import make_messy_page, saved_values
from tests.services import factory

playwright_api = pytest.importorskip("playwright.sync_api")


pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_undo_and_redo_work_after_reloading_too(bench):
    shop = factory.shop(4)
    bench.open(shop)
    bench.click("h1")
    bench.save("Control+z")
    assert saved_values("title") == []
    bench.save("Control+Shift+Z")
    assert saved_values("title") == ["Book 0"]
    bench.open(shop)
    bench.save("Control+z")
    assert saved_values("title") == []


def test_marks_made_while_a_save_is_slow_are_kept_when_the_page_is_left(bench):
    shop = factory.shop(4)
    bench.open(shop)
    bench.page.evaluate("""() => {
      const send = window.fetch;
      let first = true;
      window.fetch = (address, how) => {
        if (!String(address).endsWith("/label/") || !first) return send(address, how);
        first = false;
        return send(address, how).then((answer) => new Promise((done) => setTimeout(() => done(answer), 60_000)));
      };
    }""")
    bench.page.mouse.click(*bench.point("h1"))
    bench.page.mouse.click(*bench.point(".price", x=60))
    bench.until(lambda: bench.page.locator("#saved").inner_text() == "saving…" and saved_values("title") == ["Book 0"])
    assert saved_values("price") == []
    bench.page.on("dialog", lambda dialog: dialog.accept())
    bench.open(shop)
    bench.until(lambda: saved_values("price") == ["£0.50"])


def test_slow_learning_does_not_delay_a_save(bench):
    bench.open(factory.shop(4))
    bench.page.evaluate("""() => {
      const send = window.fetch;
      window.fetch = (address, how) => String(address).includes("/draft/") ? new Promise(() => {}) : send(address, how);
    }""")
    bench.click("h1")
    bench.click(".price", x=60)
    assert saved_values("title") == ["Book 0"] and saved_values("price") == ["£0.50"]
    assert "saved" in bench.page.locator("#saved").inner_text()


def test_another_tab_shows_an_undo_when_it_gets_the_focus(bench):
    shop = factory.shop(4)
    bench.open(shop)
    bench.click("h1")
    other = bench.page.context.new_page()
    other.goto(bench.page.url)
    other.wait_for_selector('#attributes > li[data-standing="confirmed"]')
    bench.save("Control+z")
    other.evaluate("() => window.dispatchEvent(new Event('focus'))")
    other.wait_for_selector('#attributes > li[data-standing="confirmed"]', state="detached")
    assert saved_values("title") == [] and other.locator('#attributes > li[data-standing="confirmed"]').count() == 0
    other.close()


def test_samples_beyond_those_that_cover_enough_are_optional(bench):
    shop = factory.shop(8)
    bench.open(shop)  # its pages are equal, so the first one covers everything
    assert bench.page.locator("#samples > li").all_inner_texts()[1].startswith("enough")
    assert bench.page.locator("#samples .wb-optional").count() == 7
    assert bench.page.locator("#progress").inner_text() == "0 of 1 sample done"
    bench.save("x")  # a page that is begun keeps its place; others are sorted when advice arrives, which may be now or later
    bench.press("]")
    bench.ready()
    bench.save("x")
    bench.until(lambda: bench.page.locator("#samples .wb-optional").count() == 6)


def test_sample_titles_are_shortened_to_the_part_in_which_they_differ(bench):
    shop = factory.shop(4)
    for number, snapshot in enumerate(Snapshot.objects.filter(cluster=shop).order_by("pk")):
        snapshot.title = f"Shop.example - Canon PowerShot A{number} - Buy now"
        snapshot.save()
    bench.open(shop)
    titles = bench.page.locator(".wb-sample > .truncate").all_inner_texts()
    assert titles[:2] == ["… PowerShot A0 …", "… PowerShot A1 …"], "a number alone tells nothing"
    assert "Shop.example - Canon PowerShot A0 - Buy now" in bench.page.locator(".wb-sample").first.get_attribute("title")


def test_a_value_can_be_marked_as_absent_and_the_mark_cleared(bench):
    bench.open(factory.shop(4))
    bench.press("2")
    bench.save("x")
    assert Label.objects.get(attribute__name="price").absent
    bench.press("2")
    bench.save("Backspace")
    assert not Label.objects.exists()


def test_after_two_of_a_list_the_others_are_offered_and_enter_adds_them(bench):
    bench.open(make_messy_page(items="text"))
    bench.click("li:nth-child(1)")
    bench.click("li:nth-child(3)")
    bench.page.wait_for_selector("text=Add 2 similar")
    bench.save("Enter")
    assert saved_values("items") == ["Alpha", "Beta", "Gamma", "Delta"]
    bench.click("li:nth-child(2)")
    assert saved_values("items") == ["Alpha", "Gamma", "Delta"]


def test_one_key_adds_the_values_beside_a_marked_one_and_enter_does_not(bench):
    bench.open(make_messy_page(items="text"))
    bench.click("li:nth-child(2)")
    bench.page.wait_for_selector("text=Add the 3 values beside it")
    bench.press("Enter")
    assert saved_values("items") == ["Beta"]
    bench.save("e")
    assert saved_values("items") == ["Alpha", "Beta", "Gamma", "Delta"]


def test_clicking_a_marked_value_removes_it_and_clicking_another_replaces_it(bench):
    bench.open(factory.shop(4))
    bench.click("h1")
    bench.press("1")
    bench.click(".foot")
    assert saved_values("title") == ["Shop since 1999"]
    bench.click(".foot")
    assert saved_values("title") == []


def test_from_the_second_page_on_values_are_proposed_and_one_key_confirms_all(bench):
    bench.open(factory.shop(8))
    bench.click("h1")
    bench.click(".price", x=60)
    bench.press("3")
    bench.click("li.author")
    bench.press("]")
    bench.ready()
    bench.until(lambda: bench.page.locator('.wb-attribute[data-standing="proposed"]').count() >= 2)
    bench.save("Shift+Enter")
    assert saved_values("title") == ["Book 0", "Book 1"] and saved_values("price") == ["£0.50", "£1.50"]
    bench.save("Control+z")
    assert saved_values("title") == ["Book 0"] and saved_values("price") == ["£0.50"]


def test_enter_on_a_page_that_is_done_opens_the_next_one_that_is_not(bench):
    bench.open(factory.shop(8))
    for _ in range(2):
        for _ in Attribute.objects.all():
            bench.save("x")
        bench.press("]")
        bench.ready()
    bench.press("[")
    bench.press("[")
    bench.ready()
    bench.until(lambda: "Enter opens the next one" in bench.page.locator("#progress").inner_text())
    bench.press("Enter")
    bench.until(lambda: bench.page.locator('.wb-sample[aria-current="page"] .wb-sample-number').inner_text() == "3")


def test_a_whole_page_can_be_marked_with_the_keyboard_alone(bench):
    bench.open(factory.shop(8))
    bench.press("j")
    bench.page.wait_for_selector(".wb-path >> text=h1")
    bench.save("Enter")
    assert saved_values("title") == ["Book 0"]
    bench.press("/")
    bench.page.keyboard.type("£0.50")
    bench.page.wait_for_selector("#tree-rows li")
    bench.save("Enter")
    bench.press("Escape")
    bench.save("x")
    bench.press("?")
    assert bench.page.locator("#keys").is_visible()
    bench.press("Escape")
    assert {label.attribute.name: label.value for label in Label.objects.select_related("attribute")} == {
        "title": "Book 0",
        "price": "£0.50",
        "author": "",
    }


def test_an_attributes_own_key_wins_over_a_command_and_alt_runs_the_command(bench):
    cluster = make_messy_page(title="text", extra="text")
    Attribute.objects.filter(name="extra").update(hotkey="x")
    bench.open(cluster)
    bench.press("x")
    assert bench.page.locator("#attributes > li").nth(1).get_attribute("aria-current") == "true"
    bench.save("Alt+x")
    assert Label.objects.get().attribute.name == "extra" and Label.objects.get().absent


def test_a_click_anywhere_in_the_row_of_another_attribute_only_chooses_it(bench):
    bench.open(factory.shop(4))
    address = bench.page.locator("#page-url")
    shown = address.get_attribute("title")
    row = bench.page.locator("#attributes > li[data-attribute]:not([aria-current])").first
    attribute = row.get_attribute("data-attribute")
    row.locator(".wb-square").nth(1).click()
    bench.page.wait_for_selector(f'#attributes > li[data-attribute="{attribute}"][aria-current]')
    assert address.get_attribute("title") == shown, "the next click must mark on the page in sight"
    bench.page.locator(f'#attributes > li[data-attribute="{attribute}"] .wb-square').nth(1).click()
    bench.until(lambda: address.get_attribute("title") != shown)
