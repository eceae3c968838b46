"""A check: visits the bellwethers of a site's templates, confirms what is broken by a second visit, and writes down what it found.

One run checks all templates of a site whose rule serves, each in three steps:

1. The template's bellwethers are fetched (`fetch_pages`) and the rule is judged by them (`judge_pages`). The decision itself is made in
   `algorithms.monitoring.verdict`.
2. If the rule seems broken, the pages are fetched and judged again. A server that answered nonsense for a minute is not a break.
3. The result is written, and the rule and its breakage follow it (`check_template`).

The third step is one transaction for each template, so a run that is started again after its worker died continues with the templates that
have no result yet. Nothing is checked, opened or reported twice. At the end, repairs are made for the breakages that have none
(`repairs`). Pages that were imported are checked in the same way, without fetching (`imported_pages`).
"""

import time
from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.conf import settings
from django.utils import timezone

from extraction.models import Check, Monitor, Rule, Run, Site
from extraction.models.rule import RuleQuerySet
from extraction.models.run_values import RunSummary
from extraction.services.core.runs import Progress
from extraction.services.monitoring import bellwethers, breakages, check_template, fetch_pages, imported_pages, judge_pages, monitors
from extraction.services.monitoring.fetch_pages import Fetch


def run_check(run: Run, progress: Progress) -> RunSummary:
    """The run's job: fetches as the site's source says, or judges imported pages. Summary: checked, ok, broken, unreachable."""
    if run.read_parameters().snapshots is not None:
        check_broken(run, fetch=fetch_pages.make_fetcher(run.site, spool=f"check-{run.pk}"), tell=progress)
        return imported_pages.check_imported(run, now=timezone.now, tell=progress)
    fetch = fetch_pages.make_fetcher(run.site, spool=f"check-{run.pk}")
    progress(0, total=_serving_rules(run.site).count(), message="Checking pages")
    return check_site(run.site, fetch=fetch, now=timezone.now, run=run, tell=progress, confirm_after_s=settings.VERTEX_CONFIRM_AFTER_S)


def check_site(
    site: Site,
    *,
    fetch: Fetch,
    now: Callable[[], datetime],
    run: Run | None = None,
    tell: Callable[[int], None] = lambda _: None,
    confirm_after_s: float = 0.0,
) -> RunSummary:
    """Checks every template of the site whose rule serves, and proposes repairs for what is broken.

    fetch, now: where pages and the time come from.
    tell: called with the number of templates that are done, also while waiting.
    """
    found: list[Check] = []
    for number, rule in enumerate(_serving_rules(site).select_related("cluster").order_by("cluster__number")):
        tell(number)
        done = Check.objects.filter(run=run, cluster=rule.cluster).first() if run else None
        found.append(done or _check_rule(rule, fetch, now, run, confirm_after_s, partial(tell, number)))
    tell(len(found))
    Monitor.objects.filter(site=site).update(last_checked_at=now())
    if any(each.verdict != Check.Verdict.UNREACHABLE for each in found):
        monitors.forget_silence(site)
    check_template.propose_repairs(site, now=now())
    return check_template.summarise_checks(found)


def check_broken(run: Run, *, fetch: Fetch, tell: Callable[[int], None] = lambda _: None) -> None:
    """Visits the watched pages of the templates that are broken, before a refresh goes on: if the values are back, the breakage closes.

    The pages that a refresh found changed cannot tell. A page that is as it was before the break has not changed for Vertex.
    """
    broken = imported_pages.list_broken(run.site, run.read_parameters().refresh)
    for rule in _serving_rules(run.site).filter(cluster__in=broken).select_related("cluster").order_by("cluster__number"):
        if not Check.objects.filter(run=run, cluster=rule.cluster).exists():
            _check_rule(rule, fetch, timezone.now, run, settings.VERTEX_CONFIRM_AFTER_S, partial(tell, 0))


def _serving_rules(site: Site) -> RuleQuerySet:
    return Rule.objects.serving().of_site(site).not_ignored()


def _check_rule(
    rule: Rule, fetch: Fetch, now: Callable[[], datetime], run: Run | None, confirm_after_s: float, show_life: Callable[[], None]
) -> Check:
    watched = judge_pages.read_watched(rule, bellwethers.find_bellwethers(rule.cluster))
    found, confirmed = judge_pages.judge_answers(watched, fetch(watched.urls)), True
    if found.verdict.alarming:
        if found.verdict.broken:
            breakages.suspect_rule(rule)
        _wait(confirm_after_s, show_life)
        found, confirmed = judge_pages.confirm_visit(found, judge_pages.judge_answers(watched, fetch(watched.urls)))
    return check_template.settle_check(watched, found, confirmed=confirmed, at=now(), run=run)


def _wait(seconds: float, show_life: Callable[[], None]) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 1.0))
        show_life()
