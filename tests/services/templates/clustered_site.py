"""Functions of the tests of clustering: cluster a site again, count pages, make labels and rules."""

from extraction.models import Attribute, Cluster, Label, RecordType, Rule, Run, Site, Snapshot
from extraction.services.templates import cluster_pages, clusters
from tests.services import factory
from tests.services.importing import done


def cluster_again(site: Site, threshold: int | None = None) -> Run:
    run = done(cluster_pages.start_clustering(site, threshold=threshold))
    assert run.state == Run.State.DONE, run.error
    return run


def count_pages(site: Site) -> dict[int, int]:
    return {row.cluster.number: row.pages for row in clusters.list_templates(site).rows}


def make_rule(cluster: Cluster, version: int = 1, state: str = Rule.State.DRAFT) -> Rule:
    return factory.rule(cluster, version=version, state=state)


def make_label(cluster: Cluster, snapshot: Snapshot, name: str = "title") -> Label:
    kind, _ = RecordType.objects.get_or_create(name="Book", slug="book")
    attribute, _ = Attribute.objects.get_or_create(record_type=kind, name=name)
    return Label.objects.create(cluster=cluster, snapshot=snapshot, attribute=attribute, location=None)
