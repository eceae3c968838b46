"""Take in the templates that `vertex-spark cluster` found in a crawl, as a clustering that can be compared and adopted.

The crawl's masks place the pages that the dashboard has, as its third pass did. The second stage then joins templates that are one, and
places the pages that no mask covers, as it does for masks that were found here. Nothing changes until somebody adopts the result.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from extraction.algorithms.bundles.crawl_templates import MAX_BYTES, CrawlTemplates, CrawlTemplatesError, name_site, read_crawl_templates
from extraction.algorithms.clustering import refinement
from extraction.algorithms.clustering.refinement import SiteTemplates, sample_evenly
from extraction.algorithms.sketches import shingles
from extraction.models import AuditKind, Clustering, Run, Site, Snapshot
from extraction.models.kept_template import KeptTemplate
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import audit
from extraction.services.core.runs import JobError
from extraction.services.lab import comparisons
from extraction.services.templates import page_steps

METHOD = "crawl"
"""The method of the clustering."""

MOST_PAGES = 20_000
"""The largest number of the site's pages that are placed here, evenly spread. The others are placed when the clustering is adopted."""


@dataclass(frozen=True, slots=True)
class TakenTemplates:
    """What was taken in.

    found: the templates of the crawl. pages: how many pages were placed by them, left: how many fit none.
    """

    clustering: Clustering
    found: CrawlTemplates
    pages: int
    left: int


def find_site_line(path: Path, names: set[str]) -> CrawlTemplates:
    """Return the templates of a site from a file of many sites.

    Raises JobError if the file has none, or several lines, for the names, or a line that cannot be read. Raises OSError.

    names: of the site, as `name_site`.
    """
    found: list[CrawlTemplates] = []
    others: list[str] = []
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_BYTES + 1), b""), 1):
            if not line.strip():
                continue
            try:
                each = read_crawl_templates(line)
            except CrawlTemplatesError as error:
                raise JobError(f"line {number} cannot be used: {error}") from error
            if each.site in names:
                found.append(each)
            elif len(others) < 3:
                others.append(each.site)
    if len(found) > 1:
        raise JobError(f"it has templates of {' and of '.join(each.site for each in found)}; choose one by its name")
    if not found:
        known = f"; it has {', '.join(others)}" if others else ""
        raise JobError(f"it has no templates of {' or '.join(sorted(names)) or 'the site'}{known}")
    return found[0]


def find_site_names(site: Site) -> set[str]:
    """Return the names that a crawl may have the site under."""
    urls = site.pages.order_by("pk").values_list("url", flat=True)[:MOST_PAGES]
    return {name for url in [site.address, *urls] if (name := name_site(url))}


def take_templates(site: Site, found: CrawlTemplates, user: User | None = None) -> TakenTemplates:
    """Place the site's pages by the templates of a crawl, and store the groups as a clustering. Raises JobError if none fits."""
    started = time.process_time()
    rows = Snapshot.objects.of_site(site).learnable().filter(scheme=shingles.SCHEME).order_by("page").values_list("page", "vector")
    vectors = [(page, int(vector, 16)) for page, vector in sample_evenly(list(rows), MOST_PAGES)]
    if not vectors:
        raise JobError(f"{site.name} has no pages. Import or fetch some first.")
    placed = found.place_pages(vectors)
    if not placed.clusters:
        raise JobError(f"none of the {len(found.templates):,} templates covers a page of {site.name}")
    reader = page_steps.Reader(site, lambda _: None)
    templates = refinement.refine_clusters(placed, reader, threshold=found.threshold)
    clustering = _store(site, templates, time.process_time() - started, user)
    return TakenTemplates(clustering, found, len(vectors) - len(templates.unclustered), len(templates.unclustered))


@transaction.atomic
def _store(site: Site, templates: SiteTemplates[int], seconds: float, user: User | None) -> Clustering:
    """Write the clustering as that of a comparison that is done, with the templates as they are now beside it."""
    now = timezone.now()
    groups, kept = _list_groups(templates)
    pages = [page for group in groups for page in group]
    run = Run.objects.create(
        site=site,
        kind=Run.Kind.LAB,
        state=Run.State.DONE,
        parameters=RunParameters(methods=()).as_json(),
        unit="clusterings",
        started_at=now,
        finished_at=now,
        worked_s=seconds,
        created_by=user,
    )
    run.write_summary(RunSummary(methods=1, pages=len(pages), gave_up=0))
    audit.record(AuditKind.RULES_IMPORTED, run, text=f"templates: {len(templates.clusters):,}")
    current = comparisons.sort_groups(comparisons.group_by_template([str(page) for page in pages]))
    Clustering.objects.create(site=site, run=run, method=comparisons.NOW, groups=current)
    return Clustering.objects.create(
        site=site, run=run, method=METHOD, groups=groups, templates=[each.as_json() for each in kept], seconds=seconds
    )


def _list_groups(templates: SiteTemplates[int]) -> tuple[list[list[int]], Sequence[KeptTemplate]]:
    """Return (groups as a `Clustering` stores them, the masks of each)."""
    rows = [(list(each.members), KeptTemplate(masks=tuple(mask.text() for mask in each.masks))) for each in templates.clusters]
    rows += [([page], KeptTemplate()) for page in templates.unclustered]
    rows.sort(key=lambda row: (-len(row[0]), row[0]))
    return [group for group, _ in rows], [kept for _, kept in rows]
