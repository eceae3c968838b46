"""The steps of a sign-in in a browser, one after the other, and what the page shows at the end or where a step fails."""

import asyncio
import contextlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from playwright.async_api import Error, Locator, Page

from extraction.fetching.crawl.form_reading import FormReading, list_elsewhere, mark_controls
from extraction.fetching.crawl.needs import RenderError
from extraction.fetching.crawl.shown_elements import find_visible
from extraction.fetching.crawl.shown_forms import ShownForms
from extraction.fetching.hidden_texts import shows_secret
from extraction.fetching.sign_in_steps import Act, SignIn, SignInStep

QUIET_MS = 4_000
"""How long to wait after a page has loaded for its scripts to stop fetching."""

STEP_S = 20.0
"""How long a step of a sign-in may take."""

PASSWORD_S = 10.0
"""How long a page may take to show its field for the password after a click."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAt:
    """What a page showed after steps, before the sign-in was complete. Like `SignInTrial`, it may show what was entered.

    forms: the forms of the page, if these were asked for.
    password_field, button: selectors of the field for the password and of its button; "" if there are none.
    """

    trial: SignInTrial
    forms: ShownForms = field(default_factory=ShownForms)
    password_field: str = ""
    button: str = ""


async def take_steps(page: Page, sign_in: SignIn, *, strict: bool) -> SignInTrial:
    """Take all steps of a sign-in. strict: as in `Renderer.try_sign_in`."""
    taken = _Taken()
    try:
        await taken.take(page, sign_in.steps)
        await settle(page, 1000 * STEP_S)
        failure = await _find_leftover(page, sign_in, strict=strict)
    except RenderError as error:
        failure = str(error)
    session = "" if failure else json.dumps(await page.context.storage_state())
    return await _tell(page, taken, failure, session=session)


async def list_forms(page: Page, sign_in: SignIn, secrets: Mapping[str, str]) -> LookedAt:
    """Take the steps of a sign-in and return the forms that the page shows then. secrets: what selectors may not show."""
    taken, forms, failure = _Taken(), ShownForms(), ""
    try:
        await taken.take(page, sign_in.steps)
        await settle(page, 1000 * STEP_S)
        await mark_controls(page)
        reading = FormReading(page, accepts=lambda selector: not shows_secret(selector, secrets))
        await reading.read()
        forms = await reading.show()
    except RenderError as error:
        failure = str(error)
    return LookedAt(trial=await _tell(page, taken, failure), forms=forms)


async def find_password(page: Page, sign_in: SignIn, secrets: Mapping[str, str]) -> LookedAt:
    """Take the steps of a sign-in, and find the field for the password that the last one brings, and its button.

    secrets: what selectors may not show.
    """
    taken, at, button, failure = _Taken(), "", "", ""
    try:
        await taken.take(page, sign_in.steps[:-1])
        await mark_controls(page, remember=True)
        await taken.take(page, sign_in.steps[-1:])
        at, button = await _choose_password(page, sign_in, secrets)
    except RenderError as error:
        failure = str(error)
    return LookedAt(trial=await _tell(page, taken, failure), password_field=at, button=button)


async def _choose_password(page: Page, sign_in: SignIn, secrets: Mapping[str, str]) -> tuple[str, str]:
    """Return selectors of the first visible field for a password and of its button. Raises RenderError."""
    last = f"after step {len(sign_in.steps)} ({sign_in.steps[-1]})"
    if not await _wait_for_password(page):
        elsewhere = await list_elsewhere(page)
        there = f"; a frame of another host has fields: {elsewhere[0]}" if elsewhere else ""
        raise RenderError(f"{last} the page shows no field for the password{there}")
    filled = {step.at for step in sign_in.steps if step.act is Act.FILL}  # no two steps fill in the same selector
    reading = FormReading(page, accepts=lambda selector: selector not in filled and not shows_secret(selector, secrets))
    await reading.read()
    for found in reading.found:
        for each in found.form.fields:
            if each.kind == "password":
                # With the type, the selector finds no field for the name while the next page is on its way.
                at = await reading.choose_selector(found, each, only='[type="password"]')
                button = await reading.choose_selector(found, found.form.button) if found.form.button else ""
                if not at:
                    raise RenderError(f"{last} the page asks for the password in a field that no selector finds alone")
                if not button:
                    raise RenderError(f"{last} the page asks for the password, but its form has no button that a selector finds alone")
                return at, button
    raise RenderError(f"{last} the page shows no field for the password")


async def _wait_for_password(page: Page) -> bool:
    """Return whether a page shows a field for a password that was not there before, in time."""
    until = time.monotonic() + PASSWORD_S
    while time.monotonic() < until:
        if await mark_controls(page):
            await settle(page, 1000 * STEP_S)
            return await mark_controls(page) > 0
        await asyncio.sleep(LOOK_S)
    return False


class _Taken:
    """The steps that were taken. number: of the last one."""

    def __init__(self) -> None:
        self.number = 0

    async def take(self, page: Page, steps: Iterable[SignInStep]) -> None:
        """Take further steps. Raises RenderError."""
        for step in steps:
            self.number += 1
            await _take_step(page, step, self.number)


async def _tell(page: Page, taken: _Taken, failure: str, *, session: str = "") -> SignInTrial:
    title, text = await _read_shown(page)
    return SignInTrial(session=session, failure=failure, step=taken.number, url=page.url, title=title, text=text)


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
        found = await find_visible(page, at)
        if found is not None:
            return found
        await asyncio.sleep(LOOK_S)
    raise Error(f"nothing that {at} selects is visible")


async def _find_leftover(page: Page, sign_in: SignIn, *, strict: bool) -> str:
    """Return what the page still shows although it would not if the sign-in had worked; "" if it shows no such thing."""
    if sign_in.marker and await find_visible(page, sign_in.marker):
        return f"after the last step the page still shows {sign_in.marker}"
    filled = [step.at for step in sign_in.steps if strict and step.act is Act.FILL]
    for at in filled:
        element = await find_visible(page, at)
        if element is not None and await element.get_attribute("type") == "password":
            return f"after the last step the page still asks for the password ({at})"
    # A site that asks for the name first asks for it again after a wrong password.
    if filled and sign_in.has_second_page() and await find_visible(page, filled[0]):
        return f"after the last step the page asks again for what comes first ({filled[0]})"
    return ""


async def _read_shown(page: Page) -> tuple[str, str]:
    """Return the title and the text of a page, as people see them."""
    with contextlib.suppress(Error):
        text = await page.evaluate("() => document.body ? document.body.innerText : ''")
        return (await page.title())[:200], " ".join(str(text).split())[:SHOWN_CHARS]
    return "", ""
