"""One template: how far it is from pages to records, and the next step."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from django.db.models import Count

from extraction.models import Breakage, Cluster, Label, MergeProposal, PageCount, Record, RecordCount, RecordFigures, Rule, Run, Snapshot
from extraction.services.labels import proofs
from extraction.services.schema import new_attributes
from extraction.services.templates.clusters import ClusterRow

Step = Literal["type", "annotate", "learn", "publish", "run", "repair", "records"]

STEPS: tuple[Step, ...] = ("type", "annotate", "learn", "publish", "run", "records")


@dataclass(frozen=True, slots=True)
class Stage:
    """One step from pages to records."""

    step: Step
    state: Literal["done", "now", "later"]


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A sample page.

    covered: the share of the template's content that this page and those before it show.
    labelled: the number of attributes annotated on it.
    """

    snapshot: Snapshot
    covered: float
    labelled: int


@dataclass(frozen=True, slots=True)
class ProposedPair:
    """A proposal to merge two templates.

    rows: the two as cards, the one that would stay first.
    """

    proposal: MergeProposal
    rows: tuple[ClusterRow, ...]


@dataclass(frozen=True, slots=True)
class ClusterView:
    """A template with its figures.

    live: its serving rule; None if it has none.
    newest: the newest version of its rule; None if it has none.
    fresh: whether its pages have records of the serving rule.
    breakage: its open breakage; None if it has none.
    busy: whether a run of its site fetches pages, sorts them or makes records.
    new_attributes: those that were added after its rule was learned; new_marked: values of all of them are marked on some page.
    unkept: how many of its outdated records come from pages that are not kept, so that only a fetch can make them again.
    """

    cluster: Cluster
    pages: int
    attributes: int
    labelled_pages: int
    live: Rule | None
    newest: Rule | None
    records: RecordFigures
    fresh: bool
    breakage: Breakage | None
    busy: bool
    new_attributes: tuple[str, ...] = ()
    new_marked: bool = False
    unkept: int = 0

    @property
    def step(self) -> Step:
        """The next thing to do."""
        if self.cluster.record_type_id is None:
            return "type"
        if self.broken:
            return "repair"
        if self.new_attributes:
            return "learn" if self.new_marked else "annotate"
        if self.live:
            return "records" if self.fresh else "run"
        if self.newest and self.newest.unpublished:
            return "publish"
        return "learn" if self.labelled_pages else "annotate"

    @property
    def stages(self) -> list[Stage]:
        """All steps with their states."""
        steps: list[Step] = ["repair" if self.broken and step == "run" else step for step in STEPS]
        now, last = steps.index(self.step), len(STEPS) - 1
        return [Stage(step, "done" if n < now or n == now == last else "now" if n == now else "later") for n, step in enumerate(steps)]

    @property
    def broken(self) -> bool:
        """Whether a check found its serving rule broken. Such a rule should not run over new pages."""
        return self.live is not None and self.live.state == Rule.State.BROKEN

    @property
    def renewable(self) -> int:
        """How many of its outdated records can be made again from stored pages."""
        return self.records.outdated - self.unkept

    @property
    def lost(self) -> tuple[str, ...]:
        """The attributes that the serving rule lost when it was repaired."""
        return proofs.find_lost(self.live.read_report()) if self.live else ()

    @property
    def health(self) -> list[tuple[float, str]]:
        """The shares of its pages by the state of their records, each with the state's colour."""
        return self.records.health(self.pages)

    @property
    def extracted(self) -> int:
        """The number of pages that gave a record, complete or not."""
        return self.records.given


RENEWING = (Run.Kind.CRAWL, Run.Kind.IMPORT, Run.Kind.CLUSTER, Run.Kind.PLACE, Run.Kind.EXTRACT)
"""The kinds of runs after or during which records are made again."""


def build_cluster_view(cluster: Cluster) -> ClusterView:
    """Collect a template's figures, in a constant number of queries."""
    rules = list(Rule.objects.filter(cluster=cluster).defer("definition", "stylesheet", "report"))
    live = next((rule for rule in rules if rule.serving), None)
    figures = RecordCount.objects.filter(cluster=cluster).figures().get(cluster.pk, RecordFigures())
    new = new_attributes.find_new_attributes(Cluster.objects.filter(pk=cluster.pk)).get(cluster.pk, []) if rules else []
    marked = Label.objects.filter(cluster=cluster, attribute__name__in=new).order_by().values("attribute").distinct().count() if new else 0
    return ClusterView(
        cluster,
        pages=PageCount.objects.filter(cluster_key=cluster.pk).total() + figures.sorting,
        attributes=cluster.record_type.attributes.count() if cluster.record_type else 0,
        labelled_pages=Label.objects.filter(cluster=cluster).order_by().values("snapshot").distinct().count(),
        live=live,
        newest=rules[0] if rules else None,
        records=figures,
        fresh=live is not None and Record.objects.filter(cluster=cluster, rule=live).now().exists(),
        breakage=cluster.breakages.open().first(),
        busy=Run.objects.unfinished().filter(site=cluster.site_id, kind__in=RENEWING).exists(),
        new_attributes=tuple(new),
        new_marked=0 < len(new) == marked,
        unkept=_count_unkept(cluster) if figures.outdated else 0,
    )


def _count_unkept(cluster: Cluster) -> int:
    """Return how many outdated records of a template come from pages that are not kept."""
    return Record.objects.filter(cluster=cluster, snapshot__page__kept=False).now().outdated().given().count()


def can_run(cluster: Cluster) -> bool:
    """Whether the template has a serving rule that is not known to be broken."""
    return not cluster.ignored and cluster.rules.serving().exclude(state=Rule.State.BROKEN).exists()


def pair_proposals(proposals: Iterable[MergeProposal], rows: Iterable[ClusterRow]) -> list[ProposedPair]:
    """Return the proposals with the cards of their templates, so that their pictures can be shown side by side."""
    cards = {row.cluster.pk: row for row in rows}
    return [ProposedPair(each, (cards[each.into_id], cards[each.other_id])) for each in proposals]


ENOUGH = 0.995
"""Once the sample pages show this share of the template, further ones add hardly anything."""


def list_samples(cluster: Cluster) -> tuple[list[SampleRow], list[SampleRow]]:
    """Return the sample pages in the order in which they were picked, as (pages shown, further pages).

    The pages shown go up to the one at which ENOUGH of the template is shown or to the last annotated one, whichever
    comes later.
    """
    rows = cluster.samples.select_related("snapshot__page").order_by("position")
    labelled = Label.objects.filter(cluster=cluster).values_list("snapshot").order_by().annotate(n=Count("attribute", distinct=True))
    said = dict(labelled)
    found = [SampleRow(row.snapshot, row.covered_fraction, said.get(row.snapshot_id, 0)) for row in rows]
    enough = next((place for place, row in enumerate(found, 1) if row.covered >= ENOUGH), len(found))
    annotated = max((place for place, row in enumerate(found, 1) if row.labelled), default=0)
    shown = max(enough, annotated)
    return found[:shown], found[shown:]
