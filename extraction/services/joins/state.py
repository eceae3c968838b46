"""Whether the records of a join are as their sides are now, and what a person has to do otherwise."""

from dataclasses import dataclass

from django.utils.translation import gettext

from extraction.models import Join, Run
from extraction.models.run_values import RunParameters
from extraction.services.joins import plans
from extraction.services.joins.gates import ClosedGate, find_closed_gates
from extraction.services.joins.plans import Problems, ReadyJoin


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """The condition of a join.

    problems: why it cannot be made until a person chooses again.
    run: its newest run, None if there was none.
    outdated: the settings, or the names of attributes, have changed since its records were made.
    ready: the join as it would be made now, None with problems.
    gates: the sides whose last records are not released.
    """

    problems: tuple[str, ...]
    run: Run | None
    outdated: bool
    made: bool
    ready: ReadyJoin | None = None
    gates: tuple[ClosedGate, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether a run makes the records at the moment, or waits for a worker."""
        return self.run is not None and not self.run.finished

    @property
    def warnings(self) -> list[str]:
        """What is to be known about the records as they are, a sentence each."""
        found = [
            gettext("The join needs a choice, so its records are not brought up to date. %(each)s") % {"each": each}
            for each in self.problems
        ]
        if self.run and not self.run.finished:
            found.append(gettext("The records are being brought up to date."))
        elif self.run and self.run.state != Run.State.DONE:
            found.append(self._describe_end(self.run))
        elif self.outdated and not self.problems:
            found.append(gettext("The settings of the join have changed since its records were made."))
        return [*found, *(each.words for each in self.gates)]

    def _describe_end(self, run: Run) -> str:
        return (
            gettext("The last attempt to bring the records up to date was cancelled.")
            if run.state == Run.State.CANCELLED
            else gettext("The last attempt to bring the records up to date failed: %(error)s") % {"error": run.error}
        )


def describe_state(join: Join) -> JoinCondition:
    """Return the condition of a join, in a constant number of queries."""
    found = plans.check_plan(join.site, plans.read_plan(join))
    target = Run.target_of(Run.Kind.JOIN, RunParameters(join=join.pk).as_json())
    run = Run.objects.filter(site=join.site_id, kind=Run.Kind.JOIN, target=target).order_by("-pk").first()
    made = join.made_at is not None
    if isinstance(found, Problems):
        return JoinCondition(found.sentences, run, outdated=made, made=made)
    gates = tuple(find_closed_gates(join.site, found.sides))
    return JoinCondition((), run, outdated=made and found.settings != join.read_result().settings, made=made, ready=found, gates=gates)
