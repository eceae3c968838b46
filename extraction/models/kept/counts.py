"""The tables of kept counts. Each row has the number of rows of another table that agree in some columns.

On PostgreSQL, each connection adds to rows of its own (`slot`), so that two transactions never wait for each other because of a count. A
count is therefore the sum over all slots. SQLite has one writer at a time, and its slot is 0. Rows may hold 0, and a slot may hold a
negative number.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from django.db import models
from django.db.models import Q, Sum

from extraction.models.cluster import Cluster
from extraction.models.record import KeptPart, RecordFigures, RecordPart, RecordState
from extraction.models.rule import Rule, RuleState
from extraction.models.run import Run
from extraction.models.site import Site


class KeptCountQuerySet(models.QuerySet[Any]):
    """Sums over the kept counts."""

    def total(self) -> int:
        """Return the number of rows that these counts stand for."""
        return int(self.aggregate(total=Sum("n"))["total"] or 0)

    def totals(self, *names: str) -> dict[Any, int]:
        """Return {value of a column: number of rows}; with several columns, {(value, …): number}. Those without rows are missing."""
        rows = self.order_by().values_list(*names).annotate(total=Sum("n"))
        found = {(row[0] if len(names) == 1 else row[:-1]): int(row[-1]) for row in rows}
        return {key: n for key, n in found.items() if n}


class KeptCount(models.Model):
    """A kept count."""

    slot = models.BigIntegerField(default=0)
    n = models.BigIntegerField(default=0)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.n}"


def _refer_to(model: type[models.Model]) -> Any:
    """A reference that the database does not check: a count may outlive its object by some hours, with the number 0."""
    return models.ForeignKey(model, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")


@dataclass(frozen=True, slots=True)
class PageFigures:
    """How many pages there are. unclustered: readable ones in no template."""

    pages: int = 0
    unreadable: int = 0
    partly: int = 0
    unclustered: int = 0
    gone: int = 0


class PageCountQuerySet(KeptCountQuerySet):
    """Figures of pages."""

    def figures(self) -> Mapping[int, PageFigures]:
        """Return {site: its figures}, in one query. Sites without pages are missing."""
        readable = Q(reading__in=("whole", "partly"))
        rows = (
            self.order_by()
            .values("site")
            .annotate(
                pages=Sum("n", default=0),
                unreadable=Sum("n", filter=Q(reading="unreadable"), default=0),
                partly=Sum("n", filter=Q(reading="partly"), default=0),
                unclustered=Sum("n", filter=readable & Q(cluster_key=0), default=0),
                gone=Sum("n", filter=Q(gone=True), default=0),
            )
        )
        return {row.pop("site"): PageFigures(**{name: int(n) for name, n in row.items()}) for row in rows}

    def of_templates(self) -> Self:
        """Counts of pages in a template."""
        return self.exclude(cluster_key=0)


class PageCount(KeptCount):
    """Pages by site, template (0: none), how their current content can be read, whether its bytes are kept, and whether they are gone.

    id_sum: the sum of the ids of the pages. With the number, it tells one set of pages from another.
    """

    site = _refer_to(Site)
    cluster_key = models.BigIntegerField()
    reading = models.CharField(max_length=10)
    kept = models.BooleanField()
    gone = models.BooleanField()
    id_sum = models.DecimalField(max_digits=30, decimal_places=0, default=0)

    objects = PageCountQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["site", "cluster_key", "reading", "kept", "gone", "slot"], name="one_page_count"),
        ]
        indexes = [models.Index(fields=["cluster_key"])]


class RecordCountQuerySet(KeptCountQuerySet):
    """Figures of records."""

    def figures(self) -> Mapping[int, RecordFigures]:
        """Return {template: its figures}, in one query. Templates without records are missing."""
        found: dict[int, Counter[str]] = {}
        totals = self.totals("cluster", "part", "rule__state", "whole", "sorting", "state")
        for (cluster, part, rule, whole, sorting, state), n in totals.items():
            counts, given = found.setdefault(cluster, Counter()), state != RecordState.FAILED
            if part in (KeptPart.NOW, KeptPart.EARLIER):
                counts[state] += n
                counts["sorting"] += n if sorting else 0
                counts["held"] += n if given and not whole else 0
            named = "older" if part == KeptPart.NOW and rule == RuleState.RETIRED else part
            if named != KeptPart.NOW and given:
                counts[named] += n
        return {cluster: RecordFigures(**counts) for cluster, counts in found.items()}

    def now(self) -> Self:
        """Counts of the records of the pages of a template."""
        return self.filter(part__in=(KeptPart.NOW, KeptPart.EARLIER))

    def in_part(self, part: str) -> Self:
        """Counts of the records of a `RecordPart`; an unknown part counts as NOW."""
        if part == RecordPart.OUTDATED:
            return self.now().outdated().given()
        if part in (RecordPart.GONE, RecordPart.ELSEWHERE):
            return self.filter(part=part)
        return self.now()

    def outdated(self) -> Self:
        """Counts of records that the live rule has not made from the current content."""
        return self.filter(Q(standing=False) | Q(rule__state=RuleState.RETIRED))

    def given(self) -> Self:
        """Counts of records that are not failed ones."""
        return self.exclude(state=RecordState.FAILED)


class RecordCount(KeptCount):
    """Records by template, rule, what they are to the template, and state. whole: nothing of them is held back."""

    cluster = _refer_to(Cluster)
    rule = _refer_to(Rule)
    part = models.CharField(max_length=10)
    shown = models.BooleanField()
    standing = models.BooleanField()
    sorting = models.BooleanField()
    state = models.CharField(max_length=10)
    whole = models.BooleanField()

    objects = RecordCountQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "rule", "part", "shown", "standing", "sorting", "state", "whole", "slot"], name="one_record_count"
            )
        ]


class TrackedCount(KeptCount):
    """Records over time by template, list and state. number_sum: the sum of the numbers of their last changes."""

    cluster = _refer_to(Cluster)
    list_name = models.CharField(max_length=60)
    state = models.CharField(max_length=10)
    number_sum = models.BigIntegerField(default=0)

    objects = KeptCountQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "list_name", "state", "slot"], name="one_tracked_count")]


class ChangeCount(KeptCount):
    """Changes of records by template, kind and cause."""

    cluster = _refer_to(Cluster)
    kind = models.CharField(max_length=10)
    cause = models.CharField(max_length=10)

    objects = KeptCountQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "kind", "cause", "slot"], name="one_change_count")]


class ProblemCount(KeptCount):
    """Problems of runs."""

    run = _refer_to(Run)

    objects = KeptCountQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "slot"], name="one_problem_count")]


class AddressCount(KeptCount):
    """Addresses of crawls by state and outcome."""

    run = _refer_to(Run)
    state = models.CharField(max_length=6)
    outcome = models.CharField(max_length=20)

    objects = KeptCountQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "state", "outcome", "slot"], name="one_address_count")]
