"""The XPaths of a version's attributes as people read them. Those of an attribute of a list follow the XPaths of the list's rows."""

from typing import Any

from extraction.models import Rule


def find_entries(rule: Rule) -> dict[str, dict[str, Any]]:
    """{attribute: its entry in a version's definition}; an attribute of a list also has the entry's "rows"."""
    found = {each["name"]: each for each in rule.definition.get("attributes", [])}
    for one in rule.definition.get("lists", []):
        found |= {each["name"]: {**each, "rows": one["rows"]} for each in one["attributes"]}
    return found


def format_xpaths(entry: dict[str, Any] | None) -> tuple[str, ...]:
    """The XPaths of such an entry, () for None."""
    found = entry or {}
    rows = " or ".join(each["xpath"] for each in found.get("rows", []))
    return tuple(f"{rows} → {each['xpath']}" if rows else each["xpath"] for each in found.get("alternatives", []))
