"""The workbench in a real Chromium: what is pointed at, clicked and typed becomes the right labels; nothing of a page acts."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import reverse

from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.references import NeededResource, ResourceKind
from extraction.display import addresses
from extraction.models import Attribute, Cluster, Label, RecordType, SamplePage, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.intake import assets
from extraction.services.learning import workspaces
from tests.e2e import browser as chromium
from tests.fixtures import product_feed
from tests.fixtures.hostile import ASSETS, hostile_html
from tests.services import factory
from tests.views.core.unstyled import unstyled

playwright_api = pytest.importorskip("playwright.sync_api")

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

MESSY = b"""<html><head><title>Messy</title><meta property="og:price" content="12.50"></head><body>
<h1>  The <!-- split --> great&nbsp;book <em>of</em> tests </h1>
<table><tr><td>ISBN</td><td id="isbn">978 1</td></tr><tr><td>Pages</td><td>12</td></tr></table>
<p id="messy"><b>bold <i>both</b> tail</i> loose</p>
<p id="part">Price: 9.95 EUR <b>net</b></p>
<div style="height: 1500px">tall</div>
<ul><li>Alpha</li><li>Beta</li><li>Gamma</li><li>Delta</li></ul>
<p><a href="/go?x=1" title="Tip"><b>A link</b></a> <img src="/cover.png" alt="Cover" width="80" height="60"></p>
</body></html>"""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        yield browser
        browser.close()


FIND = """wanted => {
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(wanted);
    if (at < 0) continue;
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + wanted.length);
    const box = range.getBoundingClientRect();
    if (box.width) return [box.left, box.right, box.top + box.height / 2];
  }
}"""


class Bench:
    """The workbench open in a tab."""

    def __init__(self, page: Any, base: str) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.base = base
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, cluster: Cluster) -> None:
        self.page.goto(self.base + reverse("workbench", args=[cluster.site.slug, cluster.number]))
        self.page.wait_for_selector("#samples li")
        self.ready()
        self.until(lambda: self.page.inner_text("#warming") == "" and self.page.locator("#attributes li").count() > 0)

    def ready(self) -> None:
        self.until(lambda: self.page.get_attribute("#workbench", "data-loading") is None)

    @property
    def frame(self) -> Any:
        return self.page.frames[1]

    def until(self, true: Callable[[], bool], timeout_ms: int = 15_000) -> None:
        for _ in range(timeout_ms // 25):
            if true():
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"not in time; {self.errors}")

    def point(self, selector: str, *, x: float = 12, y: float | None = None) -> tuple[float, float]:
        target = self.frame.locator(selector).first
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        return box["x"] + x, box["y"] + (box["height"] / 2 if y is None else y)

    def saving(self, act: Callable[[], Any]) -> dict[str, Any]:
        with self.page.expect_response(re.compile(r"/(label|undo|redo)/$")) as answer:
            act()
        self.page.wait_for_timeout(60)
        return dict(answer.value.json())

    def click(self, selector: str, **where: float) -> dict[str, Any]:
        x, y = self.point(selector, **where)
        return self.saving(lambda: self.page.mouse.click(x, y))

    def where(self, text: str) -> tuple[float, float, float]:
        """Left, right and middle of a piece of text in the page, on the screen."""
        left, right, middle = self.frame.evaluate(FIND, text)
        frame = self.page.locator("#frame").bounding_box()
        return frame["x"] + left, frame["x"] + right, frame["y"] + middle

    def click_text(self, text: str) -> dict[str, Any]:
        left, _, middle = self.where(text.split()[0])
        return self.saving(lambda: self.page.mouse.click(left + 4, middle))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def save(self, *keys: str) -> dict[str, Any]:
        return self.saving(lambda: self.press(*keys))


@pytest.fixture
def bench(chrome: Any, live_server: Any, client: Any, person: Callable[[str], Any]) -> Iterator[Bench]:
    workspaces.forget_workspaces()
    client.force_login(person("editor"))
    context = chrome.new_context(viewport={"width": 1280, "height": 800})
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    tab = Bench(context.new_page(), live_server.url)
    yield tab
    assert tab.errors == []
    context.close()


def messy(content: bytes = MESSY, **types: str) -> Cluster:
    kind = RecordType.objects.create(name="Thing", slug="thing")
    for position, (name, type_) in enumerate(types.items()):
        Attribute.objects.create(record_type=kind, name=name, type=type_, position=position, multiple=name.endswith("s"))
    cluster = factory.cluster(factory.site("Messy"), kind=kind)
    only = factory.snapshot(cluster.site, "https://messy.example/1", content, cluster=cluster)
    factory.samples(cluster, [only])
    return cluster


def nodes_of(cluster: Cluster) -> list[Any]:
    snapshot = Snapshot.objects.filter(cluster=cluster).order_by("pk")[0]
    return elements(parse(stored_bytes.get_bytes(snapshot.sha256)).root)


def labels(name: str) -> list[tuple[Location, str]]:
    found = Label.objects.filter(attribute__name=name).order_by("position")
    return [(Location.from_json(label.location), label.value) for label in found if label.location]


def values(name: str) -> list[str]:
    return [text for _, text in labels(name)]


def test_hovering_shows_the_text_node_and_clicking_saves_its_place(bench):
    shop = factory.shop(8)
    bench.open(shop)
    x, y = bench.point("h1")
    bench.page.mouse.move(x, y)
    bench.click("h1")
    place, text = labels("title")[0]
    assert text == "Book 0" and place == factory.text_at(stored_bytes.get_bytes(Snapshot.objects.order_by("pk")[0].sha256), "Book 0")
    row = bench.page.locator("#attributes > li").first
    bench.until(lambda: "100 %" in row.inner_text() and "Book 0" in row.inner_text())
    assert unstyled(bench.page) == []


def test_a_text_after_a_comment_is_the_second_text_node(bench):
    cluster = messy(title="text")
    bench.open(cluster)
    bench.click("h1", x=180)
    place, text = labels("title")[0]
    assert (place.kind, place.text, text) == ("text", 2, "great book")
    assert value(nodes_of(cluster), place) == "great book"


@pytest.mark.parametrize("wanted", ["978 1", "both", "tail loose", "bold"])
def test_tables_without_tbody_and_misnested_markup_give_our_places(bench, wanted):
    cluster = messy(title="text")
    bench.open(cluster)
    bench.click_text(wanted)
    place, text = labels("title")[0]
    assert text == wanted and value(nodes_of(cluster), place) == wanted


def test_dragging_over_a_part_of_a_text_takes_the_part(bench):
    cluster = messy(price="price")
    bench.open(cluster)
    left, right, middle = bench.where("9.95")

    def drag() -> None:
        bench.page.mouse.move(left + 1, middle)
        bench.page.mouse.down()
        bench.page.mouse.move(right - 1, middle, steps=4)
        bench.page.mouse.up()

    bench.saving(drag)
    place, text = labels("price")[0]
    assert (place.kind, place.text, place.start, place.end, text) == ("text", 1, 7, 11, "9.95")


def test_undo_and_redo_also_after_reloading(bench):
    shop = factory.shop(4)
    bench.open(shop)
    bench.click("h1")
    bench.save("Control+z")
    assert values("title") == []
    bench.save("Control+Shift+Z")
    assert values("title") == ["Book 0"]
    bench.open(shop)
    bench.save("Control+z")
    assert values("title") == []


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
    bench.until(lambda: bench.page.locator("#saved").inner_text() == "saving…" and values("title") == ["Book 0"])
    assert values("price") == []
    bench.page.on("dialog", lambda dialog: dialog.accept())
    bench.open(shop)
    bench.until(lambda: values("price") == ["£0.50"])


def test_a_slow_lesson_holds_up_no_save(bench):
    bench.open(factory.shop(4))
    bench.page.evaluate("""() => {
      const send = window.fetch;
      window.fetch = (address, how) => String(address).includes("/draft/") ? new Promise(() => {}) : send(address, how);
    }""")
    bench.click("h1")
    bench.click(".price", x=60)
    assert values("title") == ["Book 0"] and values("price") == ["£0.50"]
    assert "saved" in bench.page.locator("#saved").inner_text()


def test_another_tab_shows_what_was_undone_here_when_it_is_looked_at(bench):
    shop = factory.shop(4)
    bench.open(shop)
    bench.click("h1")
    other = bench.page.context.new_page()
    other.goto(bench.page.url)
    other.wait_for_selector('#attributes > li[data-standing="confirmed"]')
    bench.save("Control+z")
    other.evaluate("() => window.dispatchEvent(new Event('focus'))")
    other.wait_for_selector('#attributes > li[data-standing="confirmed"]', state="detached")
    assert values("title") == [] and other.locator('#attributes > li[data-standing="confirmed"]').count() == 0
    other.close()


def test_samples_past_enough_of_the_template_are_optional(bench):
    shop = factory.shop(8)
    bench.open(shop)  # its pages are alike: the first says all there is to say
    assert bench.page.locator("#samples > li").all_inner_texts()[1].startswith("enough")
    assert bench.page.locator("#samples .wb-optional").count() == 7
    assert bench.page.locator("#progress").inner_text() == "0 of 1 sample done"
    bench.press("]")
    bench.ready()
    bench.save("x")
    bench.until(lambda: bench.page.locator("#samples .wb-optional").count() == 6)


def test_sample_titles_are_shown_by_what_tells_them_apart(bench):
    shop = factory.shop(4)
    for number, snapshot in enumerate(Snapshot.objects.filter(cluster=shop).order_by("pk")):
        snapshot.title = f"Shop.example - Canon PowerShot A{number} - Buy now"
        snapshot.save()
    bench.open(shop)
    titles = bench.page.locator(".wb-sample > .truncate").all_inner_texts()
    assert titles[:2] == ["… PowerShot A0 …", "… PowerShot A1 …"], "a number alone tells nothing"
    assert "Shop.example - Canon PowerShot A0 - Buy now" in bench.page.locator(".wb-sample").first.get_attribute("title")


def test_showing_a_place_does_not_move_the_page_sideways(bench):
    far = '<p style="margin:1800px 0 0 -20px">meant</p>'
    wide = f'<html><body style="margin:0"><div style="width:3000px">{far}</div></body></html>'.encode()
    bench.open(messy(wide, title="text"))
    bench.press("/")
    bench.page.keyboard.type("meant")
    bench.page.wait_for_selector("#tree-rows li")
    bench.save("Enter")
    assert bench.frame.evaluate("() => [scrollX, scrollY > 0]") == [0, True]


def test_a_script_found_by_a_search_says_why_it_cannot_be_taken(bench):
    bench.open(messy(b"<html><head><script>var secret = 7</script></head><body><p>x</p></body></html>", title="text"))
    bench.press("/")
    bench.page.keyboard.type("secret")
    bench.page.wait_for_selector("#tree-rows li >> text=cannot be marked")
    bench.press("Enter")
    assert not Label.objects.exists()


def test_not_on_this_page_and_clearing(bench):
    bench.open(factory.shop(4))
    bench.press("2")
    bench.save("x")
    assert Label.objects.get(attribute__name="price").absent
    bench.press("2")
    bench.save("Backspace")
    assert not Label.objects.exists()


def test_after_two_of_a_list_the_others_are_offered_and_enter_adds_them(bench):
    bench.open(messy(items="text"))
    bench.click("li:nth-child(1)")
    bench.click("li:nth-child(3)")
    bench.page.wait_for_selector("text=Add 2 similar")
    bench.save("Enter")
    assert values("items") == ["Alpha", "Beta", "Gamma", "Delta"]
    bench.click("li:nth-child(2)")
    assert values("items") == ["Alpha", "Gamma", "Delta"]


def test_clicking_a_marked_value_takes_it_out_and_another_corrects_it(bench):
    bench.open(factory.shop(4))
    bench.click("h1")
    bench.press("1")
    bench.click(".foot")
    assert values("title") == ["Shop since 1999"]
    bench.click(".foot")
    assert values("title") == []


def test_the_breadcrumb_widens_narrows_and_turns_into_attributes(bench):
    bench.open(messy(link="text"))
    bench.click("a b", x=5)
    bench.page.wait_for_selector(".wb-step >> text=b")
    bench.save("ArrowUp")
    bench.page.wait_for_selector(".wb-option >> text=@href")
    assert labels("link")[0][0].kind == "element"
    bench.save("a")
    assert values("link") == ["/go?x=1"]
    bench.page.wait_for_selector(".wb-option[aria-pressed=true] >> text=@href")
    bench.save("a")
    assert values("link") == ["Tip"]


def test_an_image_attribute_takes_the_source_and_a_url_attribute_the_link(bench):
    bench.open(messy(cover="image", link="url", title="text"))
    bench.click("img")
    bench.click("a b", x=5)
    bench.click("img")
    assert (values("cover"), values("link"), values("title")) == (["/cover.png"], ["/go?x=1"], ["Cover"])


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
    assert values("title") == ["Book 0", "Book 1"] and values("price") == ["£0.50", "£1.50"]
    bench.save("Control+z")
    assert values("title") == ["Book 0"] and values("price") == ["£0.50"]


def test_the_tree_reaches_what_a_page_does_not_show(bench):
    bench.open(messy(price="price"))
    bench.press("/")
    bench.page.keyboard.type("12.5")
    bench.page.wait_for_selector("#tree-rows li")
    bench.save("Enter")
    place, text = labels("price")[0]
    assert (place.kind, place.attribute, text) == ("attribute", "content", "12.50")
    bench.press("Escape")
    assert bench.page.locator("#tree").is_hidden()
    bench.press("t")
    bench.page.wait_for_selector(".tree-row >> text=body")


def test_a_whole_page_by_keyboard_alone(bench):
    bench.open(factory.shop(8))
    bench.press("j")
    bench.page.wait_for_selector(".wb-path >> text=h1")
    bench.save("Enter")
    assert values("title") == ["Book 0"]
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


def test_an_attributes_own_key_comes_before_a_command_and_alt_is_the_command(bench):
    cluster = messy(title="text", extra="text")
    Attribute.objects.filter(name="extra").update(hotkey="x")
    bench.open(cluster)
    bench.press("x")
    assert bench.page.locator("#attributes > li").nth(1).get_attribute("aria-current") == "true"
    bench.save("Alt+x")
    assert Label.objects.get().attribute.name == "extra" and Label.objects.get().absent


def test_a_hostile_page_runs_nothing_asks_nothing_and_can_be_annotated(bench, live_server):
    cluster = messy(hostile_html(), title="text", price="text")
    bench.open(cluster)
    bench.page.wait_for_timeout(500)
    assert bench.frame.evaluate("() => [window.pwned, window.origin]") == [None, "null"]
    assert bench.page.evaluate("() => window.pwned") is None
    bench.click("#title", x=5)
    assert values("title") == ["The"]
    bench.page.mouse.click(*bench.point("#js"))
    bench.page.mouse.click(*bench.point("#leave"))
    bench.page.wait_for_timeout(300)
    assert bench.page.evaluate("() => window.pwned") is None and "/annotate/" in bench.page.url
    foreign = [url for url in bench.requests if not url.startswith((live_server.url, "data:", "about:"))]
    assert foreign == []


def test_a_hostile_pages_own_styles_and_pictures_run_nothing_and_load_from_us_only(bench, live_server):
    cluster = messy(hostile_html(), title="text", price="text")
    for url, content in ASSETS.items():
        kind = ResourceKind.STYLE if url.endswith(".css") else ResourceKind.IMAGE
        kept = assets.keep_asset(cluster.site, NeededResource(url, kind), content.encode(), assets.Room.of(cluster.site))
        assert kept is not None and kept.error == ""
    bench.open(cluster)
    bench.page.wait_for_timeout(500)
    assert bench.frame.evaluate("() => [...document.images].some(image => image.src.endsWith('.svg') && image.naturalWidth > 0)")
    assert bench.frame.evaluate("() => document.styleSheets.length") >= 3
    assert bench.frame.evaluate("() => [window.pwned, window.origin]") == [None, "null"]
    assert bench.page.evaluate("() => window.pwned") is None
    bench.click("#title", x=5)  # what would cover it all lies where it is written
    assert values("title") == ["The"]
    loaded = [url for url in bench.requests if "/assets/" in url]
    assert any(url.endswith(".css") for url in loaded) and any(url.endswith(".svg") for url in loaded)
    foreign = [url for url in bench.requests if not url.startswith((live_server.url, "data:", "about:"))]
    assert foreign == []


def test_a_drawing_opened_alone_is_refused(bench, live_server):
    cluster = messy(hostile_html(), title="text")
    kept = assets.keep_asset(
        cluster.site,
        NeededResource("http://evil.example/1.png", ResourceKind.IMAGE),
        ASSETS["http://evil.example/1.png"].encode(),
        assets.Room(1, 9999),
    )
    assert kept is not None
    response = bench.page.goto(f"{live_server.url}{addresses.get_folder(cluster.site.pk)}{kept.sha256}.svg")
    assert response.status == 404


def test_fixed_headers_stay_at_the_top_and_one_key_takes_them_away(bench):
    content = b"""<html><body style="margin:0"><div id="bar" style="position:fixed;top:0;width:100%;height:40px">Bar</div>
    <h1 style="margin:60px 0 0">Name</h1><div id="all" style="position:fixed;inset:0;background:#fff">Our cookies</div>
    </body></html>"""
    bench.open(messy(content, title="text"))
    assert bench.frame.evaluate("() => getComputedStyle(document.getElementById('bar')).position") == "absolute"
    bench.click("h1", x=5)
    assert values("title") == ["Name"]
    bench.press("o")
    bench.until(lambda: not bench.frame.locator("#bar").is_visible() and not bench.frame.locator("#all").is_visible())
    bench.press("]", "o")
    bench.until(lambda: bench.frame.locator("#bar").is_visible())


def test_the_frame_alone_has_no_origin_and_takes_one_port_from_its_parent_only(bench, live_server):
    cluster = messy(title="text")
    snapshot = Snapshot.objects.get(cluster=cluster)
    bench.page.goto(live_server.url + reverse("frame", args=[snapshot.pk]))
    assert bench.page.evaluate("() => window.origin") == "null"
    with pytest.raises(playwright_api.Error, match="cookie"):
        bench.page.evaluate("() => document.cookie")


def test_a_page_of_20_megabytes_and_2000_levels_is_shown_and_annotated(bench):
    cluster = messy(hostile_html(deep=5_000, filler_bytes=20_000_000), title="text")
    bench.open(cluster)
    bench.click("#title", x=5)
    assert values("title") == ["The"]
    assert "not shown" in bench.frame.locator("v-note").inner_text()


LAYER = """const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function () { return (window.layerOfTest = attach.call(this, { mode: "open" })); };"""


def test_a_value_that_is_a_whole_block_is_boxed_around_its_text_only(bench):
    cover = b'<img src="/c.png" width="60" height="90" style="float: left; margin-right: 20px">'
    page = b"<html><body><div>%s<h1>One <small>the first</small></h1><p>alike</p></div></body></html>" % cover
    cluster = messy(page, title="text")
    title = Attribute.objects.get(name="title")
    node = next(n for n, each in enumerate(nodes_of(cluster)) if each.tag == "h1")
    snapshot = Snapshot.objects.get()
    place = Location(node, "element").as_json()
    Label.objects.create(cluster=cluster, snapshot=snapshot, attribute=title, location=place, value="One the first")
    bench.page.add_init_script(LAYER)
    bench.open(cluster)
    bench.until(lambda: bench.frame.evaluate("window.layerOfTest?.querySelectorAll('.box').length") == 1)
    box = bench.frame.evaluate("(({left, right}) => [left, right])(window.layerOfTest.querySelector('.box').getBoundingClientRect())")
    text = bench.frame.evaluate(FIND, "One")[0], bench.frame.evaluate(FIND, "first")[1]
    assert box == pytest.approx(text, abs=6)


def test_a_click_inside_a_larger_proposed_value_takes_what_was_clicked(bench):
    cluster = messy(b"<html><body><h1>One</h1><p>alike</p></body></html>", title="text")
    second = b"<html><body><h1>Two <small>or, The Second</small></h1><p>alike</p></body></html>"
    more = factory.snapshot(cluster.site, "https://messy.example/2", second, cluster=cluster)
    SamplePage.objects.create(cluster=cluster, snapshot=more, position=2, covered_fraction=1.0)
    bench.open(cluster)
    bench.click("h1")
    bench.press("]")
    bench.ready()
    bench.until(lambda: bench.page.locator('.wb-attribute[data-standing="proposed"]').count() == 1)
    bench.click_text("Two")
    assert values("title") == ["One", "Two"]


def test_on_a_page_of_xml_texts_names_and_attributes_are_clicked_in_an_indented_tree(bench):
    cluster = messy(product_feed.product(1).content, title="text", currency="text", price="text")
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
    assert values("title") == ["Oak Lamp & Co 1"] and values("price") == ["11.10"]
    place, text = labels("currency")[0]
    assert (place.kind, place.attribute, text) == ("attribute", "currency", "GBP")
    assert nodes_of(cluster)[place.node].tag == "price"
    row = bench.page.locator("#attributes > li").nth(1)
    bench.until(lambda: "GBP" in row.inner_text())
