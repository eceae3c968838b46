"""Parts of a rule made from a record type's attributes."""

from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.models import Attribute


def build_attribute_rule(attribute: Attribute, alternatives: tuple[Selector, ...]) -> AttributeRule:
    """Return the rule of a record type's attribute with these selectors."""
    return AttributeRule(
        name=attribute.name,
        type=attribute.type,  # type: ignore[arg-type]
        multiple=attribute.multiple,
        mandatory=attribute.mandatory,
        alternatives=alternatives,
    )
