"""Fetches pages for a check: each address once, with the outcome. The page's current snapshot stays as it is."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from extraction.fetching.crawl.messages import Fetched, Outcome
from extraction.fetching.crawl.process import CrawlFailed, fetch_once
from extraction.models import Site
from extraction.services.core.runs import Interrupted, JobError
from extraction.services.sites import sources
from extraction.services.sites.fetching import store_session
from extraction.services.sites.sources import KnownFrontier


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What came from an address. content: the page's bytes, or None if there are none. message: why there are none, for people.

    notices: what of the page is missing, in words.
    """

    outcome: Outcome
    content: bytes | None = None
    content_type: str = ""
    message: str = ""
    notices: tuple[str, ...] = ()


Fetch = Callable[[Sequence[str]], Mapping[str, PageAnswer]]
"""Fetches addresses. The answers are by URL; an address may have none."""


def make_fetcher(site: Site, *, spool: str) -> Fetch:
    """A function that fetches pages as the site's source says.

    spool: the name of a folder under the spool folder that nobody else uses.
    The function raises JobError when the crawler fails, and Interrupted when something else killed it.
    """

    def fetch(urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        folder = Path(settings.VAR_DIR) / "spool" / spool
        folder.mkdir(parents=True, exist_ok=True)
        try:
            frontier = KnownFrontier(queued=(), known=(), page_limit=None)
            plan = sources.plan_crawl(sources.get_source(site), frontier, spool=folder, sample=False)
            plan = replace(plan, screenshots=False)  # a check keeps no pictures
            return {each.url: _answer(each) for each in fetch_once(urls, plan=plan, keep_session=partial(store_session, site))}
        except CrawlFailed as error:
            if error.from_outside:
                raise Interrupted(gettext("The crawler was killed")) from error
            raise JobError(gettext("The pages could not be fetched: %(error)s") % {"error": error}) from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return fetch


def _answer(fetched: Fetched) -> PageAnswer:
    body = fetched.rendered or fetched.body
    content = Path(body).read_bytes() if body else None
    content_type = "text/html; charset=utf-8" if fetched.rendered else fetched.headers.get("content-type", "")
    return PageAnswer(fetched.outcome, content, content_type, fetched.message, fetched.notices)
