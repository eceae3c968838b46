"""What pages say of themselves, for the workbench, as JSON values: suggestions to take, and whether a draft agrees with them."""

from collections.abc import Sequence
from typing import Any

from lxml import etree

from annotations import services
from extraction.algorithms.dom.nodes import value
from extraction.algorithms.errors import XPathError
from extraction.algorithms.rules import apply
from extraction.display.tree import PREVIEW_CHARS
from extraction.models import Attribute, Cluster, Rule, Snapshot
from extraction.services.learning.lessons import LessonProblem
from extraction.services.learning.workspaces import open_workspace, read_labels
from extraction.services.suggestions import page_data
from extraction.services.templates import boilerplate

LIVE_RULE = "live rule"
"""Where the values of the live rule come from, as the workbench knows it."""

MAX_PAGES = 60
"""The largest number of pages of the learning set that a draft is compared with; the whole template is compared when the rule is
learned."""


def describe_suggestions(cluster: Cluster, snapshot: Snapshot) -> dict[str, Any]:
    """Return what the live rule, the page's embedded data and its main text say about the attributes. Raises PageError.

    {"page", "problem", "suggestions": [{"attribute", "words", "values": [{"location", "value"}]}]}, where `problem` says in words
    what could not be read of the embedded data, and is empty if everything could.
    """
    nodes = services.read_page_tree(cluster, snapshot).nodes
    attributes = services.list_attributes(cluster)
    data = page_data.read_embedded_data([snapshot])[snapshot.pk]
    found = _live_values(cluster, attributes, nodes)
    given = {each.attribute.pk for each in found}
    found += page_data.suggest_values(data.items, [each for each in attributes if each.pk not in given], nodes)
    known = {each.attribute.pk for each in found}
    found += _main_text(cluster, snapshot, [attribute for attribute in attributes if attribute.pk not in known], nodes)
    rows = [
        {
            "attribute": each.attribute.pk,
            "words": each.words,
            "values": [
                {"location": at.as_json(), "value": text[: 2 * PREVIEW_CHARS]} for at, text in zip(each.places, each.values, strict=True)
            ],
        }
        for each in found
    ]
    return {"page": snapshot.pk, "problem": data.problem, "suggestions": rows}


def _live_values(cluster: Cluster, attributes: Sequence[Attribute], nodes: Sequence[etree._Element]) -> list[page_data.Suggestion]:
    """Suggest what the live rule gives on the page. A broken rule suggests nothing."""
    rule = Rule.objects.filter(cluster=cluster, state=Rule.State.LIVE).first()
    by_name = {each.name: each for each in attributes if each.list_id is None}
    if rule is None or not nodes:
        return []
    index, found = {element: number for number, element in enumerate(nodes)}, []
    for each in rule.read_definition().attributes:
        attribute = by_name.get(each.name)
        try:
            given = attribute and apply.read_attribute(each, nodes[0])  # nothing if an XPath could run for hours here
            places = apply.find_attribute_places(each, nodes[0], index) if given else ()
        except XPathError:
            continue
        if attribute and places and (attribute.multiple or len(places) == 1):
            found.append(page_data.Suggestion(attribute, LIVE_RULE, tuple(at for at, _ in places), tuple(text for _, text in places)))
    return found


def _main_text(
    cluster: Cluster, snapshot: Snapshot, attributes: Sequence[Attribute], nodes: Sequence[etree._Element]
) -> list[page_data.Suggestion]:
    """Suggest the element of the page's main text for attributes whose names mean main text."""
    wanting = [attribute for attribute in attributes if boilerplate.wants_main_text(attribute)]
    place = boilerplate.find_main_text(cluster, snapshot) if wanting else None
    if place is None:
        return []
    text = value(nodes, place) or ""
    return [page_data.Suggestion(attribute, "main text", (place,), (text,)) for attribute in wanting]


def describe_agreement(cluster: Cluster, attribute: Attribute) -> dict[str, Any]:
    """Return how well an attribute's draft agrees with the embedded data of the pages.

    {"attribute", "agreement": {"words", "agree", "compared", "different": pages}}; the agreement is None if there is no draft or the
    pages have no data for the attribute.
    """
    space = open_workspace(cluster)
    labels = read_labels(cluster).get(attribute.pk, {})
    rule = space.learn_rule(attribute, labels) if any(labels.values()) else None
    if rule is None or isinstance(rule, LessonProblem):
        return {"attribute": attribute.pk, "agreement": None}
    ids = list(space.pages)[:MAX_PAGES]
    data = page_data.read_embedded_data(list(Snapshot.objects.filter(pk__in=ids)))
    given = {pk: [text for _, text in rows] for pk, rows in space.read_values(rule, only=ids).items()}
    found = page_data.measure_agreement(attribute, given, {pk: each.items for pk, each in data.items()})
    if found is None:
        return {"attribute": attribute.pk, "agreement": None}
    described = {"words": found.words, "agree": found.agree, "compared": found.compared, "different": list(found.different)}
    return {"attribute": attribute.pk, "agreement": described}
