"""Breakages: opened by a confirmed check, closed by a repair, by the site itself or by a person (Vertex §3.2.3).

`follow` moves the rule by what a check found: live → suspect → broken, and back when it works again. `propose_open` makes
a repair for each open breakage that has none: the broken attributes alone are relearned from their old values, the others stay
as they are. A repair waits for a person, unless the site's monitor lets it go live and every test passes.
"""

from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from extraction.algorithms.errors import PageError
from extraction.algorithms.learning.tables import table
from extraction.algorithms.rules import xslt
from extraction.models import Bellwether, Breakage, Check, Decision, Event, Monitor, Record, Rule, Site, Snapshot
from extraction.models.monitor import BreakageQuerySet
from extraction.models.rule_report import FailedAttribute
from extraction.services.core import signals, stored_pages
from extraction.services.labels import proofs
from extraction.services.monitoring import alerts, page_visits, repairs
from extraction.services.monitoring.repairs import Seen
from extraction.services.rules import rules

TOLD = {Breakage.State.REPAIRED: Event.REPAIR, Breakage.State.RECOVERED: Event.RECOVERY}
"""Ends that people are told of; who dismisses one knows it."""


def follow(check: Check) -> Breakage | None:
    """The rule's state and the cluster's breakage after a check. Called in the check's transaction."""
    # A version that a person or a repair replaced while the check looked at it is nobody's trouble any more.
    if check.verdict == Check.Verdict.UNREACHABLE or not Rule.objects.select_for_update().get(pk=check.rule_id).serving:
        return None
    if check.confirmed and check.broken:
        rules.move(check.rule, Rule.State.SUSPECT)
        rules.move(check.rule, Rule.State.BROKEN)
        return _open(check)
    if not check.broken:
        rules.move(check.rule, Rule.State.LIVE)
        mine = Breakage.objects.filter(cluster=check.cluster)
        _close(mine.filter(rule=check.rule), Breakage.State.RECOVERED, check.checked_at)
        # A person published another version meanwhile, and it works.
        _close(mine.exclude(rule=check.rule), Breakage.State.REPAIRED, check.checked_at)
    return None


def propose_open(site: Site, *, now: datetime) -> int:
    """Makes repairs for the site's open breakages that have none; how many. Those that may go live do."""
    made = 0
    for breakage in Breakage.objects.open().of_site(site).filter(proposal=None, note=""):
        made += propose(breakage, now=now) is not None
    return made


def propose(breakage: Breakage, *, now: datetime) -> Rule | None:
    """Relearns the broken attributes from the check's pages; None, with the breakage's note saying why, when none can be."""
    repair = repairs.make(breakage.rule.read_definition(), breakage.attributes, _pages(breakage))
    if not repair.relearned:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in repair.failed.items())
        breakage.note = reasons[:500] or "There is nothing to learn a repair from."
        breakage.save(update_fields=["note"])
        return None
    report = repair.report(breakage.rule)
    draft = rules.add_draft(breakage.cluster, repair.value, report=report, origin=Rule.Origin.REPAIRED)
    if repair.valid:
        rules.move(draft, Rule.State.VALIDATED)
    Breakage.objects.open().filter(pk=breakage.pk).update(proposal=draft)
    breakage.refresh_from_db()
    if draft.state == Rule.State.VALIDATED and Monitor.objects.filter(site=breakage.cluster.site, auto_repair=True).exists():
        accept(breakage, now=now)
    return draft


def accept(breakage: Breakage, *, user: User | None = None, now: datetime | None = None, doubtful: bool = False) -> Rule:
    """Publishes the proposal; the broken version ends as repaired. `pipeline` has the records made anew.

    What is not proven goes live only if a person says so (`doubtful`); else it is left out, and so is what was not found again where the
    old XPath gives wrong values. Raises rules.StateError when there is no proposal, when it cannot be published, or nothing of it is left.
    """
    if breakage.proposal is None or breakage.state != Breakage.State.OPEN:
        raise rules.StateError("There is no longer a repair to accept.")
    at = now or timezone.now()
    with transaction.atomic():
        proposal = _accepted(breakage, breakage.proposal, user, doubtful=doubtful)
        rules.publish(proposal, user, what=Decision.What.ACCEPTED if user else Decision.What.AUTOMATIC)
        Breakage.objects.open().filter(pk=breakage.pk).update(proposal=proposal)
        _close(Breakage.objects.filter(pk=breakage.pk), Breakage.State.REPAIRED, at, user)
        _renew_baselines(breakage.check_found)
        signals.repair_accepted.send(Breakage, breakage=breakage, user=user)
    return proposal


def _accepted(breakage: Breakage, proposal: Rule, user: User | None, *, doubtful: bool) -> Rule:
    """The proposal, or a version of it without what is left out."""
    report = proposal.read_report()
    proof = proofs.proof(report, breakage.attributes)
    if not proof.found and not (doubtful and proof.doubtful):
        raise rules.StateError("Nothing in this repair is proven. Review it, edit it or mark the values yourself.")
    incorrect = {name for name, found in breakage.check_found.read_attributes().items() if found.kind == Check.Verdict.INCORRECT}
    wrong = {name: reason for name, reason in proof.lost.items() if name in incorrect}
    left = wrong | ({} if doubtful else dict(proof.doubtful))
    if not left:
        return proposal
    failed = tuple(FailedAttribute(name=name, reason=reason) for name, reason in {**proof.lost, **left}.items())
    value = repairs.without(proposal.read_definition(), left)
    return rules.add_draft(breakage.cluster, value, report=replace(report, failed=failed), origin=Rule.Origin.REPAIRED, user=user)


def dismiss(breakage: Breakage, *, user: User | None = None, now: datetime | None = None) -> bool:
    """A person says that nothing is broken: the rule is live again, and it takes more to raise the next alarm. False when it is closed."""
    with transaction.atomic():
        if not _close(Breakage.objects.filter(pk=breakage.pk), Breakage.State.DISMISSED, now or timezone.now(), user):
            return False
        rules.move(breakage.rule, Rule.State.LIVE)
        _renew_baselines(breakage.check_found)
    return True


def _open(check: Check) -> Breakage:
    records = Record.objects.here().filter(cluster=check.cluster).count()
    found, new = Breakage.objects.get_or_create(
        cluster=check.cluster,
        state=Breakage.State.OPEN,
        defaults={
            "rule": check.rule,
            "check_found": check,
            "attributes": check.broken,
            "importance": float(records * len(check.broken)),
            "opened_at": check.checked_at,
        },
    )
    if new:
        alerts.tell(Event.BREAK, found, check.checked_at)
    elif set(check.broken) - set(found.attributes):
        # More broke since: a repair made for less would not do.
        found.attributes = [*found.attributes, *(name for name in check.broken if name not in found.attributes)]
        found.check_found, found.proposal, found.note = check, None, ""
        found.save(update_fields=["attributes", "check_found", "proposal", "note"])
    return found


def _close(breakages: BreakageQuerySet, state: Breakage.State, at: datetime, user: User | None = None) -> int:
    """Closes those that are open, by compare-and-set, and tells of each. Called in a transaction."""
    closed = 0
    for each in breakages.open():
        if not Breakage.objects.open().filter(pk=each.pk).update(state=state, closed_at=at, closed_by=user):
            continue
        closed += 1
        if state in TOLD:
            each.refresh_from_db()
            alerts.tell(TOLD[state], each, at)
    return closed


def _pages(breakage: Breakage) -> list[Seen]:
    """The check's pages that can be read then and now."""
    sheet = xslt.Stylesheet.compile(breakage.rule.stylesheet)
    pairs = [(each.old, each.new) for each in breakage.check_found.read_pages() if each.new]
    snapshots = Snapshot.objects.in_bulk([pk for pair in pairs for pk in pair])
    found = []
    for pair in pairs:
        try:
            old, new = (stored_pages.read_root(snapshots[pk]) for pk in pair)
        except (PageError, KeyError):
            continue
        found.append(Seen(table(old), table(new), page_visits.given(sheet, old)))
    return found


def _renew_baselines(check: Check) -> None:
    """From now on the pages as the check found them are what is right."""
    for each in check.read_pages():
        if each.new:
            Bellwether.objects.filter(cluster=check.cluster, page__url=each.url).update(baseline=each.new)
