"""Exports a template's rule as a file that runs without Vertex."""

from dataclasses import dataclass

from extraction.algorithms.rules import exports
from extraction.models import Rule

CONTENT_TYPES: dict[exports.Form, str] = {"xslt": "application/xslt+xml", "scrapy": "text/x-python", "web-poet": "text/x-python"}


@dataclass(frozen=True, slots=True)
class ExportedRule:
    """A file to download."""

    name: str
    content_type: str
    text: str


def export_rule(rule: Rule, form: exports.Form) -> ExportedRule:
    """Return the rule in one of `exports.FORMS`. Raises RuleError or XPathError if the row does not hold a rule."""
    cluster = rule.cluster
    records = cluster.record_type.name if cluster.record_type else cluster.label
    name = f"{cluster.site.slug} {records}"
    text = exports.write_export(rule.read_definition(), form, name=name)
    return ExportedRule(exports.name_file(form, name=name), CONTENT_TYPES[form], text)
