"""The number of queries of a screen does not grow with the rows."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from extraction.models import Record, Rule, Run, RunProblem, Site
from extraction.services.rules import rules
from extraction.services.schema import record_types
from tests.services import factory
from tests.views import variants
from tests.views import world as worlds
from tests.views.core.test_access import PARTS, SHOWN
from tests.views.world import World

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

NAMES = [name for name in SHOWN if name not in READ_PAGES]

FILTERED = [
    f"{name}?{query}" for name, queries in variants.VARIANTS.items() for query in queries if name not in {*READ_PAGES, "records_export"}
]
"""The long lists with their filters, searches, sort orders and far pages."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A site with very many rows, and an administrator's browser.

    few: the number of queries of each screen before there were many rows of everything. addresses: where each screen is now.
    """

    client: Client
    few: dict[str, int]
    addresses: dict[str, str]


def list_addresses(world: World) -> dict[str, str]:
    """Return the address of each of NAMES and FILTERED."""
    return {name: reverse(name, args=world.address(name)) for name in NAMES} | {
        label: address for label, _, address in variants.list_variants(world) if label in FILTERED
    }


def count_queries(client: Client, name: str, address: str) -> int:
    """Return the number of queries of a look at a screen, one of NAMES or FILTERED. What a look writes is rolled back."""
    with transaction.atomic():
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address, headers={"HX-Request": "true"} if name in PARTS else {}).status_code == 200, name
        transaction.set_rollback(True)
    return len(queries)


@pytest.fixture(scope="module")
def counted(keep_rows: Callable[[], AbstractContextManager[None]]) -> Iterator[Counted]:
    """A site with very many rows, and the numbers of queries from before: those of the second look, which needs no cache to be filled."""
    with keep_rows():
        world, client = worlds.make(), Client()
        client.force_login(User.objects.create(username="admin", is_superuser=True))
        client.get("/")  # the first request of a session is noted
        addresses = list_addresses(world)
        few = {name: [count_queries(client, name, address) for _ in range(2)][-1] for name, address in addresses.items()}
        many(world)
        yield Counted(client, few, list_addresses(world))


def is_within(counted: Counted, name: str, most: int) -> bool:
    """Look whether a screen takes so few queries, at the latest when a second look finds all caches filled."""
    return any(count_queries(counted.client, name, counted.addresses[name]) <= most for _ in range(2))


@pytest.mark.parametrize("name", NAMES)
def test_queries_do_not_grow_with_the_rows(db: None, counted: Counted, name: str) -> None:
    assert is_within(counted, name, counted.few[name] + 1)  # a second page of a list asks for its count once


@pytest.mark.parametrize("label", FILTERED)
def test_queries_of_filtered_lists_do_not_grow_with_the_rows(db: None, counted: Counted, label: str) -> None:
    assert is_within(counted, label, counted.few[label] + 3)  # a list that was empty has rows now, and their related rows


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
