"""The messages between the parent and the crawling child: one JSON object per line in each direction.

The parent sends the plan first and then commands. The child sends events. A file that an event names is complete in the plan's spool
folder before the event is written; the parent deletes it once it has stored it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from extraction.algorithms.json_values import JsonShapeError, plain, read
from extraction.fetching.crawl.shown_forms import ShownForms
from extraction.fetching.request_headers import list_secrets
from extraction.fetching.sign_in_steps import SignIn

MEBIBYTE = 1024**2


class Outcome(StrEnum):
    """The result of an address. Only those in `CONTENT` gave a page of the site."""

    OK = "ok"
    NOT_MODIFIED = "not_modified"
    NOT_FOUND = "not_found"
    GONE = "gone"
    MOVED = "moved"  # a redirect out of the crawl's scope, without end or without a target, or a meta refresh
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    REFUSED_BY_ROBOTS = "refused_by_robots"
    LOGIN_OR_BOT = "login_or_bot"
    SIGNED_OUT = "signed_out"  # although the plan has steps to sign in
    SOFT_404 = "soft_404"
    EMPTY = "empty"
    NOT_HTML = "not_html"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"  # reading it killed or hung the crawling process
    REFUSED_ADDRESS = "refused_address"  # for safety (a private address, or a scheme or port that no web site has), or out of scope
    UNREACHABLE = "unreachable"
    DUPLICATE = "duplicate"  # the same page as one fetched before, or a page of a trap that repeats itself without end


NEARLY_SAME = "it shows nearly the same"
"""What is said of a duplicate whose page differs a little from the one that it repeats."""

CONTENT = frozenset({Outcome.OK, Outcome.DUPLICATE})


class RenderMode(StrEnum):
    """Whether pages are rendered in a browser. when_needed: if the plain page lacks what a browser shows."""

    NEVER = "never"
    ALWAYS = "always"
    WHEN_NEEDED = "when_needed"


class EndReason(StrEnum):
    """Why a crawl ended."""

    FINISHED = "finished"  # nothing in scope is left
    PAGE_LIMIT = "page_limit"
    SETTLED = "settled"  # a sample: more pages show nothing new
    STOPPED = "stopped"  # by command
    FAILED = "failed"  # the message says why


class Command(StrEnum):
    """What the parent may send after the plan."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"

    def to_json(self) -> str:
        """Return the command as a line, without the line end."""
        return json.dumps({"command": self.value})

    @classmethod
    def from_json(cls, line: str | bytes) -> "Command":
        """Return the command in a line. Raises JsonShapeError."""
        try:
            return cls(str(_object(line).get("command")))
        except ValueError as error:
            raise JsonShapeError(f"no command: {line[:200]!r}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address of the frontier.

    depth: levels of links from the start.
    via: the page or sitemap that named it.
    etag, last_modified: those of the stored page, so that the site need not send an unchanged page again (`Outcome.NOT_MODIFIED`).
    sha256: of the stored page's bytes; the links of an answer with the same bytes are not followed again, and its outcome is
        `NOT_MODIFIED`, too. Empty if they are to be followed in any case.
    wanted: whether to fetch it even if a sample has enough pages of its shape.
    """

    url: str
    depth: int = 0
    via: str = ""
    etag: str = ""
    last_modified: str = ""
    sha256: str = ""
    wanted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search of the site, which is asked for each term.

    address: of the page with the form; "" for none.
    fields: which fields are filled in, as `search_terms.read_fields` reads them.
    terms: in their order.
    pages: the most result pages of one term.
    """

    address: str = ""
    fields: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    pages: int = 20


class TermState(StrEnum):
    """What a search said to a term."""

    WAITING = "waiting"  # it was not asked
    FOUND = "found"
    NOTHING = "nothing"
    UNCLEAR = "unclear"  # it was asked, and it cannot be told whether it found anything
    FAILED = "failed"  # there was no answer; the message says why


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedTerm:
    """A term and what its first result page says.

    url: the address of that page; "" if there is none.
    links: how many links of the site it has that the answer for a made-up term has not; None if that is not known.
    message: an explanation for people.
    """

    term: str
    url: str = ""
    state: TermState = TermState.WAITING
    links: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPlan:
    """Everything that the child needs to know about a crawl.

    spool: an existing folder for the fetched files.
    start: addresses of the pages to start from.
    sitemaps: addresses of sitemaps or sitemap indexes.
    feeds: addresses of RSS or Atom feeds.
    url_lists: addresses of lists of addresses (text or CSV).
    urls: addresses to fetch, for example from an uploaded list, which `sources.read_url_list` reads.
    search: a search of the site, whose result pages are start pages, too.
    robots_sitemaps: whether to read the sitemaps in the robots.txt of each start address, or /sitemap.xml if it names none.
    follow_links: whether to follow links.
    follow_pagination: whether to follow "next" links, which do not count as a level of depth.
    allowed_hosts: hosts whose pages are in scope, each as ``host`` or ``host:port``, or as ``.host`` to include subdomains; if empty,
        the hosts of the addresses above, with and without ``www.``.
    include: patterns in which ``*`` stands for any characters, either a path (``/book/*``) or with the host (``a.example/book/*``).
        If there are any, links are only followed to addresses that match one. The addresses given in the plan need not match.
    exclude: patterns like those of `include`; addresses that match one are never fetched.
    max_depth: levels of links from the start; None for no limit.
    page_limit: the most pages to keep; None for no limit.
    most_requests: the most addresses of pages to ask for; None for no limit.
    sample: whether to fetch pages spread over the site's URL patterns and to end when they show nothing new.
    queued: of a crawl that is resumed: the addresses that are still to fetch.
    known: of a crawl that is resumed: the addresses that were fetched before.
    delay_s: the least time between two requests to a host; a Crawl-delay of robots.txt can only raise it.
    concurrency: the most requests to one host at a time.
    autothrottle: whether to slow down with the site's latency.
    obey_robots: whether to obey robots.txt.
    contact: a web or e-mail address of the person responsible, which becomes part of the user agent.
    proxy: the address of the operator's proxy for all requests, whose own address is not checked; "" for none.
    site_proxy: the address of the site's proxy, which a person chose; its own address is checked like that of a site. "" for none.
    headers: additional request headers, which are only sent to hosts in scope.
    cookies: cookies that the site gets from the start, which are only sent to hosts in scope.
    secure_only: whether headers and cookies are only sent over https.
    verify_certificates: whether to treat a host with an invalid certificate as unreachable.
    permitted: hosts, as ``host`` or ``host:port``, that may be fetched even if their addresses are private.
    timeout_s: the longest time for one answer, however slowly it arrives.
    max_bytes: the most bytes of one answer, unpacked.
    max_redirects: the most redirects in a row.
    retries: how often to try again after a server error or a time-out.
    soft_404: whether to learn what the site answers for pages that do not exist.
    rendered: whether to render pages in a browser.
    screenshots: whether to take screenshots of rendered pages.
    load_more: a CSS selector of the button that brings up more of a rendered page; "" for none.
    scrolls: whether rendered pages are scrolled to their end.
    most_loads: the most clicks and screens for one page.
    embedded: whether the open shadow roots and the frames of rendered pages are written into their trees.
    frame_hosts: hosts beside the site's own whose frames are read, as ``host`` or ``host:port``.
    sign_in: how the site is signed in to.
    tries_sign_in: whether only to try its steps and to report what they show (`TriedSignIn`).
    lists_forms: whether only to take its steps and to report the forms that are shown then (`ListedForms`).
    assets: whether to fetch the stylesheets and pictures of pages.
    files: addresses of stylesheets, pictures and fonts on any host, to fetch unchanged; each one that was fetched is reported as an
        `Asset` without a page.
    """

    spool: str
    start: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    url_lists: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    search: Search = field(default_factory=Search)
    robots_sitemaps: bool = True
    follow_links: bool = True
    follow_pagination: bool = True
    allowed_hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_depth: int | None = None
    page_limit: int | None = None
    most_requests: int | None = None
    sample: bool = False
    queued: tuple[Address, ...] = ()
    known: tuple[str, ...] = ()
    delay_s: float = 0.5
    concurrency: int = 4
    autothrottle: bool = True
    obey_robots: bool = True
    contact: str = ""
    proxy: str = ""
    site_proxy: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    secure_only: bool = False
    verify_certificates: bool = True
    permitted: tuple[str, ...] = ()
    timeout_s: float = 60.0
    max_bytes: int = 32 * MEBIBYTE
    max_redirects: int = 10
    retries: int = 2
    soft_404: bool = True
    rendered: RenderMode = RenderMode.NEVER
    screenshots: bool = False
    load_more: str = ""
    scrolls: bool = False
    most_loads: int = 50
    embedded: bool = True
    frame_hosts: tuple[str, ...] = ()
    sign_in: SignIn = field(default_factory=SignIn)
    tries_sign_in: bool = False
    lists_forms: bool = False
    assets: bool = False
    files: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the plan as a line, without the line end."""
        return json.dumps(plain(self))

    def list_secrets(self) -> dict[str, str]:
        """Return what the plan holds that may stand in no message, by a name of its own."""
        return list_secrets(headers=self.headers, cookies=self.cookies, proxy=self.site_proxy) | self.sign_in.list_secrets()

    @classmethod
    def from_json(cls, line: str | bytes) -> "CrawlPlan":
        """Return the plan in a line. Raises JsonShapeError."""
        return read(cls, _object(line), key="the plan")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAddresses:
    """Addresses in scope that the crawl has found for the first time."""

    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What is known of terms of the search. Those that are waiting change nothing that is known of them.

    problem: why none of the terms can be asked; "" if they can.
    """

    terms: tuple[SearchedTerm, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An address is done.

    url: the address as it was queued.
    final_url: the address after redirects.
    status: the HTTP status; None if there was no answer.
    headers: those of `KEPT_HEADERS`, with names in lower case.
    fetched_at: the time in ISO 8601 with offset.
    body: the file with the bytes as received, with the content encoding removed; None if nothing was kept.
    rendered: the file with the tree that a browser built, as UTF-8 HTML.
    screenshot: the file with the screenshot, a JPEG.
    screenshot_note: why there is none although the plan asks for one, or what is missing in it, in words.
    size_bytes: the size of the body.
    elapsed_s: the time from request to answer.
    same_as: for a duplicate or a page that is unchanged, the address of the page that it repeats, if known.
    message: an explanation for people.
    notices: what of the page is missing, in words.
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
    screenshot_note: str = ""
    size_bytes: int = 0
    depth: int = 0
    elapsed_s: float = 0.0
    same_as: str = ""
    message: str = ""
    notices: tuple[str, ...] = ()


KEPT_HEADERS = ("content-type", "last-modified", "etag", "content-language", "location")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedAsset:
    """A stylesheet, picture or font. page_url: the page that uses it; "" for one of the plan's `files`. body: the file with its content."""

    url: str
    page_url: str
    content_type: str
    body: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlProgress:
    """The progress of the crawl, sent every few seconds, also while it is paused.

    fetched: how many addresses are done.
    queued: how many are waiting or under way.
    bytes: the total size of the fetched bodies.
    by_outcome: how many addresses have each outcome.
    """

    fetched: int
    queued: int
    bytes: int
    by_outcome: Mapping[str, int]
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """The child has signed in. session: what a browser keeps of that, which the parent stores encrypted."""

    session: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedSignIn:
    """The steps of a sign-in were tried, as a person asked for.

    failure: what went wrong, in words; "" if nothing did.
    step: the number of the last step that was taken or failed.
    url, title, text: of the page that was shown then; the text is cut off.
    password_field, button: their selectors if they were on a later page and were found there; "" otherwise.
    """

    failure: str = ""
    step: int = 0
    url: str = ""
    title: str = ""
    text: str = ""
    password_field: str = ""
    button: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedForms:
    """The forms that the page to sign in shows, as a person asked for.

    failure: why there are none, in words; "" if nothing failed.
    url, title, text: of the page; the text is cut off.
    """

    failure: str = ""
    url: str = ""
    title: str = ""
    text: str = ""
    shown: ShownForms = field(default_factory=ShownForms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The last event. ignored: the query keys that say nothing about the pages of the site."""

    reason: EndReason
    message: str = ""
    ignored: tuple[str, ...] = ()


Event = FoundAddresses | Searched | Fetched | FetchedAsset | CrawlProgress | SignedIn | TriedSignIn | ListedForms | Done

_NAMES: dict[str, type[Event]] = {
    "found": FoundAddresses,
    "searched": Searched,
    "fetched": Fetched,
    "asset": FetchedAsset,
    "progress": CrawlProgress,
    "signed_in": SignedIn,
    "tried_sign_in": TriedSignIn,
    "listed_forms": ListedForms,
    "done": Done,
}
_KINDS = {kind: name for name, kind in _NAMES.items()}


def event_to_json(event: Event) -> str:
    """Return an event as a line, without the line end."""
    return json.dumps({"event": _KINDS[type(event)]} | plain(event))


def event_from_json(line: str | bytes) -> Event:
    """Return the event in a line. Raises JsonShapeError."""
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
