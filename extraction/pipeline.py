"""The pipeline: which function does the work of each kind of run, which runs follow it, and what follows the services' signals.

No service starts another service's run at its end. When a run is done, the runs that follow it in `SUCCESSORS` are started in
the transaction that marks it as done. So after a crash it is either done and followed, or not done. Starting a run twice does
no harm, because an unfinished run of the same kind and target is returned instead of a second one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from extraction.models import Breakage, Cluster, Join, RecordType, Rule, Run, RunRelease, Site
from extraction.models.run_values import RunSummary
from extraction.services.core import runs, signals
from extraction.services.core.runs import Job, Progress
from extraction.services.deliveries import outbox
from extraction.services.intake import crawl_site, import_pages, load_assets, previews
from extraction.services.joins import make_records
from extraction.services.lab import comparisons
from extraction.services.learning import learn_rule
from extraction.services.monitoring import alerts, check_site, imported_pages, reuse_rules
from extraction.services.quality import judge_run, releases
from extraction.services.records import extract_records
from extraction.services.refresh import extract_refreshed, fetch_due, place_pages, schedules
from extraction.services.sites import sources
from extraction.services.templates import cluster_pages, merge_proposals

Successor = Callable[[Run], object]
"""Starts what follows a run that is done, if its condition holds."""


def _crawl_and_judge(run: Run, progress: Progress) -> RunSummary:
    """Crawl. If records were extracted at once, judge them."""
    summary = fetch_due.run_crawl(run, progress)
    if run.read_parameters().keeps_no_pages:
        judge_run.judge_run(run, progress)
    return summary


def _extract_and_judge(run: Run, progress: Progress) -> RunSummary:
    """Extract records and judge them. What follows from the verdict happens when the run is done."""
    summary = extract_records.run_extraction(run, progress)
    judge_run.judge_run(run, progress)
    return summary


JOBS: dict[str, Job] = {
    Run.Kind.IMPORT: import_pages.run_import,
    Run.Kind.CRAWL: _crawl_and_judge,
    Run.Kind.CLUSTER: cluster_pages.run_clustering,
    Run.Kind.COMPARE: merge_proposals.run_comparing,
    Run.Kind.LAB: comparisons.run_comparison,
    Run.Kind.ASSETS: load_assets.run_loading,
    Run.Kind.PREVIEW: previews.run_drawing,
    Run.Kind.LEARN: learn_rule.run_learning,
    Run.Kind.JOIN: make_records.run_joining,
    Run.Kind.EXTRACT: _extract_and_judge,
    Run.Kind.CHECK: check_site.run_check,
    Run.Kind.REUSE: reuse_rules.run_reuse,
    Run.Kind.PLACE: place_pages.run_placing,
}
"""{kind of run: the function that does its work}."""


def execute_run(run_id: int) -> bool:
    """Claim a run, do its job and start what follows. Return False if another worker has the run or it has ended."""
    return runs.execute_run(run_id, JOBS, follow=start_successors)


def start_successors(run: Run) -> None:
    """Start what follows a run that is done. Call this in the transaction that marks it as done."""
    for successor in SUCCESSORS.get(run.kind, ()):
        successor(run)


def connect() -> None:
    """Connect the receivers of the services' signals. The app calls this once, when it is ready."""
    signals.rule_published.connect(_compare_after_publishing)
    signals.repair_accepted.connect(_renew_after_repair)
    signals.pages_moved.connect(_draw_after_moving)
    signals.pages_moved.connect(_join_after_moving)
    signals.pages_moved.connect(_renew_after_moving)
    signals.templates_merged.connect(_join_after_moving)
    signals.templates_merged.connect(_renew_after_merging)
    signals.schema_changed.connect(_join_after_new_schema)
    signals.records_doubted.connect(_tell_of_doubts)
    signals.records_released.connect(_deliver_after_release)
    signals.records_released.connect(_join_after_release)


def _check_imported(run: Run) -> None:
    """Check the live rules on pages that an import changed. This comes before clustering, which gives the pages their templates."""
    imported_pages.start_import_check(run.site, user=run.created_by)


def _cluster_when_changed(run: Run) -> None:
    """Search for templates again after an import or a crawl that brought new or changed pages."""
    if _pages_came(run) and not run.read_parameters().refreshes:
        cluster_pages.start_clustering(run.site, after=run, extract=_wants_records(run), user=run.created_by)


def _extract_when_unchanged(run: Run) -> None:
    """Extract records at once after a crawl that was to renew them, if no page changed. Otherwise clustering comes first."""
    if _wants_records(run) and not _pages_came(run) and not run.read_parameters().refreshes:
        extract_records.start_working_rules(run.site, run.created_by)


def _extract_when_asked(run: Run) -> None:
    """Extract records after a clustering that was started to renew them, or that an import or a crawl asked for.

    A check of the imported pages comes first, so that no broken rule is run on them.
    """
    parameters = run.read_parameters()
    if parameters.refresh is not None:
        extract_refreshed.start_extraction(parameters.refresh, run.created_by)
    elif _wants_records(run):
        extract_records.start_working_rules(run.site, run.created_by)
    elif parameters.after is not None and not _find_unfinished(run.site, Q(kind=Run.Kind.CHECK, parameters__has_key="snapshots")):
        extract_records.renew_records(run.site, run.created_by)


def _renew_after_import_check(run: Run) -> None:
    """Make records again after a check of imported pages, unless a clustering or an import goes on that will do so."""
    parameters = run.read_parameters()
    if parameters.snapshots is None or parameters.refresh is not None:
        return
    if not _find_unfinished(run.site, Q(kind__in=(Run.Kind.CLUSTER, Run.Kind.IMPORT))):
        extract_records.renew_records(run.site, run.created_by)


def _find_unfinished(site: Site, wanted: Q) -> bool:
    """Return whether such runs go on. The site is locked, so that of two runs that end at once one sees that the other has."""
    list(Site.objects.select_for_update().filter(pk=site.pk).values_list("pk"))
    return Run.objects.unfinished().filter(wanted, site=site).exists()


def _check_refreshed(run: Run) -> None:
    """Check the live rules on the pages that a refresh found changed, so that no broken rule is run on them. Without any, go on."""
    refresh = run.read_parameters().refresh
    if refresh is not None and imported_pages.start_import_check(run.site, refresh=refresh, user=run.created_by) is None:
        _place_refreshed(run)


def _place_refreshed(run: Run) -> None:
    """Sort the pages that a refresh brought into the templates, after the check. Without any, go on with their records."""
    refresh = run.read_parameters().refresh
    if refresh is not None and place_pages.start_placing(run.site, refresh=refresh, user=run.created_by) is None:
        extract_refreshed.start_extraction(refresh, run.created_by)


def _extract_refreshed(run: Run) -> None:
    """Extract the records of a refresh, after a search for templates if new pages match none."""
    refresh = run.read_parameters().refresh
    if refresh is not None and place_pages.needs_search(run):
        cluster_pages.start_clustering(run.site, after=run, extract=True, refresh=refresh, user=run.created_by)
    elif refresh is not None:
        extract_refreshed.start_extraction(refresh, run.created_by)


def _refresh_after_check(run: Run) -> None:
    """Make the refreshes due that follow checks, after a check of watched pages."""
    if run.read_parameters().snapshots is None:
        schedules.follow_check(run, now=timezone.now())


def _settle_records(run: Run) -> None:
    """Release the records of a run, or hold them back."""
    releases.settle_run(run)


def _offer_known_rules(run: Run) -> None:
    """Try the rules of old templates on new ones after a clustering."""
    reuse_rules.start_reuse(run.site, user=run.created_by)


def _compare_templates(run: Run) -> None:
    """Compare the templates that have a rule after a clustering, in case two are the same."""
    merge_proposals.start_comparing(run.site, user=run.created_by)


def _load_looks(run: Run) -> None:
    """Load the styles and pictures of the sample pages after a clustering, or draw previews at once if the site has no address."""
    if sources.can_fetch(run.site):
        load_assets.start_loading(run.site, user=run.created_by)
    else:
        previews.start_drawing(run.site, user=run.created_by)


def _draw_previews(run: Run) -> None:
    """Draw previews after styles and pictures were loaded for sample pages, but not after loading them for single pages."""
    if run.read_parameters().snapshots is None:
        previews.start_drawing(run.site, user=run.created_by)


def _draw_rest(run: Run) -> None:
    """Go on with previews that were put off for other work."""
    if run.read_summary().left:
        previews.start_drawing(run.site, user=run.created_by)


def _join_extracted(run: Run) -> None:
    """Bring joined records up to date after an extraction, or after a crawl that extracted while it fetched."""
    make_records.start_joins(make_records.list_joins_of_run(run), run.created_by)


def _join_site(run: Run) -> None:
    """Bring the joined records of a site up to date after a clustering, which may have moved pages to other templates."""
    make_records.start_joins(Join.objects.filter(site=run.site).order_by("pk"), run.created_by)


def _join_again(run: Run) -> None:
    """Join once more if records or settings changed while a join was made."""
    if make_records.changed_meanwhile(run):
        make_records.start_joins(Join.objects.filter(pk=run.read_parameters().join or 0), run.created_by)


def _pages_came(run: Run) -> bool:
    summary = run.read_summary()
    return not run.read_parameters().keeps_no_pages and bool(summary.new or summary.changed)


def _wants_records(run: Run) -> bool:
    return run.read_parameters().wants_records


SUCCESSORS: Mapping[str, Sequence[Successor]] = {
    Run.Kind.IMPORT: (_check_imported, _cluster_when_changed),
    Run.Kind.CRAWL: (_settle_records, _cluster_when_changed, _extract_when_unchanged, _check_refreshed, _join_extracted),
    Run.Kind.PREVIEW: (_draw_rest,),
    Run.Kind.CLUSTER: (_extract_when_asked, _offer_known_rules, _compare_templates, _load_looks, _join_site),
    Run.Kind.EXTRACT: (_settle_records, _join_extracted),
    Run.Kind.JOIN: (_join_again,),
    Run.Kind.ASSETS: (_draw_previews,),
    Run.Kind.CHECK: (_place_refreshed, _renew_after_import_check, _refresh_after_check),
    Run.Kind.PLACE: (_extract_refreshed,),
}
"""{kind of run: what follows it, in this order}. Each function checks its own condition."""


def _compare_after_publishing(*, rule: Rule, user: User | None, **_: Any) -> None:
    merge_proposals.start_comparing(rule.cluster.site, user=user)


def _renew_after_repair(*, breakage: Breakage, user: User | None, **_: Any) -> None:
    """Fetch the site again to renew its records. Without an address, find templates again, so that the rule gets its pages."""
    if sources.can_fetch(breakage.cluster.site):
        crawl_site.start_renewal(breakage.cluster.site, user)
    else:
        cluster_pages.start_clustering(breakage.cluster.site, extract=True, user=user)


def _draw_after_moving(*, site: Site, user: User | None, **_: Any) -> None:
    previews.start_drawing(site, user)


def _renew_after_moving(*, site: Site, into: Cluster | None, user: User | None, **_: Any) -> None:
    """Make the records of pages that a person moved to a template with a rule. Their former records went with the move."""
    if into is not None and Rule.objects.live().filter(cluster=into).exists():
        extract_records.renew_records(site, user)


def _renew_after_merging(*, site: Site, **_: Any) -> None:
    """Make the records of a merged template again, because those of the other rule are outdated."""
    extract_records.renew_records(site)


def _join_after_moving(*, site: Site, **_: Any) -> None:
    make_records.start_joins(Join.objects.filter(site=site).order_by("pk"))


def _join_after_new_schema(*, record_type: RecordType, **_: Any) -> None:
    make_records.start_joins(make_records.list_joins_of_type(record_type.pk))


def _tell_of_doubts(*, release: RunRelease, **_: Any) -> None:
    alerts.queue_release_alerts(release, timezone.now())


def _deliver_after_release(*, run: Run, cluster: Cluster, user: User | None, **_: Any) -> None:
    outbox.queue_released(run, cluster, user)


def _join_after_release(*, cluster: Cluster, user: User | None, **_: Any) -> None:
    """Join records that were held back before."""
    make_records.start_joins(make_records.list_joins_of_templates(cluster.site, [cluster.pk]), user)
