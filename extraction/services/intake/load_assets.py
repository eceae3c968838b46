"""Load the stylesheets, pictures and fonts that pages need to look right.

The crawling process loads them from the web, with its protection against unsafe addresses; an editor's browser never
sends a request to another server. The files of sample pages are loaded first, then the files that their sheets need, up
to MAX_DEPTH levels. The files of pages that a check fetched are loaded when somebody looks at the result of the check.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext

from extraction.algorithms.dom import references
from extraction.algorithms.dom.references import NeededResource
from extraction.algorithms.errors import PageError
from extraction.fetching.crawl.messages import CrawlPlan, RenderMode, Search
from extraction.fetching.crawl.messages import FetchedAsset as Answered
from extraction.fetching.crawl.process import Crawl, CrawlFailed
from extraction.models import Cluster, Run, SamplePage, Site, Snapshot
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import JobError, Progress
from extraction.services.core.stored_pages import read_root
from extraction.services.intake import assets
from extraction.services.sites import sources
from extraction.services.sites.fetching import store_session

MAX_PAGES = 200
"""The largest number of pages read: the samples of about twenty templates."""

MAX_DEPTH = 4
"""The largest number of levels of files: the pages' own files, and three levels of sheets imported by sheets."""

NOT_LOADED = "it could not be loaded"

Fetch = Callable[[Site, Sequence[NeededResource]], Iterator[tuple[NeededResource, bytes]]]
"""Yields the files that could be loaded, as they arrive."""


def start_loading(site: Site, *, cluster: Cluster | None = None, user: User | None = None) -> Run:
    """Start loading the files of the sample pages of one template, or of all templates.

    Raises JobError when the site has no address on the web.
    """
    if not can_load(site):
        raise JobError(
            gettext("%(site)s has no address, so its styles and pictures can only be uploaded with its pages") % {"site": site.name}
        )
    return runs.start_run(Run.Kind.ASSETS, site, cluster=cluster, unit="files", user=user)


def start_loading_for(snapshots: Sequence[Snapshot], *, cluster: Cluster, user: User | None = None) -> Run:
    """Start loading the files of these pages of a template's site, at most MAX_PAGES."""
    parameters = RunParameters(snapshots=tuple(sorted(each.pk for each in snapshots)[:MAX_PAGES]))
    return runs.start_run(Run.Kind.ASSETS, cluster.site, cluster=cluster, parameters=parameters, unit="files", user=user)


def can_load(site: Site) -> bool:
    """Return whether the site has an address on the web."""
    return bool(site.address) or sources.can_fetch(site)


def find_missing(snapshots: Sequence[Snapshot]) -> list[NeededResource]:
    """Return the files on the web that these pages need and that are not loaded yet.

    snapshots: pages of one site, with their `page`.
    """
    if not snapshots:
        return []
    site = snapshots[0].page.site
    found = _on_the_web(need for snapshot in snapshots for need in _needs(snapshot))
    level = found
    for _ in range(MAX_DEPTH - 1):  # a run that died may have stored a sheet, but not the files that it needs
        level = _on_the_web(assets.find_needs_of_sheets(site, level))
        found += level
    return assets.find_missing(site, found)


def fetch_assets(site: Site, needed: Sequence[NeededResource]) -> Iterator[tuple[NeededResource, bytes]]:
    """Load files with a crawling process. Raises JobError when it fails."""
    by_url = {need.url: need for need in needed}
    folder = Path(settings.VAR_DIR) / "spool"
    folder.mkdir(parents=True, exist_ok=True)
    spool = Path(tempfile.mkdtemp(prefix="assets-", dir=folder))
    try:
        with Crawl(_plan(site, list(by_url), spool), keep_session=partial(store_session, site)) as crawl:
            for event in crawl:
                if isinstance(event, Answered) and event.url in by_url:
                    yield by_url[event.url], Path(event.body).read_bytes()
                    Path(event.body).unlink(missing_ok=True)
    except CrawlFailed as error:
        raise JobError(gettext("The crawling process died: %(error)s") % {"error": error}) from error
    finally:
        shutil.rmtree(spool, ignore_errors=True)


def run_loading(run: Run, progress: Progress, *, fetch: Fetch = fetch_assets) -> RunSummary:
    """Load the missing files. The summary has the number of files loaded and failed."""
    site, room = run.site, assets.Room.of(run.site)
    progress(0, message="Looking at the pages")
    needed = find_missing(_pages(run))
    loaded = failed = 0
    for _ in range(MAX_DEPTH):
        if not needed or room.files < 1:
            break
        progress(loaded + failed, total=loaded + failed + len(needed), message="Loading")
        waiting = {need.url: need for need in needed[: room.files]}
        deeper: list[NeededResource] = []
        for need, content in fetch(site, list(waiting.values())):
            waiting.pop(need.url, None)
            asset = assets.keep_asset(site, need, content, room)
            if asset is not None and not asset.error:
                loaded += 1
                deeper += assets.find_needs_of_sheet(asset)
            else:
                failed += 1
                progress.problem(need.url, asset.error if asset else "the site cannot store any more files")
            progress(loaded + failed)
        for need in waiting.values():
            assets.note_failure(site, need, NOT_LOADED)
            progress.problem(need.url, NOT_LOADED)
        failed += len(waiting)
        needed = assets.find_missing(site, _on_the_web(deeper))
    return RunSummary(loaded=loaded, failed=failed)


def _on_the_web(needed: Iterable[NeededResource]) -> list[NeededResource]:
    return [need for need in needed if need.url.startswith(("http://", "https://"))]


def _pages(run: Run) -> list[Snapshot]:
    """Return the pages that the run names, or the sample pages if it names none."""
    named = run.read_parameters().snapshots
    if named is not None:
        return list(Snapshot.objects.filter(page__site=run.site, pk__in=named).select_related("page__site"))
    rows = SamplePage.objects.filter(cluster__site=run.site, cluster__ignored=False).select_related("snapshot__page__site")
    if run.cluster is not None:
        rows = rows.filter(cluster=run.cluster)
    return [row.snapshot for row in rows.order_by("position", "cluster")[:MAX_PAGES]]


def _needs(snapshot: Snapshot) -> list[NeededResource]:
    try:
        root = read_root(snapshot)
    except PageError:
        return []
    return references.resolve_references(references.find_references(root), references.find_base(root, snapshot.page.url))


def _plan(site: Site, urls: Sequence[str], spool: Path) -> CrawlPlan:
    """Return a plan that fetches these files and nothing else, with the site's settings."""
    usual = sources.plan_crawl(sources.get_source(site), sources.KnownFrontier((), (), None), spool=spool, sample=False)
    alone = replace(usual, start=(), sitemaps=(), feeds=(), urls=(), search=Search(), robots_sitemaps=False)
    alone = replace(alone, follow_links=False, follow_pagination=False)
    return replace(alone, files=tuple(urls), rendered=RenderMode.NEVER, screenshots=False, soft_404=False)
