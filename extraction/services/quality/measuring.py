"""Judge the records of one template by some rules, as a stream."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from extraction.algorithms.records.quality.checks import Ending
from extraction.algorithms.records.quality.judging import RecordJudge, Score, judge_count, judge_move
from extraction.models import Cluster, RunRelease, TrackedCount, TrackedRecord
from extraction.services.core.streaming import stream_rows
from extraction.services.quality.effective_rules import MOVING, list_followed
from extraction.services.quality.subjects import count_records, read_moves, read_subjects
from extraction.services.records.history import find_oldest

MAX_EARLIER = 50
"""The largest number of earlier runs with which a count can be compared."""

BEAT_EVERY = 500


@dataclass(slots=True)
class Measured:
    """What was found besides the scores.

    counts: {list, "" for pages: number of records or rows}; empty if only some records are judged and no rule is about their number.
    base: the last release, with which the records were compared; None if there was none.
    judged: number of records and rows that were looked at; complete: these are all.
    cut_history: changes since the base are no longer kept, so not all of them were seen.
    """

    counts: dict[str, int] = field(default_factory=dict)
    base: RunRelease | None = None
    judged: int = 0
    complete: bool = True
    cut_history: bool = False


def measure_records(
    cluster: Cluster, scores: Sequence[Score], *, beat: Callable[[], None] = lambda: None, limit: int | None = None
) -> Measured:
    """Judge a template's present records. Scores that are refused already stay as they are.

    beat: called from time to time.
    limit: judge at most so many records by rules that do not compare with an earlier run.
    """
    open_scores = [score for score in scores if not score.refused]
    earlier = list(RunRelease.objects.released().filter(cluster=cluster).select_related("run").order_by("-pk")[:MAX_EARLIER])
    found = Measured(base=earlier[0] if earlier else None)
    if limit is None or any(score.demand.kind == "count" for score in open_scores):
        found.counts = count_records(cluster)
    for score in open_scores:
        name = score.demand.list_name
        if score.demand.kind == "count":
            judge_count(score, found.counts.get(name, 0), [each.counts[name] for each in earlier if name in each.counts])
    with stream_rows(few=True) if limit is not None else nullcontext():
        _judge_present(cluster, [each for each in open_scores if each.demand.kind not in ("count", *MOVING)], found, beat, limit)
    moving = [each for each in open_scores if each.demand.kind in MOVING]
    if moving and found.base:
        oldest, ended = find_oldest(cluster), found.base.run.finished_at
        found.cut_history = oldest is not None and ended is not None and ended < oldest
        _judge_moves(cluster, found.base, moving, beat)
    return found


def _judge_present(cluster: Cluster, scores: Sequence[Score], found: Measured, beat: Callable[[], None], limit: int | None) -> None:
    """Judge the records as they are."""
    followed = list_followed(cluster)
    judge = RecordJudge(scores)
    lists = {score.demand.list_name for score in scores}
    for number, (values, place) in enumerate(read_subjects(cluster, lists, followed)):
        if number == limit:
            found.complete = False
            break
        judge.take(place.list_name, values, place)
        found.judged += 1
        if not number % BEAT_EVERY:
            beat()
    again = judge.begin_second_pass()
    for number, (values, place) in enumerate(read_subjects(cluster, again, followed) if again else ()):
        if number == limit:
            break
        judge.take_again(place.list_name, values, place)
        if not number % BEAT_EVERY:
            beat()


def _judge_moves(cluster: Cluster, base: RunRelease, scores: Sequence[Score], beat: Callable[[], None]) -> None:
    """Judge what has changed since the last release. Records without a change keep these rules."""
    lists = {score.demand.list_name for score in scores}
    here = TrackedCount.objects.filter(cluster=cluster, state=TrackedRecord.State.PRESENT).totals("list_name")
    left, unmoved = Counter[str](), Counter({name: here.get(name, 0) for name in lists})
    for number, move in enumerate(read_moves(cluster, base.run, lists)):
        name = move.place.list_name
        unmoved[name] -= move.after is not None
        left[name] += move.before is not None
        for score in (each for each in scores if each.demand.list_name == name):
            score.add(Ending.UNDECIDED if move.unclear else judge_move(score.demand, move.before, move.after), move.place)
        if not number % BEAT_EVERY:
            beat()
    for score in scores:
        name = score.demand.list_name
        score.compared = float(unmoved[name] + left[name])
        score.checked += unmoved[name]
