"""Bringing up what a page shows only after scrolling or after a click on “load more”.

The page is scrolled one part of a screen at a time, because lists that recycle their rows would otherwise skip some. Each step waits until
the page has no request under way and changes no more. The number of steps and the time have a bound; what is left is told.
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass, field

from playwright.async_api import Error, JSHandle, Page, Request, Route

from extraction.fetching.crawl.messages import CrawlPlan

STEP = 0.6
"""How much of a screen is scrolled at a time. The rest is on both screens, which shows in which order rows belong."""

CALM_MS = 150
CALM_MOST_MS = 4_000
"""How long a page must not change before the next step, and how long that is waited for."""

GROW_S = 1.2
"""How long to wait at the end of a page for more to come."""

LOAD_S = 240.0
"""The most time for bringing up the rest of one page."""

MAX_ELEMENTS = 150_000
"""A page with more elements is not scrolled any further."""


@dataclass(slots=True)
class Loaded:
    """What was brought up. steps: screens and clicks. left: why there is more, in words; empty if there is not."""

    steps: int = 0
    left: list[str] = field(default_factory=list)


class Loader:
    """Scrolls a page and clicks its button. tool: what `in_page.js` returns."""

    def __init__(self, page: Page, tool: JSHandle, plan: CrawlPlan) -> None:
        self._page, self._tool, self._plan = page, tool, plan
        self._until = time.monotonic() + LOAD_S
        self._under_way: set[Request] = set()
        self._loaded = Loaded()
        page.on("request", lambda request: self._under_way.add(request))
        page.on("requestfinished", lambda request: self._under_way.discard(request))
        page.on("requestfailed", lambda request: self._under_way.discard(request))

    async def load(self) -> Loaded:
        """Bring up everything, within the bounds."""
        await self._page.route("**/*", self._stay)
        try:
            await self._look(moved=False)
            await asyncio.sleep(CALM_MS / 1000)
            await self._look(moved=False)
            while not self._loaded.left:
                if self._plan.scrolls:
                    await self._scroll_all()
                if self._loaded.left or not self._plan.load_more or not await self._click():
                    break
        finally:
            with contextlib.suppress(Error):
                await self._page.unroute("**/*", self._stay)
        return self._loaded

    async def _stay(self, route: Route) -> None:
        """Refuse to leave the page: a button may be a link to the next page."""
        if route.request.is_navigation_request() and route.request.frame == self._page.main_frame:
            await route.abort("aborted")  # with another reason, the browser shows its error page
        else:
            await route.fallback()

    async def _scroll_all(self) -> None:
        """Scroll the window, and then each box that scrolls, to the end."""
        number = 0
        while number < await self._tool.evaluate("tool => tool.chooseScrollers()"):
            if not await self._scroll(number):
                return
            number += 1

    async def _scroll(self, number: int) -> bool:
        """Scroll one box to its end. Return whether that was reached."""
        at = await self._tool.evaluate("(tool, number) => tool.scroll(number, 0)", number)
        while True:
            if at["end"]:
                at = await self._wait_for_growth(number, at["height"])
                if at["end"]:
                    return True
            if not await self._may_go_on("it goes on below"):
                return False
            at = await self._tool.evaluate("(tool, [number, step]) => tool.scroll(number, step)", [number, STEP])
            await self._rest()
            await self._look(moved=True)

    async def _wait_for_growth(self, number: int, height: int) -> dict[str, int]:
        """Wait at the end of a box for more to come, moving a little, because some pages only notice a movement."""
        at: dict[str, int] = {}
        until = time.monotonic() + GROW_S
        for step in (-0.1, 0.2):
            await self._tool.evaluate("(tool, [number, step]) => tool.scroll(number, step)", [number, step])
            await self._rest()
        while True:
            at = await self._tool.evaluate("(tool, number) => tool.scroll(number, 0)", number)
            await self._look(moved=True)
            if at["height"] > height or not at["end"] or time.monotonic() > until:
                return at
            await asyncio.sleep(0.2)

    async def _click(self) -> bool:
        """Click the button, and return whether that brought anything. Without a button there is nothing more."""
        button = self._page.locator(f"css={self._plan.load_more}").first
        try:
            if not (await button.is_visible() and await button.is_enabled()):
                return False
            if not await self._may_go_on("the button “load more” is still there"):
                return False
            before = await self._tool.evaluate("tool => tool.measure()")
            await button.scroll_into_view_if_needed(timeout=CALM_MOST_MS)
            await button.click(timeout=CALM_MOST_MS)
        except Error:
            self._loaded.left.append("the button “load more” could not be clicked")
            return False
        until = time.monotonic() + 2 * GROW_S
        while True:
            await self._rest()
            if await self._tool.evaluate("tool => tool.measure()") != before:
                await self._look(moved=True)
                return True
            if time.monotonic() > until:
                if await button.is_visible():
                    self._loaded.left.append("the last click on “load more” brought nothing, and the button is still there")
                return False

    async def _may_go_on(self, left: str) -> bool:
        """Count a step, and return whether it may be made. left: what is there if it may not."""
        elements = (await self._tool.evaluate("tool => tool.measure()"))["elements"]
        reason = ""
        if self._loaded.steps >= self._plan.most_loads:
            reason = f"{self._plan.most_loads:,} screens or clicks, the most that the site's settings allow"
        elif time.monotonic() > self._until:
            reason = f"{LOAD_S:.0f} seconds, the longest time for one page"
        elif elements > MAX_ELEMENTS:
            reason = f"{elements:,} elements, more than a page may have"
        if reason:
            self._loaded.left.append(f"there is more: {left} after {reason}")
            return False
        self._loaded.steps += 1
        return True

    async def _rest(self) -> None:
        """Wait until the page is calm, and at least as long as the crawl waits between two requests."""
        started = time.monotonic()
        while True:
            await self._tool.evaluate("(tool, [quiet, most]) => tool.calm(quiet, most)", [CALM_MS, CALM_MOST_MS])
            waited = time.monotonic() - started
            if not self._under_way or waited > CALM_MOST_MS / 1000:
                break
        if waited < self._plan.delay_s:
            await asyncio.sleep(self._plan.delay_s - waited)

    async def _look(self, *, moved: bool) -> None:
        await self._tool.evaluate("(tool, moved) => tool.look(moved)", moved)
