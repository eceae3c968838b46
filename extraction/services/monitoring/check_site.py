"""A check: visits the bellwethers of a site's templates, confirms what is broken by a second visit, and writes down what it found.

One run checks all templates of a site whose rule serves, each in three steps:

1. The template's bellwethers are fetched (`fetch_pages`) and the rule is judged by them (`judge_pages`). The decision itself is made in
   `algorithms.monitoring.verdict`.
2. If the rule seems broken, the pages are fetched and judged again. A server that answered nonsense for a minute is not a break.
3. The result is written (`write_check`), and the rule and its breakage follow it (`breakages`).

The third step is one transaction for each template, so a run that is started again after its worker died continues with the templates that
have no result yet. Nothing is checked, opened or reported twice. At the end, repairs are made for the breakages that have none
(`repairs`).
"""

import time
from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from extraction.models import Check, Monitor, Rule, Run, Site
from extraction.models.rule import RuleQuerySet
from extraction.models.run_values import RunSummary
from extraction.services.core.runs import Progress
from extraction.services.monitoring import bellwethers, breakages, fetch_pages, history, judge_pages, repairs, write_check
from extraction.services.monitoring.fetch_pages import Fetch
from extraction.services.rules import rules


def run_check(run: Run, progress: Progress) -> RunSummary:
    """The run's job: fetches as the site's source says. Summary: checked, ok, broken, unreachable."""
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
    propose_repairs(site, now=now())
    kinds = [each.verdict for each in found]
    return RunSummary(
        checked=len(found),
        broken=sum(bool(each.confirmed and each.broken) for each in found),
        unreachable=kinds.count(Check.Verdict.UNREACHABLE),
        ok=sum(not each.broken and each.verdict != Check.Verdict.UNREACHABLE for each in found),
    )


def propose_repairs(site: Site, *, now: datetime) -> None:
    """Makes repairs for the site's open breakages that have none. Repairs that may go live without a person's approval go live."""
    for breakage in breakages.find_unproposed(site):
        pairs = [(each.old, each.new) for each in breakage.check_found.read_pages() if each.new]
        pages = history.read_known_pages(rules.compile_rule(breakage.rule), pairs)
        repair = repairs.make_repair(breakage.rule.read_definition(), breakage.attributes, pages)
        breakages.propose_repair(breakage, repair, now=now)


def _serving_rules(site: Site) -> RuleQuerySet:
    return Rule.objects.serving().of_site(site).not_ignored()


def _check_rule(
    rule: Rule, fetch: Fetch, now: Callable[[], datetime], run: Run | None, confirm_after_s: float, show_life: Callable[[], None]
) -> Check:
    watched = judge_pages.read_watched(rule, bellwethers.find_bellwethers(rule.cluster))
    found, confirmed = judge_pages.judge_answers(watched, fetch(watched.urls)), True
    if found.verdict.broken:
        breakages.suspect_rule(rule)
        _wait(confirm_after_s, show_life)
        found, confirmed = judge_pages.confirm_visit(found, judge_pages.judge_answers(watched, fetch(watched.urls)))
    with transaction.atomic():
        at = now()
        kept = write_check.keep_pages(watched, found, at)
        made = write_check.write_check(watched, found, kept, confirmed=confirmed, at=at, run=run)
        bellwethers.record_visit(watched.bellwethers, kept, renew=not found.verdict.broken)
        bellwethers.drop_bellwethers(write_check.list_gone(watched, found), at)
        breakages.follow_check(made)
    return made


def _wait(seconds: float, show_life: Callable[[], None]) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 1.0))
        show_life()
