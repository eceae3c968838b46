"""The XPaths of a version's attributes as people read them; an attribute of a list with those of its rows before its own."""

from typing import Any

from extraction.models import Rule


def find_entries(rule: Rule) -> dict[str, dict[str, Any]]:
    """What a version says of each attribute; of one of a list with what its rows are."""
    found = {each["name"]: each for each in rule.definition.get("attributes", [])}
    for one in rule.definition.get("lists", []):
        found |= {each["name"]: {**each, "rows": one["rows"]} for each in one["attributes"]}
    return found


def format_xpaths(entry: dict[str, Any] | None) -> tuple[str, ...]:
    """The XPaths of such an entry; () of none."""
    found = entry or {}
    rows = " or ".join(each["xpath"] for each in found.get("rows", []))
    return tuple(f"{rows} → {each['xpath']}" if rows else each["xpath"] for each in found.get("alternatives", []))
