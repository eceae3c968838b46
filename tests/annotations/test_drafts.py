"""What a draft says about pages on which nobody has marked anything."""

import pytest

from annotations import drafts
from extraction.models import Attribute, Cluster
from extraction.services.learning import workspaces
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def cups() -> Cluster:
    """Two English pages and two German ones, whose label is another, and an English one without the attribute."""
    workspaces.forget_workspaces()
    site = factory.site("Cups")
    cluster = factory.cluster(site, kind=factory.record_type({"weight": "text"}))
    rows = [("en", "Weight"), ("en", "Weight"), ("de", "Gewicht"), ("de", "Gewicht"), ("en", "")]
    for number, (language, label) in enumerate(rows):
        fact = f"<dt>{label}</dt><dd>{number}00 g</dd>" if label else ""
        body = f"<html lang={language}><body><h1>Cup {number}</h1><dl><dt>Material</dt><dd>Clay</dd>{fact}</dl></body></html>"
        factory.snapshot(site, f"https://cups.example/{number}", body.encode(), cluster=cluster)
    return cluster


def test_pages_in_a_language_without_marks_are_named_if_nothing_is_found_there(cups: Cluster) -> None:
    weight, pages = Attribute.objects.get(), list(cups.snapshots.order_by("pk").values_list("pk", flat=True))
    for number in (0, 1):
        factory.mark(cups, number, weight=[f"{number}00 g"])
    found = drafts.describe_draft(cups, weight, pages)
    assert found["state"] == "learned"
    empty = {page for page, values in found["values"].items() if not values}
    assert pages[4] in empty and set(found["unheard"]) == empty - {pages[4]}
    factory.mark(cups, 2, weight=["200 g"])
    assert drafts.describe_draft(cups, weight, pages)["unheard"] == []
