"""Count what a join found, and show it before the join is stored."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from extraction.models.join import JoinedState, JoinFigures
from extraction.services.joins import pairing
from extraction.services.joins.pairing import JoinedDraft
from extraction.services.joins.plans import ReadyJoin

MAX_PREVIEW_ROWS = 2_000
"""Rows that a preview reads. All pages are looked through, since a row may lead to any."""

EXAMPLES = 3
"""Examples of each kind in a preview."""


@dataclass(slots=True)
class FigureCounter:
    """Adds up the figures of joined records while they are made."""

    counts: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, drafts: Iterable[JoinedDraft]) -> None:
        """Count joined records."""
        for each in drafts:
            self.counts["rows"] += len(each.rows)
            self.counts["conflicts"] += bool(each.conflicts)
            self.counts["disagreeing"] += any(row.problem for row in each.rows)
            if each.state == JoinedState.JOINED:
                self.counts["joined"] += 1
                self.counts["joined_rows"] += len(each.rows)
                self.counts["several"] += len(each.rows) > 1
                self.ways[each.way] += 1
            elif each.state == JoinedState.ROW:
                self.counts["row_alone"] += 1
                self.reasons[each.reason] += len(each.rows)
            else:
                self.counts["page_alone"] += 1

    def make_figures(self) -> JoinFigures:
        """Return the figures so far."""
        return JoinFigures(**self.counts, ways=dict(self.ways), reasons=dict(self.reasons))


@dataclass(frozen=True, slots=True)
class JoinPreview:
    """What a join would give.

    complete: the figures are of all rows. Otherwise they are of the first `figures.rows`, and pages without a row are not known.
    joined, conflicts, row_alone, page_alone: examples.
    """

    figures: JoinFigures
    complete: bool
    pages: int
    joined: Sequence[JoinedDraft]
    conflicts: Sequence[JoinedDraft]
    row_alone: Sequence[JoinedDraft]
    page_alone: Sequence[JoinedDraft]


def preview_join(join: ReadyJoin) -> JoinPreview:
    """Return the figures and examples of a join that is not stored."""
    found = pairing.pair_sides(join, most_rows=MAX_PREVIEW_ROWS)
    lonely = list(found.list_lonely_pages()) if found.complete else []
    counter, kept = FigureCounter(), list[JoinedDraft]()
    shown = chain(found.groups, islice(lonely, EXAMPLES))
    for drafts in pairing.read_drafts(join, found, shown):
        counter.add(drafts)
        kept += [each for each in drafts if _is_example(each, kept)]
    counter.counts["page_alone"] = len(lonely)

    def pick(state: JoinedState, *, conflicts: bool = False) -> list[JoinedDraft]:
        return [each for each in kept if each.state == state and bool(each.conflicts) == conflicts][:EXAMPLES]

    return JoinPreview(
        counter.make_figures(),
        found.complete,
        len(found.pages),
        joined=pick(JoinedState.JOINED),
        conflicts=pick(JoinedState.JOINED, conflicts=True),
        row_alone=pick(JoinedState.ROW),
        page_alone=pick(JoinedState.PAGE),
    )


def _is_example(draft: JoinedDraft, kept: Sequence[JoinedDraft]) -> bool:
    alike = (each for each in kept if each.state == draft.state and bool(each.conflicts) == bool(draft.conflicts))
    return len(list(islice(alike, EXAMPLES))) < EXAMPLES
