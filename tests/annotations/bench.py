"""The workbench open in a tab of a real Chromium, and what it saved."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from extraction.algorithms.dom.nodes import Location
from extraction.models import Attribute, Cluster, Label, RecordType
from tests.services import factory

playwright_api = pytest.importorskip("playwright.sync_api")


MESSY = b"""<html><head><title>Messy</title><meta property="og:price" content="12.50"></head><body>
<h1>  The <!-- split --> great&nbsp;book <em>of</em> tests </h1>
<table><tr><td>ISBN</td><td id="isbn">978 1</td></tr><tr><td>Pages</td><td>12</td></tr></table>
<p id="messy"><b>bold <i>both</b> tail</i> loose</p>
<p id="part">Price: 9.95 EUR <b>net</b></p>
<div style="height: 1500px">tall</div>
<ul><li>Alpha</li><li>Beta</li><li>Gamma</li><li>Delta</li></ul>
<p><a href="/go?x=1" title="Tip"><b>A link</b></a> <img src="/cover.png" alt="Cover" width="80" height="60"></p>
</body></html>"""


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
        """The left, right and middle of a piece of text on the screen."""
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


def make_messy_page(content: bytes = MESSY, **types: str) -> Cluster:
    kind = RecordType.objects.create(name="Thing", slug="thing")
    for position, (name, type_) in enumerate(types.items()):
        Attribute.objects.create(record_type=kind, name=name, type=type_, position=position, multiple=name.endswith("s"))
    cluster = factory.cluster(factory.site("Messy"), kind=kind)
    only = factory.snapshot(cluster.site, "https://messy.example/1", content, cluster=cluster)
    factory.samples(cluster, [only])
    return cluster


def saved_labels(name: str) -> list[tuple[Location, str]]:
    found = Label.objects.filter(attribute__name=name).order_by("position")
    return [(Location.from_json(label.location), label.value) for label in found if label.location]


def saved_values(name: str) -> list[str]:
    return [text for _, text in saved_labels(name)]
