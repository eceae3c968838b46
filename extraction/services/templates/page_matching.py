"""Which template a page belongs to when records are extracted (ALGORITHMS 5; Vertex 3.2.1).

A page that clustering has put into a template is that template's page: its vector was covered, or its core was near
enough, when all pages were compared, which says more than one look at one page can. A page without a template, such as
one imported since, is matched by URL pattern and then shingle vector; where no vector covers it, by the nearest core. All
templates of the site stand as candidates, also those without a rule and ignored ones: a page of theirs must not be taken
for the page of another.
A page that cannot be read has no vector; its URL alone says whose record is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from extraction.algorithms.clustering.template_core import TemplateCore, find_nearest_core
from extraction.algorithms.errors import PageError
from extraction.algorithms.rules import matching
from extraction.algorithms.rules.matching import RuleCandidate
from extraction.algorithms.rules.url_patterns import SplitAddress, UrlPattern
from extraction.algorithms.sketches import shingles
from extraction.algorithms.sketches.shingles import Mask
from extraction.models import Cluster, Site
from extraction.services.core.stored_pages import read_bytes
from extraction.services.templates import page_steps, template_cores


@dataclass(frozen=True, slots=True)
class PageRow:
    """A current snapshot as extraction needs it."""

    snapshot_id: int
    sha256: str
    content_type: str
    error: str
    vector: str
    scheme: str
    cluster_id: int | None
    url: str


class Matcher:
    """The site's templates as candidates, read once a run."""

    def __init__(self, site: Site) -> None:
        current = Count("snapshots", filter=Q(snapshots__page__current_id=F("snapshots__pk")))
        self._site = site
        clusters: QuerySet[Any, Any] = Cluster.objects.filter(site=site).annotate(size=current).order_by("number")
        self.candidates = [
            RuleCandidate(
                id=cluster.pk,
                patterns=tuple(UrlPattern.from_text(text) for text in cluster.url_patterns),
                masks=tuple(Mask.from_text(text) for text in cluster.masks),
                size=cluster.size,
            )
            for cluster in clusters
        ]

    def cluster_of(self, page: PageRow) -> int | None:
        """The id of the template that a page belongs to, None when it matches none."""
        if page.cluster_id is not None:
            return page.cluster_id
        address = SplitAddress.parse(page.url)
        fitting = [each for each in self.candidates if not each.patterns or _specificity(each, address) is not None]
        if page.error:
            named = [each for each in fitting if each.patterns]
            return max(named, key=lambda each: (_specificity(each, address) or (), each.size, -each.id)).id if named else None
        try:
            found = matching.match_page(page.url, _vector(page), fitting) if fitting else None
        except PageError:
            return None
        return found.id if isinstance(found, matching.RuleMatch) else self._nearest(page, fitting)

    @cached_property
    def _cores(self) -> dict[int, TemplateCore]:
        return template_cores.read_cores(self._site)

    def _nearest(self, page: PageRow, fitting: Sequence[RuleCandidate]) -> int | None:
        """The template whose core is nearest, of those whose addresses fit; None where the page is too far from all."""
        cores = {each.id: self._cores[each.id] for each in fitting if each.id in self._cores}
        try:
            return find_nearest_core(cores, page_steps.read_steps(page)) if cores else None
        except PageError:
            return None


def _specificity(candidate: RuleCandidate, address: SplitAddress) -> tuple[int, ...] | None:
    """That of the most specific pattern that matches, None when none does."""
    return max((pattern.specificity for pattern in candidate.patterns if pattern.matches(address)), default=None)


def _vector(page: PageRow) -> int:
    """The stored vector; one made by another scheme says nothing, so the bytes are looked at again."""
    if page.vector and page.scheme == shingles.SCHEME:
        return int(page.vector, 16)
    return shingles.compute_vector(read_bytes(page))
