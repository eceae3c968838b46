"""A check: fetches a site's bellwethers, says what is broken, confirms it by a second look, and writes down what it found.

One run checks all templates of a site whose rule serves. A template's result is written in one transaction, so a run that is
started again after its worker died goes on with the templates that have none yet; nothing is checked, opened or told twice.
What is broken is confirmed by fetching the same pages again: a server that answered nonsense for a minute is no break.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from extraction.algorithms.learning.tables import table
from extraction.algorithms.monitoring import verdict as judging
from extraction.algorithms.monitoring.verdict import AttributeVerdict, Evidence, Thresholds, Verdict, Visit
from extraction.algorithms.rules import xslt
from extraction.algorithms.sketches import shingles
from extraction.algorithms.sketches.shingles import Mask
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Bellwether, Breakage, Check, Monitor, Rule, Run, Site
from extraction.models.check_findings import AttributeFinding, CheckedPage, CheckEvidence
from extraction.models.run_values import RunSummary
from extraction.services.core.runs import Progress
from extraction.services.monitoring import bellwethers, breakages, history, page_visits
from extraction.services.monitoring.page_visits import Answer, Fetch
from extraction.services.rules import rules

GONE = (Outcome.NOT_FOUND, Outcome.GONE, Outcome.MOVED, Outcome.SOFT_404)
"""Outcomes after which a page is watched no longer, when the check reached most of the others."""

MAX_EVIDENCE = 150
"""Pieces of evidence kept a check, of each attribute the same number where it has so many."""

Values = Mapping[str, tuple[str, ...]]


def run(run: Run, progress: Progress) -> RunSummary:
    """The run's job: fetches by the site's source; summary {checked, ok, broken, unreachable}."""
    fetch = page_visits.fetcher(run.site, spool=f"check-{run.pk}")
    progress(0, total=_serving(run.site).count(), message="Checking pages")
    return check(run.site, fetch=fetch, now=timezone.now, run=run, tell=progress, confirm_after_s=settings.VERTEX_CONFIRM_AFTER_S)


def check(
    site: Site,
    *,
    fetch: Fetch,
    now: Callable[[], datetime],
    run: Run | None = None,
    tell: Callable[[int], None] = lambda _: None,
    confirm_after_s: float = 0.0,
) -> RunSummary:
    """Checks every template of the site whose rule serves. fetch, now: how pages and the time come, for simulations."""
    found: list[Check] = []
    for number, rule in enumerate(_serving(site).select_related("cluster").order_by("cluster__number")):
        tell(number)
        done = Check.objects.filter(run=run, cluster=rule.cluster).first() if run else None
        found.append(done or _check_rule(rule, fetch, now, run, confirm_after_s, partial(tell, number)))
    tell(len(found))
    Monitor.objects.filter(site=site).update(last_checked_at=now())
    breakages.propose_open(site, now=now())
    kinds = [each.verdict for each in found]
    return RunSummary(
        checked=len(found),
        broken=sum(bool(each.confirmed and each.broken) for each in found),
        unreachable=kinds.count(Check.Verdict.UNREACHABLE),
        ok=sum(not each.broken and each.verdict != Check.Verdict.UNREACHABLE for each in found),
    )


def _serving(site: Site) -> QuerySet[Rule]:
    return Rule.objects.serving().of_site(site).not_ignored()


@dataclass(frozen=True, slots=True)
class Looked:
    """One look at a template's bellwethers: what came of each, by URL, and the verdict."""

    answers: Mapping[str, Answer]
    visits: Sequence[Visit]
    verdict: Verdict


def _check_rule(
    rule: Rule, fetch: Fetch, now: Callable[[], datetime], run: Run | None, confirm_after_s: float, alive: Callable[[], None]
) -> Check:
    watched = bellwethers.of(rule.cluster)
    looker = Looker(rule, watched)
    first = looker.look(fetch)
    confirmed = True
    last = first
    if first.verdict.broken:
        rules.move(rule, Rule.State.SUSPECT)
        _wait(confirm_after_s, alive)
        second = looker.look(fetch)
        if second.verdict.kind != "unreachable":
            last = _both(first, second)
        confirmed = bool(last.verdict.broken) and second.verdict.kind != "unreachable"
    with transaction.atomic():
        made = _write(rule, watched, last, confirmed=confirmed, at=now(), run=run)
        breakages.follow(made)
    return made


class Looker:
    """A template's rule and its watched pages as they were, read once a check."""

    def __init__(self, rule: Rule, watched: Sequence[Bellwether]) -> None:
        self.rule, self.watched = rule, watched
        self.value = rule.read_definition()
        self.sheet = xslt.Stylesheet.compile(rule.stylesheet)
        self.masks = [Mask.from_text(text) for text in rule.cluster.masks]
        self.old = {each.page.url: page for each in watched if (page := history.page(each.baseline)) is not None}
        self.before = {url: page_visits.values_of(self.sheet, page.root) for url, page in self.old.items()}
        self.profiles = history.profiles(rule, self.value, list(self.before.values()))
        self.thresholds = Thresholds().raised(Breakage.objects.filter(cluster=rule.cluster, state=Breakage.State.DISMISSED).count())

    def look(self, fetch: Fetch) -> Looked:
        """Fetches the watched pages and judges the rule by them."""
        answers = _told_apart(fetch([each.page.url for each in self.watched]))
        seen = [visit for url in self.old if (visit := self._visit(url, answers.get(url))) is not None]
        found = judging.check(
            history.judged(self.value),
            self.profiles,
            seen,
            columns=history.columns(self.value),
            asked=len(self.watched),
            thresholds=self.thresholds,
        )
        return Looked(answers, seen, found)

    def _visit(self, url: str, answer: Answer | None) -> Visit | None:
        root = page_visits.tree(answer) if answer else None
        if answer is None or answer.content is None or root is None:
            return None
        vector = shingles.compute_vector(answer.content)
        covered = not self.masks or any(mask.covers(vector) for mask in self.masks)
        return Visit(url, self.old[url], table(root), self.before[url], page_visits.values_of(self.sheet, root), covered)


def _told_apart(answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """The answers; the same page at several addresses is none of theirs but a challenge, a notice or a front page."""
    counts = Counter(each.content for each in answers.values() if each.content)
    wall = Answer(Outcome.LOGIN_OR_BOT, message="Several addresses gave the same page.")
    return {url: wall if each.content and counts[each.content] > 1 else each for url, each in answers.items()}


def _both(first: Looked, second: Looked) -> Looked:
    """What both looks say: an attribute is broken only if it is in both."""
    fine = AttributeVerdict("ok", 0, 0.0)
    attributes = {
        name: each if name in first.verdict.broken or each.kind == "ok" else replace(fine, pages=each.pages)
        for name, each in second.verdict.attributes.items()
    }
    kinds = {each.kind for each in attributes.values()}
    kind: judging.Kind = next((kind for kind in ("incorrect", "null") if kind in kinds), "ok")
    shingle = second.verdict.kind == "shingle"
    return replace(second, verdict=replace(second.verdict, attributes=attributes, kind="shingle" if shingle else kind))


def _wait(seconds: float, alive: Callable[[], None]) -> None:
    """Waits, showing life."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 1.0))
        alive()


def _write(rule: Rule, watched: Sequence[Bellwether], looked: Looked, *, confirmed: bool, at: datetime, run: Run | None) -> Check:
    """The check's row, the bellwethers' counts and, where nothing is broken, their new baselines."""
    found = looked.verdict
    news = {visit.url: visit for visit in looked.visits}
    pages = []
    for each in watched:
        answer = looked.answers.get(each.page.url, Answer(Outcome.UNREACHABLE))
        answered = each.page.url in news
        new = page_visits.keep(each.page, answer, at) if answered else None
        new_id = new.pk if new else None
        pages.append(CheckedPage(url=each.page.url, outcome=str(answer.outcome), old=each.baseline_id, new=new_id))
        Bellwether.objects.filter(pk=each.pk).update(asked=F("asked") + 1, answered=F("answered") + int(answered))
        if new is not None and not found.broken:
            Bellwether.objects.filter(pk=each.pk).update(baseline=new)
    if found.kind != "unreachable":
        gone = [each for each in watched if looked.answers.get(each.page.url, Answer(Outcome.OK)).outcome in GONE]
        bellwethers.drop(gone, at)
    return Check.objects.create(
        cluster=rule.cluster,
        rule=rule,
        run=run,
        checked_at=at,
        verdict=found.kind,
        confirmed=confirmed,
        asked=found.asked,
        reached=found.reached,
        covered_fraction=found.covered_fraction,
        attributes={name: _finding(name, each, looked.visits).as_json() for name, each in found.attributes.items()},
        pages=[each.as_json() for each in pages],
        evidence=[_evidence(name, each).as_json() for name, each in _kept_evidence(found)],
    )


def _evidence(name: str, found: Evidence) -> CheckEvidence:
    return CheckEvidence(
        attribute=name,
        url=found.url,
        kind=found.kind,
        strong=found.strong,
        before=tuple(found.before),
        now=tuple(found.now),
        reason=found.reason,
    )


def _kept_evidence(found: Verdict) -> list[tuple[str, Evidence]]:
    """MAX_EVIDENCE pieces by attribute: the first of each, the second of each and so on."""
    ranked = [(rank, name, each) for name, verdict in found.attributes.items() for rank, each in enumerate(verdict.evidence)]
    kept = {(rank, name) for rank, name, _ in sorted(ranked, key=lambda row: row[0])[:MAX_EVIDENCE]}
    return [(name, each) for rank, name, each in ranked if (rank, name) in kept]


def _finding(name: str, found: AttributeVerdict, seen: Sequence[Visit]) -> AttributeFinding:
    empty = sum(not visit.now.get(name) for visit in seen)
    null_fraction = round(empty / len(seen), 4) if seen else None
    return AttributeFinding(kind=found.kind, pages=found.pages, fraction=round(found.fraction, 4), null_fraction=null_fraction)
