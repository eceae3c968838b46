"""The chains of clean-up steps in a rule: found, replaced, and carried from one version to the next."""

from dataclasses import replace

from django.utils.translation import gettext

from extraction.algorithms.errors import RuleError, XPathError
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.values.cleanup.chain import CleanupStep
from extraction.models import Cluster, Rule


def find_attribute(definition: RuleDefinition, name: str) -> AttributeRule:
    """Return an attribute of a rule or of its lists. Raises RuleError if there is none."""
    found = next((each for each in definition.every if each.name == name), None)
    if found is None:
        raise RuleError(gettext("The rule has no attribute “%(name)s”.") % {"name": name})
    return found


def replace_cleanup(definition: RuleDefinition, name: str, steps: tuple[CleanupStep, ...]) -> RuleDefinition:
    """Return the rule with another chain for one attribute."""

    def change(each: AttributeRule) -> AttributeRule:
        return replace(each, cleanup=steps) if each.name == name else each

    lists = tuple(replace(one, attributes=tuple(map(change, one.attributes))) for one in definition.lists)
    return RuleDefinition(tuple(map(change, definition.attributes)), lists)


def carry_cleanups(cluster: Cluster, value: RuleDefinition) -> RuleDefinition:
    """Return the rule with the chains of the newest version for the attributes that have none."""
    chains = _read_chains(cluster.pk)
    for each in value.every:
        if not each.cleanup and each.name in chains:
            value = replace_cleanup(value, each.name, chains[each.name])
    return value


def find_newest_chain(cluster_id: int, name: str) -> tuple[CleanupStep, ...]:
    """Return the chain that an attribute has in the newest version of a template's rule, () if it has none."""
    return _read_chains(cluster_id).get(name, ())


def _read_chains(cluster_id: int) -> dict[str, tuple[CleanupStep, ...]]:
    newest = Rule.objects.filter(cluster=cluster_id).order_by("-version").first()
    try:
        return {each.name: each.cleanup for each in newest.read_definition().every if each.cleanup} if newest else {}
    except (RuleError, XPathError):
        return {}
