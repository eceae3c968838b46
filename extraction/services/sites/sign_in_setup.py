"""Set up a sign-in from the forms of its page: read them as Vertex sees them, write the steps, and try these at once.

Both ask the site while a person waits. So they have a limit of time, and each process does one at a time.
"""

import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from extraction.algorithms.errors import PageError
from extraction.fetching.crawl.messages import CrawlPlan, Event, Fetched, RenderMode, Search, TriedSignIn
from extraction.fetching.crawl.page_forms import PageForm, read_forms
from extraction.fetching.crawl.process import Crawl, CrawlFailed
from extraction.fetching.sign_in_steps import Act, SignIn, SignInStep, read_steps, write_open_steps
from extraction.models import Site
from extraction.services.core.runs import JobError
from extraction.services.sites import sources
from extraction.services.sites.fetching import get_fetching, store_session

WAIT_S = 90.0
"""How long a person waits at most. The web server ends a request after 120 seconds."""

_turn = threading.BoundedSemaphore(1)


class SetupError(Exception):
    """The page cannot be read, or the steps cannot be tried. The message is for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage:
    """A page with forms, those with a password first. url: its address, as it is opened. rendered: whether a browser showed it."""

    url: str
    forms: tuple[PageForm, ...]
    rendered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInChoice:
    """What a person chose on a page: where the name and the password go, by CSS selectors, and what to click. Secrets are not shown."""

    address: str
    name_field: str
    password_field: str
    button: str
    name: str = field(repr=False)
    password: str = field(repr=False)


def read_page(site: Site, address: str) -> SignInPage:
    """Return the forms of the page to sign in. Raises SetupError."""
    try:
        url = sources.complete_address(address)
    except sources.AddressError as error:
        raise SetupError(str(error)) from error
    found: list[SignInPage] = []

    def take(event: Event) -> None:
        if isinstance(event, Fetched) and event.url == url:
            found.append(_read_fetched(event))

    _ask(site, lambda plan: replace(_open_to(plan, url), urls=(url,), rendered=RenderMode.ALWAYS), take)
    if not found:
        raise SetupError(gettext("The page did not come in time. Try again."))
    return found[0]


def write_steps(choice: SignInChoice) -> str:
    """Return the steps of a choice as text, with what is filled in. Raises ValueError if they cannot be written."""
    for text in (choice.name, choice.password):
        if text != text.strip() or not text.isprintable():
            raise ValueError(gettext("Steps cannot fill in a text that begins or ends with a space, or has line ends in it."))
    steps = [SignInStep(act=Act.OPEN, at=choice.address)]
    if choice.name_field:
        steps.append(SignInStep(act=Act.FILL, at=choice.name_field, text=choice.name))
    steps.append(SignInStep(act=Act.FILL, at=choice.password_field, text=choice.password))
    steps.append(SignInStep(act=Act.CLICK, at=choice.button))
    return write_open_steps(steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedSteps:
    """What came of steps. session: "" if they failed."""

    said: TriedSignIn
    session: str = field(repr=False)


def try_text(site: Site, steps: str) -> TriedSteps:
    """Try steps that a person entered, with what is filled in. Nothing is stored. Raises SetupError."""
    try:
        sign_in = SignIn(steps=read_steps(steps), marker=get_fetching(site).signed_out)
    except ValueError as error:
        raise SetupError(str(error)) from error
    return _try(site, lambda plan: replace(plan, sign_in=sign_in, tries_sign_in=True))


def try_stored(site: Site) -> TriedSignIn:
    """Try the stored steps, and store the session if they work. Raises SetupError."""
    if not get_fetching(site).steps:
        raise SetupError(gettext("There are no steps to try."))
    tried = _try(site, lambda plan: replace(plan, sign_in=replace(plan.sign_in, session=""), tries_sign_in=True))
    if tried.session:
        store_session(site, tried.session)
    return tried.said


def _try(site: Site, change: Callable[[CrawlPlan], CrawlPlan]) -> TriedSteps:
    found: list[TriedSignIn] = []
    sessions: list[str] = []

    def take(event: Event) -> None:
        if isinstance(event, TriedSignIn):
            found.append(event)

    _ask(site, change, take, sessions.append)
    if not found:
        raise SetupError(gettext("The steps did not end in time. Try again."))
    return TriedSteps(said=found[0], session="" if found[0].failure else "".join(sessions[-1:]))


def _ask(
    site: Site,
    change: Callable[[CrawlPlan], CrawlPlan],
    take: Callable[[Event], None],
    keep_session: Callable[[str], None] = lambda _session: None,
) -> None:
    """Run a crawling process with a plan that asks for one thing, until it ends or the time is up. Raises SetupError."""
    if not _turn.acquire(timeout=5):
        raise SetupError(gettext("Another sign-in is being looked at. Wait a minute and try again."))
    try:
        until = time.monotonic() + WAIT_S
        with _spool() as folder, Crawl(change(_plan(site, folder)), keep_session=keep_session) as crawl:
            for event in crawl:
                take(event)
                if time.monotonic() > until:
                    return
    except CrawlFailed as error:
        raise SetupError(gettext("The crawler failed: %(error)s") % {"error": error}) from error
    finally:
        _turn.release()


def _plan(site: Site, folder: Path) -> CrawlPlan:
    """Return a plan that asks for nothing yet, with the site's settings for requests. Raises SetupError."""
    try:
        usual = sources.plan_crawl(sources.get_source(site), sources.KnownFrontier((), (), None), spool=folder, sample=False)
    except JobError as error:
        raise SetupError(str(error)) from error
    alone = replace(usual, start=(), sitemaps=(), feeds=(), urls=(), search=Search(), include=(), exclude=(), robots_sitemaps=False)
    alone = replace(alone, follow_links=False, follow_pagination=False, soft_404=False, screenshots=False, retries=0, timeout_s=30.0)
    # A person asks for this one page, as when signing in by hand. Its forms are read where a selector finds them: not in frames.
    return replace(alone, obey_robots=False, load_more="", scrolls=False, embedded=False)


def _open_to(plan: CrawlPlan, url: str) -> CrawlPlan:
    """Return a plan that may fetch an address. If it is not of the site, the site's headers and cookies stay away from it."""
    host = sources.get_host(url)
    if host in plan.allowed_hosts:
        return replace(plan, sign_in=SignIn())
    return replace(plan, sign_in=SignIn(), allowed_hosts=(*plan.allowed_hosts, host), headers={}, cookies={})


def _read_fetched(event: Fetched) -> SignInPage:
    """Return the forms of what was fetched. Raises SetupError if it is no page."""
    kept = event.rendered or event.body
    if kept is None:
        reason = event.message or event.outcome.value.replace("_", " ")
        raise SetupError(gettext("The page could not be fetched: %(reason)s.") % {"reason": reason})
    kind = "text/html; charset=utf-8" if event.rendered else event.headers.get("content-type", "")
    try:
        forms = read_forms(Path(kept).read_bytes(), url=event.final_url or event.url, content_type=kind, loose=True)
    except PageError as error:
        raise SetupError(gettext("The page could not be read: %(error)s.") % {"error": error}) from error
    ordered = tuple(sorted(forms, key=lambda form: not form.has_password))
    return SignInPage(url=event.url, forms=ordered, rendered=event.rendered is not None)


@contextmanager
def _spool() -> Iterator[Path]:
    folder = Path(settings.VAR_DIR) / "spool" / f"sign-in-{uuid.uuid4().hex}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
