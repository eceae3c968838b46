"""Signing in to a site: at the beginning of a crawl, and again when its pages look signed out."""

import asyncio
import json
from collections.abc import Callable
from http.cookiejar import Cookie
from typing import TYPE_CHECKING, Any

from cssselect import GenericTranslator, SelectorError
from scrapy.http import Response

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.fetching.crawl.judge import JudgedPage
from extraction.fetching.crawl.messages import Outcome
from extraction.fetching.crawl.needs import RenderError
from extraction.fetching.sign_in_steps import SignIn

if TYPE_CHECKING:
    from extraction.fetching.crawl.render import Renderer

MAX_FAILURES = 2
"""After so many failed sign-ins a crawl tries no more, because many sites lock an account after some."""

REFUSALS = frozenset({401, 403})


class Session:
    """The session of a crawl. generation: grows with each sign-in. failure: why the last one failed; "" if it did not."""

    def __init__(self, sign_in: SignIn, renderer: "Renderer", keep: Callable[[str], None]) -> None:
        self._sign_in, self._renderer, self._keep = sign_in, renderer, keep
        self._lock = asyncio.Lock()
        self._failures = 0
        self._marker = _compile(sign_in.marker)
        self.state = sign_in.session
        self.generation = 0
        self.failure = ""

    async def begin(self) -> None:
        """Sign in unless there is a session of an earlier crawl."""
        if not self.state:
            await self.renew(self.generation)

    async def renew(self, generation: int) -> bool:
        """Sign in again, unless that was done since this generation. Return whether there is a new session."""
        async with self._lock:
            if self.generation > generation:
                return True
            if self._failures >= MAX_FAILURES:
                return False
            try:
                self.state = await self._renderer.sign_in(self._sign_in)
            except RenderError as error:
                self._failures += 1
                self.failure = str(error)
                return False
            self.failure = ""
            self.generation += 1
            self._keep(self.state)
            return True

    @property
    def is_renewing(self) -> bool:
        """Whether it is being signed in to; pages that are fetched meanwhile would be signed out."""
        return self._lock.locked()

    def is_marked(self, content: bytes) -> bool:
        """Return whether a page shows what only signed-out visitors see."""
        if self._marker is None:
            return False
        try:
            return bool(parse(content).root.xpath(self._marker))
        except PageError:
            return False

    def looks_signed_out(self, response: Response, judged: JudgedPage) -> bool:
        """Return whether an answer is that for visitors who are not signed in."""
        if judged.outcome is Outcome.SIGNED_OUT or response.status in REFUSALS:
            return True
        return judged.outcome is Outcome.LOGIN_OR_BOT and judged.page is not None and judged.page.has_password

    def explain(self) -> str:
        """Return why pages are signed out although Vertex has steps to sign in."""
        return f"signing in failed: {self.failure}" if self.failure else "it looks signed out, also after signing in again"

    def read_cookies(self) -> list[Cookie]:
        """Return the cookies of the session."""
        return [_read_cookie(each) for each in json.loads(self.state or "{}").get("cookies", [])]

    def list_secrets(self) -> dict[str, str]:
        """Return the values of its cookies, by a name of their own."""
        return {f"session {cookie.name}": cookie.value or "" for cookie in self.read_cookies()}


def _compile(marker: str) -> str | None:
    try:
        return GenericTranslator().css_to_xpath(marker) if marker else None
    except SelectorError:
        return None


def _read_cookie(state: dict[str, Any]) -> Cookie:
    domain, expires = str(state["domain"]), state.get("expires", -1)
    wide = domain.startswith(".")
    plain = wide or "." in domain or ":" in domain
    return Cookie(
        version=0,
        name=str(state["name"]),
        value=str(state["value"]),
        port=None,
        port_specified=False,
        domain=domain if plain else f"{domain}.local",  # as http.cookiejar names hosts without a dot
        domain_specified=wide,
        domain_initial_dot=wide,
        path=str(state.get("path") or "/"),
        path_specified=True,
        secure=bool(state.get("secure")),
        expires=int(expires) if expires and expires > 0 else None,
        discard=not (expires and expires > 0),
        comment=None,
        comment_url=None,
        rest={"HttpOnly": ""} if state.get("httpOnly") else {},
    )
