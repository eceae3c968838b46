"""What the workbench says about the pages still to be annotated, as JSON values: which is next, why, and when there are enough."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse

from extraction.algorithms.learning.page_selection import Disagreement
from extraction.models import Cluster, Snapshot
from extraction.services.learning import page_recommendations

SHOWN_VALUES, SHOWN_CHARS = 3, 80
"""Values of a vote, and characters of a value, that are shown: enough to see what the rules disagree about."""

SLICE_S = 0.15
"""Time for further pages in one answer. A click in between waits for it."""


def describe_recommendations(cluster: Cluster, samples: Sequence[int], begun: Sequence[int]) -> dict[str, Any]:
    """Return the pages to annotate next, best first, and whether the rules agree on the other pages.

    begun: pages worked on, in the order in which they are shown.

    {"offers": [{"page", "reason", "doubts": [{"attribute", "values"}]}], "pages": the offered pages that are not samples,
    "covered": {page: share of the template up to it}, "annotated", "disputed", "missing", "checked", "total", "complete",
    "settled", "unlearned": why lists with marked rows cannot be learned yet, "doubts": [{"attribute", "words", "page"}]}
    """
    found = page_recommendations.recommend_pages(cluster, samples, begun=begun, budget_s=SLICE_S)
    extra = [offer.snapshot_id for offer in found.offers if offer.snapshot_id not in samples]
    return {
        "offers": [
            {"page": o.snapshot_id, "reason": o.reason, "doubts": [_describe_disagreement(each) for each in o.disagreements]}
            for o in found.offers
        ],
        "pages": describe_pages(cluster, extra),
        "covered": found.covered,
        "annotated": found.annotated,
        "disputed": found.disputed,
        "missing": found.missing,
        "checked": found.checked,
        "total": found.total,
        "complete": found.complete,
        "settled": found.settled,
        "unlearned": found.unlearned,
        "doubts": [{"attribute": each.attribute, "words": each.words, "page": each.snapshot_id} for each in found.doubts],
    }


def describe_pages(cluster: Cluster, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Describe pages of the cluster as the sample list shows them. `covered` is None, because they were not chosen for what they cover."""
    rows = Snapshot.objects.filter(cluster=cluster, pk__in=ids, error="").values_list("pk", "title", "page__url")
    found = {row[0]: row for row in rows}
    return [
        {"id": pk, "title": found[pk][1], "url": found[pk][2], "covered": None, "frame": reverse("frame", args=[pk])}
        for pk in ids
        if pk in found
    ]


def _describe_offer(offer: page_recommendations.PageOffer) -> dict[str, Any]:
    doubts = [_describe_disagreement(each) for each in offer.disagreements]
    return {"page": offer.snapshot_id, "reason": offer.reason, "doubts": doubts}


def _describe_disagreement(found: Disagreement) -> dict[str, Any]:
    return {
        "attribute": found.attribute,
        "values": [" · ".join(value[:SHOWN_CHARS] for value in vote[:SHOWN_VALUES]) or "nothing" for vote in found.votes[:SHOWN_VALUES]],
    }
