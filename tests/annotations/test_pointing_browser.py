"""Pointing and clicking in a real Chromium: a click, a drag or a path in the breadcrumb becomes the right place in our tree."""

from typing import Any

import pytest

from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.models import Attribute, Cluster, Label, SamplePage, Snapshot
from extraction.services.core import stored_bytes
from tests.annotations.bench import FIND, make_messy_page, saved_labels, saved_values
from tests.fixtures import product_feed
from tests.services import factory
from tests.views.core.unstyled import unstyled

playwright_api = pytest.importorskip("playwright.sync_api")


pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def read_nodes(cluster: Cluster) -> list[Any]:
    snapshot = Snapshot.objects.filter(cluster=cluster).order_by("pk")[0]
    return elements(parse(stored_bytes.get_bytes(snapshot.sha256)).root)


def test_hovering_shows_the_text_node_and_clicking_saves_its_place(bench):
    shop = factory.shop(8)
    bench.open(shop)
    x, y = bench.point("h1")
    bench.page.mouse.move(x, y)
    bench.click("h1")
    place, text = saved_labels("title")[0]
    assert text == "Book 0" and place == factory.text_at(stored_bytes.get_bytes(Snapshot.objects.order_by("pk")[0].sha256), "Book 0")
    row = bench.page.locator("#attributes > li").first
    bench.until(lambda: "100 %" in row.inner_text() and "Book 0" in row.inner_text())
    assert unstyled(bench.page) == []


def test_a_text_after_a_comment_is_the_second_text_node(bench):
    cluster = make_messy_page(title="text")
    bench.open(cluster)
    bench.click("h1", x=180)
    place, text = saved_labels("title")[0]
    assert (place.kind, place.text, text) == ("text", 2, "great book")
    assert value(read_nodes(cluster), place) == "great book"


@pytest.mark.parametrize("wanted", ["978 1", "both", "tail loose", "bold"])
def test_tables_without_tbody_and_misnested_markup_give_our_places(bench, wanted):
    cluster = make_messy_page(title="text")
    bench.open(cluster)
    bench.click_text(wanted)
    place, text = saved_labels("title")[0]
    assert text == wanted and value(read_nodes(cluster), place) == wanted


def test_dragging_over_a_part_of_a_text_takes_the_part(bench):
    cluster = make_messy_page(price="price")
    bench.open(cluster)
    left, right, middle = bench.where("9.95")

    def drag() -> None:
        bench.page.mouse.move(left + 1, middle)
        bench.page.mouse.down()
        bench.page.mouse.move(right - 1, middle, steps=4)
        bench.page.mouse.up()

    bench.saving(drag)
    place, text = saved_labels("price")[0]
    assert (place.kind, place.text, place.start, place.end, text) == ("text", 1, 7, 11, "9.95")


def test_showing_a_place_does_not_move_the_page_sideways(bench):
    far = '<p style="margin:1800px 0 0 -20px">meant</p>'
    wide = f'<html><body style="margin:0"><div style="width:3000px">{far}</div></body></html>'.encode()
    bench.open(make_messy_page(wide, title="text"))
    bench.press("/")
    bench.page.keyboard.type("meant")
    bench.page.wait_for_selector("#tree-rows li")
    bench.save("Enter")
    assert bench.frame.evaluate("() => [scrollX, scrollY > 0]") == [0, True]


def test_a_script_found_by_a_search_says_why_it_cannot_be_marked(bench):
    bench.open(make_messy_page(b"<html><head><script>var secret = 7</script></head><body><p>x</p></body></html>", title="text"))
    bench.press("/")
    bench.page.keyboard.type("secret")
    bench.page.wait_for_selector("#tree-rows li >> text=cannot be marked")
    bench.press("Enter")
    assert not Label.objects.exists()


def test_keys_widen_and_narrow_the_place_and_switch_to_attributes(bench):
    bench.open(make_messy_page(link="text"))
    bench.click("a b", x=5)
    bench.page.wait_for_selector(".wb-step >> text=b")
    bench.save("ArrowUp")
    bench.page.wait_for_selector(".wb-option >> text=@href")
    assert saved_labels("link")[0][0].kind == "element"
    bench.save("a")
    assert saved_values("link") == ["/go?x=1"]
    bench.page.wait_for_selector(".wb-option[aria-pressed=true] >> text=@href")
    bench.save("a")
    assert saved_values("link") == ["Tip"]


def test_an_image_attribute_takes_the_source_and_a_url_attribute_the_link(bench):
    bench.open(make_messy_page(cover="image", link="url", title="text"))
    bench.click("img")
    bench.click("a b", x=5)
    bench.click("img")
    assert (saved_values("cover"), saved_values("link"), saved_values("title")) == (["/cover.png"], ["/go?x=1"], ["Cover"])


def test_hidden_parts_of_a_page_can_be_marked_in_the_tree(bench):
    bench.open(make_messy_page(price="price"))
    bench.press("/")
    bench.page.keyboard.type("12.5")
    bench.page.wait_for_selector("#tree-rows li")
    bench.save("Enter")
    place, text = saved_labels("price")[0]
    assert (place.kind, place.attribute, text) == ("attribute", "content", "12.50")
    bench.press("Escape")
    assert bench.page.locator("#tree").is_hidden()
    bench.press("t")
    bench.page.wait_for_selector(".tree-row >> text=body")


LAYER = """const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function () { return (window.layerOfTest = attach.call(this, { mode: "open" })); };"""


def test_a_value_that_is_a_whole_block_is_boxed_around_its_text_only(bench):
    cover = b'<img src="/c.png" width="60" height="90" style="float: left; margin-right: 20px">'
    page = b"<html><body><div>%s<h1>One <small>the first</small></h1><p>alike</p></div></body></html>" % cover
    cluster = make_messy_page(page, title="text")
    title = Attribute.objects.get(name="title")
    node = next(n for n, each in enumerate(read_nodes(cluster)) if each.tag == "h1")
    snapshot = Snapshot.objects.get()
    place = Location(node, "element").as_json()
    Label.objects.create(cluster=cluster, snapshot=snapshot, attribute=title, location=place, value="One the first")
    bench.page.add_init_script(LAYER)
    bench.open(cluster)
    bench.until(lambda: bench.frame.evaluate("window.layerOfTest?.querySelectorAll('.box').length") == 1)
    box = bench.frame.evaluate("(({left, right}) => [left, right])(window.layerOfTest.querySelector('.box').getBoundingClientRect())")
    text = bench.frame.evaluate(FIND, "One")[0], bench.frame.evaluate(FIND, "first")[1]
    assert box == pytest.approx(text, abs=6)


def test_a_click_inside_a_larger_proposed_value_marks_the_clicked_part(bench):
    cluster = make_messy_page(b"<html><body><h1>One</h1><p>alike</p></body></html>", title="text")
    second = b"<html><body><h1>Two <small>or, The Second</small></h1><p>alike</p></body></html>"
    more = factory.snapshot(cluster.site, "https://messy.example/2", second, cluster=cluster)
    SamplePage.objects.create(cluster=cluster, snapshot=more, position=2, covered_fraction=1.0)
    bench.open(cluster)
    bench.click("h1")
    bench.press("]")
    bench.ready()
    bench.until(lambda: bench.page.locator('.wb-attribute[data-standing="proposed"]').count() == 1)
    bench.click_text("Two")
    assert saved_values("title") == ["One", "Two"]


def test_on_a_page_of_xml_texts_names_and_attributes_are_clicked_in_an_indented_tree(bench):
    cluster = make_messy_page(product_feed.product(1).content, title="text", currency="text", price="text")
    bench.open(cluster)
    tree = bench.frame
    left = [tree.locator(name).first.bounding_box()["x"] for name in ("x-product", "x-offers", "x-offer", "x-seller")]
    assert left == sorted(set(left))
    bench.press("j")
    bench.until(lambda: "P-1001" in bench.page.inner_text("#trail"))
    bench.click("x-title", x=8)  # the name that stands before the text
    bench.press("2")
    bench.click("x-price v-attr", x=8)
    bench.press("3")
    bench.click_text("11.10")
    assert saved_values("title") == ["Oak Lamp & Co 1"] and saved_values("price") == ["11.10"]
    place, text = saved_labels("currency")[0]
    assert (place.kind, place.attribute, text) == ("attribute", "currency", "GBP")
    assert read_nodes(cluster)[place.node].tag == "price"
    row = bench.page.locator("#attributes > li").nth(1)
    bench.until(lambda: "GBP" in row.inner_text())
