"""Two templates become one with everything that belongs to them."""

from pathlib import Path

import pytest
from django.db.models import UniqueConstraint
from django.utils import timezone

from extraction.models import (
    Bellwether,
    Breakage,
    Check,
    Cluster,
    ClusterCore,
    Preview,
    QualityRule,
    Record,
    RecordType,
    Rule,
    Run,
    RunRelease,
    Site,
    Snapshot,
)
from extraction.services.core.runs import JobError
from extraction.services.rules import rules
from extraction.services.templates import clusters, merging
from tests.services import factory, watched
from tests.services.importing import bring, cluster_all, listing, zip_at
from tests.services.templates.clustered_site import cluster_again, count_pages, make_label, make_rule
from tests.views import world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def twin(first: Cluster, number: int = 2, count: int = 3) -> Cluster:
    other = factory.cluster(first.site, number=number, kind=first.record_type)
    for n in range(count):
        factory.snapshot(first.site, f"https://shop.example/p{number}/{n}", factory.book_html(f"Novel {number} {n}"), cluster=other)
    return other


def picture(cluster: Cluster, sha256: str) -> None:
    Preview.objects.create(cluster=cluster, sha256=sha256, made_of="x")
    ClusterCore.objects.create(cluster=cluster, data=b"")


def watch(cluster: Cluster, page: Snapshot) -> None:
    Bellwether.objects.create(cluster=cluster, page=page.page, baseline=page)


def pages(cluster: Cluster) -> list[Snapshot]:
    return list(Snapshot.objects.filter(cluster=cluster).order_by("pk"))


def test_of_rows_that_a_template_has_once_those_of_the_remaining_template_are_kept() -> None:
    one = watched.cluster(4)
    two = twin(one)
    rules.publish_rule(world.draft(two))
    for cluster, sha256 in ((one, "a"), (two, "b")):
        picture(cluster, sha256)
        watch(cluster, pages(one)[0])  # the page was of the other template once
    now, run = timezone.now(), Run.objects.create(kind=Run.Kind.CHECK, site=one.site)
    checks = [watched.check(cluster, now, "price") for cluster in (one, two)]
    Check.objects.filter(pk__in=[check.pk for check in checks]).update(run=run)
    merged = clusters.merge_templates(one, [two])
    assert Preview.objects.get().sha256 == "a"
    assert [each.cluster for each in Bellwether.objects.all()] == [merged]
    assert sorted(merged.checks.values_list("run", flat=True), key=str) == [run.pk, None]
    assert list(merged.breakages.order_by("rule__version").values_list("rule__version", "state")) == [(1, "open"), (2, "dismissed")]
    assert Breakage.objects.get(state="dismissed").note == "Its template was merged: Template 2 into Template 1."
    assert list(merged.rules.order_by("version").values_list("version", "state")) == [(1, "broken"), (2, "retired")]


def test_what_only_the_other_template_has_moves_to_the_first() -> None:
    one = factory.shop(4)
    two = twin(one)
    rules.publish_rule(world.draft(two))
    picture(two, "b")
    watch(two, pages(two)[0])
    watch(one, pages(one)[0])
    watched.check(two, timezone.now(), "price")
    merged = clusters.merge_templates(one, [two])
    assert Preview.objects.get().cluster == merged
    assert Bellwether.objects.get().page.url == "https://shop.example/p2/0"
    assert merged.breakages.get().state == Breakage.State.OPEN
    assert merged.rules.get().state == Rule.State.BROKEN


def test_several_templates_can_be_merged_at_once() -> None:
    one = factory.shop(4)
    others = [twin(one, number) for number in (2, 3, 4)]
    for cluster in others:
        picture(cluster, str(cluster.number))
    merged = clusters.merge_templates(one, others)
    assert Preview.objects.get().sha256 == "2" and merged.snapshots.current().kept().count() == 13


def test_of_two_unfinished_runs_of_the_same_kind_one_continues() -> None:
    one = factory.shop(4)
    two = twin(one)
    kept, same = (factory.run(one.site, Run.Kind.LEARN, cluster=cluster) for cluster in (one, two))
    other = factory.run(one.site, Run.Kind.EXTRACT, cluster=two)
    clusters.merge_templates(one, [two])
    same.refresh_from_db()
    assert same.state == Run.State.CANCELLED and same.message == "Template 2 was merged into Template 1"
    assert set(one.runs.unfinished()) == {kept, other}


def test_every_one_to_one_relation_of_a_template_is_handled_explicitly() -> None:
    """A new model with such a constraint has to say what becomes of its rows."""
    once = set()
    for relation in Cluster._meta.related_objects:
        limits = [each for each in relation.related_model._meta.constraints if isinstance(each, UniqueConstraint)]
        if relation.field.unique or any(relation.field.name in each.fields for each in limits):
            once.add(relation.related_model)
    assert Preview in once and once <= merging.SETTLED


def test_a_merge_survives_clustering_again(clustered: Site, tmp_path: Path) -> None:
    one, two = clustered.clusters.order_by("number")
    merged = clusters.merge_templates(one, [two])
    assert len(merged.masks) == 2
    assert count_pages(clustered) == {1: 18}
    cluster_again(clustered)
    assert count_pages(clustered) == {1: 18}
    cluster_again(clustered, 8)
    assert count_pages(clustered) == {1: 18}, "six lists are under the threshold now, and were said to belong here"
    bring(clustered, zip_at(tmp_path / "b.zip", {f"list/x{n}.html": listing(n) for n in range(9)}))
    cluster_all(clustered)
    assert count_pages(clustered) == {1: 27}


def test_merging_moves_everything_that_belongs_to_a_cluster(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    make_rule(one, 1, Rule.State.LIVE)
    rule = make_rule(two, 1, Rule.State.LIVE)
    snapshot = two.snapshots.current().kept()[0]
    label = make_label(two, snapshot)
    make_label(one, one.snapshots.current().kept()[0])
    record = Record.objects.create(snapshot=snapshot, cluster=two, rule=rule, state="complete", extracted_at=snapshot.fetched_at)
    clusters.rename_template(two, "Lists")
    merged = clusters.merge_templates(one, [one, two])
    assert (merged.number, merged.name) == (1, "Lists")
    assert list(merged.rules.order_by("version").values_list("version", "state")) == [(1, "live"), (2, "retired")]
    label.refresh_from_db()
    record.refresh_from_db()
    assert label.cluster == record.cluster == merged
    assert not Cluster.objects.filter(pk=two.pk).exists()


def test_clusters_of_different_sites_or_record_types_cannot_be_merged(clustered: Site) -> None:
    one, two = clustered.clusters.order_by("number")
    stranger = Cluster.objects.create(site=Site.objects.create(name="Other", slug="other"), number=1)
    with pytest.raises(JobError, match="another site"):
        clusters.merge_templates(one, [stranger])
    for cluster, name in ((one, "Book"), (two, "List")):
        clusters.set_record_type(cluster, RecordType.objects.create(name=name, slug=name.lower()))
    make_rule(two)
    with pytest.raises(JobError, match="different record type"):
        clusters.merge_templates(one, [two])
    assert clustered.clusters.count() == 2


def test_quality_rules_move_and_so_do_the_releases_if_the_first_template_has_none() -> None:
    one = factory.shop(2)
    two, kind = twin(one), one.record_type
    assert kind
    run = factory.run(one.site, Run.Kind.EXTRACT, Run.State.DONE)
    everywhere = QualityRule.objects.create(record_type=kind, kind="count")
    for cluster, least in ((one, 0.1), (two, 0.2)):
        QualityRule.objects.create(record_type=kind, cluster=cluster, kind="count", overrides=everywhere, limits={"least": least})
    QualityRule.objects.create(record_type=kind, cluster=two, kind="change")
    release(two, run, RunRelease.State.RELEASED)
    merged = clusters.merge_templates(one, [two])
    assert list(merged.quality_rules.order_by("pk").values_list("kind", "limits")) == [("count", {"least": 0.1}), ("change", {})]
    assert merged.releases.get().run == run


@pytest.mark.parametrize("state", ["held", "rejected"])
def test_a_template_whose_newest_run_was_not_released_is_not_merged(state: str) -> None:
    one = factory.shop(2)
    two = twin(one)
    release(two, factory.run(one.site, Run.Kind.EXTRACT, Run.State.DONE), state)
    with pytest.raises(JobError, match="newest run of Template 2 was not released"):
        clusters.merge_templates(one, [two])


def release(cluster: Cluster, run: Run, state: str) -> None:
    now = timezone.now()
    RunRelease.objects.create(cluster=cluster, run=run, state=state, judged_at=now, decided_at=None if state == "held" else now)
