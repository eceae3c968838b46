"""Publish, retire and edit rules. All versions are kept, and one rule of a cluster serves at a time.

The allowed changes of state are in `Rule.TRANSITIONS`. Every change is a compare-and-set in a transaction that locks the cluster's row, so
two people who publish at once follow one another. The constraint `one_serving_rule_per_cluster` backs this up.
"""

import logging
from dataclasses import replace

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules import xslt
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Attribute, AuditKind, Cluster, Decision, Rule
from extraction.models.rule_report import AttributeReport, RuleReport, XPathReport
from extraction.services.core import audit, signals, stored_texts
from extraction.services.labels import designs
from extraction.services.rules import cleanup_chains, columns, doubts, effects, xpath_words
from extraction.services.rules.definitions import build_attribute_rule
from extraction.services.rules.effects import RuleEffect

logger = logging.getLogger(__name__)


class StateError(Exception):
    """The rule's state does not allow what was asked. The message says why."""


PUBLISHABLE = (*Rule.UNPUBLISHED, *Rule.ENDED)
"""The states from which a rule can go live."""


def publish_rule(rule: Rule, user: User | None = None, *, what: Decision.What = Decision.What.PUBLISHED) -> Rule:
    """Make a draft or a retired rule the live one, and retire the one before it in the same transaction.

    user: the person who decided; None if nobody did.
    what: how it was decided.

    Raises StateError if the rule is in another state or cannot be run.
    """
    _check_runnable(rule)
    try:
        changed = _replace_serving(rule, user, what)
    except IntegrityError as error:
        raise StateError(gettext("Another version was published at the same moment. Check it, then try again.")) from error
    rule.refresh_from_db()
    if not changed:
        wanted = " or ".join(state.label.lower() for state in PUBLISHABLE)
        raise StateError(
            gettext("Version %(version)s is %(state)s, but it must be %(wanted)s.")
            % {"version": rule.version, "state": rule.get_state_display().lower(), "wanted": wanted}
        )
    logger.info("%s published by %s", rule, user)
    signals.rule_published.send(Rule, rule=rule, user=user)
    return rule


def retire_rule(rule: Rule, user: User | None = None) -> Rule:
    """Take the live rule out of use, which leaves the cluster without one. Raises StateError when the rule is not live."""
    with transaction.atomic():
        if not move_rule(rule, Rule.State.RETIRED):
            raise StateError(
                gettext("Version %(version)s is %(state)s; only a live rule can be retired.")
                % {"version": rule.version, "state": rule.get_state_display().lower()}
            )
        _record_decision(rule, Decision.What.RETIRED, user)
        audit.record(AuditKind.RULE_RETIRED, rule)
    logger.info("%s retired by %s", rule, user)
    return rule


def move_rule(rule: Rule, state: Rule.State) -> bool:
    """Change a rule's state by compare-and-set. Returns False when `Rule.TRANSITIONS` does not allow it from the row's state."""
    before = [each for each, after in Rule.TRANSITIONS.items() if state in after]
    times = {} if state in Rule.UNPUBLISHED else {"published_at": Coalesce("published_at", timezone.now())}
    changed = Rule.objects.filter(pk=rule.pk, state__in=before).update(state=state, **times)
    rule.refresh_from_db()
    return bool(changed)


def preview_xpath(rule: Rule, attribute: str, xpath: str) -> RuleEffect:
    """Compare an attribute's values with another XPath to its present values. Nothing is saved."""
    wrong = xpath_words.explain_xpath(xpath)
    if wrong:
        return RuleEffect(error=wrong)
    try:
        old = rule.read_definition()
        new = _with_xpath(rule, old, attribute, xpath)
        xslt.Stylesheet.compile(xslt.write_stylesheet(new))
    except (RuleError, XPathError) as error:
        return RuleEffect(error=stored_texts.tell(str(error)))
    return effects.compare_rules(rule.cluster, old, new, attribute, on=designs.find_check_pages(rule))


def edit_xpath(rule: Rule, attribute: str, xpath: str, user: User | None = None) -> Rule:
    """Save a new draft: the rule with another XPath for one attribute, in place of all its alternatives.

    A part of the text that all alternatives agree on (after "by ", before ",") stays. The rule may lack the attribute if the record
    type has it. Raises XPathError or RuleError, which say why the XPath cannot be used.
    """
    effect = preview_xpath(rule, attribute, xpath)
    if effect.error:
        raise XPathError(effect.error)
    value = _with_xpath(rule, rule.read_definition(), attribute, xpath)
    report = _edited_report(rule, value, attribute, xpath, effect, user)
    return add_draft(rule.cluster, value, report=report, origin=Rule.Origin.EDITED, user=user)


def add_draft(cluster: Cluster, value: RuleDefinition, *, report: RuleReport, origin: Rule.Origin, user: User | None = None) -> Rule:
    """Save a new version of the cluster's rule as a draft. If the newest version is already this draft, only its report is replaced.

    What the values of each attribute show together is learned here, see `columns`. A learned rule has the clean-up of the version
    before it, because marks do not say how values are cleaned up.
    """
    if origin == Rule.Origin.LEARNED:
        value = cleanup_chains.carry_cleanups(cluster, value)
    return add_given_draft(cluster, columns.learn_columns(cluster, value), report=report, origin=origin, user=user)


def add_given_draft(cluster: Cluster, value: RuleDefinition, *, report: RuleReport, origin: Rule.Origin, user: User | None = None) -> Rule:
    """Do the same for a rule that is stored as it is, because it was made whole elsewhere."""
    definition, stylesheet = value.as_json(), xslt.write_stylesheet(value)
    xslt.Stylesheet.compile(stylesheet)
    with transaction.atomic():
        Cluster.objects.select_for_update().get(pk=cluster.pk)
        newest = Rule.objects.filter(cluster=cluster).order_by("-version").first()
        if newest and newest.unpublished and (newest.origin, newest.definition) == (origin, definition):
            newest.report, newest.stylesheet = report.as_json(), stylesheet
            newest.save(update_fields=["report", "stylesheet"])
            audit.record(AuditKind.RULE_DRAFTED, newest, text="the same draft, checked again")
            return newest
        last = Rule.objects.filter(cluster=cluster).aggregate(last=Max("version"))["last"] or 0
        draft = Rule.objects.create(
            cluster=cluster,
            version=last + 1,
            origin=origin,
            definition=definition,
            stylesheet=stylesheet,
            report=report.as_json(),
            created_by=user,
        )
        audit.record(AuditKind.RULE_DRAFTED, draft, text=Rule.Origin(draft.origin).label)
    return draft


def compile_rule(rule: Rule) -> xslt.Stylesheet:
    """Return the rule's stylesheet, ready to run. Raises RuleError if the row does not hold one."""
    return xslt.Stylesheet.compile(rule.stylesheet)


def _check_runnable(rule: Rule) -> None:
    """Raise StateError if the rule has no attributes or cannot be run."""
    try:
        if not rule.read_definition().every:
            raise StateError(gettext("Version %(version)s has no attributes, so there is nothing to publish.") % {"version": rule.version})
        xslt.Stylesheet.compile(rule.stylesheet)
    except (RuleError, XPathError) as error:
        raise StateError(gettext("Version %(version)s cannot be run: %(error)s") % {"version": rule.version, "error": error}) from error


def _replace_serving(rule: Rule, user: User | None, what: Decision.What) -> bool:
    """Retire the serving rule and make this one live. Return False if its state does not allow that."""
    with transaction.atomic():
        Cluster.objects.select_for_update().get(pk=rule.cluster_id)
        ready = Rule.objects.select_for_update().filter(pk=rule.pk, state__in=PUBLISHABLE)
        if not ready.exists():
            return False
        serving = Rule.objects.serving().filter(cluster_id=rule.cluster_id)
        serving.filter(state=Rule.State.BROKEN).update(state=Rule.State.REPAIRED)
        serving.update(state=Rule.State.RETIRED)
        changed = ready.update(state=Rule.State.LIVE, published_at=timezone.now())
        if changed:
            _record_decision(rule, what, user)
            audit.record(AuditKind.RULE_PUBLISHED, rule, text=what.label)
        return bool(changed)


def _record_decision(rule: Rule, what: Decision.What, user: User | None) -> None:
    """Store who decided. The caller holds the transaction of the decision."""
    Decision.objects.create(rule=rule, what=what, at=timezone.now(), by=user, by_name=user.get_username() if user else "")


def _with_xpath(rule: Rule, value: RuleDefinition, attribute: str, xpath: str) -> RuleDefinition:
    """Return the rule with the attribute's alternatives replaced. An attribute that it lacks is added in the record type's order."""
    if any(each.name == attribute for each in value.attributes):
        return replace(value, attributes=tuple(_replaced(each, xpath) if each.name == attribute else each for each in value.attributes))
    schema = list(Attribute.objects.of_cluster(rule.cluster))
    new = next((each for each in schema if each.name == attribute), None)
    if new is None:
        raise RuleError(gettext("There is no attribute “%(attribute)s”.") % {"attribute": attribute})
    if new.list_id:
        raise RuleError(gettext("“%(attribute)s” belongs to a list. Mark its values in two rows instead.") % {"attribute": attribute})
    order = {each.name: number for number, each in enumerate(schema)}
    added = [*value.attributes, build_attribute_rule(new, (Selector(xpath),))]
    return replace(value, attributes=tuple(sorted(added, key=lambda each: order.get(each.name, len(order)))))


def _replaced(attribute: AttributeRule, xpath: str) -> AttributeRule:
    parts = {selector.part for selector in attribute.alternatives}
    return replace(attribute, alternatives=(Selector(xpath, parts.pop() if len(parts) == 1 else None),))


def _edited_report(rule: Rule, value: RuleDefinition, attribute: str, xpath: str, effect: RuleEffect, user: User | None) -> RuleReport:
    """Return the old report with this attribute's entry replaced by what the trial showed. value: the new version."""
    old = rule.read_report()
    entry = AttributeReport(
        name=attribute,
        alternatives=(XPathReport(xpath=xpath),),
        edited_by=str(user or ""),
        checked=effect.checked,
        hits=effect.hits,
        without=tuple(row.snapshot_id for row in effect.rows if not row.error and not row.new),
    )
    entries = [each for each in old.attributes if each.name != attribute]
    failed = tuple(each for each in old.failed if each.name != attribute)
    order = {each.name: number for number, each in enumerate(Attribute.objects.of_cluster(rule.cluster))}
    entries = sorted([*entries, entry], key=lambda each: order.get(each.name, len(order)))
    tried = {row.snapshot_id: row.new for row in effect.rows if not row.error}
    return replace(
        old,
        attributes=tuple(entries),
        failed=failed,
        edited_from=rule.version,
        doubts=doubts.replace_doubts(old.doubts, doubts.find_doubts(rule.cluster, value, {attribute: tried}, ()), attribute),
        groups=tuple(replace(each, hits={name: n for name, n in each.hits.items() if name != attribute}) for each in old.groups),
    )
