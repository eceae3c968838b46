"""Every screen with no, one and many rows and with the longest names; the number of queries does not grow with the rows."""

from typing import Any

import pytest
from django.urls import reverse

from extraction.models import Attribute, Cluster, Page, Record, RecordType, Rule, Run, RunProblem, Site
from extraction.services.rules import rules
from extraction.services.schema import record_types
from extraction.services.sites import sites
from tests.services import factory
from tests.views import world as worlds
from tests.views.core.test_access import LOOK, PARTS
from tests.views.world import World

FILES = {"records_csv", "records_export", "record_type_export"}
SHOWN = [name for name in LOOK if name not in FILES]
SITE = ("site", "site_pages", "site_runs", "site_settings", "site_import")
CLUSTER = ("cluster", "records", "rules")


@pytest.mark.parametrize("name", ["home", "sites", "record_types", "site_new", "record_type_new"])
def test_a_dashboard_without_sites_says_what_to_do(signed_in: Any, name: str) -> None:
    text = signed_in("editor").get(reverse(name)).content.decode()
    assert "button-primary" in text


@pytest.mark.parametrize("name", SITE)
def test_the_screens_of_a_site_without_pages_work(signed_in: Any, db: None, name: str) -> None:
    site = sites.create_site("Empty")
    assert signed_in("operator").get(reverse(name, args=[site.slug])).status_code == 200


@pytest.mark.parametrize("name", CLUSTER)
def test_the_screens_of_an_empty_template_work(signed_in: Any, db: None, name: str) -> None:
    cluster = factory.cluster(factory.site())
    text = signed_in("editor").get(reverse(name, args=[cluster.site.slug, cluster.number])).content.decode()
    assert "button-primary" in text


@pytest.mark.parametrize("name", SHOWN)
def test_the_screens_work_with_the_longest_names(signed_in: Any, sent: list[int], db: None, name: str) -> None:
    world = worlds.make(2, name="N" * 120)
    Cluster.objects.update(name="T" * 120, url_patterns=["p" * 200] * 6, masks=["3f.a2.**.10.**.**.77.01"] * 6)
    Page.objects.update(url="https://shop.example/" + "u" * 1900) if Page.objects.count() == 1 else None
    RecordType.objects.update(name="R" * 80, description="d" * 300)
    Attribute.objects.filter(name="title").update(name="a" * 60)
    Run.objects.update(message="m" * 300)
    RunProblem.objects.create(run=world.run, name="f" * 2000, reason="r" * 500)
    assert asking(signed_in("admin"), name).get(reverse(name, args=world.address(name))).status_code == 200


def asking(client: Any, name: str) -> Any:
    """The client, with the header of htmx for parts of screens."""
    if name in PARTS:
        client.defaults["HTTP_HX_REQUEST"] = "true"
    return client


# The columns and lists that are suggested are of up to ten pages, each of which is read. Quality rules are suggested from the records of
# each template of a type.
READ_PAGES = {
    "cluster_suggest_table",
    "cluster_suggest_lists",
    "cluster_suggest_proposed",
    "cluster_suggest_opinions",
    "cluster_wrapper_look",
    "record_type_quality_suggest",
}


@pytest.mark.parametrize("name", [name for name in SHOWN if name not in READ_PAGES])
def test_queries_do_not_grow_with_the_rows(signed_in: Any, world: World, count_queries: Any, name: str) -> None:
    client, address = asking(signed_in("admin"), name), reverse(name, args=world.address(name))
    client.get(address)
    few = count_queries(client, address)
    many(world)
    assert count_queries(client, address) <= few + 1  # a second page of a list asks for its count once


def many(world: World) -> None:
    """Add twenty of everything."""
    for n in range(20):
        other = factory.cluster(world.site, number=50 + n, kind=world.record_type if n % 2 else None)
        for k in range(2):
            factory.snapshot(world.site, f"https://shop.example/{n}/{k}", factory.book_html(f"Other {n} {k}"), cluster=other)
        if n % 4 == 1:
            rules.publish_rule(worlds.draft(other))
        elif n % 4 == 3:
            worlds.draft(other)
        record_types.create_record_type(f"Kind {n}", "", [record_types.AttributeDraft(None, f"a{k}", "text") for k in range(3)])
        Site.objects.create(name=f"Site {n}", slug=f"site-{n}")
        run = factory.run(world.site, Run.Kind.LEARN, Run.State.RUNNING if n % 2 else Run.State.DONE, cluster=other)
        RunProblem.objects.create(run=run, name="a", reason="b")
        RunProblem.objects.create(run=world.run, name=f"file {n}", reason="b")
        factory.rule(world.cluster, version=100 + n, state=Rule.State.RETIRED, definition=world.rule.definition)
    for n in range(60):
        page = factory.snapshot(world.site, f"https://shop.example/book/x{n}", factory.book_html(f"More {n}"), cluster=world.cluster)
        Record.objects.create(
            snapshot=page,
            cluster=world.cluster,
            rule=world.rule,
            state=Record.State.COMPLETE,
            values={"title": [{"raw": f"More {n}", "value": f"More {n}", "problem": ""}]},
            extracted_at=world.run.created_at,
        )
