"""Imported pages are checked against the live rules like fetched ones: the new content of a page is compared with the old one.

A site without an address is never fetched, so without this nobody would be told that its rules are broken.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import F

from extraction.algorithms.errors import PageError
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Bellwether, Breakage, Check, Refresh, Rule, Run, Site, Snapshot
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs, stored_pages
from extraction.services.monitoring import breakages, check_template, judge_pages, valued_pages
from extraction.services.monitoring.fetch_pages import PageAnswer

MAX_IMPORTED = 40
"""Imported pages of a template that are judged, spread evenly over all. More are added for attributes that few pages have."""

LEAST_IMPORTED = 2
"""Imported pages of a template below which nothing is said."""


def start_import_check(site: Site, *, refresh: int | None = None, user: User | None = None) -> Run | None:
    """Starts a check of the pages whose content is new and that had a template with a live rule before. None if there are none.

    A refresh also checks the templates that are broken, since their values may be back.

    Called when an import or the crawl of a refresh ends, before its pages get their templates: a page whose content is new has none yet.

    refresh: the refresh that goes on after the check.
    """
    changed = _find_changed(site)
    chosen = [pk for cluster, rows in changed.items() for pk in sorted(valued_pages.spread_pages(cluster, rows, MAX_IMPORTED))]
    if not chosen and not list_broken(site, refresh):
        return None
    parameters = RunParameters(snapshots=tuple(chosen), refresh=refresh)
    return runs.start_run(Run.Kind.CHECK, site, unit="templates", parameters=parameters, user=user)


def list_broken(site: Site, refresh: int | None) -> list[int]:
    """The templates with an open breakage whose watched pages a refresh visits. None for one that follows a check, which has done that."""
    if not Refresh.objects.filter(pk=refresh or 0).exclude(cause=Refresh.Cause.CHECK).exists():
        return []
    return list(Breakage.objects.open().of_site(site).order_by("pk").values_list("cluster", flat=True))


def check_imported(run: Run, *, now: Callable[[], datetime], tell: Callable[[int], None] = lambda _: None) -> RunSummary:
    """Checks the imported pages that the run names, template by template, and proposes repairs for what is broken."""
    pairs: dict[int, list[tuple[Snapshot, Snapshot]]] = defaultdict(list)
    for new in Snapshot.objects.filter(pk__in=run.read_parameters().snapshots or ()).select_related("page").order_by("pk"):
        old = _find_old(new)
        if old is not None and old.cluster_id is not None:
            pairs[old.cluster_id].append((old, new))
    found = []
    for number, rule in enumerate(Rule.objects.serving().filter(cluster__in=pairs).select_related("cluster__site").order_by("cluster")):
        tell(number)
        done = Check.objects.filter(run=run, cluster=rule.cluster).first()
        found.append(done or _check_rule(rule, pairs[rule.cluster_id], now(), run))
    tell(len(found))
    check_template.propose_repairs(run.site, now=now())
    return check_template.summarise_checks(found)


def _check_rule(rule: Rule, pairs: Sequence[tuple[Snapshot, Snapshot]], at: datetime, run: Run) -> Check:
    """Judges a rule by imported pages. Nothing can be fetched again, so there is no second visit."""
    mine = {each.page_id: each for each in Bellwether.objects.filter(cluster=rule.cluster).select_related("page", "baseline")}
    watched = judge_pages.read_watched(
        rule, [mine.get(old.page_id) or Bellwether(cluster=rule.cluster, page=old.page, baseline=old) for old, _ in pairs]
    )
    found = judge_pages.judge_answers(watched, {new.page.url: _read_answer(new) for _, new in pairs})
    if found.verdict.broken:
        breakages.suspect_rule(rule)
    return check_template.settle_check(watched, found, confirmed=True, at=at, run=run, closes=False)


def _read_answer(snapshot: Snapshot) -> PageAnswer:
    try:
        return PageAnswer(Outcome.OK, stored_pages.read_bytes(snapshot), snapshot.content_type)
    except PageError as error:
        return PageAnswer(Outcome.NOT_HTML, message=str(error))


def _find_changed(site: Site) -> Mapping[int, list[int]]:
    """{template with a live rule: new snapshots of pages that it had, without a template yet}."""
    serving = Rule.objects.serving().of_site(site).not_ignored().values("cluster")
    old = Snapshot.objects.of_site(site).readable().filter(cluster__in=serving).exclude(pk=F("page__current"))
    rows = (
        old.filter(page__current__cluster=None, page__current__kept=True, page__current__error="")
        .order_by("fetched_at", "pk")
        .values_list("page__current", "cluster")
    )
    found: dict[int, list[int]] = defaultdict(list)
    for new, cluster in dict(rows).items():
        found[cluster].append(new)
    return {cluster: sorted(new) for cluster, new in found.items() if len(new) >= LEAST_IMPORTED}


def _find_old(new: Snapshot) -> Snapshot | None:
    """The newest earlier content of the page that belonged to a template with a live rule."""
    serving = Rule.objects.serving().not_ignored().values("cluster")
    earlier = Snapshot.objects.filter(page=new.page_id, cluster__in=serving, kept=True, error="").exclude(pk=new.pk)
    return earlier.select_related("page").order_by("-fetched_at", "-pk").first()
