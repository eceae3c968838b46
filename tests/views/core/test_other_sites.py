"""An address that names one site and an object of another leads nowhere, for every role and both methods; ids in forms, too."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Cluster, JoinListing, MergeProposal, Page, Rule, Run, Site
from extraction.models.role import Role
from tests.services import factory
from tests.views.core.test_access import ACT, LOOK, names
from tests.views.world import World

pytestmark = pytest.mark.django_db

COUNTED = {
    "cluster", "cluster_shares", "cluster_structure", "cluster_odd", "cluster_rename", "cluster_ignore", "cluster_type", "cluster_suggest",
    "cluster_suggest_table", "cluster_suggest_proposed", "cluster_suggest_lists", "cluster_suggest_opinions", "cluster_wrapper",
    "cluster_wrapper_look", "extract_start", "records", "changes", "quality", "corrections", "changes_download", "records_csv",
    "records_export", "records_export_figures", "rules", "rule_learn", "cluster_refresh", "cluster_refresh_schedule",
    "cluster_refresh_now", "cluster_refresh_control", "rule", "rule_export", "rule_preview", "rule_edit", "rule_cleanup",
    "rule_cleanup_preview", "rule_publish", "rule_difference", "rule_retire", "value_list", "cluster_comment", "cluster_assign",
    "rule_losses_acknowledge",
}  # fmt: skip
"""Addresses whose numbers count within the site that they name, so that they cannot name an object of another."""


@pytest.fixture
def other(world: World) -> Site:
    """Another site with a template and a rule of the same numbers, and nothing else."""
    site = factory.site("Others")
    cluster = factory.cluster(site, number=world.cluster.number, kind=world.record_type)
    factory.rule(cluster, version=world.rule.version)
    return site


def nested(world: World) -> list[str]:
    return [
        name for name in (*LOOK, *ACT) if name not in COUNTED and len(world.address(name)) > 1 and world.address(name)[0] == world.site.slug
    ]


def test_an_object_of_another_site_is_not_found(signed_in: Any, world: World, other: Site) -> None:
    tried = nested(world)
    before = {model: list(model.objects.order_by("pk").values()) for model in (Page, Rule, Cluster, JoinListing)}
    for role in sorted(Role):
        client = signed_in(role.group)
        for name in tried:
            address = reverse(name, args=[other.slug, *world.address(name)[1:]])
            for method in (client.get, client.post):
                status = method(address).status_code
                assert status in ({404, 405} if role >= (LOOK | ACT)[name] else {403, 404, 405}), (role, name, method, status)
    assert {"page", "tracked_record", "release", "correction_end", "joined_record", "site_check", "site_lab_method", "page_apart"} <= set(
        tried
    )
    assert before == {model: list(model.objects.order_by("pk").values()) for model in before}


def test_an_object_of_another_template_of_the_site_is_not_found(signed_in: Any, world: World) -> None:
    factory.cluster(world.site, number=9, kind=world.record_type)
    client = signed_in("admin")
    # A correction belongs to a page, and pages move between templates; so it may be ended from any template of its site. A record that is
    # followed leads to its own template, because templates are merged.
    for name in ("release", "release_decide", "record_values", "correction_save"):
        address = reverse(name, args=[world.site.slug, 9, *world.address(name)[2:]])
        assert client.get(address).status_code in {404, 405} and client.post(address).status_code in {404, 405}, name


def test_every_address_with_more_than_a_site_is_tried_or_counts_within_its_site(world: World) -> None:
    from extraction import urls

    known = names(urls.urlpatterns) & {*LOOK, *ACT}
    below_a_site = {name for name in known if "/sites/" in reverse(name, args=world.address(name)) and len(world.address(name)) > 1}
    assert below_a_site == COUNTED | set(nested(world))


def test_templates_and_pages_of_another_site_in_a_form_change_nothing(signed_in: Any, world: World, other: Site) -> None:
    client = signed_in("admin")
    theirs = Cluster.objects.get(site=other)
    page = factory.snapshot(other, "https://others.example/1", b"<html><body>x</body></html>", cluster=theirs).page
    key = world.record_type.attributes.get(name="title").pk
    proposal = MergeProposal.objects.create(into=theirs, other=factory.cluster(other, number=2), kind=MergeProposal.Kind.values[0])
    forms = {
        "cluster_merge": {"clusters": [world.cluster.number, 2]},
        "cluster_same": {"proposal": proposal.pk, "answer": "merge"},
        "site_place": {"pages": [page.pk], "into": world.cluster.number},
        "join_new": {"name": "Stolen", "detail": theirs.pk, "list-0": f"{theirs.pk}:", "by-0": "key", "row-0-0": key, "page-0-0": key},
    }
    runs = Run.objects.filter(site=other).count()
    for name, fields in forms.items():
        assert client.post(reverse(name, args=world.address(name)), fields).status_code in {302, 400, 404}, name
    page.refresh_from_db()
    theirs.refresh_from_db()
    assert page.current and page.current.cluster_id == theirs.pk and theirs.site_id == other.pk
    assert MergeProposal.objects.filter(pk=proposal.pk, into=theirs).exists() and Cluster.objects.filter(site=other).count() == 2
    assert not JoinListing.objects.filter(cluster=theirs).exists()
    assert Run.objects.filter(site=other).count() == runs
