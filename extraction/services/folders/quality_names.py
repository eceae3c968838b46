"""Names of quality rules within a record type or a template, without ids: what they are about, with a number if several are."""

import json
from collections.abc import Iterable, Sequence

from extraction.services.folders.document_shapes import write_document
from extraction.services.folders.documents import QualityDocument


def name_rules(rules: Iterable[QualityDocument]) -> dict[str, QualityDocument]:
    """Return {name: rule}. Rules about the same are numbered by what they say, so their order does not matter."""
    found: dict[str, QualityDocument] = {}
    for each in sort_rules(rules, ()):
        number, name = 1, each.subject
        while name in found:
            number += 1
            name = f"{each.subject} #{number}"
        found[name] = each
    return found


def sort_rules(rules: Iterable[QualityDocument], attributes: Sequence[str]) -> list[QualityDocument]:
    """Return rules in the order of the attributes, those about whole records last."""
    order = {name: place for place, name in enumerate(attributes)}
    return sorted(rules, key=lambda each: (order.get(each.attribute, len(order)), each.subject, _digest(each)))


def _digest(rule: QualityDocument) -> str:
    return json.dumps(write_document(rule), sort_keys=True)
