"""Breakages: opened by a confirmed check, closed by a repair, by the site itself or by a person
(Gulhane et al. 2011, section 3.2.3; docs/algorithms.md#reuse-and-relearning).

All changes of a rule's state that follow from a check are made here. `follow_check` moves the rule from live to suspect and broken, and
back when it works again. `propose_repair` saves a repair as a new version of the rule. The version waits for a person, unless the site's
monitor lets it go live and every test passes.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext

from extraction.models import AuditKind, Bellwether, Breakage, Check, Decision, Event, Monitor, RecordCount, Rule, Site
from extraction.models.monitor import BreakageQuerySet
from extraction.models.rule_report import FailedAttribute
from extraction.services.core import audit, signals
from extraction.services.labels import proofs
from extraction.services.monitoring import alerts, repairs
from extraction.services.monitoring.repairs import Repair
from extraction.services.rules import rules

ALERTED_ENDINGS = {Breakage.State.REPAIRED: Event.REPAIR, Breakage.State.RECOVERED: Event.RECOVERY}
"""States in which a breakage ends that people are told of. The person who dismisses a breakage needs no alert."""


def suspect_rule(rule: Rule) -> None:
    """Marks a rule as suspect: a first visit found it broken, and a second visit has yet to confirm that."""
    rules.move_rule(rule, Rule.State.SUSPECT)


def follow_check(check: Check, *, closes: bool = True) -> Breakage | None:
    """Changes the rule's state and opens or closes the cluster's breakage after a check. Called in the check's transaction.

    closes: whether the check looked at enough pages to close a breakage.
    """
    # The check does not matter if a person or a repair replaced the version meanwhile.
    if check.verdict == Check.Verdict.UNREACHABLE or not Rule.objects.select_for_update().get(pk=check.rule_id).serving:
        return None
    if check.confirmed and check.broken:
        rules.move_rule(check.rule, Rule.State.SUSPECT)
        rules.move_rule(check.rule, Rule.State.BROKEN)
        return _open(check)
    if check.confirmed and check.coverage_lost:
        # The rule itself reads the pages, so it stays live, or is live again. But a crawl would no longer run it on them.
        if closes:
            rules.move_rule(check.rule, Rule.State.LIVE)
            _close(Breakage.objects.filter(cluster=check.cluster).exclude(attributes=[]), Breakage.State.RECOVERED, check.checked_at)
        told = Breakage.objects.filter(rule=check.rule, attributes=[], state=Breakage.State.DISMISSED).exists()
        return None if told else _open(check)
    if not check.broken and closes:
        rules.move_rule(check.rule, Rule.State.LIVE)
        mine = Breakage.objects.filter(cluster=check.cluster)
        _close(mine.filter(rule=check.rule), Breakage.State.RECOVERED, check.checked_at)
        # A person published another version meanwhile, and it works.
        _close(mine.exclude(rule=check.rule), Breakage.State.REPAIRED, check.checked_at)
    return None


def find_unproposed(site: Site) -> BreakageQuerySet:
    """The site's open breakages of attributes for which no repair was made yet."""
    return Breakage.objects.open().of_site(site).filter(proposal=None, note="")


def widen_breakage(breakage: Breakage, names: Sequence[str]) -> None:
    """Adds attributes of which nothing is known on the new pages. They are held back, and the repair has to find them, too."""
    if names:
        breakage.attributes = [*breakage.attributes, *names]
        Breakage.objects.open().filter(pk=breakage.pk).update(attributes=breakage.attributes)


def propose_repair(breakage: Breakage, repair: Repair, *, now: datetime) -> Rule | None:
    """Proposes a repair as a new version of the rule, and accepts it where it may go live without a person.

    Returns None when nothing could be relearned; the breakage's note says why.
    """
    if not repair.relearned:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in repair.failed.items())
        breakage.note = reasons[:500] or "There is nothing to learn a repair from."
        breakage.save(update_fields=["note"])
        return None
    report = repair.report(breakage.rule)
    draft = rules.add_draft(breakage.cluster, repair.value, report=report, origin=Rule.Origin.REPAIRED)
    if repair.valid:
        rules.move_rule(draft, Rule.State.VALIDATED)
    Breakage.objects.open().filter(pk=breakage.pk).update(proposal=draft)
    breakage.refresh_from_db()
    sure = draft.state == Rule.State.VALIDATED and repair.simple and is_certain(breakage)
    if sure and Monitor.objects.filter(site=breakage.cluster.site, auto_repair=True).exists():
        accept_repair(breakage, now=now)
    return draft


def is_certain(breakage: Breakage) -> bool:
    """Whether the old rule cannot be right. Where its new values are plausible, a person decides between it and the repair."""
    found = breakage.check_found.read_attributes()
    return all(found[name].certain for name in breakage.attributes if name in found)


def accept_repair(breakage: Breakage, *, user: User | None = None, now: datetime | None = None, doubtful: bool = False) -> Rule:
    """Publishes the proposal; the broken version ends as repaired. `pipeline` then starts to renew the records.

    doubtful: a person confirms the attributes that are not proven. Without that they are left out of the rule, and so are attributes that
    were not found again and whose old XPath gives wrong values.
    Raises rules.StateError when there is no proposal, when it cannot be published, or when nothing of it is left.
    """
    if breakage.proposal is None or breakage.state != Breakage.State.OPEN:
        raise rules.StateError(gettext("There is no longer a repair to accept."))
    at = now or timezone.now()
    with transaction.atomic():
        proposal = _choose_accepted(breakage, breakage.proposal, user, doubtful=doubtful)
        rules.publish_rule(proposal, user, what=Decision.What.ACCEPTED if user else Decision.What.AUTOMATIC)
        Breakage.objects.open().filter(pk=breakage.pk).update(proposal=proposal)
        _close(Breakage.objects.filter(pk=breakage.pk), Breakage.State.REPAIRED, at, user)
        _renew_baselines(breakage.check_found)
        audit.record(AuditKind.BREAKAGE_ACCEPTED, breakage, text="attributes: " + ", ".join(breakage.attributes))
        signals.repair_accepted.send(Breakage, breakage=breakage, user=user)
    return proposal


def _choose_accepted(breakage: Breakage, proposal: Rule, user: User | None, *, doubtful: bool) -> Rule:
    """The proposal, or a new version of it without the attributes that are left out."""
    report = proposal.read_report()
    with translation.override("en"):  # the reasons are stored
        proof = proofs.read_proof(report, breakage.attributes)
    if not proof.found and not (doubtful and proof.doubtful):
        raise rules.StateError(gettext("Nothing in this repair is proven. Review it, edit it or mark the values yourself."))
    incorrect = {name for name, found in breakage.check_found.read_attributes().items() if found.kind == Check.Verdict.INCORRECT}
    wrong = {name: reason for name, reason in proof.lost.items() if name in incorrect}
    unproven = {} if doubtful else {name: f"left out of what was accepted ({reason})" for name, reason in proof.doubtful.items()}
    left = wrong | unproven
    if not left:
        return proposal
    failed = tuple(FailedAttribute(name=name, reason=reason) for name, reason in {**proof.lost, **left}.items())
    value = repairs.drop_attributes(proposal.read_definition(), left)
    return rules.add_draft(breakage.cluster, value, report=replace(report, failed=failed), origin=Rule.Origin.REPAIRED, user=user)


def dismiss_breakage(breakage: Breakage, *, user: User | None = None, now: datetime | None = None) -> bool:
    """A person says that nothing is broken: the rule is live again, and the next alarm takes more evidence.

    Returns False when the breakage is closed already.
    """
    with transaction.atomic():
        if not _close(Breakage.objects.filter(pk=breakage.pk), Breakage.State.DISMISSED, now or timezone.now(), user):
            return False
        rules.move_rule(breakage.rule, Rule.State.LIVE)
        _renew_baselines(breakage.check_found)
        audit.record(AuditKind.BREAKAGE_DISMISSED, breakage, text="attributes: " + ", ".join(breakage.attributes))
    return True


def _open(check: Check) -> Breakage:
    records = RecordCount.objects.filter(cluster=check.cluster).now().total()
    found, new = Breakage.objects.get_or_create(
        cluster=check.cluster,
        state=Breakage.State.OPEN,
        defaults={
            "rule": check.rule,
            "check_found": check,
            "attributes": check.broken,
            "importance": float(records * max(1, len(check.broken))),
            "note": "" if check.broken else _explain_coverage(check),
            "opened_at": check.checked_at,
        },
    )
    if new:
        alerts.queue_alerts(Event.BREAK, found, check.checked_at)
    elif set(check.broken) - set(found.attributes):
        # More attributes have broken since, so a repair of the earlier ones is not enough.
        found.attributes = [*found.attributes, *(name for name in check.broken if name not in found.attributes)]
        found.check_found, found.proposal, found.note = check, None, ""
        found.save(update_fields=["attributes", "check_found", "proposal", "note"])
    return found


def _explain_coverage(check: Check) -> str:
    """Says why pages are no longer recognised although no value is known to be wrong."""
    lost = round((1 - check.covered_fraction) * check.reached)
    if check.reached == 1:
        return gettext(
            "One page alone is too little to judge the values. The only page that answered no longer looks like this template: no mask"
            " covers it, and no template's structure is near enough. A crawl would extract nothing from it."
            " Fetch or import the site's pages and find templates again"
        )
    return gettext(
        "The values are right, but %(lost)s of the %(reached)s pages that answered no longer look like this template: no mask"
        " covers them, and no template's structure is near enough. A crawl would extract nothing from them."
        " Fetch or import the site's pages and find templates again"
    ) % {"lost": lost, "reached": check.reached}


def _close(breakages: BreakageQuerySet, state: Breakage.State, at: datetime, user: User | None = None) -> int:
    """Closes open breakages by compare-and-set and queues alerts about them. Called in a transaction."""
    closed = 0
    for each in breakages.open():
        if not Breakage.objects.open().filter(pk=each.pk).update(state=state, closed_at=at, closed_by=user):
            continue
        closed += 1
        if state in ALERTED_ENDINGS:
            each.refresh_from_db()
            alerts.queue_alerts(ALERTED_ENDINGS[state], each, at)
    return closed


def _renew_baselines(check: Check) -> None:
    """Makes the pages as the check found them the baselines of later checks."""
    for each in check.read_pages():
        if each.new:
            Bellwether.objects.filter(cluster=check.cluster, page__url=each.url).update(baseline=each.new)
