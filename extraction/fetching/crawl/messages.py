"""What the parent tells a crawling child and what it hears from it: one JSON object a line each way.

The plan goes first, then commands. Events come back; a file that an event names stands whole in the plan's spool folder
before the event is written, and the parent deletes it once stored.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from extraction.algorithms.json_values import JsonShapeError, plain, read

MEBIBYTE = 1024**2


class Outcome(StrEnum):
    """What became of an address. Only those of `CONTENT` brought a page that is the site's."""

    OK = "ok"
    NOT_MODIFIED = "not_modified"
    NOT_FOUND = "not_found"
    GONE = "gone"
    MOVED = "moved"  # it redirects out of the crawl's scope, or without end
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    REFUSED_BY_ROBOTS = "refused_by_robots"
    LOGIN_OR_BOT = "login_or_bot"
    SOFT_404 = "soft_404"
    EMPTY = "empty"
    NOT_HTML = "not_html"
    TOO_LARGE = "too_large"
    REFUSED_ADDRESS = "refused_address"  # for safety: a private address, or a scheme or port that no web site has
    UNREACHABLE = "unreachable"
    DUPLICATE = "duplicate"  # the same page as one fetched before, or of a trap that repeats itself


CONTENT = frozenset({Outcome.OK, Outcome.DUPLICATE})


class Rendering(StrEnum):
    """Whether pages go through a browser. when_needed: where the plain page lacks what a browser shows."""

    NEVER = "never"
    ALWAYS = "always"
    WHEN_NEEDED = "when_needed"


class EndReason(StrEnum):
    """Why a crawl ended."""

    FINISHED = "finished"  # nothing in scope is left
    PAGE_LIMIT = "page_limit"
    SETTLED = "settled"  # a sample: new pages bring nothing new any more
    STOPPED = "stopped"  # by command
    FAILED = "failed"  # the message says why


class Command(StrEnum):
    """What the parent may say after the plan."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"

    def to_json(self) -> str:
        """One line, without its end."""
        return json.dumps({"command": self.value})

    @classmethod
    def from_json(cls, line: str | bytes) -> "Command":
        """The command of a line. Raises JsonShapeError."""
        try:
            return cls(str(_object(line).get("command")))
        except ValueError as error:
            raise JsonShapeError(f"no command: {line[:200]!r}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address of the frontier.

    via: the page or sitemap that named it. etag, last_modified: of what is kept of it already, so that an unchanged page is not sent
    again (`Outcome.NOT_MODIFIED`). wanted: it is fetched whatever a sample has enough of.
    """

    url: str
    depth: int = 0
    via: str = ""
    etag: str = ""
    last_modified: str = ""
    wanted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPlan:
    """All that a crawl is told.

    spool: an existing folder for what is fetched.
    start, sitemaps, feeds, url_lists: addresses of pages to start from, of sitemaps or their indexes, of RSS or Atom feeds, of
    lists of addresses (text or CSV). urls: addresses themselves, as of a list that was uploaded; `sources.read_url_list` reads one.
    robots_sitemaps: whether the sitemaps that a start address's robots.txt names are read too, /sitemap.xml where it names none.
    follow_links, follow_pagination: whether links are followed; whether "next" links are, which do not count as a level of depth.
    allowed_hosts: hosts whose pages are in scope, each as ``host`` or ``host:port``, ``.host`` for its subdomains too; empty: the
    hosts of the addresses above, with and without ``www.``.
    include, exclude: patterns of addresses in which ``*`` stands for any characters: ``/book/*`` of paths, ``a.example/book/*`` with
    the host. With include, only what fits one of them is fetched beside the addresses given here; what fits exclude never is.
    max_depth: levels of links from the start, None for any. page_limit: pages kept, None for any.
    sample: take pages spread over the site's URL patterns and end when they bring nothing new.
    queued, known: the frontier of a crawl that goes on: what is still to fetch, and addresses that were fetched before.
    delay_s: least time between two requests to a host; a Crawl-delay of robots.txt can only raise it. concurrency: requests to a host
    at once. autothrottle: slow down with the site's latency.
    contact: a web or e-mail address of who is responsible, which goes into the user agent.
    proxy: address of a proxy for all requests, "" for none. headers: more request headers (never sent outside of the scope).
    verify_certificates: whether a host whose certificate is not valid is unreachable.
    permitted: hosts as ``host`` or ``host:port`` that are fetched even where their addresses are private.
    timeout_s: of one answer, however slowly it drips. max_bytes: of one answer, unpacked. retries: after a server's error or a time-out.
    soft_404: learn what the site answers for pages that it does not have.
    screenshots, assets: of rendered pages; stylesheets and pictures of pages. files: addresses of stylesheets, pictures and fonts that
    are fetched as they are, of any host; each that could be is told as an `Asset` without a page.
    """

    spool: str
    start: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    url_lists: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    robots_sitemaps: bool = True
    follow_links: bool = True
    follow_pagination: bool = True
    allowed_hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    page_limit: int | None = None
    sample: bool = False
    queued: tuple[Address, ...] = ()
    known: tuple[str, ...] = ()
    delay_s: float = 0.5
    concurrency: int = 4
    autothrottle: bool = True
    obey_robots: bool = True
    contact: str = ""
    proxy: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    verify_certificates: bool = True
    permitted: tuple[str, ...] = ()
    timeout_s: float = 60.0
    max_bytes: int = 32 * MEBIBYTE
    max_redirects: int = 10
    retries: int = 2
    soft_404: bool = True
    rendered: Rendering = Rendering.NEVER
    screenshots: bool = False
    assets: bool = False
    files: tuple[str, ...] = ()

    def to_json(self) -> str:
        """One line, without its end."""
        return json.dumps(plain(self))

    @classmethod
    def from_json(cls, line: str | bytes) -> "CrawlPlan":
        """The plan of a line. Raises JsonShapeError."""
        return read(cls, _object(line), key="the plan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Addresses in scope that were not known before."""

    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An address is done.

    url: as it was queued. final_url: where it led. status: of HTTP, None where there was no answer. headers: lower-case names, those of
    `KEPT_HEADERS`. fetched_at: ISO 8601 with offset. body: file of the bytes as received, content-encoding undone; None where nothing
    was kept. rendered: file of the tree as a browser had it, UTF-8 HTML. screenshot: file, PNG. size_bytes: of the body.
    elapsed_s: from request to answer. same_as: of a duplicate, the address of the page it repeats, where known. message: for people.
    """

    url: str
    outcome: Outcome
    final_url: str = ""
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    fetched_at: str = ""
    body: str | None = None
    rendered: str | None = None
    screenshot: str | None = None
    size_bytes: int = 0
    depth: int = 0
    elapsed_s: float = 0.0
    same_as: str = ""
    message: str = ""


KEPT_HEADERS = ("content-type", "last-modified", "etag", "content-language", "location")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A stylesheet or picture of a page. body: its file."""

    url: str
    page_url: str
    content_type: str
    body: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the crawl is; comes every few seconds, while paused too. fetched: addresses done. bytes: of their bodies."""

    fetched: int
    queued: int
    bytes: int
    by_outcome: Mapping[str, int]
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The last event."""

    reason: EndReason
    message: str = ""


Event = Found | Fetched | Asset | Progress | Done

_NAMES: dict[str, type[Event]] = {"found": Found, "fetched": Fetched, "asset": Asset, "progress": Progress, "done": Done}
_KINDS = {kind: name for name, kind in _NAMES.items()}


def event_to_json(event: Event) -> str:
    """One line, without its end."""
    return json.dumps({"event": _KINDS[type(event)]} | plain(event))


def event_from_json(line: str | bytes) -> Event:
    """The event of a line. Raises JsonShapeError."""
    data = _object(line)
    kind = _NAMES.get(str(data.get("event")))
    if kind is None:
        raise JsonShapeError(f"no event: {line[:200]!r}")
    return read(kind, data, key=str(data["event"]))


def _object(line: str | bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise JsonShapeError(f"not JSON: {line[:200]!r}") from error
    if not isinstance(data, dict):
        raise JsonShapeError(f"not a JSON object: {line[:200]!r}")
    return data
