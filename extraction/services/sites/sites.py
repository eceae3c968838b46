"""Create, rename and delete sites, and summarize their state."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from extraction.models import (
    Bellwether,
    Breakage,
    Cluster,
    Page,
    PageCount,
    Record,
    RecordCount,
    RecordSource,
    Rule,
    Run,
    Site,
    Source,
    TrackedRecord,
)
from extraction.models.kept.counts import PageFigures
from extraction.services.core.slugs import find_free_slug

_DOT = re.compile(r"(?<=\w)[.:](?=\w)")
"""Dots and colons within hosts and numbers: 127.0.0.1 becomes 127-0-0-1."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site and its state: numbers of pages, of templates, and of records by state."""

    site: Site
    pages: int
    templates: int
    complete: int
    incomplete: int
    failed: int
    last_run: datetime | None

    @property
    def records(self) -> int:
        """Number of pages that gave a record, complete or not."""
        return self.complete + self.incomplete

    @property
    def health(self) -> list[tuple[float, str]]:
        """Shares of the pages by the state of their records, with the colour of the state. The rest have no record yet."""
        pages = max(1, self.pages)
        return [(self.complete / pages, "ok"), (self.incomplete / pages, "suspect"), (self.failed / pages, "broken")]


@dataclass(frozen=True, slots=True)
class SiteHead:
    """The figures above a site's tabs.

    running: number of runs that are running or queued.
    paused: number of paused runs.
    busy: the state of the runs as a whole, empty if there are none.
    broken: number of open breakages.
    outdated: number of records that no live rule has made from the current content of their page.
    fetchable: its address is known.
    extractable: it is fetchable and has a rule that extracts records.
    """

    row: SiteRow
    unreadable: int
    partly: int
    unclustered: int
    gone: int
    running: int
    paused: int
    busy: str
    broken: int
    outdated: int
    fetchable: bool
    extractable: bool


def find_sites_named_alike(name: str) -> list[Site]:
    """Return the sites whose name differs from this one at most by case. There is at most one among those created here."""
    wanted = name.casefold()
    ids = [pk for pk, known in Site.objects.values_list("pk", "name") if known.casefold() == wanted]
    return list(Site.objects.filter(pk__in=ids).order_by("pk"))


def create_site(name: str, address: str = "", *, user: User | None = None) -> Site:
    """Create a site with its own slug."""
    with transaction.atomic():
        slug = find_free_slug(Site, _DOT.sub("-", name), default="site", max_length=120)
        return Site.objects.create(name=name, address=address, slug=slug, created_by=user)


def rename_site(site: Site, name: str, address: str) -> None:
    """Change a site's name and address. The slug stays, so links to the site keep working."""
    Site.objects.filter(pk=site.pk).update(name=name, address=address)
    site.name, site.address = name, address


def delete_site(site: Site) -> None:
    """Delete a site with its pages, templates, rules and records, and cancel its runs.

    The bytes of its pages stay in the storage, because another site may share them.
    """
    with transaction.atomic():
        Run.objects.unfinished().filter(site=site).update(state=Run.State.CANCELLED, finished_at=timezone.now())
        # The rows of a site refer to each other in cycles (a page's current snapshot, a snapshot's template). Deleting the
        # records and clearing the current snapshots first lets the cascade meet each row once.
        Record.objects.filter(cluster__site=site).delete()
        Page.objects.filter(site=site).update(current=None)
        site.delete()


class PageInUse(Exception):  # noqa: N818
    """The page cannot be deleted now. The message says why."""


def delete_page(page: Page) -> None:
    """Delete a page with its versions, marks and record, and the records over time that stood on it alone.

    A later crawl fetches it again where it is linked. Raises PageInUse while a run works on the site's pages.
    """
    with transaction.atomic():
        Site.objects.select_for_update().get(pk=page.site_id)
        run = Run.objects.unfinished().filter(site=page.site_id).first()
        if run is not None:
            raise PageInUse(f"{run.get_kind_display()} is still at work on this site. Wait until it ends or cancel it.")
        tracked = list(RecordSource.objects.filter(page=page).values_list("record", flat=True))
        Bellwether.objects.filter(page=page).delete()
        Record.objects.filter(snapshot__page=page).delete()
        Page.objects.filter(pk=page.pk).update(current=None)
        page.current = None
        page.delete()
        TrackedRecord.objects.filter(pk__in=tracked, sources=None).delete()


def list_sites(sites: Iterable[Site] | None = None) -> list[SiteRow]:
    """Return the sites and their state, by name, in a constant number of queries."""
    chosen = list(Site.objects.all() if sites is None else sites)
    ids = [site.pk for site in chosen]
    pages = PageCount.objects.filter(site__in=ids).totals("site")
    templates = dict(Cluster.objects.shown().filter(site__in=ids).values_list("site").order_by().annotate(n=Count("pk")))
    last = dict(Run.objects.filter(site__in=ids).values_list("site").order_by().annotate(at=Max("created_at")))
    states = _count_record_states(ids)
    return [
        SiteRow(
            site,
            pages.get(site.pk, 0),
            templates.get(site.pk, 0),
            complete=states.get((site.pk, Record.State.COMPLETE), 0),
            incomplete=states.get((site.pk, Record.State.INCOMPLETE), 0),
            failed=states.get((site.pk, Record.State.FAILED), 0),
            last_run=last.get(site.pk),
        )
        for site in chosen
    ]


def summarize_site(site: Site) -> SiteHead:
    """Return the figures above a site's tabs."""
    figures = PageCount.objects.filter(site=site).figures().get(site.pk, PageFigures())
    states = list(Run.objects.unfinished().filter(site=site).values_list("state", flat=True))
    paused = states.count(Run.State.PAUSED)
    busy = next((state for state in (Run.State.RUNNING, Run.State.QUEUED, Run.State.PAUSED) if state in states), "")
    broken = Breakage.objects.open().of_site(site).count()
    source = Source.objects.filter(site=site).first()
    fetchable = source is not None and source.is_set
    live = fetchable and Rule.objects.serving().of_site(site).not_ignored().exists()
    return SiteHead(
        list_sites([site])[0],
        unreadable=figures.unreadable,
        partly=figures.partly,
        unclustered=figures.unclustered,
        gone=figures.gone,
        running=len(states) - paused,
        paused=paused,
        busy=busy,
        broken=broken,
        outdated=RecordCount.objects.filter(cluster__site=site, shown=True).outdated().given().total(),
        fetchable=fetchable,
        extractable=live,
    )


def _count_record_states(site_ids: list[int]) -> dict[tuple[int, str], int]:
    """Return {(site, state): number of records}."""
    return RecordCount.objects.filter(shown=True, cluster__site__in=site_ids).totals("cluster__site", "state")
