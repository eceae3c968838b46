"""What people said about the templates of pages, and about which templates are the same."""

from typing import Any, Self, TypeAlias

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from extraction.models.cluster import Cluster
from extraction.models.merge_evidence import MergeEvidence
from extraction.models.page import Page
from extraction.models.site import Site


class Placement(models.Model):
    """A person's statement that a page belongs to a cluster, or that it does not. Clustering again respects it.

    A page can be said to belong to at most one cluster, and not to belong to any number of them.
    """

    page = models.ForeignKey(Page, on_delete=models.CASCADE, related_name="placements")
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="placements")
    belongs = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["page", "cluster"], name="one_word_per_page_and_cluster"),
            models.UniqueConstraint(fields=["page"], condition=Q(belongs=True), name="a_page_belongs_once"),
        ]

    def __str__(self) -> str:
        return f"{self.page} {'is' if self.belongs else 'is not'} of {self.cluster}"


class ProposalKind(models.TextChoices):
    SAME = "same", gettext_lazy("Their rules give the same values")
    READS = "reads", gettext_lazy("One rule works on both")
    ALIKE = "alike", gettext_lazy("Similar, but no rule has been tried")


class ProposalState(models.TextChoices):
    OPEN = "open", gettext_lazy("Open")
    REFUSED = "refused", gettext_lazy("Not the same template")


class MergeProposalQuerySet(models.QuerySet["MergeProposal"]):
    """Common queries on merge proposals."""

    def of_site(self, site: Site) -> Self:
        """Proposals for a site's clusters."""
        return self.filter(into__site=site)

    def open(self) -> Self:
        """Proposals that nobody has answered."""
        return self.filter(state=ProposalState.OPEN)

    def refused(self) -> Self:
        """Pairs that a person said are not the same."""
        return self.filter(state=ProposalState.REFUSED)


class MergeProposal(models.Model):
    """Two clusters that seem to be the same template, and a person's answer. Each pair has at most one row.

    into: the cluster that would stay.
    kind: SAME if both have rules that give the same values on each other's pages; READS if only `into` has a rule, which gives
        complete records on the other's pages; ALIKE if their structure leaves it open and no rule could decide.
    evidence: `MergeEvidence` as JSON.
    """

    Kind: TypeAlias = ProposalKind
    State: TypeAlias = ProposalState

    into = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="merge_proposals")
    other = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="merge_proposals_into")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    evidence: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MergeProposalQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["into", "other"], name="one_proposal_per_pair"),
            models.CheckConstraint(condition=~Q(into=F("other")), name="no_cluster_is_merged_into_itself"),
            models.CheckConstraint(condition=Q(kind__in=ProposalKind.values), name="a_proposal_is_of_a_known_kind"),
            models.CheckConstraint(condition=Q(state__in=ProposalState.values), name="a_proposal_has_a_known_state"),
        ]

    def __str__(self) -> str:
        return f"{self.other} into {self.into}: {self.get_kind_display().lower()}"

    def read_evidence(self) -> MergeEvidence:
        """Return why they seem to be the same template. Raises JsonShapeError."""
        return MergeEvidence.from_json(self.evidence)
