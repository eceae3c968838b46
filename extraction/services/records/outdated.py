"""Why a record is not what the live rule gives for its page now, in words."""

from django.utils.translation import gettext, gettext_lazy

from extraction.models import Record, Rule

PAGE_CHANGED = gettext_lazy("its page has changed since, and the new content has given no record yet")


def explain_outdated(record: Record) -> str:
    """Return why a record is outdated, "" if it is not. Its page and its rule should be loaded."""
    return describe_outdated(record.is_current, record.rule.state, record.rule.version)


def describe_outdated(fresh: bool, rule_state: str, rule_version: int) -> str:
    """Return why a record is outdated, "" if it is not.

    fresh: it comes from the current content of its page.
    rule_state, rule_version: of the rule that made it.
    """
    if not fresh:
        return str(PAGE_CHANGED)
    return (
        gettext("version %(rule_version)s of the rule made it, which is not live any more") % {"rule_version": rule_version}
        if rule_state == Rule.State.RETIRED
        else ""
    )
