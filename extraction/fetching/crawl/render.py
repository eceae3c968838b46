"""Pages as a browser shows them.

The browser does not request the document again. Under the page's address, it gets the bytes that Scrapy received. So robots.txt, delays,
sizes and redirects have been taken care of. It fetches only the other files that the page needs, through the gateway. So the rendered tree
and the stored bytes come from one answer, and the site sees one request per page. (scrapy-playwright would let the browser fetch the
document; therefore Playwright is used directly.) Each page has its own browser context, so cookies, storage and service workers do not
pass from one page to the next. Only if the site has cookies of its own (`CrawlPlan.cookies`), a page begins with those of the crawl.
"""

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright, Route, async_playwright
from scrapy.http import Response

from extraction.fetching import chromium
from extraction.fetching.crawl.gateway import Gateway
from extraction.fetching.crawl.loading import LOAD_S, Loaded, Loader
from extraction.fetching.crawl.messages import CrawlPlan
from extraction.fetching.crawl.needs import Rendered, RenderError
from extraction.fetching.crawl.own_hosts import OwnHosts
from extraction.fetching.crawl.reading import TreeReader
from extraction.fetching.crawl.screenshots import Screenshot, take_screenshot
from extraction.fetching.crawl.signing_in import LookedAt, SignInTrial, find_password, list_forms, settle, take_steps
from extraction.fetching.sign_in_steps import SignIn
from extraction.fetching.url_safety import Guard

AT_ONCE = 2
"""How many pages are rendered at the same time. Each takes a core and 100 to 300 MB."""

PASSED_ON = ("content-type", "content-security-policy", "content-language", "last-modified", "refresh", "link")

Shown = TypeVar("Shown")

log = logging.getLogger(__name__)


class Renderer:
    """A browser that starts when the first page needs it."""

    def __init__(self, plan: CrawlPlan, guard: Guard, *, user_agent: str) -> None:
        self._plan = plan
        self._user_agent = user_agent
        self._own_hosts = OwnHosts(plan)
        self._reader = TreeReader(plan, self._own_hosts)
        upstream = plan.site_proxy or plan.proxy
        self._gateway = Gateway(guard, max_bytes=2 * plan.max_bytes, upstream=upstream, checks_upstream=bool(plan.site_proxy))
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._proxy = ""
        self.cookies: Callable[[], list[dict[str, Any]]] = list
        """Returns the cookies with which a page begins."""
        self.session: Callable[[], str] = str
        """Returns the session with which a page begins, "" for none."""

    async def render(self, response: Response) -> Rendered:
        """Return an answer's page as the browser shows it. Raises RenderError."""
        async with self._slots:
            try:
                browser = await self._running()
                context = await self._new_context(browser, self.session())
            except Error as error:
                raise RenderError(_first_line(error)) from error
            try:
                loads = LOAD_S if self._plan.scrolls or self._plan.load_more else 0
                return await asyncio.wait_for(self._draw(context, response), 2 * self._plan.timeout_s + 1.5 * loads)
            except (Error, TimeoutError) as error:
                raise RenderError(_first_line(error)) from error
            finally:
                with contextlib.suppress(Error):
                    await context.close()

    async def sign_in(self, sign_in: SignIn) -> str:
        """Do the steps of a sign-in, and return the session. Raises RenderError, which shows nothing of what was entered."""
        trial = await self.try_sign_in(sign_in, strict=False)
        if trial.failure:
            raise RenderError(trial.failure)
        return trial.session

    async def try_sign_in(self, sign_in: SignIn, *, strict: bool) -> SignInTrial:
        """Do the steps of a sign-in, and return what came of them.

        strict: whether a field for the password that is still there after the last step is a failure.

        Raises RenderError if the browser cannot be used.
        """
        return await self._show(lambda page: take_steps(page, sign_in, strict=strict))

    async def list_forms(self, sign_in: SignIn) -> LookedAt:
        """Do the steps of a sign-in, and return the forms that are shown then. Raises RenderError if the browser cannot be used."""
        return await self._show(lambda page: list_forms(page, sign_in, self._plan.list_secrets()))

    async def find_password(self, sign_in: SignIn) -> LookedAt:
        """Do the steps of a sign-in that is not complete, and find the field for the password. Raises RenderError as `list_forms`."""
        return await self._show(lambda page: find_password(page, sign_in, self._plan.list_secrets()))

    async def _show(self, use: Callable[[Page], Awaitable[Shown]]) -> Shown:
        """Return what came of a page of a browser that knows nothing yet. Raises RenderError if the browser cannot be used."""
        async with self._slots:
            try:
                browser = await self._running()
                context = await self._new_context(browser, "")
            except Error as error:
                raise RenderError(_first_line(error)) from error
            try:
                await self._give_access(context)
                return await use(await context.new_page())
            except Error as error:
                raise RenderError("the browser ended while it signed in") from error
            finally:
                with contextlib.suppress(Error):
                    await context.close()

    async def close(self) -> None:
        """Close the browser and the gateway."""
        with contextlib.suppress(Error):
            if self._browser:
                await self._browser.close()
        if self._playwright:
            await self._playwright.stop()
        await self._gateway.close()

    async def _new_context(self, browser: Browser, session: str) -> BrowserContext:
        """Return a new browser context. session: the session with which it begins, "" for none."""
        return await browser.new_context(
            user_agent=self._user_agent,
            service_workers="block",
            accept_downloads=False,
            ignore_https_errors=not self._plan.verify_certificates,
            viewport={"width": 1280, "height": 960},
            storage_state=json.loads(session) if session else None,
        )

    async def _draw(self, context: BrowserContext, response: Response) -> Rendered:
        await self._give_access(context)
        page = await context.new_page()
        context.on("page", lambda other: asyncio.ensure_future(other.close()))
        served = False

        async def serve(route: Route) -> None:
            nonlocal served
            if served or not route.request.is_navigation_request():
                await route.fallback()
                return
            served = True
            await route.fulfill(status=response.status, headers=_headers(response), body=response.body)

        wanted = response.url.partition("#")[0]
        await page.route(lambda url: url.partition("#")[0] == wanted, serve)
        timeout_ms = 1000 * self._plan.timeout_s
        await page.goto(wanted, wait_until="commit", timeout=timeout_ms)
        await settle(page, timeout_ms)
        tool = await self._reader.begin(page)
        loads = self._plan.scrolls or self._plan.load_more
        loaded = await Loader(page, tool, self._plan).load() if loads else Loaded()
        tree = await self._reader.read(page, tool)
        content = tree.html.encode("utf-8", "replace")
        if len(content) > self._plan.max_bytes:
            raise RenderError(f"its tree has more than {self._plan.max_bytes:,} bytes")
        taken = await take_screenshot(page) if self._plan.screenshots else Screenshot()
        return Rendered(content, page.url, taken.content, taken.note, (*loaded.left, *tree.notices))

    async def _give_access(self, context: BrowserContext) -> None:
        """Give the page the site's cookies, and its own requests to the site's hosts the site's headers."""
        for cookie in self.cookies():
            with contextlib.suppress(Error):  # a server may set a cookie that no browser takes
                await context.add_cookies([cookie])  # type: ignore[list-item]
        if self._plan.headers:
            await context.route(self._own_hosts.has, self._send_headers)

    async def _send_headers(self, route: Route) -> None:
        """Request a file with the site's headers.

        The answer is given to the browser as it is, also if it is a redirect, which the browser then follows by itself. Passing the
        headers to `route.continue_` would send them along a redirect to any host.
        """
        headers = {**route.request.headers, **{name.lower(): value for name, value in self._plan.headers.items()}}
        try:
            answer = await route.fetch(headers=headers, max_redirects=0, timeout=1000 * self._plan.timeout_s)
            await route.fulfill(response=answer)
        except Error:
            with contextlib.suppress(Error):  # the page is closed
                await route.abort()

    async def _running(self) -> Browser:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                self._playwright = self._playwright or await async_playwright().start()
                self._proxy = self._proxy or await self._gateway.start()
                self._browser = await self._launch(self._playwright)
            return self._browser

    async def _launch(self, playwright: Playwright) -> Browser:
        """Start a browser that can reach only the gateway. It runs in its sandbox if the machine allows that."""
        options: dict[str, Any] = {
            "executable_path": chromium.find_executable(),
            "proxy": {
                "server": self._proxy,
                "bypass": "<-loopback>",
                "username": self._gateway.user,
                "password": self._gateway.password,
            },
            "args": [
                *chromium.ARGUMENTS,
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
                "--webrtc-ip-handling-policy=disable_non_proxied_udp",
                "--dns-prefetch-disable",
            ],
        }
        if os.geteuid() != 0:
            try:
                return await playwright.chromium.launch(**options, chromium_sandbox=True)
            except Error as error:
                log.warning("Chromium does not start in its sandbox, it starts without: %s", _first_line(error))
        return await playwright.chromium.launch(**options, chromium_sandbox=False)


def _headers(response: Response) -> dict[str, str]:
    found = {name: response.headers.get(name) for name in PASSED_ON}
    return {name: value.decode("latin-1") for name, value in found.items() if value}


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["it took too long"])[0]
