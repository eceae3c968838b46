"""Judges what an answer is. The steps: plain page, rendered page, walls, missing pages, repetitions."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from scrapy.http import Response

from extraction.algorithms.errors import PageError
from extraction.algorithms.sketches.shingles import compute_vector
from extraction.fetching.crawl import outcomes
from extraction.fetching.crawl.frontier import Frontier
from extraction.fetching.crawl.messages import NEARLY_SAME, Address, CrawlPlan, Outcome
from extraction.fetching.crawl.needs import Needs, Rendered, RenderError
from extraction.fetching.crawl.pages import ParsedView, view
from extraction.fetching.crawl.repeats import WALL_PATHS, Repeats
from extraction.fetching.crawl.sampling import ShapeQueue
from extraction.fetching.crawl.shapes import Shape
from extraction.fetching.crawl.soft_404 import Soft404

if TYPE_CHECKING:
    from extraction.fetching.crawl.near import NearDuplicates
    from extraction.fetching.crawl.render import Renderer


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What an answer is.

    message: the reason in words.
    page: None if the answer is not a page.
    rendered: the rendered page, if it is used.
    same_as: for a duplicate, the address of the earlier page.
    """

    outcome: Outcome
    message: str = ""
    page: ParsedView | None = None
    rendered: Rendered | None = None
    same_as: str = ""


class Judge:
    """Judges answers by what the crawl has seen so far."""

    def __init__(self, plan: CrawlPlan, frontier: Frontier, soft_404: Soft404, renderer: "Renderer | None") -> None:
        self._plan = plan
        self._frontier = frontier
        self._soft_404 = soft_404
        self._renderer = renderer
        self._needs = Needs(plan.rendered)
        self._near = _near_duplicates() if plan.sample else None
        self.repeats = Repeats()
        self.is_signed_out: Callable[[bytes], bool] = lambda _content: False

    async def judge(self, response: Response, address: Address, shape: Shape) -> JudgedPage:
        """Return what the answer for an address is."""
        headers = {name.decode("latin-1").lower(): "" for name in response.headers}
        if verdict := outcomes.judge_status(response.status, headers=headers):
            return JudgedPage(verdict.outcome, verdict.message)
        content_type = _content_type(response)
        if not response.body.strip():
            return JudgedPage(Outcome.EMPTY, "it has no content")
        # Addresses from the plan, a sitemap or a feed have depth 0; those from links are deeper.
        if not outcomes.is_page(response.body, content_type=content_type, asked=address.depth == 0):
            return JudgedPage(Outcome.NOT_HTML, outcomes.judge_no_page(response.body, content_type=content_type))
        try:
            page = view(response.body, url=response.url, content_type=content_type)
        except PageError as error:
            return JudgedPage(Outcome.NOT_HTML, str(error))
        judged = await self._render(response, page, shape)
        return await self._judge_content(response, address, judged)

    def judge_unchanged(self, response: Response, message: str) -> JudgedPage:
        """Return the verdict on a page that is as it is stored. It is read if its bytes are there, so that repetitions of it are known.

        message: how it is known that it has not changed, in words.
        """
        same_as = ""
        if response.status == HTTPStatus.OK:
            with suppress(PageError):
                page = view(response.body, url=response.url, content_type=_content_type(response))
                self.repeats.canonical(page, response.url)
                same_as, _ = self.repeats.same(page, response.url)
                self._frontier.ignore(self.repeats.ignored)
        return JudgedPage(Outcome.NOT_MODIFIED, message, same_as=same_as)

    def keep(self, response: Response, shape: Shape) -> None:
        """Add a page to the sample. Does nothing in other crawls."""
        if isinstance(self._frontier.queue, ShapeQueue):
            self._frontier.queue.kept(shape, compute_vector(response.body))

    async def _render(self, response: Response, page: ParsedView, shape: Shape) -> JudgedPage:
        """Return the page as a browser shows it, if it needs one; else the plain page."""
        plain = JudgedPage(Outcome.OK, page=page)
        if self._renderer is None or page.is_xml or not self._needs.rendering(page, shape):
            return plain
        try:
            rendered = await self._renderer.render(response)
            seen = view(rendered.content, url=rendered.url, content_type="text/html; charset=utf-8")
        except (RenderError, PageError) as error:
            return replace(plain, message=f"not rendered: {error}")
        if reason := self._frontier.refusal(rendered.url):
            return replace(plain, message=f"not rendered: its scripts lead to {rendered.url}, {reason}")
        if not self._needs.compare(page, seen, shape):
            return plain
        return JudgedPage(Outcome.OK, page=seen, rendered=rendered)

    async def _judge_content(self, response: Response, address: Address, judged: JudgedPage) -> JudgedPage:
        page = judged.page
        if page is None:
            return judged
        url = address.url
        source = judged.rendered.content if judged.rendered else response.body
        if self.is_signed_out(source):
            return replace(judged, outcome=Outcome.SIGNED_OUT, message="it shows what only signed-out visitors see")
        if wall := outcomes.judge_wall(source, page, final_url=response.url, asked_url=url):
            return replace(judged, outcome=wall.outcome, message=wall.message)
        if page.refresh and len(page.words) < outcomes.FEW_WORDS and not self._frontier.is_same(page.refresh, response.url):
            return replace(judged, outcome=Outcome.MOVED, message=f"it redirects to {page.refresh}")
        if outcomes.is_empty(page):
            return replace(judged, outcome=Outcome.EMPTY, message="it shows neither text nor pictures")
        if self._plan.soft_404 and (reason := await self._soft_404.reason(page, url=url, final_url=response.url)):
            return replace(judged, outcome=Outcome.SOFT_404, message=reason)
        return self._judge_repetition(response, judged, page)

    def _judge_repetition(self, response: Response, judged: JudgedPage, page: ParsedView) -> JudgedPage:
        self.repeats.canonical(page, response.url)
        same_as, paths = self.repeats.same(page, response.url)
        self._frontier.ignore(self.repeats.ignored)
        if paths >= WALL_PATHS:
            return replace(judged, outcome=Outcome.LOGIN_OR_BOT, message=f"the same page for {paths} addresses and more", same_as=same_as)
        if same_as:
            return replace(judged, outcome=Outcome.DUPLICATE, message="it shows the same", same_as=same_as)
        if self._near and (near := self._near.earlier(page, response.url)):
            return replace(judged, outcome=Outcome.DUPLICATE, message=NEARLY_SAME, same_as=near)
        return judged


def _near_duplicates() -> "NearDuplicates":
    from extraction.fetching.crawl.near import NearDuplicates

    return NearDuplicates()


def _content_type(response: Response) -> str:
    return (response.headers.get("Content-Type") or b"").decode("latin-1")
