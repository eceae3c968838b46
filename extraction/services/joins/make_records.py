"""Make the records of a join: a run that compares what both sides give now with what is stored, and writes the differences.

Each batch is one transaction. A record that is as it was is not written, so a run that is repeated changes nothing, and a record keeps
its number for as long as its page is the same thing. The columns and figures change at the end, in the transaction that removes what no
longer exists.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import Cluster, Join, JoinedRecord, JoinedRow, JoinListing, Rule, Run, Site
from extraction.models.join import JoinResult
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs
from extraction.services.core.runs import Interrupted, JobError, Progress
from extraction.services.joins import pairing, plans
from extraction.services.joins.figures import FigureCounter
from extraction.services.joins.gates import find_closed_gates
from extraction.services.joins.pairing import JoinedDraft, RowDraft
from extraction.services.joins.plans import Problems

CHUNK = 500
"""Rows of one statement. Databases limit the number of parameters."""

FIELDS = ("state", "page_id", "values", "conflicts", "reason", "why", "way", "rows", "disagreeing", "complete", "text")
"""What a run can change in a joined record."""


def start_joining(join: Join, user: User | None = None) -> Run:
    """Start a run that makes the records of a join. An unfinished one is returned instead."""
    return runs.start_run(Run.Kind.JOIN, join.site, parameters=RunParameters(join=join.pk), unit="records", user=user)


def start_joins(joins: Iterable[Join], user: User | None = None) -> list[Run]:
    """Start a run for each join that can be made.

    Joins that need a person's choice, and those of records that are not released, are left as they are; their screens say so.
    """
    return [start_joining(each, user) for each in joins if _can_be_made(each)]


def _can_be_made(join: Join) -> bool:
    found = plans.check_plan(join.site, plans.read_plan(join))
    return not isinstance(found, Problems) and not find_closed_gates(join.site, found.sides)


def list_joins_of_run(run: Run) -> list[Join]:
    """Return the joins of the site whose templates a run extracted from."""
    rules = run.read_parameters().rules or ()
    return list_joins_of_templates(run.site, Rule.objects.filter(pk__in=rules).values_list("cluster", flat=True))


def list_joins_of_templates(site: Site, clusters: Iterable[int]) -> list[Join]:
    """Return the joins that these templates take part in, on either side."""
    wanted = list(clusters)
    listed = JoinListing.objects.filter(cluster__in=wanted).values("join")
    joins = Join.objects.filter(site=site)
    return list((joins.filter(detail__in=wanted) | joins.filter(pk__in=listed)).distinct().order_by("pk"))


def list_joins_of_type(record_type_id: int) -> list[Join]:
    """Return the joins of templates with a record type, on all sites."""
    clusters = Cluster.objects.filter(record_type=record_type_id).values("pk")
    listed = JoinListing.objects.filter(cluster__in=clusters).values("join")
    return list((Join.objects.filter(detail__in=clusters) | Join.objects.filter(pk__in=listed)).distinct().order_by("pk"))


def changed_meanwhile(run: Run) -> bool:
    """Return whether something that a run joined has changed since the run began: records, or the settings of the join."""
    join = Join.objects.filter(pk=run.read_parameters().join or 0).first()
    if join is None:
        return False
    kinds = (Run.Kind.EXTRACT, Run.Kind.CRAWL, Run.Kind.CLUSTER)
    ended = Run.objects.filter(site=run.site, kind__in=kinds, state=Run.State.DONE, finished_at__gte=run.started_at or run.created_at)
    plan = plans.check_plan(join.site, plans.read_plan(join))
    return ended.exists() or (not isinstance(plan, Problems) and plan.settings != join.read_result().settings)


def run_joining(run: Run, progress: Progress) -> RunSummary:
    """Bring the records of a join up to date and return the figures.

    The join stays as it is while records of its sides are not released. Their release starts it again.
    Raises JobError when the join needs a choice or is gone.
    """
    join = Join.objects.select_related("site").filter(pk=run.read_parameters().join or 0).first()
    if join is None:
        raise JobError(gettext("The join was deleted."))
    ready = plans.check_plan(join.site, plans.read_plan(join))
    if isinstance(ready, Problems):
        raise JobError(" ".join(ready.sentences))
    if find_closed_gates(join.site, ready.sides):
        return RunSummary()
    progress(0, message="Finding the page of each row")
    found = pairing.pair_sides(ready)
    total, done = len(found.groups) + sum(1 for _ in found.list_lonely_pages()), 0
    listings = list(join.listings.values_list("pk", flat=True))
    counter, seen = FigureCounter(), set[str]()
    progress(0, total=total, message="Joining")
    for drafts in pairing.read_drafts(ready, found, chain(found.groups, found.list_lonely_pages())):
        counter.add(drafts)
        seen.update(each.digest for each in drafts)
        if find_closed_gates(join.site, ready.sides):
            return RunSummary()  # an extraction began while these drafts were read
        try:
            _write_drafts(run, join, listings, drafts)
        except IntegrityError as error:
            raise Interrupted(gettext("The join or its pages were changed while it was made")) from error
        done += len(drafts)
        progress(min(done, total))
    figures = counter.make_figures()
    with transaction.atomic():
        _remove_others(join, seen)
        result = JoinResult(columns=ready.columns, figures=figures, settings=ready.settings)
        Join.objects.filter(pk=join.pk).update(result=result.as_json(), made_at=timezone.now())
    return RunSummary(
        rows=figures.rows,
        records=len(seen),
        joined=figures.joined,
        row_alone=figures.row_alone,
        page_alone=figures.page_alone,
        conflicts=figures.conflicts,
    )


def _write_drafts(run: Run, join: Join, listings: Sequence[int], drafts: Sequence[JoinedDraft]) -> None:
    """Write the records that are new or differ from what is stored, with their rows."""
    with transaction.atomic():
        known = {each.digest: each for each in _list_known(join, drafts)}
        rows: dict[int, list[tuple[Any, ...]]] = {}
        for row in JoinedRow.objects.filter(record__in=[each.pk for each in known.values()]).order_by("pk"):
            rows.setdefault(row.record_id, []).append((row.listing_id, row.page_id, row.place, row.values, row.problem))
        wanted = [_make_record(run, join, each) for each in drafts]
        new, changed = [], []
        for record, draft in zip(wanted, drafts, strict=True):
            before = known.get(record.digest)
            listed = [_describe_row(listings, each) for each in draft.rows]
            if before is None:
                new.append((record, listed))
            elif listed != rows.get(before.pk, []) or any(getattr(before, name) != getattr(record, name) for name in FIELDS):
                record.pk = before.pk
                changed.append((record, listed))
        JoinedRecord.objects.bulk_create([record for record, _ in new], batch_size=CHUNK)
        fields = [name.removesuffix("_id") for name in FIELDS]
        JoinedRecord.objects.bulk_update([record for record, _ in changed], [*fields, "run"], batch_size=50)
        JoinedRow.objects.filter(record__in=[record.pk for record, _ in changed]).delete()
        made = [
            JoinedRow(record=record, listing_id=one[0], page_id=one[1], place=one[2], values=one[3], problem=one[4])
            for record, listed in [*new, *changed]
            for one in listed
        ]
        JoinedRow.objects.bulk_create(made, batch_size=CHUNK)


def _list_known(join: Join, drafts: Sequence[JoinedDraft]) -> list[JoinedRecord]:
    digests = [each.digest for each in drafts]
    return list(JoinedRecord.objects.select_for_update(of=("self",)).filter(join=join, digest__in=digests).order_by("pk"))


def _make_record(run: Run, join: Join, draft: JoinedDraft) -> JoinedRecord:
    return JoinedRecord(
        join=join,
        digest=draft.digest,
        state=draft.state.value,
        page_id=draft.page_id,
        values={name: list(many) for name, many in draft.values.items()},
        conflicts=list(draft.conflicts),
        reason=str(draft.reason),
        why=draft.why,
        way=draft.way,
        rows=len(draft.rows),
        disagreeing=any(row.problem for row in draft.rows),
        complete=draft.complete,
        text=draft.text,
        run=run,
    )


def _describe_row(listings: Sequence[int], row: RowDraft) -> tuple[Any, ...]:
    values = {name: list(many) for name, many in row.values.items()}
    return listings[row.listing], row.page_id, row.place, values, row.problem


def _remove_others(join: Join, seen: set[str]) -> None:
    """Delete the joined records that no longer exist."""
    stored = JoinedRecord.objects.filter(join=join).values_list("pk", "digest").iterator(chunk_size=2_000)
    gone = [pk for pk, digest in stored if digest not in seen]
    for at in range(0, len(gone), CHUNK):
        JoinedRecord.objects.filter(pk__in=gone[at : at + CHUNK]).delete()
