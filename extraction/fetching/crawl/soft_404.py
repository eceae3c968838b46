"""Sites that answer "not found" with 200: learned by asking for pages that cannot exist.

For each folder of a host (an address without its last segment, numbers aside) one made-up address is asked for, with the ending that the
folder's pages have. When the site says 404, it can be believed there. Otherwise its answer is what missing pages look like:
one that is nearly the same, or that a redirect led to the same address, is one. Bar-Yossef et al. (Sic Transit Gloria Telae, 2004)
do the same with one address of random letters in the page's own folder.
"""

import asyncio
import random
import re
import string
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit, urlunsplit

from extraction.fetching.crawl.pages import WORD, PageView
from extraction.fetching.crawl.repeats import jaccard, shingles
from extraction.fetching.crawl.shapes import IDENTIFIER

MAX_PROBES = 24
"""Made-up addresses that a site is asked for in one crawl. Folders beyond them are judged by the site's root."""

ALIKE = 0.8
"""Jaccard coefficient of word shingles from which a page is a missing one. The words of its own address are left out: such pages
like to say what they could not find."""

MIN_WORDS = 3


@dataclass(frozen=True, slots=True)
class Missing:
    """What a folder answers for a page that does not exist. shingles: None where it says 404. redirected: it led to `final_url`."""

    shingles: frozenset[str] | None = None
    title: str = ""
    final_url: str = ""
    redirected: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for a made-up address. page: None unless it came with 200 and was a page."""

    page: PageView | None
    final_url: str


Ask = Callable[[str], Awaitable[Answer]]


class Soft404:
    """What is known of a site's missing pages. ask: fetches a made-up address."""

    def __init__(self, ask: Ask, *, seed: int | None = None) -> None:
        self._ask = ask
        self._chance = random.Random(seed)  # noqa: S311
        self._known: dict[str, asyncio.Future[Missing]] = {}

    async def reason(self, page: PageView, *, url: str, final_url: str) -> str:
        """Why a page is a missing one; empty when it is not."""
        folder = _folder(url)
        if not urlsplit(url).path.strip("/") and not urlsplit(url).query:
            return ""  # the site's own first page is not missing
        missing = await self._missing(folder, url)
        if missing.redirected and final_url != url and final_url == missing.final_url:
            return "it leads where made-up addresses lead"
        if missing.shingles is None or page.title != missing.title or len(page.words) < MIN_WORDS:
            return ""
        alike = jaccard(missing.shingles, _shingles(page, url)) >= ALIKE
        return "the site answers the same for made-up addresses" if alike else ""

    async def _missing(self, folder: str, url: str) -> Missing:
        known = self._known.get(folder)
        if known is None and len(self._known) >= MAX_PROBES:
            return Missing()
        if known is None:
            known = self._known[folder] = asyncio.get_running_loop().create_future()
            known.set_result(await self._learn(url))
        return await asyncio.shield(known)

    async def _learn(self, url: str) -> Missing:
        made_up = self._made_up(url)
        answer = await self._ask(made_up)
        if answer.page is None:
            return Missing()
        redirected = answer.final_url.rstrip("/") != made_up.rstrip("/")
        return Missing(_shingles(answer.page, made_up), answer.page.title, answer.final_url, redirected)

    def _made_up(self, url: str) -> str:
        """An address in the same folder, with the same ending, of letters that mean nothing."""
        parts = urlsplit(url)
        head, _, last = parts.path.rstrip("/").rpartition("/")
        ending = re.search(r"\.\w{1,5}$", last)
        name = "".join(self._chance.choices(string.ascii_lowercase, k=16)) + (ending.group() if ending else "")
        return urlunsplit((parts.scheme, parts.netloc, f"{head}/{name}", "", ""))


def _shingles(page: PageView, url: str) -> frozenset[str]:
    own = set(WORD.findall(unquote(url).lower()))
    return frozenset(shingles([word for word in page.words if word not in own]))


def _folder(url: str) -> str:
    parts = urlsplit(url)
    head, _, last = parts.path.rstrip("/").rpartition("/")
    ending = re.search(r"\.\w{1,5}$", last)
    return f"{parts.netloc}{IDENTIFIER.sub('*', head)}/{ending.group() if ending else ''}"
