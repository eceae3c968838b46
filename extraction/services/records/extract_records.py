"""Extract records: run live rules over all pages that belong to their templates.

Pages are read in batches, in the order of their snapshots' ids, and each batch is written in one transaction. A record
names the run that made it, so a run that is restarted after its worker died skips the pages that it has done. A new
record overwrites the previous record of the same snapshot. What changed is stored with it (`tracking`). When a run finishes, it
notes what is gone and deletes outdated records. The module is longer than others because a run over stored pages and a crawl that
extracts share its steps.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules import page_record, xslt
from extraction.algorithms.rules.page_values import write_search_text
from extraction.algorithms.rules.rule import RuleDefinition
from extraction.models import Cluster, Record, RecordType, Rule, Run, Site, Snapshot
from extraction.models.kept.locking import lock_pages
from extraction.models.record_values import rows_as_json, values_as_json
from extraction.models.rule import RuleQuerySet
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs, stored_pages
from extraction.services.core.runs import JobError, Progress
from extraction.services.corrections.applying import apply_corrections
from extraction.services.records import finish_tracking, last_records, rekeying, repair_losses, settled, tracking
from extraction.services.records.held_attributes import NOTHING_HELD, HeldAttributes, find_held, hold_back
from extraction.services.templates.page_matching import Matcher, PageRow

BATCH = 100
"""The number of pages per transaction. They take about a second, which is the work that is lost when a worker is killed."""

PAGE_FIELDS = ("pk", "sha256", "content_type", "error", "vector", "scheme", "cluster_id", "page__url")
"""The fields of a snapshot in the order of `PageRow`."""

FIELDS = ["cluster", "rule", "run", "state", "reason", "values", "rows", "origins", "text", "canonical", "held_back", "extracted_at"]
"""What a new record overwrites."""


def start_extraction(cluster: Cluster, user: User | None = None) -> Run:
    """Start a run over the pages of one template with its live rule.

    Raises JobError when the template is ignored or has no live rule.
    """
    rule = cluster.rules.serving().first()
    if cluster.ignored:
        raise JobError(gettext("%(cluster)s is ignored. Stop ignoring it first.") % {"cluster": cluster.label})
    if rule is None:
        raise JobError(gettext("%(cluster)s has no live rule. Publish one first.") % {"cluster": cluster.label})
    return runs.start_run(Run.Kind.EXTRACT, cluster.site, cluster=cluster, parameters=RunParameters(rules=(rule.pk,)), user=user)


def start_site_extraction(site: Site, user: User | None = None) -> Run:
    """Start a run over all pages of a site with all its live rules. Raises JobError when there are none."""
    live = Rule.objects.serving().of_site(site).not_ignored().order_by("pk")
    ids = list(live.values_list("pk", flat=True))
    if not ids:
        raise JobError(gettext("%(site)s has no live rule. Publish one first.") % {"site": site.name})
    return runs.start_run(Run.Kind.EXTRACT, site, parameters=RunParameters(rules=tuple(ids)), user=user)


def start_type_extraction(record_type: RecordType, user: User | None = None) -> list[Run]:
    """Start a run for each site with templates of a record type, with their rules that are not broken.

    Raises JobError when there are none.
    """
    by_site: dict[Site, list[int]] = {}
    for rule in find_working_rules(record_type).select_related("cluster__site").order_by("cluster__site", "pk"):
        by_site.setdefault(rule.cluster.site, []).append(rule.pk)
    if not by_site:
        raise JobError(gettext("No template of %(record_type)s has a live rule that works.") % {"record_type": record_type.name})
    return [
        runs.start_run(Run.Kind.EXTRACT, site, parameters=RunParameters(rules=tuple(rules)), user=user) for site, rules in by_site.items()
    ]


def find_working_rules(record_type: RecordType) -> RuleQuerySet:
    """Return the serving rules of a record type's templates that are not known to be broken."""
    return Rule.objects.serving().not_ignored().exclude(state=Rule.State.BROKEN).filter(cluster__record_type=record_type)


def start_working_rules(site: Site, user: User | None = None) -> Run | None:
    """Start a run over the pages of a site whose records are outdated or missing, with the live rules that are neither suspect nor broken.

    Returns None when there are none.

    A run with a broken rule would delete the records of earlier page contents and give nothing in their place.
    """
    rules = Rule.objects.live().of_site(site).not_ignored().order_by("pk")
    ids = list(rules.values_list("pk", flat=True))
    parameters = RunParameters(rules=tuple(ids), stale_only=True)
    return runs.start_run(Run.Kind.EXTRACT, site, parameters=parameters, user=user) if ids else None


def renew_records(site: Site, user: User | None = None) -> Run | None:
    """Start to make the records of a site again after its pages came anew, if rules have made records of it before.

    Returns None if there is nothing to make. Templates that never had a record wait for a person to run their rule first.
    """
    made = Record.objects.filter(cluster=OuterRef("cluster")).order_by()
    live = Rule.objects.live().of_site(site).not_ignored()
    ids = list(live.filter(Exists(made)).order_by("pk").values_list("pk", flat=True))
    parameters = RunParameters(rules=tuple(ids), stale_only=True)
    return runs.start_run(Run.Kind.EXTRACT, site, parameters=parameters, user=user) if ids else None


def run_extraction(run: Run, progress: Progress) -> RunSummary:
    """Extract from every page that belongs to a template of the run's rules, and return the figures."""
    targets = find_targets(run)
    up_to_date = settled.SettledRecords(
        run,
        {cluster: target.rule.pk for cluster, target in targets.items()},
        held={cluster: target.held.names for cluster, target in targets.items()},
    )
    rekeying.apply_keys(list(targets))
    earlier = {cluster: repair_losses.count_earlier(target.rule) for cluster, target in targets.items()}
    matcher = Matcher(run.site)
    pages = _select_pages(run.site, list(targets))
    total, done, started = pages.count(), 0, time.monotonic()
    left: Counter[str] = Counter()
    progress(0, total=total, message="Extracting")
    for batch in _read_batches(pages):
        left += extract_batch(run, targets, matcher, up_to_date.leave_out(batch))
        done += len(batch)
        rate = done / max(time.monotonic() - started, 1e-3)
        progress(min(done, total), message=f"Extracting, {rate:,.0f} pages per second")
    finish_tracking.finish_tracking(run, list(targets), Rereader(run, targets))
    removed = _remove_stale(run, list(targets))
    for cluster, before in earlier.items():
        if before is not None:
            repair_losses.note_losses(targets[cluster].rule, before)
    summary = _summarize(run, left, removed=removed, pages=done, seconds=time.monotonic() - started)
    return replace(summary, settled=up_to_date.count()) if run.read_parameters().stale_only else summary


@dataclass(frozen=True, slots=True)
class Target:
    """A live rule, ready to run. held: what of it is held back."""

    rule: Rule
    value: RuleDefinition
    sheet: xslt.Stylesheet
    held: HeldAttributes = NOTHING_HELD


def find_targets(run: Run) -> dict[int, Target]:
    """Return {cluster id: its rule, ready to run}. Raises JobError when a rule is no longer live or cannot be run."""
    targets = {}
    rules = run.read_parameters().rules or ()
    for rule in Rule.objects.filter(pk__in=rules).select_related("cluster"):
        if not rule.serving:
            raise JobError(
                gettext("Version %(version)s of the rule of %(cluster)s is no longer live. Start a new run.")
                % {"version": rule.version, "cluster": rule.cluster.label}
            )
        held = find_held(rule) if run.read_parameters().stale_only else NOTHING_HELD
        if held is None:
            raise JobError(gettext("The rule of %(cluster)s has broken meanwhile. Start a new run.") % {"cluster": rule.cluster.label})
        try:
            targets[rule.cluster_id] = Target(rule, rule.read_definition(), xslt.Stylesheet.compile(rule.stylesheet), held)
        except (RuleError, XPathError) as error:
            raise JobError(
                gettext("The rule of %(cluster)s cannot be run: %(error)s") % {"cluster": rule.cluster.label, "error": error}
            ) from error
    if len(targets) < len(rules):
        raise JobError(gettext("A rule of this run no longer exists. Start a new run."))
    return targets


def _select_pages(site: Site, cluster_ids: Sequence[int]) -> QuerySet[Snapshot]:
    """Return the current snapshots with kept bytes that belong to these templates or to none."""
    current = Snapshot.objects.of_site(site).current().kept()
    return current.filter(Q(cluster_id__in=cluster_ids) | Q(cluster=None)).order_by("pk")


def _read_batches(pages: QuerySet[Snapshot]) -> Iterator[list[PageRow]]:
    """Yield the pages in batches. Each batch is a query of its own, since records are written between them."""
    last = 0
    while batch := [PageRow(*row) for row in pages.filter(pk__gt=last).values_list(*PAGE_FIELDS)[:BATCH]]:
        last = batch[-1].snapshot_id
        yield batch


def read_stored(page: PageRow) -> etree._Element:
    """Return the tree of a page whose bytes are kept. Raises PageError."""
    return stored_pages.read_root(page)


def extract_batch(
    run: Run,
    targets: Mapping[int, Target],
    matcher: Matcher,
    batch: Sequence[PageRow],
    read: Callable[[PageRow], etree._Element] = read_stored,
) -> Counter[str]:
    """Write the records of a batch, except those that the run has already written, and those whose last record stays.

    Returns counts: pages that match no template ("unmatched", "unreadable"), and the new records by state. Raises
    JobError when templates or pages were changed meanwhile.

    targets: {cluster id: its rule}.
    read: returns a page's tree; raises PageError.
    """
    ids = [page.snapshot_id for page in batch]
    rules = [target.rule.pk for target in targets.values()]
    ready = set(Record.objects.filter(run=run, rule_id__in=rules, snapshot_id__in=ids).values_list("snapshot_id", flat=True))
    left: Counter[str] = Counter()
    records = []
    for page in batch:
        if page.snapshot_id in ready:
            continue
        cluster_id = matcher.cluster_of(page)
        if cluster_id is None:
            left["unreadable" if page.error else "unmatched"] += 1
        elif cluster_id in targets:
            records.append(_record(run, targets[cluster_id], page, read))
    staying = last_records.find_staying(records, {cluster_id: target.value for cluster_id, target in targets.items()})
    if staying:
        settled.vouch_for(run, staying, targets)
        records = [record for record in records if record.snapshot_id not in staying]
    _write(run, targets, records)
    return left + Counter(str(record.state) for record in records)


def _write(run: Run, targets: Mapping[int, Target], records: Sequence[Record]) -> None:
    """Store the records with the corrections of people and with what changed.

    A second try is made in case another worker stored the same change at the same moment.
    """
    for last in (False, True):
        try:
            with transaction.atomic():
                lock_pages(record.snapshot_id for record in records)
                hold_back(records, {cluster_id: (target.value, target.held) for cluster_id, target in targets.items()})
                apply_corrections(records, {cluster_id: target.value for cluster_id, target in targets.items()})
                Record.objects.bulk_create(records, update_conflicts=True, unique_fields=["snapshot"], update_fields=FIELDS)
                _remove_earlier(records)
                tracking.track_records(run, records, Rereader(run, targets))
            return
        except IntegrityError as error:
            if last:
                raise JobError(gettext("Templates or pages were changed while records were extracted. Start a new run.")) from error


def _remove_earlier(records: Sequence[Record]) -> None:
    """Delete the records that these templates have of earlier contents of the same pages."""
    made = [record.snapshot_id for record in records]
    pages = Snapshot.objects.filter(pk__in=made).values("page")
    earlier = Record.objects.filter(snapshot__page__in=pages, cluster__in={record.cluster_id for record in records})
    earlier.exclude(snapshot__in=made).delete()


class Rereader:
    """Runs the rules of a run over earlier content of pages. It keeps what it read, because a page may show many things."""

    def __init__(self, run: Run, targets: Mapping[int, Target]) -> None:
        self._run = run
        self._targets = targets
        self._read: dict[tuple[int, int], Record | None] = {}

    def __call__(self, cluster_id: int, snapshot_id: int) -> Record | None:
        """Return the record that the template's rule gives for the content now, None if its bytes are not kept."""
        key = (cluster_id, snapshot_id)
        if key not in self._read:
            row = Snapshot.objects.kept().filter(pk=snapshot_id).values_list(*PAGE_FIELDS).first()
            self._read[key] = _record(self._run, self._targets[cluster_id], PageRow(*row), read_stored) if row else None
        return self._read[key]


def _record(run: Run, target: Target, page: PageRow, read: Callable[[PageRow], etree._Element]) -> Record:
    """Return the record that the rule makes of the page; a failed one has the reason. Corrections of people are not in it yet."""
    made = page_record.make_record(target.value, target.sheet, lambda: read(page), url=page.url, error=page.error)
    return Record(
        snapshot_id=page.snapshot_id,
        cluster_id=target.rule.cluster_id,
        rule=target.rule,
        run=run,
        state=made.state,
        reason=made.reason,
        values=values_as_json(made.values),
        rows=rows_as_json(made.rows),
        origins=made.origins.as_json(),
        text=write_search_text(made.values, made.rows),
        canonical=made.canonical,
        extracted_at=timezone.now(),
    )


def finish_crawl(run: Run) -> None:
    """Note what is gone after a crawl that extracted while it fetched. Only pages that it found missing count."""
    clusters = Rule.objects.filter(pk__in=run.read_parameters().rules or ()).order_by("pk").values_list("cluster", flat=True)
    # A rule may have been replaced since the crawl began, so pages are not read again to tell why a value changed.
    finish_tracking.finish_tracking(run, list(clusters), lambda *_: None, stored_pages=False)


def _remove_stale(run: Run, cluster_ids: Sequence[int]) -> int:
    """Delete the outdated records of these templates and return how many there were.

    A record is outdated when its snapshot is no longer its page's current one, or when this run looked at the page
    and made no new record. In the second case a record stays if another run has written it since this run began, or if
    the bytes of its page are not kept, since only the crawl that fetched the page could read it. Records of pages that
    are now in another template stay, too: this run did not look at them, and they may come back.
    """
    looked_at = Q(snapshot__cluster__in=cluster_ids) | Q(snapshot__cluster=None)
    older = Q(looked_at, extracted_at__lt=run.started_at, snapshot__kept=True) & ~Q(run=run)
    gone = ~Q(snapshot__page__current_id=F("snapshot_id"))
    removed, _ = Record.objects.filter(older | gone, cluster_id__in=cluster_ids).delete()
    return removed


def add_states(summary: RunSummary, run: Run) -> RunSummary:
    """Return the summary with the number of records that the run made, in total and by state."""
    states = dict(Record.objects.filter(run=run).order_by().values_list("state").annotate(n=Count("pk")))
    return replace(
        summary,
        records=sum(states.values()),
        complete=states.get(Record.State.COMPLETE, 0),
        incomplete=states.get(Record.State.INCOMPLETE, 0),
        failed=states.get(Record.State.FAILED, 0),
    )


def _summarize(run: Run, left: Mapping[str, int], *, removed: int, pages: int, seconds: float) -> RunSummary:
    summary = RunSummary(
        pages=pages,
        unmatched=left.get("unmatched", 0),
        unreadable=left.get("unreadable", 0),
        removed=removed,
        reason=_find_commonest_reason(run),
        pages_per_s=round(pages / max(seconds, 1e-3), 1),
    )
    return add_states(summary, run)


def _find_commonest_reason(run: Run) -> str:
    """Return the most common reason why the run's records failed; empty when none did."""
    failed = Record.objects.failed().filter(run=run).order_by().values_list("reason").annotate(n=Count("pk"))
    return str(max(failed, key=lambda row: (row[1], row[0]), default=("", 0))[0])
