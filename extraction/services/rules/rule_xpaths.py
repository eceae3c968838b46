"""The XPaths of a version's attributes as people read them. Those of an attribute of a list follow the XPaths of the list's rows."""

from dataclasses import dataclass

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Rule


@dataclass(frozen=True, slots=True)
class DefinitionEntry:
    """What a version has for an attribute. rows: the rows of the attribute's list, () if the attribute is not in a list."""

    attribute: AttributeRule
    rows: tuple[Selector, ...] = ()


def read_definition_or_empty(rule: Rule) -> RuleDefinition:
    """Return the version's definition, or an empty one if the row holds none, so that its page can be shown."""
    try:
        return rule.read_definition()
    except (RuleError, XPathError):
        return RuleDefinition()


def find_entries(rule: Rule) -> dict[str, DefinitionEntry]:
    """Return what a version has for each attribute. An attribute of a list comes with the list's rows."""
    value = read_definition_or_empty(rule)
    found = {each.name: DefinitionEntry(each) for each in value.attributes}
    for one in value.lists:
        found |= {each.name: DefinitionEntry(each, one.rows) for each in one.attributes}
    return found


def format_xpaths(entry: DefinitionEntry | None) -> tuple[str, ...]:
    """Return the entry's XPaths, () for None."""
    if entry is None:
        return ()
    rows = " or ".join(each.xpath for each in entry.rows)
    return tuple(f"{rows} → {each.xpath}" if rows else each.xpath for each in entry.attribute.alternatives)
