"""The client's part for pages in the wrong template, templates that are the same, and other clusterings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vertex.client_connection import Connection, join_path
from vertex.client_rows import Run, Template, read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What a move of pages did. labels, records: how many were removed with it."""

    into: int | None
    pages: int
    labels: int
    records: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeProposal:
    """Two templates that seem to be the same: `other` would be merged into `into`."""

    id: int
    into: int
    other: int
    kind: str
    state: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """What one method found. members are empty in lists."""

    id: int
    run: int
    method: str
    groups: int
    pages: int
    sizes: Sequence[int]
    bits: float | None
    bits_reason: str
    seconds: float
    peak_bytes: int
    reason: str
    members: Sequence[Sequence[int]] = ()


class LabCalls(Connection):
    """Correct templates, and compare other clusterings with them."""

    def move_pages(self, site: str, pages: Sequence[int], into: int | str | None) -> Moved:
        """Move pages, by their ids. into: the number of a template, "new", or None for no template."""
        return read_row(Moved, self.request("POST", join_path("sites", site, "pages", "move"), body={"pages": list(pages), "into": into}))

    def merge_templates(self, site: str, into: int, others: Sequence[int]) -> Template:
        """Merge templates that are the same into one of them."""
        body = {"into": into, "others": list(others)}
        return read_row(Template, self.request("POST", join_path("sites", site, "templates", "merge"), body=body))

    def list_merge_proposals(self, site: str, *, state: str = "open") -> Iterator[MergeProposal]:
        """Yield templates that seem to be the same. state: open or refused."""
        return self.list_all(join_path("sites", site, "merge-proposals"), MergeProposal, {"state": state})

    def accept_merge_proposal(self, site: str, proposal_id: int) -> Template:
        """Merge the two templates of a proposal."""
        return read_row(Template, self.request("POST", join_path("sites", site, "merge-proposals", proposal_id, "accept")))

    def refuse_merge_proposal(self, site: str, proposal_id: int) -> MergeProposal:
        """Say that the two templates of a proposal are not the same."""
        return read_row(MergeProposal, self.request("POST", join_path("sites", site, "merge-proposals", proposal_id, "refuse")))

    def start_comparison(self, site: str, methods: Sequence[str]) -> Run:
        """Start to cluster the pages of a site with other methods."""
        return read_row(Run, self.request("POST", join_path("sites", site, "lab", "comparisons"), body={"methods": list(methods)}))

    def list_clusterings(self, site: str, *, run: int | None = None) -> Iterator[Clustering]:
        """Yield what methods found, newest first."""
        return self.list_all(join_path("sites", site, "lab", "clusterings"), Clustering, {"run": run})

    def get_clustering(self, site: str, clustering_id: int) -> Clustering:
        """Return what a method found, with the ids of the pages of each group."""
        return read_row(Clustering, self.request("GET", join_path("sites", site, "lab", "clusterings", clustering_id)))

    def adopt_clustering(self, site: str, clustering_id: int) -> Run:
        """Start to make the groups of a clustering the templates of the site."""
        return read_row(Run, self.request("POST", join_path("sites", site, "lab", "clusterings", clustering_id, "adopt")))
