"""What the values of each attribute show together, learned when a version of a rule is made and kept in its definition.

So one version reads all pages in the same way, whatever pages come later, and so does a file that it is exported to. A new version learns
again.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from extraction.algorithms.errors import PageError, RuleError, XPathError
from extraction.algorithms.rules import apply, xslt
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition
from extraction.algorithms.values.cleanup.chain import clean_values
from extraction.algorithms.values.column import learn_evidence
from extraction.models import Cluster
from extraction.services.core import stored_pages
from extraction.services.rules.effects import choose_preview_pages

_DOUBTFUL = ("number", "price", "date")
"""Types of which one text may have two readings."""


def learn_columns(cluster: Cluster, value: RuleDefinition) -> RuleDefinition:
    """Return the rule with what the values of its attributes, after clean-up, show on some pages, samples first."""
    if not any(attribute.type in _DOUBTFUL for attribute in value.every):
        return value
    texts: dict[str, list[str]] = defaultdict(list)
    chains = {attribute.name: attribute.cleanup for attribute in value.every}
    for row in read_preview_rows(cluster, value):
        for name, values in row.items():
            texts[name] += clean_values(values, chains.get(name, ()))

    def _learn(attribute: AttributeRule) -> AttributeRule:
        return replace(attribute, column=learn_evidence(texts[attribute.name], attribute.type))

    lists = tuple(replace(each, attributes=tuple(map(_learn, each.attributes))) for each in value.lists)
    return replace(value, attributes=tuple(map(_learn, value.attributes)), lists=lists)


def read_preview_rows(cluster: Cluster, value: RuleDefinition) -> Iterator[Mapping[str, tuple[str, ...]]]:
    """Yield what a rule gives on the preview pages that can be read, before clean-up: a page's own values, then each row of its lists.

    Raises RuleError or XPathError if the rule cannot be run on any page.
    """
    sheet = xslt.Stylesheet.compile(xslt.write_stylesheet(value))
    for source in choose_preview_pages(cluster):
        try:
            found = apply.extract_values(sheet, stored_pages.read_root(source))
        except (PageError, RuleError, XPathError):
            continue
        yield found.values
        for rows in found.rows.values():
            yield from rows
