"""The screens in a real Chromium: nothing breaks the policy, keys work, and forms work with and without scripts."""

import io
import zipfile

import pytest
from django.urls import reverse

from extraction.models import Attribute, Cluster, RecordList, Run
from tests.services import factory
from tests.views import world as worlds
from tests.views.conftest import Opened
from tests.views.core.test_access import LOOK
from tests.views.core.unstyled import unstyled

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

api = pytest.importorskip("playwright.sync_api")

DOWNLOADS = {
    "audit_log_csv",
    "page_picture",
    "person_entered",
    "site_files",
    "records_csv",
    "records_export",
    "record_type_export",
    "rule_export",
    "site_bundle",
    "site_warc",
    "site_lab_paths",
    "joined_export",
}
PARTS = {
    "run_progress",
    "site_now",
    "cluster_shares",
    "cluster_structure",
    "cluster_odd",
    "breakage_effect",
    "breakage_looks_progress",
    "cluster_suggest_table",
    "cluster_suggest_lists",
    "cluster_suggest_proposed",
    "cluster_suggest_opinions",
    "cluster_wrapper_look",
    "record_type_export_figures",
    "records_export_figures",
    "site_lab_now",
    "site_lab_shares",
    "record_type_quality_try",
    "join_proposals",
    "joined_export_figures",
}
OF_THEIR_OWN_STYLE = {"help", "help_page"}  # tests/guide
SCREENS = [name for name in LOOK if name not in DOWNLOADS | PARTS | OF_THEIR_OWN_STYLE]


@pytest.fixture
def world(sent: list[int]) -> worlds.World:
    return worlds.make()


def test_no_page_breaks_the_policy_overflows_its_width_or_lacks_a_style_sheet(
    opened: Opened, world: worlds.World, wrong: list[str]
) -> None:
    page = opened("/", "admin")
    for name in SCREENS:
        page.goto(reverse(name, args=world.address(name)))
        page.wait_for_load_state("load")
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
        assert unstyled(page) == [], name
    assert wrong == []


def test_the_keyboard_goes_everywhere(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened("/")
    for chord, title in (("gs", "Sites"), ("gr", "Record types"), ("gh", "Home")):
        for key in chord:
            page.keyboard.press(key)
        page.wait_for_function("title => document.title.startsWith(title)", arg=title)
        page.wait_for_load_state("load")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.goto("/sites/")
    page.keyboard.press("/")
    page.keyboard.type("jk?")
    assert page.locator("[data-search]").input_value() == "jk?"
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sites/books/")
    page.keyboard.press("Escape")
    page.wait_for_url("**/sites/")
    assert wrong == []


def test_a_chosen_theme_is_there_before_the_page_is_painted(opened: Opened, world: worlds.World) -> None:
    page = opened("/", color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("[data-theme-switch]").click()
    page.locator("[data-theme-switch]").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.goto("/sites/", wait_until="commit")
    page.wait_for_selector("body")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.locator("[data-theme-switch]").click()
    assert page.evaluate(ground) == light


def test_an_archive_is_checked_and_sent(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(reverse("site_import", args=[world.site.slug]), "editor")
    page.set_input_files("[type=file]", {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"x"})
    page.click("[data-send]")
    assert "not an archive" in page.locator("[data-error]").inner_text()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        packed.writestr("a.html", "<p>a</p>")
    page.set_input_files("[type=file]", {"name": "shop.zip", "mimeType": "application/zip", "buffer": content.getvalue()})
    page.click("[data-send]")
    page.wait_for_url("**/runs/*/")
    assert Run.objects.filter(kind=Run.Kind.IMPORT).count() == 1
    assert wrong == []


def test_a_run_shows_its_progress_until_it_ends(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    factory.put(Run.objects.filter(pk=world.run.pk), Run.State.RUNNING, done=2, total=8)
    page = opened(world.run.get_absolute_url(), "viewer")
    assert page.locator("progress").get_attribute("value") == "0.2500"
    Run.objects.filter(pk=world.run.pk).update(done=6)
    page.wait_for_selector("progress[value='0.7500']")
    factory.put(Run.objects.filter(pk=world.run.pk), Run.State.DONE)
    page.wait_for_selector(".note-ok")
    assert wrong == []


def test_the_name_of_a_card_opens_its_template_and_a_button_renames_it(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(world.site.get_absolute_url(), "editor")
    card = page.locator(".template-card").first
    for key in ("Escape", "Enter"):
        card.hover()
        card.get_by_label("Rename Template 1").click()
        card.locator("input:focus").wait_for()
        page.keyboard.type("Book pages")
        page.keyboard.press(key)
        card.get_by_role("textbox").wait_for(state="detached")
        assert (card.get_by_label("Rename Template 1").count() == 1) == (key == "Escape"), "Esc leaves the name as it is"
    card.get_by_role("link", name="Book pages", exact=True).last.click()
    page.wait_for_url(f"**{world.cluster.get_absolute_url()}")
    page.get_by_role("heading", name="Book pages", level=1).click()
    assert page.get_by_role("textbox", name="Name of the template").count() == 0
    assert Cluster.objects.get().name == "Book pages"
    assert wrong == []


def test_the_rows_of_a_record_type_are_added_moved_and_removed(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(reverse("record_type_new"), "editor")
    page.fill("#id_name", "Film")
    for name in ("title", "year", "director", "genre"):
        page.keyboard.press("Tab")
        page.locator("[data-row]:visible [name$='-name']").nth(["title", "year", "director", "genre"].index(name)).fill(name)
        page.keyboard.press("Enter")
    page.locator("[data-row]:visible").nth(3).locator("[data-up]").click()
    page.locator("[data-row]:visible").nth(0).locator("[data-remove]").click()
    page.click("text=Create record type")
    page.wait_for_url("**/record-types/film/")
    made = list(Attribute.objects.filter(record_type__slug="film").values_list("name", "hotkey"))
    assert made == [("year", "2"), ("genre", "4"), ("director", "3")]
    assert wrong == []


def test_a_list_is_added_with_its_own_columns_and_opens_again_as_it_was(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(reverse("record_type_new"), "editor")
    page.fill("#id_name", "Search")
    names = page.locator("[data-row]:visible [name$='-name']")
    names.nth(0).fill("query")
    page.click("[data-add-list]")
    page.locator("[data-list-name]").fill("hits")
    names.last.fill("address")
    page.click("[data-add-column]")
    names.last.fill("snippet")
    page.locator("[data-row]:visible").last.locator("[data-up]").click()
    page.click("text=Create record type")
    page.wait_for_url("**/record-types/search/")
    made = list(Attribute.objects.filter(record_type__slug="search").values_list("name", "list__name"))
    assert made == [("query", None), ("snippet", "hits"), ("address", "hits")]
    shown = page.evaluate(
        "[...document.querySelectorAll('[data-rows] > tr')].map(row => row.querySelector('[data-list-name], [name$=-name]').value)"
    )
    assert shown == ["query", "hits", "snippet", "address"]
    page.locator("[data-list-name]").fill("results")
    page.click("text=Save")
    page.wait_for_selector("text=Saved")
    assert list(RecordList.objects.values_list("name", flat=True)) == ["results"]
    assert wrong == []


def test_all_pages_of_a_list_are_chosen_with_one_box_or_key_and_one_with_another(
    opened: Opened, world: worlds.World, wrong: list[str]
) -> None:
    page = opened(reverse("site_pages", args=[world.site.slug]), "editor")
    head, rows = page.locator("[data-pick-all]"), page.locator("tbody input[type=checkbox]")
    chosen = page.locator("tbody input[type=checkbox]:checked")
    count = rows.count()
    assert count > 1
    head.click()
    assert chosen.count() == count
    page.keyboard.press("a")
    assert chosen.count() == 0
    page.keyboard.press("j")
    page.keyboard.press("x")
    assert rows.first.is_checked()
    assert head.evaluate("each => [each.checked, each.indeterminate]") == [False, True]
    assert page.locator(".place-bar").is_visible()
    assert wrong == []


def test_the_pages_fit_their_window(opened: Opened, world: worlds.World) -> None:
    page = opened(reverse("records", args=[world.site.slug, world.cluster.number]), "viewer")
    page.set_viewport_size({"width": 1280, "height": 420})
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "only the table scrolls"
    page.goto(reverse("site", args=[world.site.slug]))
    tabs = page.locator("nav.tabs")
    assert tabs.evaluate("each => each.scrollHeight - each.clientHeight") == 0


def test_a_record_type_is_made_without_scripts_too(opened: Opened, world: worlds.World) -> None:
    page = opened(reverse("record_type_new"), "editor", java_script_enabled=False)
    page.fill("#id_name", "Film")
    page.fill("[name=attribute-0-name]", "year")
    page.fill("[name=attribute-0-ORDER]", "2")
    page.fill("[name=attribute-1-name]", "title")
    page.fill("[name=attribute-1-ORDER]", "1")
    page.click("text=Create record type")
    assert list(Attribute.objects.filter(record_type__slug="film").values_list("name", flat=True)) == ["title", "year"]


def test_an_xpath_shows_what_it_gives_while_it_is_written(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(world.rule.get_absolute_url(), "editor")
    page.locator(".rule-edit summary").first.click()
    page.locator(".rule-edit textarea").first.fill("//title/text()")
    page.wait_for_selector("text=Book 0 | Shop", timeout=20_000)
    page.click("text=Save as a new draft")
    page.wait_for_url("**/rules/2/")
    assert wrong == []


def test_a_value_leads_to_its_place(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(reverse("records", args=[world.site.slug, world.cluster.number]), "viewer")
    page.click("a.cell-link:text-is('Book 3')")
    page.wait_for_url("**value=title.0")
    assert page.frame_locator("iframe").locator("h1").inner_text() == "Book 3"
    assert wrong == []


def test_columns_of_an_export_are_chosen_and_ordered(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(reverse("records", args=[world.site.slug, world.cluster.number]), "viewer")
    page.click("text=Export…")
    page.locator(".column-row").nth(1).locator("[data-up]").click()
    page.locator(".column-row").nth(2).locator("input").uncheck()
    with page.expect_download() as download:
        page.click("text=Download")
    assert download.value.path().read_text().splitlines()[0] == "price,title,source_url"
    assert wrong == []


def test_the_dialog_counts_what_the_chosen_file_would_hold(opened: Opened, world: worlds.World, wrong: list[str]) -> None:
    page = opened(reverse("records", args=[world.site.slug, world.cluster.number]), "viewer")
    page.click("text=Export…")
    page.get_by_text("6 lines from 6 records, 4 columns.").wait_for()
    assert page.get_by_text("protect spreadsheets").is_visible()
    page.get_by_label("Format").select_option("parquet")
    page.get_by_text("prices as two columns").click()
    page.get_by_label("rule_version").check()
    page.get_by_text("6 lines from 6 records, 7 columns.").wait_for()
    assert not page.get_by_text("protect spreadsheets").is_visible()
    with page.expect_download() as dictionary:
        page.click("text=Data dictionary")
    assert "price\\_currency" in dictionary.value.path().read_text()
    with page.expect_download() as download:
        page.click("button:text-is('Download')")
    assert download.value.suggested_filename == "books-template-1.parquet"
    assert download.value.path().read_bytes().startswith(b"PAR1")
    assert wrong == []


def test_what_lies_under_a_message_of_success_can_be_clicked_in_the_workbench(opened: Opened, world: worlds.World) -> None:
    page = opened(reverse("workbench", args=[world.site.slug, world.cluster.number]), "editor")
    under = """async (level) => {
        (await import("/static/js/core/toasts.js")).toast("Said.", level);
        const box = [...document.querySelectorAll(`.toast-${level}`)].at(-1).getBoundingClientRect();
        return !document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).closest(".toast");
    }"""
    assert page.evaluate(under, "success")
    assert not page.evaluate(under, "error")  # it stays until it is closed, and its text can be copied
