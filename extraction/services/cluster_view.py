"""One template: where it stands on the way from pages to records, and what the next step is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.db.models import Count, F

from extraction.models import Cluster, Label, Page, Record, Rule, Snapshot

Step = Literal["type", "annotate", "learn", "publish", "run", "records"]

STEPS: tuple[Step, ...] = ("type", "annotate", "learn", "publish", "run", "records")


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the way. state: done, now or later."""

    step: Step
    state: Literal["done", "now", "later"]


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A sample page. covered: share of the template's structure that it and those before it show. labelled: attributes said."""

    snapshot: Snapshot
    covered: float
    labelled: int


@dataclass(frozen=True, slots=True)
class ClusterView:
    """A template with its figures. records: {state: how many}; live, newest: its rules, None where it has none."""

    cluster: Cluster
    pages: int
    attributes: int
    labelled_pages: int
    live: Rule | None
    newest: Rule | None
    records: Mapping[str, int]

    @property
    def step(self) -> Step:
        """The next thing to do."""
        if self.cluster.record_type_id is None:
            return "type"
        if self.live:
            return "records" if sum(self.records.values()) else "run"
        if self.newest and self.newest.unpublished:
            return "publish"
        return "learn" if self.labelled_pages else "annotate"

    @property
    def stages(self) -> list[Stage]:
        """All steps with what is done of them."""
        now = STEPS.index(self.step)
        last = len(STEPS) - 1
        return [Stage(step, "done" if n < now or n == now == last else "now" if n == now else "later") for n, step in enumerate(STEPS)]

    @property
    def health(self) -> list[tuple[float, str]]:
        """Shares of its pages by the state of their records, with the state's colour."""
        colours = {Record.State.COMPLETE: "ok", Record.State.INCOMPLETE: "suspect", Record.State.FAILED: "broken"}
        return [(self.records.get(state, 0) / max(1, self.pages), colour) for state, colour in colours.items()]

    @property
    def extracted(self) -> int:
        """Pages that gave a record, complete or not."""
        return self.records.get(Record.State.COMPLETE, 0) + self.records.get(Record.State.INCOMPLETE, 0)


def view(cluster: Cluster) -> ClusterView:
    """A template's figures, in a constant number of queries."""
    rules = list(Rule.objects.filter(cluster=cluster).defer("definition", "stylesheet", "report"))
    current = Record.objects.filter(cluster=cluster, snapshot__page__current=F("snapshot"))
    return ClusterView(
        cluster,
        pages=Page.objects.filter(current__cluster=cluster).count(),
        attributes=cluster.record_type.attributes.count() if cluster.record_type else 0,
        labelled_pages=Label.objects.filter(cluster=cluster).order_by().values("snapshot").distinct().count(),
        live=next((rule for rule in rules if rule.serving), None),
        newest=rules[0] if rules else None,
        records=dict(current.values_list("state").order_by().annotate(n=Count("pk"))),
    )


def samples(cluster: Cluster) -> list[SampleRow]:
    """The sample pages in greedy order with what was annotated on each."""
    rows = cluster.samples.select_related("snapshot__page").order_by("position")
    labelled = Label.objects.filter(cluster=cluster).values_list("snapshot").order_by().annotate(n=Count("attribute", distinct=True))
    said = dict(labelled)
    return [SampleRow(row.snapshot, row.covered_fraction, said.get(row.snapshot_id, 0)) for row in rows]
