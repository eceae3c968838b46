"""Reads the forms that a browser shows, with selectors that the steps of a sign-in find.

Each control that is visible gets a mark, an attribute with a number. Then the tree is written with its open shadow roots, and its forms are
read as those of any page. A selector is taken only if the browser itself finds with it the control with that number and nothing else, in
the page and in all of its frames of the same host.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playwright.async_api import Error, Frame, Page

from extraction.algorithms.errors import PageError
from extraction.fetching.crawl.page_forms import MARK, FormField, MarkedPage, PageForm
from extraction.fetching.crawl.reading import MAX_FRAMES, SCRIPT
from extraction.fetching.crawl.shown_elements import list_own_frames
from extraction.fetching.crawl.shown_forms import TEXT_KINDS, ShownField, ShownForm, ShownForms

FRAME_S = 5.0
"""How long reading one frame may take. A frame whose scripts never pause would hold up all others."""

MAX_SHOWN = 20
"""How many forms of a page are shown."""

BEFORE = "data-vertex-before"
"""The attribute of the fields for a password that were there before a click."""

_MARK = """([mark, before, acts]) => {
  let number = 0, passwords = 0;
  const isShown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && element.checkVisibility() && getComputedStyle(element).visibility === "visible";
  };
  const isDisabled = (element) => element.matches(":disabled") && !(element.matches("button, [type=submit], [type=button], [type=image]"));
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) visit(element.shadowRoot);
      if (!element.matches("input, select, textarea, button")) continue;
      element.removeAttribute(mark);
      const isPassword = element.matches("input") && element.type === "password";
      if (!isShown(element) || isDisabled(element) || (isPassword && element.hasAttribute(before))) continue;
      if (isPassword && acts === "remember") element.setAttribute(before, "");
      passwords += isPassword;
      element.setAttribute(mark, number++);
    }
  };
  visit(document);
  return passwords;
}"""

_ASKS = """(kinds) => {
  const asks = (root) => [...root.querySelectorAll("*")].some((element) => {
    if (element.shadowRoot && asks(element.shadowRoot)) return true;
    if (!element.matches("input, textarea") || !kinds.includes(element.matches("input") ? element.type : "textarea")) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility === "visible";
  });
  return asks(document);
}"""

_NUMBERS = """(all, mark) => all.map((element) => element.getAttribute(mark) ?? "")"""


@dataclass(frozen=True, slots=True)
class ReadForm:
    """A form in a frame of a page."""

    frame: Frame
    page: MarkedPage
    form: PageForm


class FormReading:
    """The forms that a page shows at one moment.

    accepts: whether a selector may be used.
    """

    def __init__(self, page: Page, *, accepts: Callable[[str], bool] = lambda _selector: True) -> None:
        self._page, self._accepts = page, accepts
        self._frames = list_own_frames(page)
        self.found: list[ReadForm] = []
        self.notices: list[str] = []

    async def read(self) -> None:
        """Read the forms of all frames of the same host."""
        if len(self._frames) > MAX_FRAMES:
            self.notices.append(f"it has more frames than are read: {MAX_FRAMES}")
        for frame in self._frames[:MAX_FRAMES]:
            try:
                content = await asyncio.wait_for(_write(frame), FRAME_S)
                marked = MarkedPage(content.encode("utf-8", "replace"), url=frame.url)
            except (Error, TimeoutError, PageError):
                self.notices.append(f"a frame could not be read: {frame.url[:200]}")
                continue
            self.found += [ReadForm(frame, marked, form) for form in marked.forms]

    async def show(self) -> ShownForms:
        """Return the forms as people see them."""
        ordered = sorted(self.found, key=lambda each: (not each.form.has_password, each.form.is_search))
        if len(ordered) > MAX_SHOWN:
            self.notices.append(f"it has {len(ordered)} forms; the first {MAX_SHOWN} are shown")
        forms = [await self._show_form(each) for each in ordered[:MAX_SHOWN]]
        return ShownForms(forms=tuple(forms), elsewhere=tuple(await list_elsewhere(self._page)), notices=tuple(self.notices))

    async def choose_selector(self, found: ReadForm, each: FormField, *, only: str = "") -> str:
        """Return the first selector that finds a control alone wherever steps look; "" if none does.

        only: what the selector must end with, such as [type="password"].
        """
        for selector in found.page.list_selectors(each):
            whole = selector if not only or selector.endswith(only) else selector + only
            if self._accepts(whole) and await self._finds_only(whole, found.frame, each.number):
                return whole
        return ""

    async def _show_form(self, found: ReadForm) -> ShownForm:
        form = found.form
        return ShownForm(
            fields=tuple([await self._show_field(found, each) for each in form.fields]),
            button=await self._show_field(found, form.button) if form.button else None,
            is_search=form.is_search,
            frame="" if found.frame is self._page.main_frame else found.frame.url,
        )

    async def _show_field(self, found: ReadForm, each: FormField) -> ShownField:
        selector = await self.choose_selector(found, each)
        return ShownField(label=each.label, kind=each.kind, name=each.name, selector=selector)

    async def _finds_only(self, selector: str, frame: Frame, number: str) -> bool:
        for each in self._frames:
            try:
                found = await each.locator(f"css={selector}").evaluate_all(_NUMBERS, MARK)
            except Error:
                return False
            if found != ([number] if each is frame else []):
                return False
        return True


async def mark_controls(page: Page, *, remember: bool = False) -> int:
    """Give the visible controls of a page their marks, and return how many fields for a password are among them.

    remember: whether those are left out from now on.
    """
    passwords = 0
    for frame in list_own_frames(page):
        try:
            given = [MARK, BEFORE, "remember" if remember else ""]
            passwords += await asyncio.wait_for(frame.evaluate(_MARK, given), FRAME_S)
        except (Error, TimeoutError):
            continue  # reading it says so
    return passwords


async def list_elsewhere(page: Page) -> list[str]:
    """Return the addresses of the frames of other hosts that show fields."""
    own, found = list_own_frames(page), list[str]()
    for frame in page.frames[:MAX_FRAMES]:
        if frame not in own and frame.url.startswith(("http://", "https://")) and await _asks(frame, [*sorted(TEXT_KINDS), "password"]):
            found.append(frame.url)
    return list(dict.fromkeys(found))


async def _asks(frame: Frame, kinds: Sequence[str]) -> bool:
    try:
        return bool(await asyncio.wait_for(frame.evaluate(_ASKS, kinds), FRAME_S))
    except (Error, TimeoutError):
        return False


async def _write(frame: Frame) -> str:
    """Return the tree of a frame with its open shadow roots, without the frames inside."""
    tool = await frame.evaluate_handle(SCRIPT)
    found = await tool.evaluate("(tool, token) => tool.begin(token)", secrets.token_hex(16))
    return await frame.content() if found["plain"] else str(await tool.evaluate("tool => tool.writePage()"))
