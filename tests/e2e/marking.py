"""Marking values in the workbench as a person does: choose the attribute, click the text on the page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

_FIND = """
([value, within, nth]) => {
  const clean = (text) => text.replace(/\\s+/g, " ").trim();
  const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (clean(node.data) !== value || !parent.closest(within) || parent.closest("noscript, textarea, option, title")) continue;
    if (nth-- > 0) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if (!range.getClientRects().length) continue;
    parent.scrollIntoView({ block: "center" });
    const box = range.getClientRects()[0];
    return [box.left + Math.min(box.width / 2, 20), box.top + box.height / 2];
  }
  return null;
}
"""


def frame_of(page: "Page") -> "Frame":
    """The frame with the inert page, once it has loaded."""
    handle = page.locator("#frame").element_handle()
    frame = handle.content_frame() if handle else None
    assert frame is not None
    frame.wait_for_selector("[data-v]")
    return frame


def click_text(page: "Page", value: str, *, within: str = "[data-v]", nth: int = 0) -> None:
    """Clicks the nth visible text of the inert page's body that equals the value and stands within a CSS selector's element."""
    page.mouse.click(*point_of(page, value, within=within, nth=nth))


def point_of(page: "Page", value: str, *, within: str = "[data-v]", nth: int = 0) -> tuple[float, float]:
    """Return the point that `click_text` clicks, in pixels of the window."""
    place = None
    for _ in range(50):  # a newly opened page may replace the previous one with a delay
        place = frame_of(page).evaluate(_FIND, [value, within, nth])
        if place is not None:
            break
        page.wait_for_timeout(100)
    assert place is not None, f"“{value}” is not to be seen on the page"
    box = page.locator("#frame").bounding_box()
    assert box is not None
    return box["x"] + place[0], box["y"] + place[1]


def choose(page: "Page", attribute: str) -> None:
    """Makes an attribute the current one."""
    page.locator(f".wb-attribute .wb-name:text-is('{attribute}')").click()


def mark(page: "Page", attribute: str, values: Sequence[str], *, within: str = "[data-v]") -> None:
    """Clicks the values of an attribute, each time waiting until that is saved and learned from."""
    choose(page, attribute)
    for value in values:
        with page.expect_response(lambda response: response.url.endswith("/label/")):
            click_text(page, value, within=within)
        learned(page)


def learned(page: "Page") -> None:
    """Wait until the last mark has been learned from."""
    page.wait_for_selector("#workbench:not([data-learning])")


def mark_absent(page: "Page", attribute: str) -> None:
    """Mark an attribute as absent from this page."""
    choose(page, attribute)
    with page.expect_response(lambda response: response.url.endswith("/label/")):
        page.keyboard.press("x")
    learned(page)


def shown(page: "Page", attribute: str) -> Any:
    """The row of an attribute in the panel."""
    return page.locator(".wb-attribute", has=page.locator(f".wb-name:text-is('{attribute}')"))
