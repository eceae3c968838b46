"""Which template a page belongs to when records are extracted (docs/algorithms.md#matching; Vertex, section 3.2.1).

A page that clustering has put into a template stays there. Clustering compared all pages, which says more than looking at one
page can. A page without a template, such as one imported since, is matched by URL pattern and then by shingle vector, or by the
nearest core if no mask covers its vector. All templates of the site are candidates, including ignored ones and those without a
rule, so that their pages are not taken for pages of another template.

A page that cannot be read has no vector, so only its URL shows which template's record is missing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from django.db import transaction
from django.db.models import Sum

from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.template_core import TemplateCore
from extraction.algorithms.errors import PageError
from extraction.algorithms.rules import recognition, url_patterns
from extraction.algorithms.rules.matching import RuleCandidate
from extraction.algorithms.rules.url_patterns import UrlPattern
from extraction.algorithms.sketches import shingles
from extraction.algorithms.sketches.shingles import Mask
from extraction.models import Cluster, PageCount, Site
from extraction.services.core.stored_pages import read_bytes
from extraction.services.templates import clusters, page_steps


@dataclass(frozen=True, slots=True)
class PageRow:
    """A current snapshot with the fields that extraction needs."""

    snapshot_id: int
    sha256: str
    content_type: str
    error: str
    vector: str
    scheme: str
    cluster_id: int | None
    url: str


class Matcher:
    """Matches pages with the templates of a site, which are read once per run."""

    def __init__(self, site: Site) -> None:
        self._site = site
        sizes = PageCount.objects.filter(site=site).totals("cluster_key")
        self.candidates = [
            RuleCandidate(
                id=cluster.pk,
                patterns=tuple(UrlPattern.from_text(text) for text in cluster.url_patterns),
                masks=tuple(Mask.from_text(text) for text in cluster.masks),
                size=sizes.get(cluster.pk, 0),
            )
            for cluster in Cluster.objects.filter(site=site).order_by("number")
        ]

    def cluster_of(self, page: PageRow) -> int | None:
        """Return the id of the template that a page belongs to, None if it matches none."""
        if page.cluster_id is not None:
            return page.cluster_id
        if page.error:
            return recognition.recognise_address(self.candidates, page.url)
        try:
            return self.recognise(page.url, lambda: _get_vector(page), lambda: page_steps.read_steps(page))
        except PageError:
            return None

    def recognise(self, url: str, read_vector: Callable[[], int], read_steps: Callable[[], PageSteps]) -> int | None:
        """Return the id of the template that a page without one would be given to, None if it matches none.

        url: the page's address.
        read_vector, read_steps: called when the shingle vector and the steps are needed. Errors they raise are passed on.
        """
        return recognition.recognise_page(self.candidates, lambda: self._cores, url=url, read_vector=read_vector, read_steps=read_steps)

    def knows(self, cluster_id: int) -> bool:
        """Whether anything is known by which pages of a template are recognised."""
        return cluster_id in self._cores or any(each.masks for each in self.candidates if each.id == cluster_id)

    @cached_property
    def _cores(self) -> dict[int, TemplateCore]:
        return page_steps.read_cores(self._site)


def _get_vector(page: PageRow) -> int:
    """Return the stored vector. If it was made by another scheme, compute it again from the bytes."""
    if page.vector and page.scheme == shingles.SCHEME:
        return int(page.vector, 16)
    return shingles.compute_vector(read_bytes(page))


def learn_patterns(cluster: Cluster) -> None:
    """Learn the URL patterns of a cluster from its pages. This takes seconds for 100,000 pages, so it holds no lock meanwhile."""
    while True:
        state, urls = (
            _read_page_state(cluster),
            list(cluster.snapshots.current().kept().order_by("page").values_list("page__url", flat=True)),
        )
        patterns = [pattern.text() for pattern in url_patterns.learn_patterns(urls)]
        with transaction.atomic():
            clusters.lock_templates(cluster.site)
            # If another clustering or a merge ended meanwhile, learn the patterns again for its result.
            if _read_page_state(cluster) == state:
                Cluster.objects.filter(pk=cluster.pk).exclude(url_patterns=patterns).update(url_patterns=patterns)
                return


def _read_page_state(cluster: Cluster) -> tuple[int, int]:
    """Return a value that changes when a page joins or leaves the cluster."""
    row = PageCount.objects.filter(cluster_key=cluster.pk, kept=True).aggregate(pages=Sum("n"), ids=Sum("id_sum"))
    return int(row["pages"] or 0), int(row["ids"] or 0)
