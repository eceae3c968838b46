"""The parameters and the results of a run, as values: `Run.parameters` and `Run.summary`.

All kinds of runs share one class for each, because successors and screens ask for the same field of several kinds. Each kind
sets the fields that are listed for it; the others are None and are not stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from extraction.algorithms.json_values import JsonValue

EXTRACT = "extract"
"""As `mode`: a crawl extracts records from the pages and does not keep them. As `then`: records are extracted when the run is done."""

SAMPLE = "sample"
"""As `mode`: a crawl keeps the pages that it fetches."""

REFRESH = "refresh"
"""As `mode`: a crawl fetches the pages of a site that are due, and new ones. It keeps what changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParameters(JsonValue):
    """The parameters of a run, by kind.

    Import: name, what people call the archive; upload and sha256, its file in the storage and its digest; or folder.
    Crawl: mode, then; rules, as for an extraction, if the mode is EXTRACT. If the mode is REFRESH: limit, the most pages to keep;
        requests, the most addresses to ask for; include, patterns that replace those of the source.
    All kinds that a refresh started: refresh, the id of its row.
    Clustering: threshold, None to choose it by the size of the site; after, the run that asked for it; then; method, to use in
        place of the site's own, "" for masked shingles; adopt, the clustering that becomes the templates of the site.
    Comparing clusterings: methods.
    Extraction: rules, ids of the versions that extract; stale_only, skip pages whose record is up to date.
    Joining records: join, its id.
    Loading styles and pictures: snapshots, None for the sample pages.
    """

    name: str | None = None
    upload: str | None = None
    sha256: str | None = None
    folder: str | None = None
    mode: str | None = None
    then: str | None = None
    rules: tuple[int, ...] | None = None
    threshold: int | None = None
    after: int | None = None
    method: str | None = None
    adopt: int | None = None
    methods: tuple[str, ...] | None = None
    snapshots: tuple[int, ...] | None = None
    join: int | None = None
    refresh: int | None = None
    limit: int | None = None
    requests: int | None = None
    include: tuple[str, ...] | None = None
    stale_only: bool | None = None

    @property
    def keeps_no_pages(self) -> bool:
        """Whether it is a crawl that only extracts records from the pages."""
        return self.mode == EXTRACT

    @property
    def refreshes(self) -> bool:
        """Whether it is a crawl that fetches what is due."""
        return self.mode == REFRESH

    @property
    def wants_records(self) -> bool:
        """Whether records are extracted again when it is done."""
        return self.then == EXTRACT


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary(JsonValue):
    """The results of a run, in figures, by kind.

    Import and crawl: pages; of these new, changed, unchanged, unreadable and partly (read in part).
    Import: refused, files that could not be read; skipped, {kind: number} of files that are not pages; assets, styles and
        pictures kept; absent, pages of earlier imports that it does not contain.
    Crawl: before, pages that were there when it was resumed; templates, how many there seem to be; gone; repeated, pages
        that were found to be the same as others; missed, addresses without a page; outcomes, {outcome: number of addresses};
        terms of the site's search; of these empty_terms (found nothing) and unasked_terms (not asked, or without an answer);
        reason, why it ended; left, addresses that were found and not fetched; and the figures of an extraction.
    Clustering: clusters; small, clusters that are only offered; clustered and unclustered, numbers of pages; threshold;
        last_number, the highest number that a template of the site ever had.
    Comparing templates: pairs, proposals.
    Comparing clusterings: snapshots, the pages that are clustered; methods, pages, gave_up; notices, {method: what it could not do
        in full}.
    Learning: rule, its id; version; attributes; failed.
    Joining records: rows; records, of these joined, row_alone and page_alone; conflicts.
    Assigning new pages to templates: placed and unplaced, numbers of pages.
    Extraction: pages; records, of these complete, incomplete and failed, and settled, which were up to date already; unmatched and
        unreadable, numbers of pages; removed, old records that no new one replaced; reason, the most common reason for failures;
        pages_per_s.
    Loading styles and pictures: loaded, failed.
    Making previews: drawn; left, if other work went first.
    Check: checked templates, of these broken, unreachable and ok.
    Reusing rules: templates, of these reused, relearned and live.
    """

    pages: int | None = None
    new: int | None = None
    changed: int | None = None
    unchanged: int | None = None
    unreadable: int | None = None
    partly: int | None = None
    refused: int | None = None
    skipped: Mapping[str, int] | None = None
    assets: int | None = None
    before: int | None = None
    templates: int | None = None
    gone: int | None = None
    repeated: int | None = None
    missed: int | None = None
    outcomes: Mapping[str, int] | None = None
    records: int | None = None
    complete: int | None = None
    incomplete: int | None = None
    failed: int | None = None
    unmatched: int | None = None
    removed: int | None = None
    reason: str | None = None
    pages_per_s: float | None = None
    clusters: int | None = None
    clustered: int | None = None
    small: int | None = None
    unclustered: int | None = None
    threshold: int | None = None
    last_number: int | None = None
    pairs: int | None = None
    proposals: int | None = None
    snapshots: tuple[int, ...] | None = None
    methods: int | None = None
    gave_up: int | None = None
    notices: Mapping[str, str] | None = None
    rule: int | None = None
    version: int | None = None
    attributes: int | None = None
    loaded: int | None = None
    drawn: int | None = None
    checked: int | None = None
    broken: int | None = None
    unreachable: int | None = None
    ok: int | None = None
    reused: int | None = None
    relearned: int | None = None
    live: int | None = None
    rows: int | None = None
    joined: int | None = None
    row_alone: int | None = None
    page_alone: int | None = None
    conflicts: int | None = None
    left: int | None = None
    terms: int | None = None
    empty_terms: int | None = None
    unasked_terms: int | None = None
    placed: int | None = None
    unplaced: int | None = None
    settled: int | None = None
    absent: int | None = None
