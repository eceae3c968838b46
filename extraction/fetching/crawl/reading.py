"""Reads the tree of a page that a browser shows, with its open shadow roots and frames, as HTML that every parser reads alike.

Where HTML has no form for them, elements of Vertex's own are written in the place of what they stand for:

    <vertex-shadow>       the content of the open shadow root of the element around it, with what was put into its slots in their places
    <vertex-unslotted>    what is inside that element and shown by none of its slots
    <vertex-frame src>    the content of a frame, with absolute addresses
    data-vertex-rows      on a list that recycles its rows: it has all rows that were seen while scrolling, and this is their number
    data-vertex-tag       the name of an element that could not keep it, such as a paragraph with a block in its shadow root
"""

import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Error, Frame, JSHandle, Page

from extraction.fetching.crawl.messages import CrawlPlan
from extraction.fetching.crawl.own_hosts import OwnHosts
from extraction.fetching.crawl.scope import host_of

SCRIPT = (Path(__file__).parent / "in_page.js").read_text(encoding="utf-8")

MAX_FRAMES = 50
MAX_FRAME_DEPTH = 4
"""How many frames of a page are read, and how deep one may be inside others."""


@dataclass(frozen=True, slots=True)
class ReadTree:
    """A page as HTML. notices: what of the page is missing, in words."""

    html: str
    notices: tuple[str, ...] = ()


class TreeReader:
    """Reads the pages of a crawl."""

    def __init__(self, plan: CrawlPlan, own_hosts: OwnHosts) -> None:
        self._plan = plan
        self._own_hosts = own_hosts
        self._more_hosts = frozenset(plan.frame_hosts)

    async def begin(self, page: Page) -> JSHandle:
        """Return a handle of the functions in `in_page.js`."""
        return await page.evaluate_handle(SCRIPT)

    async def read(self, page: Page, tool: JSHandle) -> ReadTree:
        """Return the tree of a page."""
        reading = _Reading(self, page.main_frame) if self._plan.embedded else None
        inner = await reading.read_frames(page.main_frame, tool, depth=1) if reading else {}
        token = secrets.token_hex(16)
        found = await tool.evaluate("(tool, token) => tool.begin(token)", token)
        notices = list(reading.notices) if reading else []
        if found["gap"]:
            notices.append("a list was scrolled faster than its rows came, so some of them may be missing")
        if found["plain"] or (not self._plan.embedded and not found["rows"]):
            return ReadTree(await page.content(), tuple(notices))
        html = await tool.evaluate("tool => tool.writePage()")
        return ReadTree(_insert(html, token, inner), tuple(notices))

    def reads(self, frame: Frame, above: str) -> bool:
        """Return whether the content of a frame is read: it is the page's own, of the site, or of a host that a person named."""
        url = frame.url
        if url in ("about:srcdoc", "about:blank") or url.startswith("blob:"):
            return True
        parts, outer = urlsplit(url), urlsplit(above)
        if (parts.scheme, parts.netloc) == (outer.scheme, outer.netloc) or self._own_hosts.is_own(url):
            return True
        return parts.scheme in ("http", "https") and not self._more_hosts.isdisjoint((host_of(parts), parts.hostname or ""))


class _Reading:
    """The frames of one page. notices: what was not read of them."""

    def __init__(self, reader: TreeReader, main: Frame) -> None:
        self._reader = reader
        self._main = main
        self._read = 0
        self.notices: list[str] = []

    async def read_frames(self, frame: Frame, tool: JSHandle, *, depth: int) -> dict[int, str]:
        """Return {number: content} of the frames in a frame, and give their elements these numbers."""
        found: dict[int, str] = {}
        for number, child in enumerate(frame.child_frames):
            if not self._reader.reads(child, frame.url):
                continue
            if self._read >= MAX_FRAMES or depth > MAX_FRAME_DEPTH:
                self.notices = [f"it has more frames than are read: {MAX_FRAMES}, and {MAX_FRAME_DEPTH} inside each other"]
                break
            self._read += 1
            try:
                content = await self._read_one(child, depth)
                element = await child.frame_element()
                await tool.evaluate("(tool, [element, number]) => tool.nameFrame(element, number)", [element, number])
            except Error:
                self.notices.append(f"a frame could not be read: {child.url[:200]}")
                continue
            found[number] = content
        return found

    async def _read_one(self, frame: Frame, depth: int) -> str:
        tool = await frame.evaluate_handle(SCRIPT)
        inner = await self.read_frames(frame, tool, depth=depth + 1)
        token = secrets.token_hex(16)
        await tool.evaluate("(tool, token) => tool.begin(token)", token)
        return _insert(await tool.evaluate("tool => tool.writeBody()"), token, inner)


def _insert(html: str, token: str, frames: dict[int, str]) -> str:
    """Put the content of frames into their places. The token is new for each page, so a page cannot name a place itself."""
    for number, content in frames.items():
        html = html.replace(f"<!--{token}:{number}-->", content)
    return html
