"""Soft 404s: "not found" pages that a site sends with status 200. They are learned by requesting pages that cannot exist.

One made-up address is requested for each folder of a host. A folder is the address without its last segment, with numbers and
identifiers replaced and with the ending of its pages. If the site answers 404, its statuses are trusted in that folder. Otherwise the
answer shows what missing pages look like: a page is missing if it is nearly the same as the answer, or if it redirects to the same
address. Bar-Yossef et al. (Sic Transit Gloria Telae, 2004) do the same with one address of random letters in the page's folder.
"""

import asyncio
import random
import re
import string
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit, urlunsplit

from extraction.fetching.crawl.pages import WORD, ParsedView
from extraction.fetching.crawl.repeats import jaccard, shingles
from extraction.fetching.crawl.shapes import IDENTIFIER

MAX_PROBES = 24
"""The largest number of made-up addresses requested in one crawl. In folders beyond them, no page is taken for missing."""

ALIKE = 0.8
"""A page is missing if its word shingles have at least this Jaccard coefficient with the learned answer. The words of the page's own
address are left out, because many "not found" pages repeat them."""

MIN_WORDS = 3


@dataclass(frozen=True, slots=True)
class Missing:
    """What the site answers in a folder for a page that does not exist.

    shingles: the word shingles of the answer; None if the site answers with an error such as 404.
    title: the title of the answer.
    final_url: the address after redirects.
    redirected: whether the request was redirected to `final_url`.
    """

    shingles: frozenset[str] | None = None
    title: str = ""
    final_url: str = ""
    redirected: bool = False


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The answer to a request for a made-up address. page: None unless the answer was a page with status 200."""

    page: ParsedView | None
    final_url: str


Ask = Callable[[str], Awaitable[ProbeAnswer]]


class Soft404:
    """What is known about a site's missing pages. ask: fetches a made-up address."""

    def __init__(self, ask: Ask, *, seed: int | None = None) -> None:
        self._ask = ask
        self._chance = random.Random(seed)  # noqa: S311
        self._known: dict[str, asyncio.Future[Missing]] = {}

    async def reason(self, page: ParsedView, *, url: str, final_url: str) -> str:
        """Return why a page is a soft 404; empty if it is not."""
        folder = _folder(url)
        if not urlsplit(url).path.strip("/") and not urlsplit(url).query:
            return ""  # the site's home page is never missing
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
        """Return an address in the same folder with the same ending and a name of random letters."""
        parts = urlsplit(url)
        head, _, last = parts.path.rstrip("/").rpartition("/")
        ending = re.search(r"\.\w{1,5}$", last)
        name = "".join(self._chance.choices(string.ascii_lowercase, k=16)) + (ending.group() if ending else "")
        return urlunsplit((parts.scheme, parts.netloc, f"{head}/{name}", "", ""))


def _shingles(page: ParsedView, url: str) -> frozenset[str]:
    own = set(WORD.findall(unquote(url).lower()))
    return frozenset(shingles([word for word in page.words if word not in own]))


def _folder(url: str) -> str:
    parts = urlsplit(url)
    head, _, last = parts.path.rstrip("/").rpartition("/")
    ending = re.search(r"\.\w{1,5}$", last)
    return f"{parts.netloc}{IDENTIFIER.sub('*', head)}/{ending.group() if ending else ''}"
