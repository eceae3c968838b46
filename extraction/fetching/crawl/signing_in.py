"""The steps of a sign-in in a browser, one after the other, and what the page shows at the end or where a step fails."""

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.async_api import Error, Frame, Locator, Page

from extraction.fetching.crawl.needs import RenderError
from extraction.fetching.sign_in_steps import Act, SignIn, SignInStep

QUIET_MS = 4_000
"""How long to wait after a page has loaded for its scripts to stop fetching."""

STEP_S = 20.0
"""How long a step of a sign-in may take."""

LOOK_S = 0.1
"""How long to wait before looking for an element again."""

SHOWN_CHARS = 20_000
"""How much of a page's text is read. Less of it is told, once the secrets are taken out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInTrial:
    """What came of the steps. It may show what was entered, if the page shows it.

    session: what a browser keeps of the sign-in; "" if it failed.
    failure: what went wrong, in words that show nothing of what was entered; "" if nothing did.
    step: the number of the last step that was taken or failed.
    url, title, text: of the page at the end.
    """

    session: str = field(default="", repr=False)
    failure: str = ""
    step: int = 0
    url: str = ""
    title: str = ""
    text: str = field(default="", repr=False)


async def take_steps(page: Page, sign_in: SignIn, *, strict: bool) -> SignInTrial:
    """Take all steps of a sign-in. strict: as in `Renderer.try_sign_in`."""
    number = 0
    try:
        for number, step in enumerate(sign_in.steps, 1):
            await _take_step(page, step, number)
        await settle(page, 1000 * STEP_S)
        failure = await _find_leftover(page, sign_in, strict=strict)
    except RenderError as error:
        failure = str(error)
    session = "" if failure else json.dumps(await page.context.storage_state())
    title, text = await _read_shown(page)
    return SignInTrial(session=session, failure=failure, step=number, url=page.url, title=title, text=text)


async def settle(page: Page, timeout_ms: float) -> None:
    """Wait until a page has loaded and is quiet. After the time limit, the page is taken as it is."""
    with contextlib.suppress(Error):
        await page.wait_for_load_state("load", timeout=timeout_ms / 2)
        await page.wait_for_load_state("networkidle", timeout=min(QUIET_MS, timeout_ms / 2))


async def _take_step(page: Page, step: SignInStep, number: int) -> None:
    """Take one step of a sign-in. Raises RenderError, which names the step and not what it enters."""
    longest = 1000 * STEP_S
    try:
        if step.act is Act.OPEN:
            await page.goto(step.at, wait_until="load", timeout=longest)
            return
        element = await _wait_for(page, step.at)
        if step.act is Act.FILL:
            await element.fill(step.text, timeout=longest)
        elif step.act is Act.CLICK:
            await element.click(timeout=longest)
            await settle(page, longest)
    except Error as error:
        reason = "the address did not open" if step.act is Act.OPEN else f"no such element could be used within {STEP_S:.0f} seconds"
        raise RenderError(f"step {number} ({step}): {reason}") from error


async def _wait_for(page: Page, at: str) -> Locator:
    """Return the first visible element of a selector. Raises playwright's Error if there is none in time."""
    until = time.monotonic() + STEP_S
    while time.monotonic() < until:
        found = await _find_visible(page, at)
        if found is not None:
            return found
        await asyncio.sleep(LOOK_S)
    raise Error(f"nothing that {at} selects is visible")


async def _find_visible(page: Page, at: str) -> Locator | None:
    """Return the first visible element of a selector in a page or in its frames of the same host.

    Frames of other hosts, such as advertisements, must not get what is entered.
    """
    for frame in page.frames:
        if _read_host(frame) == _read_host(page.main_frame):
            element = frame.locator(f"css={at}").first
            if await element.is_visible():
                return element
    return None


def _read_host(frame: Frame) -> str:
    """Return the host of a frame. One without an address of its own, such as about:srcdoc, belongs to the frame around it."""
    while frame.parent_frame is not None and frame.url.startswith("about:"):
        frame = frame.parent_frame
    return urlsplit(frame.url).netloc


async def _find_leftover(page: Page, sign_in: SignIn, *, strict: bool) -> str:
    """Return what the page still shows although it would not if the sign-in had worked; "" if it shows no such thing."""
    if sign_in.marker and await _find_visible(page, sign_in.marker):
        return f"after the last step the page still shows {sign_in.marker}"
    for step in sign_in.steps if strict else ():
        element = await _find_visible(page, step.at) if step.act is Act.FILL else None
        if element is not None and await element.get_attribute("type") == "password":
            return f"after the last step the page still asks for the password ({step.at})"
    return ""


async def _read_shown(page: Page) -> tuple[str, str]:
    """Return the title and the text of a page, as people see them."""
    with contextlib.suppress(Error):
        text = await page.evaluate("() => document.body ? document.body.innerText : ''")
        return (await page.title())[:200], " ".join(str(text).split())[:SHOWN_CHARS]
    return "", ""
