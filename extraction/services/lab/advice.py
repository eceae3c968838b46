"""Whether another clustering of the last comparison is clearly better than the site's templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from extraction.algorithms.clustering.measures import ClusteringQuality, measure_quality
from extraction.models import Clustering, Site
from extraction.services.lab import comparisons, crawl_templates, page_labels

FEW_LABELS = 20
"""With fewer labelled pages than this, measures say little: most clusterings get three pages right."""

BETTER_V = 0.05
"""A V-measure that is higher by this is clearly better."""

BETTER_COST = 0.9
"""A cost of this share, or less, is clearly better."""


@dataclass(frozen=True, slots=True)
class Better:
    """A clustering that is clearly better than the templates.

    quality, now: the V-measures on the labelled pages, if these decided.
    saved: the share of the cost that it saves, if that decided.
    """

    clustering: Clustering
    quality: float | None = None
    now: float | None = None
    saved: float | None = None


def find_better(site: Site) -> Better | None:
    """Return the clustering of the last comparison that is clearly better than the templates are now: by the labels, else by the cost."""
    run = comparisons.find_last_comparison(site)
    if run is None or not run.finished:
        return None
    # The templates of a crawl are groups of all its pages, which would take long to read, and have no cost.
    others = list(run.clusterings.select_related("site").filter(reason="").exclude(method__in=(comparisons.NOW, crawl_templates.METHOD)))
    held_now = run.clusterings.select_related("site").filter(method=comparisons.NOW).first() if others else None
    if held_now is None:
        return None
    now, *_ = update_templates([held_now, *others])
    labels = page_labels.get_labels(site)
    judged = len(labels.keys() & set(chain.from_iterable(now.groups))) >= FEW_LABELS
    held = measure_clustering(now, labels) if judged else None
    return _find_by_labels(others, labels, held.v_measure) if held else _find_by_cost(now, others)


def measure_clustering(clustering: Clustering, labels: Mapping[int, str]) -> ClusteringQuality | None:
    """Measure a clustering on the labelled pages. None if these have fewer than two different labels: any clustering gets one right."""
    cluster = {str(page): place for place, group in enumerate(clustering.groups) for page in group}
    truth = {str(page): label for page, label in labels.items() if str(page) in cluster}
    return measure_quality(truth, cluster) if len(set(truth.values())) > 1 else None


def update_templates(found: Sequence[Clustering]) -> list[Clustering]:
    """Return a comparison's clusterings, with the current templates in place of those at the time of the comparison.

    The cost of the current templates is known only if they are equal to one of the clusterings, such as an adopted one.
    """
    shown = []
    for each in found:
        if each.method == comparisons.NOW:
            groups = comparisons.sort_groups(comparisons.group_by_template([str(page) for group in each.groups for page in group]))
            same = next((other for other in [each, *found] if _collect_parts(other.groups) == _collect_parts(groups)), None)
            each = Clustering(pk=each.pk, site=each.site, run=each.run, method=comparisons.NOW, groups=groups)
            each.bits, each.bits_reason = (same.bits, same.bits_reason) if same else (None, "")
        shown.append(each)
    return shown


def _find_by_labels(others: Sequence[Clustering], labels: Mapping[int, str], held: float) -> Better | None:
    measured = [(found.v_measure, each) for each in others if (found := measure_clustering(each, labels))]
    best = max(measured, key=lambda row: row[0], default=None)
    return Better(best[1], quality=best[0], now=held) if best and best[0] >= held + BETTER_V else None


def _find_by_cost(now: Clustering, others: Sequence[Clustering]) -> Better | None:
    costed = [(each.bits, each) for each in others if each.bits is not None]
    best = min(costed, key=lambda row: row[0], default=None)
    if best is None or now.bits is None or best[0] > BETTER_COST * now.bits:
        return None
    return Better(best[1], saved=1 - best[0] / now.bits)


def _collect_parts(groups: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}
