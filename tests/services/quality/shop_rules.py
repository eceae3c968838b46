"""What the tests of the quality room do with a bookshop: add rules and run the extraction."""

from typing import Any

from extraction import pipeline
from extraction.algorithms.records.quality.demands import RuleLimits
from extraction.models import QualityRule, RunRelease
from extraction.services.quality import edit_rules
from extraction.services.quality.edit_rules import RuleDraft
from extraction.services.records import extract_records
from tests.services.records.bookshop import Bookshop


def extract(shop: Bookshop) -> RunRelease:
    """Run the extraction and return the verdict."""
    run = extract_records.start_extraction(shop.cluster)
    assert pipeline.execute_run(run.pk)
    return RunRelease.objects.select_related("cluster__site", "run").get(run=run)


def add_rule(shop: Bookshop, kind: str, attribute: str = "", *, weight: str = "block", allowed: float = 0.0, **limits: Any) -> QualityRule:
    """Add a rule for all templates of the shop's record type."""
    found = shop.kind.attributes.filter(name=attribute).first()
    draft = RuleDraft(kind=kind, attribute=found, limits=RuleLimits(**limits), allowed_fraction=allowed, weight=weight)
    return edit_rules.create_rule(shop.kind, draft, None)
