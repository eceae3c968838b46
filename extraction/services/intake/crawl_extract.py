"""Extract records from pages while a crawl fetches them. The pages themselves need not be kept."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from extraction.algorithms.dom.parse import parse
from extraction.fetching.items import PageItem
from extraction.models import Record, Run, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.records import extract_records
from extraction.services.sites import page_store
from extraction.services.templates.page_matching import Matcher, PageRow


class Extractor:
    """Runs the rules of a crawl over its pages. Raises JobError when a rule is no longer live or cannot be run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._targets = extract_records.find_targets(run)
        self._matcher = Matcher(run.site)

    def extract(self, items: Sequence[PageItem]) -> int:
        """Write the records of stored pages and return how many there are.

        Pages whose bytes are not kept and that match a template are assigned to it.
        """
        by_url = {page_store.find_address(item): item for item in items}
        digests = {url: stored_bytes.digest_bytes(item.content) for url, item in by_url.items()}
        rows = self._assign_templates([row for row in self._read_rows(list(by_url)) if row.sha256 == digests[row.url]])
        made = extract_records.extract_batch(
            self._run,
            self._targets,
            self._matcher,
            rows,
            lambda page: parse(by_url[page.url].content, content_type=page.content_type or None).root,
        )
        return sum(made[state] for state in Record.State.values)

    def _read_rows(self, urls: Sequence[str]) -> list[PageRow]:
        current = Snapshot.objects.of_site(self._run.site).current().filter(page__url__in=urls).order_by("pk")
        fields = ("pk", "sha256", "content_type", "error", "vector", "scheme", "cluster_id", "page__url")
        return [PageRow(*row) for row in current.values_list(*fields)]

    def _assign_templates(self, rows: Sequence[PageRow]) -> list[PageRow]:
        """Return the pages with the templates that they match, and save new matches of pages that are not kept.

        Clustering sees only kept pages, so the others get their template here.
        """
        known = [row if row.error else replace(row, cluster_id=self._matcher.cluster_of(row)) for row in rows]
        fresh: dict[int, list[int]] = defaultdict(list)
        for before, after in zip(rows, known, strict=True):
            if after.cluster_id is not None and before.cluster_id is None:
                fresh[after.cluster_id].append(after.snapshot_id)
        for cluster_id, snapshots in fresh.items():
            Snapshot.objects.filter(pk__in=snapshots, kept=False).update(cluster=cluster_id)
        return known
