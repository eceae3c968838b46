"""Create, rename and delete sites, and summarize their state."""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Count, Max
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import (
    AuditKind,
    Bellwether,
    Breakage,
    Cluster,
    DeliveryTarget,
    Page,
    PageCount,
    Record,
    RecordCount,
    RecordSource,
    Rule,
    Run,
    Site,
    Source,
    Team,
    TrackedRecord,
)
from extraction.models.kept.counts import PageFigures
from extraction.models.team import find_first_team
from extraction.services.core import audit, left_bytes, runs
from extraction.services.core.slugs import find_free_slug

_DOT = re.compile(r"(?<=\w)[.:](?=\w)")
"""Dots and colons within hosts and numbers: 127.0.0.1 becomes 127-0-0-1."""

DELETE_TRIES = 4
"""How often the deletion of a site is tried while its workers still write. They notice at their next heartbeat that they are to stop."""


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
    doing: the oldest run in that state, None if there is none.
    broken: number of open breakages.
    outdated: number of records that no live rule has made from the current content of their page.
    fetchable: its address is known.
    extractable: it is fetchable and has a rule that extracts records.
    failed: the newest run, if it failed and the site has no pages yet. It says why.
    """

    row: SiteRow
    unreadable: int
    partly: int
    unclustered: int
    gone: int
    running: int
    paused: int
    busy: str
    doing: Run | None
    broken: int
    outdated: int
    fetchable: bool
    extractable: bool
    failed: Run | None = None


def find_sites_named_alike(name: str, team: int | None = None) -> list[Site]:
    """Return the sites whose name differs from this one at most by case. There is at most one in each team among those created here.

    team: only the sites of this team.
    """
    wanted = name.casefold()
    rows = Site.objects.all() if team is None else Site.objects.filter(team=team)
    ids = [pk for pk, known in rows.values_list("pk", "name") if known.casefold() == wanted]
    return list(Site.objects.filter(pk__in=ids).order_by("pk"))


def create_site(name: str, address: str = "", *, slug: str = "", team: Team | None = None, user: User | None = None) -> Site:
    """Create a site with its own slug.

    slug: one that no site has; "" to make one from the name.
    team: the team that it belongs to; None for the oldest.
    """
    with transaction.atomic():
        slug = slug or find_free_slug(Site, _DOT.sub("-", name), default="site", max_length=120)
        site = Site.objects.create(name=name, address=address, slug=slug, team_id=team.pk if team else find_first_team(), created_by=user)
        audit.record(AuditKind.SITE_CREATED, site, text=f"address: {address}" if address else "")
    return site


def rename_site(site: Site, name: str, address: str) -> None:
    """Change a site's name and address. The slug stays, so links to the site keep working."""
    before = audit.read_fields(Site.objects.get(pk=site.pk), "name", "address")
    site.name, site.address = name, address
    if changed := audit.describe_differences(before, audit.read_fields(site, "name", "address")):
        with transaction.atomic():
            Site.objects.filter(pk=site.pk).update(name=name, address=address)
            audit.record(AuditKind.SITE_CHANGED, site, text=changed)


class SiteInUse(Exception):  # noqa: N818
    """The site cannot be deleted now. The message says why."""


def delete_site(site: Site) -> None:
    """Cancel the runs of a site, and delete it with its pages, templates, rules and records.

    Stored bytes that no other site has are moved to the bin at the next tidying up, and deleted for good some days later. Raises SiteInUse
    if workers go on writing for so long that it cannot be deleted.
    """
    with transaction.atomic():
        _cancel_runs(site)
    for left in reversed(range(DELETE_TRIES)):
        try:
            with transaction.atomic():
                _delete_rows(site)
            return
        except (IntegrityError, OperationalError) as error:  # a worker wrote rows of the site at the same time
            if not left:
                raise SiteInUse(
                    gettext("The runs of this site are cancelled, but they have not stopped yet. Delete it again in a minute.")
                ) from error
            time.sleep(runs.HEARTBEAT_S)


def _cancel_runs(site: Site) -> None:
    Run.objects.unfinished().filter(site=site).update(state=Run.State.CANCELLED, finished_at=timezone.now())


def _delete_rows(site: Site) -> None:
    audit.record(AuditKind.SITE_DELETED, site, text=f"pages: {PageCount.objects.filter(site=site).total():,}")
    left_bytes.note_site(site)
    uploads = Run.objects.filter(site=site, kind=Run.Kind.IMPORT).exclude(state=Run.State.DONE).values_list("parameters__upload", flat=True)
    for upload in filter(None, list(uploads)):
        transaction.on_commit(partial(default_storage.delete, upload), robust=True)
    # The rows of a site refer to each other in cycles (a page's current snapshot, a snapshot's template). Deleting the
    # records and clearing the current snapshots first lets the cascade meet each row once.
    Record.objects.filter(cluster__site=site).delete()
    Bellwether.objects.filter(cluster__site=site).delete()  # each protects the snapshot that it is compared with
    Page.objects.filter(site=site).update(current=None)
    Site.objects.filter(pk=site.pk).delete()


@dataclass(frozen=True, slots=True)
class SiteUse:
    """What a site is used for now, and what its deletion would therefore end or change.

    runs: unfinished ones.
    targets: the names of the enabled delivery targets that its records go to.
    """

    runs: int
    joins: int
    targets: tuple[str, ...]


def find_use(site: Site) -> SiteUse:
    """Return what a site is used for now."""
    targets = DeliveryTarget.objects.filter(enabled=True, record_type__in=site.clusters.exclude(record_type=None).values("record_type"))
    return SiteUse(
        runs=Run.objects.unfinished().filter(site=site).count(),
        joins=site.joins.count(),
        targets=tuple(targets.order_by("name").values_list("name", flat=True).distinct()),
    )


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
            raise PageInUse(
                gettext("%(kind)s is still at work on this site. Wait until it ends or cancel it.") % {"kind": run.get_kind_display()}
            )
        audit.record(AuditKind.PAGE_DELETED, page)
        tracked = list(RecordSource.objects.filter(page=page).values_list("record", flat=True))
        left_bytes.note_snapshots(page.snapshots.all())
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
    unfinished = list(Run.objects.unfinished().filter(site=site).only("kind", "state", "done", "total", "unit").order_by("pk"))
    states = [run.state for run in unfinished]
    paused = states.count(Run.State.PAUSED)
    busy = next((state for state in (Run.State.RUNNING, Run.State.QUEUED, Run.State.PAUSED) if state in states), "")
    broken = Breakage.objects.open().of_site(site).count()
    source = Source.objects.filter(site=site).first()
    fetchable = source is not None and source.is_set
    live = fetchable and Rule.objects.serving().of_site(site).not_ignored().exists()
    row = list_sites([site])[0]
    newest = Run.objects.filter(site=site).order_by("-pk").first() if not row.pages else None
    return SiteHead(
        row,
        unreadable=figures.unreadable,
        partly=figures.partly,
        unclustered=figures.unclustered,
        gone=figures.gone,
        running=len(states) - paused,
        paused=paused,
        busy=busy,
        doing=next((run for run in unfinished if run.state == busy), None),
        broken=broken,
        outdated=RecordCount.objects.filter(cluster__site=site, shown=True).outdated().given().total(),
        fetchable=fetchable,
        extractable=live,
        failed=newest if newest and newest.state == Run.State.FAILED else None,
    )


def _count_record_states(site_ids: list[int]) -> dict[tuple[int, str], int]:
    """Return {(site, state): number of records}."""
    return RecordCount.objects.filter(shown=True, cluster__site__in=site_ids).totals("cluster__site", "state")
