"""Set up a sign-in from the forms of its page: read them as Vertex sees them, write the steps, and try these at once.

If the password is on a later page, the steps are tried as far as they go, and its field is looked for there.

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

from extraction.fetching.crawl.messages import CrawlPlan, Event, ListedForms, Search, TriedSignIn
from extraction.fetching.crawl.process import Crawl, CrawlFailed
from extraction.fetching.crawl.shown_forms import ShownForms
from extraction.fetching.sign_in_steps import Act, SignIn, SignInStep, read_steps, write_open_steps
from extraction.models import Site
from extraction.services.core.runs import JobError
from extraction.services.core.stored_texts import tell
from extraction.services.sites import sources
from extraction.services.sites.fetching import get_fetching, store_session

WAIT_S = 90.0
"""How long a person waits at most. The web server ends a request after 120 seconds."""

_turn = threading.BoundedSemaphore(1)


class SetupError(Exception):
    """The page cannot be read, or the steps cannot be tried. The message is for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPage:
    """A page to sign in as a browser shows it. url: its address, as it is opened. title, text: what it shows; the text is cut off."""

    url: str
    shown: ShownForms
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInChoice:
    """What a person chose on a page: where the name and the password go, by CSS selectors, and what to click. Secrets are not shown.

    password_field: "" if the password is on the page that follows the click.
    """

    address: str
    name_field: str
    password_field: str
    button: str
    name: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedSteps:
    """What came of steps.

    session: "" if they failed.
    steps: the steps as text, with what is filled in; "" if they are not complete, because the field for the password was not found.
    """

    said: TriedSignIn
    session: str = field(repr=False)
    steps: str = field(default="", repr=False)


def read_page(site: Site, address: str) -> SignInPage:
    """Return the forms of the page to sign in. Raises SetupError."""
    try:
        url = sources.complete_address(address)
    except sources.AddressError as error:
        raise SetupError(str(error)) from error
    found: list[ListedForms] = []

    def take(event: Event) -> None:
        if isinstance(event, ListedForms):
            found.append(event)

    opened = SignIn(steps=(SignInStep(act=Act.OPEN, at=url),))
    _ask(site, lambda plan: replace(plan, sign_in=opened, lists_forms=True), take)
    if not found:
        raise SetupError(gettext("The page did not come in time. Try again."))
    if found[0].failure:
        raise SetupError(gettext("The page could not be fetched: %(reason)s.") % {"reason": tell(found[0].failure)})
    return SignInPage(url=url, shown=found[0].shown, title=found[0].title, text=found[0].text)


def write_steps(choice: SignInChoice) -> str:
    """Return the steps of a choice as text, with what is filled in. Raises ValueError if they cannot be written.

    If the password is on a later page, these are the steps to that page.
    """
    for text in (choice.name, choice.password):
        if text != text.strip() or not text.isprintable():
            raise ValueError(gettext("Steps cannot fill in a text that begins or ends with a space, or has line ends in it."))
    steps = [SignInStep(act=Act.OPEN, at=choice.address)]
    if choice.name_field:
        steps.append(SignInStep(act=Act.FILL, at=choice.name_field, text=choice.name))
    if choice.password_field:
        steps.append(SignInStep(act=Act.FILL, at=choice.password_field, text=choice.password))
    steps.append(SignInStep(act=Act.CLICK, at=choice.button))
    return write_open_steps(steps)


def try_choice(site: Site, choice: SignInChoice) -> TriedSteps:
    """Try what a person chose. Nothing is stored. Raises ValueError, SetupError."""
    steps = write_steps(choice)
    if choice.password_field:
        return replace(try_text(site, steps), steps=steps)
    begun = SignIn(steps=read_steps(steps), marker=get_fetching(site).signed_out, later_password=choice.password)
    tried = _try(site, lambda plan: replace(plan, sign_in=begun, tries_sign_in=True))
    if not tried.said.password_field:
        return tried
    whole = begun.complete(tried.said.password_field, tried.said.button)
    return replace(tried, steps=write_open_steps(whole.steps))


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
    # A person asks for this one page, as when signing in by hand.
    return replace(alone, obey_robots=False, load_more="", scrolls=False)


@contextmanager
def _spool() -> Iterator[Path]:
    folder = Path(settings.VAR_DIR) / "spool" / f"sign-in-{uuid.uuid4().hex}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
