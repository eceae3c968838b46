"""Point out pages that look out of place in their template, with the template that they could move to."""

from collections.abc import Iterable
from dataclasses import dataclass

from extraction.algorithms.clustering.odd_pages import find_odd_groups
from extraction.algorithms.clustering.page_steps import PageSteps
from extraction.algorithms.clustering.refinement import sample_evenly
from extraction.algorithms.clustering.template_core import find_nearest_core
from extraction.algorithms.errors import PageError
from extraction.models import Cluster, PageCount, Placement, Snapshot
from extraction.services.core import spread_pages
from extraction.services.templates import page_steps
from extraction.services.templates.placing import LOOKED_AT


@dataclass(frozen=True, slots=True)
class OddPages:
    """Pages that differ from the rest of their template in the same way.

    snapshots: the pages, the lowest number first.
    lacking: the share of the usual structure of the others that they lack.
    own: the share of their usual structure that the others lack.
    home: the template that they fit best, None if they fit none.
    """

    snapshots: tuple[Snapshot, ...]
    lacking: float
    own: float
    home: Cluster | None


@dataclass(frozen=True, slots=True)
class OddFindings:
    """What was found in one template.

    compared: the number of pages compared; there are `pages`.
    ordinary: a page that is not odd, for comparison; None if there are no odd pages.
    """

    groups: tuple[OddPages, ...]
    compared: int
    pages: int
    ordinary: Snapshot | None = None

    @property
    def count(self) -> int:
        """The number of odd pages."""
        return sum(len(group.snapshots) for group in self.groups)


def find_odd_pages(cluster: Cluster) -> OddFindings:
    """Return the pages of a template that look out of place. Of more than LOOKED_AT pages, as many are compared.

    Pages of which a person said that they belong to the template are never out of place.
    """
    current = spread_pages.select_current(cluster, most=LOOKED_AT).readable()
    ids = list(current.order_by("page").values_list("pk", flat=True))
    known = _read_all(Snapshot.objects.filter(pk__in=sample_evenly(ids, LOOKED_AT)).select_related("page").order_by("page"))
    belonging = set(Placement.objects.filter(cluster=cluster, belongs=True).values_list("page", flat=True))
    groups, odd = [], set[int]()
    for group in find_odd_groups([steps for _, steps in known]):
        places = [at for at in group.pages if known[at][0].page_id not in belonging]
        odd.update(group.pages)
        if places:
            home = _find_home(cluster, known[places[0]][1])
            groups.append(OddPages(tuple(known[at][0] for at in places), group.lacking, group.own, home))
    ordinary = next((snapshot for at, (snapshot, _) in enumerate(known) if at not in odd), None) if groups else None
    pages = PageCount.objects.filter(cluster_key=cluster.pk, kept=True).exclude(reading="unreadable").total()
    return OddFindings(tuple(groups), len(known), pages, ordinary)


def _find_home(cluster: Cluster, steps: PageSteps) -> Cluster | None:
    """Return the other template that covers a page best."""
    cores = {pk: core for pk, core in page_steps.read_cores(cluster.site).items() if pk != cluster.pk}
    nearest = find_nearest_core(cores, steps)
    return Cluster.objects.get(pk=nearest) if nearest is not None else None


def _read_all(snapshots: Iterable[Snapshot]) -> list[tuple[Snapshot, PageSteps]]:
    """Return the pages that can be read with their steps."""
    found = []
    for snapshot in snapshots:
        try:
            found.append((snapshot, page_steps.read_steps(snapshot)))
        except PageError:
            continue
    return found
