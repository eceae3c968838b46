"""Fetching pages to look at them again: each address once, with what became of it, without making it the site's current page."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from lxml import etree

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError, RuleError
from extraction.algorithms.rules import apply, xslt
from extraction.fetching.crawl.messages import Fetched, Outcome
from extraction.fetching.crawl.process import CrawlFailed, fetch_once
from extraction.models import Page, Site, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.core.runs import JobError
from extraction.services.sites import page_store, sources
from extraction.services.sites.sources import Frontier


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What an address gave. content: the page's bytes, None when it gave none; message: why, for people."""

    outcome: Outcome
    content: bytes | None = None
    content_type: str = ""
    message: str = ""


Fetch = Callable[[Sequence[str]], Mapping[str, PageAnswer]]


def make_fetcher(site: Site, *, spool: str) -> Fetch:
    """Fetches as the site's source says. spool: a name of its own under the spool folder. Raises JobError when the crawler fails."""

    def fetch(urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        folder = Path(settings.VAR_DIR) / "spool" / spool
        folder.mkdir(parents=True, exist_ok=True)
        try:
            frontier = Frontier(queued=(), known=(), page_limit=None)
            plan = sources.plan_crawl(sources.get_source(site), frontier, spool=folder, sample=False)
            return {each.url: _answer(each) for each in fetch_once(urls, plan=plan)}
        except CrawlFailed as error:
            raise JobError(f"The pages could not be fetched: {error}") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return fetch


def parse_answer(answer: PageAnswer) -> etree._Element | None:
    """The page of an answer, None where it is no page that can be read."""
    if answer.content is None or answer.outcome not in (Outcome.OK, Outcome.DUPLICATE):
        return None
    try:
        return parse(answer.content, content_type=answer.content_type or None).root
    except PageError:
        return None


def extract_given(sheet: xslt.Stylesheet, root: etree._Element) -> apply.Extraction:
    """What a rule gives on a page; nothing where it cannot be run."""
    try:
        return apply.extract_values(sheet, root)
    except RuleError:
        return apply.Extraction()


def read_values(sheet: xslt.Stylesheet, root: etree._Element) -> dict[str, tuple[str, ...]]:
    """A rule's values on a page, see `together`."""
    return merge_values(extract_given(sheet, root))


def merge_values(given: apply.Extraction) -> dict[str, tuple[str, ...]]:
    """The values by attribute, equal ones once, those of a list's rows as if they were the page's."""
    return {name: tuple(dict.fromkeys(values)) for name, values in {**given.values, **given.columns()}.items()}


def keep_snapshot(page: Page, answer: PageAnswer, at: datetime) -> Snapshot:
    """The snapshot of a page (`tree` could read it) as it stood at its address, made if there is none; the current one stays.

    Called in a transaction.
    """
    content = answer.content or b""
    # Locked, so that what is tidied away and what becomes a baseline here are never the same.
    known = Snapshot.objects.select_for_update().filter(page=page, sha256=stored_bytes.digest_bytes(content)).first()
    if known is not None:
        return known
    made = Snapshot(
        page=page, sha256=stored_bytes.put_bytes(content), size_bytes=len(content), content_type=answer.content_type, fetched_at=at
    )
    read = parse(content, content_type=answer.content_type or None)
    made.title, made.notice = page_store.find_title(read), page_store.find_notice(read)
    page_store.add_vectors([made], [content])
    found, _ = Snapshot.objects.get_or_create(
        page=page,
        sha256=made.sha256,
        defaults={name: getattr(made, name) for name in ("size_bytes", "content_type", "fetched_at", "title", "notice", "vector", "scheme")}
        | {"checked": True},
    )
    return found


def _answer(fetched: Fetched) -> PageAnswer:
    body = fetched.rendered or fetched.body
    content = Path(body).read_bytes() if body else None
    content_type = "text/html; charset=utf-8" if fetched.rendered else fetched.headers.get("content-type", "")
    return PageAnswer(fetched.outcome, content, content_type, fetched.message)
