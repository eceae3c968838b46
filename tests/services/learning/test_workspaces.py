"""The workspace: what it caches, when it loads pages, and how it follows changes in the database."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from extraction.algorithms.rules.rule import AttributeRule, Selector
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes, stored_pages
from extraction.services.learning import learning_set, workspaces
from extraction.services.learning.workspaces import Coverage, Filling, LessonProblem, count_hits, open_workspace, read_labels
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield
    workspaces.forget_workspaces()


@pytest.fixture
def shop() -> Cluster:
    return factory.shop(12)


def attribute(name: str) -> Attribute:
    return Attribute.objects.get(name=name)


def rule(xpath: str, *, multiple: bool = False) -> AttributeRule:
    return AttributeRule("x", multiple=multiple, alternatives=(Selector(xpath),))


def all_of(cluster: Cluster, each: AttributeRule, **options: Any) -> Coverage:
    found = count_hits(cluster, each, **options)
    while not found.complete:
        found = count_hits(cluster, each, **options)
    return found


def test_a_click_leads_to_a_rule_that_gives_values_on_the_other_pages(shop: Cluster) -> None:
    factory.mark(shop, 0, title=["Book 0"])
    factory.mark(shop, 1, title=["Book 1"])
    space = open_workspace(shop)
    space.fill(None)
    learned = space.learn_rule(attribute("title"), read_labels(shop)[attribute("title").pk])
    assert isinstance(learned, AttributeRule)
    values = space.read_values(learned)
    assert sorted(value for rows in values.values() for _, value in rows) == sorted(f"Book {n}" for n in range(12))
    assert list(space.read_values(learned, only=[space_id := next(iter(values))])) == [space_id]


def test_the_combined_table_of_pages_is_cached_until_they_change(shop: Cluster) -> None:
    factory.mark(shop, 0, title=["Book 0"])
    space = open_workspace(shop)
    space.fill(None)
    before = space.memory_bytes
    space.learn_rule(attribute("title"), read_labels(shop)[attribute("title").pk])
    kept = space._cache.corpus
    assert kept is not None and space.memory_bytes >= before + kept.size_bytes > before
    factory.mark(shop, 1, title=["Book 1"])
    same = open_workspace(shop)
    assert same is space
    same.learn_rule(attribute("title"), read_labels(shop)[attribute("title").pk])
    pages = [page.table for page in space.pages.values()]
    assert space._cache.corpus is not None and space._cache.corpus.pages == pages
    space.drop_spare()
    assert space._cache.corpus is None and space.memory_bytes == before


def test_labelled_pages_are_loaded_first_then_samples_then_the_rest(shop: Cluster) -> None:
    factory.mark(shop, 7, title=["Book 7"])
    labelled = Snapshot.objects.filter(cluster=shop).order_by("pk")[7].pk
    space = open_workspace(shop)
    assert space.pages == {}
    first = space.fill(0.0)
    assert (first.loaded, first.wanted, list(space.pages)) == (1, 12, [labelled])
    for loaded in range(2, 13):
        assert space.fill(0.0).loaded == loaded
    assert space.filling.complete
    samples = list(Snapshot.objects.filter(cluster=shop).order_by("pk").values_list("pk", flat=True)[:3])
    assert list(space.pages)[:4] == [labelled, *samples]


def test_learning_loads_only_labelled_pages(shop: Cluster) -> None:
    factory.mark(shop, 5, title=["Book 5"])
    space = open_workspace(shop)
    assert isinstance(space.learn_rule(attribute("title"), read_labels(shop)[attribute("title").pk]), AttributeRule)
    assert len(space.pages) == 1


def test_nothing_can_be_learned_from_pages_without_the_attribute_and_the_message_names_it(shop: Cluster) -> None:
    factory.mark(shop, 4, price=None)
    answer = open_workspace(shop).learn_rule(attribute("price"), read_labels(shop)[attribute("price").pk])
    assert isinstance(answer, LessonProblem)
    assert answer.message.startswith("price: no value is marked")


def test_labels_are_read_by_attribute_and_page(shop: Cluster) -> None:
    factory.mark(shop, 1, author=["Writer 1", "Second 1"], price=None)
    labels = read_labels(shop)
    page = Snapshot.objects.filter(cluster=shop).order_by("pk")[1].pk
    assert labels[attribute("price").pk] == {page: ()}
    assert len(labels[attribute("author").pk][page]) == 2


def test_coverage_counts_hits_pages_without_and_pages_with_several(shop: Cluster) -> None:
    ids = list(Snapshot.objects.filter(cluster=shop).order_by("pk").values_list("pk", flat=True))
    found = all_of(shop, rule("//p[@class='price']"))
    assert (found.checked, found.total, found.hits, found.several) == (12, 12, 10, 0)
    assert found.without == (ids[4], ids[9])
    authors = all_of(shop, rule("//li[@class='author']"))
    assert (authors.hits, authors.several, authors.several_on) == (12, 6, tuple(ids[1::2]))


def test_coverage_is_counted_in_slices_and_parses_each_page_once_for_a_rule(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    read = stored_pages.read_root

    def noted(source: stored_pages.StoredPage) -> Any:
        parsed.append(source.snapshot_id)
        return read(source)

    monkeypatch.setattr(stored_pages, "read_root", noted)
    monkeypatch.setattr(learning_set, "TREE_ELEMENT", 10**12)  # no tree is kept
    price = rule("//p[@class='price']")
    steps = [count_hits(shop, price, budget_s=0.0)]
    while not steps[-1].complete:
        steps.append(count_hits(shop, price, budget_s=0.0))
    assert [step.checked for step in steps] == list(range(1, 13))
    assert len(parsed) == len(set(parsed)) == 12
    assert count_hits(shop, price).checked == 12
    assert len(parsed) == 12
    count_hits(shop, rule("//h1"), budget_s=60)
    assert len(parsed) == 24


def test_trees_are_kept_while_there_is_room(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    count_hits(shop, rule("//h1"), budget_s=60)
    monkeypatch.setattr(stored_bytes, "get_bytes", lambda sha256: pytest.fail("it read a page again"))
    assert count_hits(shop, rule("//p"), budget_s=60).checked == 12


def test_new_pages_and_new_labels_are_seen(shop: Cluster) -> None:
    space = open_workspace(shop)
    space.fill(None)
    page = factory.snapshot(shop.site, "https://shop.example/book/99", factory.book_html("Book 99"), cluster=shop)
    assert open_workspace(shop) is space
    assert (space.filling.loaded, space.filling.wanted) == (12, 13)
    assert all_of(shop, rule("//h1")).total == 13
    factory.label(shop, page, attribute("title"), [factory.text_at(factory.book_html("Book 99"), "Book 99")])
    open_workspace(shop).fill(None)
    assert next(iter(space.pages)) == page.pk


def test_pages_that_cannot_be_read_are_left_out(shop: Cluster) -> None:
    factory.snapshot(shop.site, "https://shop.example/book/empty", b" ", cluster=shop)
    factory.snapshot(shop.site, "https://shop.example/book/bad", b"x", cluster=shop, error="the page is not HTML")
    space = open_workspace(shop)
    filling = space.fill(None)
    assert (filling.loaded, filling.wanted, filling.complete) == (12, 12, True)
    assert list(space.left_out.values()) == ["the page is empty"]
    assert all_of(shop, rule("//h1")).hits == 12


def test_a_page_whose_bytes_are_gone_does_not_stop_the_others(shop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Snapshot.objects.filter(cluster=shop).order_by("pk")[2]
    Snapshot.objects.filter(pk=lost.pk).update(sha256="0" * 64)
    assert open_workspace(shop).fill(None).loaded == 11
    assert all_of(shop, rule("//h1")).without == (lost.pk,)


def test_the_learning_set_shrinks_for_huge_pages_but_keeps_what_is_labelled(shop: Cluster, settings: Any) -> None:
    factory.mark(shop, 8, title=["Book 8"])
    labelled = open_workspace(shop)
    labelled.fill(0.0)
    settings.VERTEX_WORKSPACE_MAX_BYTES = int(labelled.memory_bytes * 6.5)
    workspaces.forget_workspaces()
    space = open_workspace(shop)
    filling = space.fill(None)
    assert filling.complete
    assert 4 <= len(space.pages) <= 6
    assert space.memory_bytes <= settings.VERTEX_WORKSPACE_MAX_BYTES
    assert all_of(shop, rule("//h1")).hits == 12
    assert space.memory_bytes <= settings.VERTEX_WORKSPACE_MAX_BYTES


def test_pages_too_large_for_the_memory_are_not_even_read(shop: Cluster, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.VERTEX_WORKSPACE_MAX_BYTES = 1
    space = open_workspace(shop)
    assert space.fill(None) == Filling(3, 3)
    assert list(space.pages) == list(shop.samples.values_list("snapshot_id", flat=True))


def test_the_least_recently_used_workspace_is_dropped_when_memory_is_short(shop: Cluster, settings: Any) -> None:
    other = factory.cluster(shop.site, number=2)
    for n in range(6):
        factory.snapshot(shop.site, f"https://shop.example/other/{n}", factory.book_html(f"Other {n}"), cluster=other)
    first = open_workspace(shop)
    first.fill(None)
    settings.VERTEX_WORKSPACE_MAX_BYTES = first.memory_bytes + 1
    second = open_workspace(other)
    second.fill(None)
    assert open_workspace(shop) is not first
    assert open_workspace(other) is second


def test_equal_pages_count_once_in_the_learning_set_and_each_in_the_coverage(shop: Cluster) -> None:
    factory.snapshot(
        shop.site,
        "https://shop.example/book/copy",
        factory.book_html("Book 1", price="£1.50", authors=["Writer 1", "Second 1"]),
        cluster=shop,
    )
    assert open_workspace(shop).fill(None).wanted == 12
    assert all_of(shop, rule("//h1")).total == 13


@pytest.mark.django_db(transaction=True)
def test_people_who_click_at_once_get_the_same_answers() -> None:
    shop = factory.shop(12)
    factory.mark(shop, 0, title=["Book 0"])
    title, wanted = attribute("title"), read_labels(shop)[attribute("title").pk]
    answers: list[tuple[object, int]] = []

    def click() -> None:
        try:
            space = open_workspace(shop)
            space.fill(None)
            learned = space.learn_rule(title, wanted)
            assert isinstance(learned, AttributeRule)
            answers.append((learned, all_of(shop, learned, budget_s=0.001).hits))
        finally:
            connection.close()

    threads = [threading.Thread(target=click) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == 6
    assert len(set(answers)) == 1
