"""What follows a check of one template: its row, the bellwethers' baselines, the rule's state, its breakage and the proposed repair."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from extraction.models import Check, Run, Site
from extraction.models.run_values import RunSummary
from extraction.services.monitoring import bellwethers, breakages, event_alerts, history, repairs, unproven, write_check
from extraction.services.monitoring.judge_pages import BellwetherVisit, WatchedRule
from extraction.services.rules import rules


def settle_check(
    watched: WatchedRule, found: BellwetherVisit, *, confirmed: bool, at: datetime, run: Run | None, closes: bool = True
) -> Check:
    """Writes the check, and changes everything that follows from it, in one transaction.

    confirmed: whether a second visit said the same, where one was needed.
    closes: whether a check that finds nothing broken closes the template's breakage. A check of some imported pages does not.
    """
    with transaction.atomic():
        kept = write_check.keep_pages(watched, found, at)
        made = write_check.write_check(watched, found, kept, confirmed=confirmed, at=at, run=run)
        bellwethers.record_visit(watched.bellwethers, kept, found.verdict)
        bellwethers.drop_bellwethers(write_check.list_gone(watched, found), at)
        if closes or made.broken or made.coverage_lost:
            breakages.follow_check(made, closes=closes)
        event_alerts.queue_drift_alerts(made, at)
    return made


def propose_repairs(site: Site, *, now: datetime) -> None:
    """Makes repairs for the site's open breakages that have none. Repairs that may go live without a person's approval go live."""
    for breakage in breakages.find_unproposed(site):
        pairs = [(each.old, each.new) for each in breakage.check_found.read_pages() if each.new]
        sheet, value = rules.compile_rule(breakage.rule), breakage.rule.read_definition()
        pages = history.read_known_pages(sheet, pairs)
        breakages.widen_breakage(breakage, unproven.find_unproven(breakage, value, sheet, pages))
        repair = repairs.make_repair(value, breakage.attributes, pages)
        breakages.propose_repair(breakage, unproven.explain_lost(repair, pages), now=now)


def summarise_checks(found: Sequence[Check]) -> RunSummary:
    """The figures of a run that made these checks. A template whose pages are no longer recognised counts as broken."""
    alarming = [each for each in found if each.broken or each.coverage_lost]
    unreachable = sum(each.verdict == Check.Verdict.UNREACHABLE for each in found)
    return RunSummary(
        checked=len(found),
        broken=sum(each.confirmed for each in alarming),
        unreachable=unreachable,
        ok=len(found) - len(alarming) - unreachable,
    )
