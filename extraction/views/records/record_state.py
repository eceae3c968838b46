"""Why a record is not what the live rule gives for its page now, in words."""

from extraction.models import Record, Rule


def explain_outdated(record: Record) -> str:
    """Return why a record is outdated, "" if it is not. Its page and its rule should be loaded."""
    if record.snapshot.page.current_id != record.snapshot_id:
        return "its page has changed since, and the new content has given no record yet"
    if record.rule.state == Rule.State.RETIRED:
        return f"version {record.rule.version} of the rule made it, which is not live any more"
    return ""
