"""Template and content of a template's pages: dimmed elements, shares, the main text, and the cache."""

import pytest
from django.core.files.storage import default_storage

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.templates import boilerplate
from tests.services import factory

pytestmark = pytest.mark.django_db

WORDS = ("kettle boils water", "lamp lights rooms", "chair carries people", "shelf holds books", "clock counts hours")

PAGE = """<html lang=en><body><div id=menu><a href=/a>Home</a> <a href=/b>News</a></div>
<div id=story><h1>{0}</h1><p>{0}, it is told, {1}</p></div>
<div id=foot>All rights reserved</div></body></html>"""


@pytest.fixture
def stories() -> Cluster:
    site = factory.site()
    group = factory.cluster(site, kind=factory.record_type())
    for number, words in enumerate(WORDS):
        content = PAGE.format(words, " ".join(reversed(words.split()))).encode()
        factory.snapshot(site, f"https://news.example/{number}", content, cluster=group)
    return group


def first(cluster: Cluster) -> Snapshot:
    found = Snapshot.objects.filter(cluster=cluster).order_by("pk").first()
    assert found
    return found


def ids(snapshot: Snapshot, nodes: list[int]) -> list[str | None]:
    page = elements(parse(stored_bytes.get_bytes(snapshot.sha256)).root)
    return [page[node].get("id") for node in nodes]


def test_menu_and_footer_are_dimmed_on_later_pages_too(stories):
    assert ids(first(stories), boilerplate.find_dimmed(stories, first(stories))) == ["menu", "foot"]
    late = PAGE.format("spoon stirs", "tea").encode()
    page = factory.snapshot(stories.site, "https://news.example/late", late)
    assert ids(page, boilerplate.find_dimmed(stories, page)) == ["menu", "foot"]


def test_a_page_from_before_a_redesign_is_compared_with_pages_of_its_time(stories):
    old = first(stories)
    for number, words in enumerate(WORDS):
        content = f"<html><body><nav id=new>Fresh</nav><main><h2>{words}</h2></main></body></html>".encode()
        now = factory.snapshot(stories.site, f"https://news.example/{number}", content, cluster=stories)
    old.refresh_from_db()
    assert ids(old, boilerplate.find_dimmed(stories, old)) == ["menu", "foot"]
    assert ids(now, boilerplate.find_dimmed(stories, now)) == ["new"]


def test_shares_are_those_of_the_repeated_elements(stories):
    found = boilerplate.measure_shares(stories)
    assert found and found.pages == 5 and found.links == 1.0
    said = sum(5 + 3 * len(words.split()) + len(["it", "is", "told"]) for words in WORDS)
    assert found.words == pytest.approx(len(WORDS) * 5 / said)
    assert 0 < found.size < 1


def test_the_main_text_is_an_element_that_can_be_marked(stories):
    place = boilerplate.find_main_text(stories, first(stories))
    nodes = elements(parse(stored_bytes.get_bytes(first(stories).sha256)).root)
    assert place and place.kind == "element" and nodes[place.node].get("id") == "story"
    assert value(nodes, place) == "kettle boils waterkettle boils water, it is told, water boils kettle"


def test_the_main_text_is_offered_only_to_a_text_attribute_with_such_a_name(stories):
    kind = stories.record_type
    rows = (("body", "text", False), ("Main text", "text", False), ("content", "price", False), ("text", "text", True))
    made = [Attribute(record_type=kind, name=name, type=type_, multiple=several) for name, type_, several in rows]
    assert [boilerplate.wants_main_text(attribute) for attribute in made] == [True, True, False, False]


def test_a_single_page_has_nothing_to_dim():
    site = factory.site()
    group = factory.cluster(site)
    page = factory.snapshot(site, "https://news.example/1", PAGE.format("a", "b").encode(), cluster=group)
    assert (boilerplate.measure_shares(group), boilerplate.find_dimmed(group, page), boilerplate.find_main_text(group, page)) == (
        None,
        [],
        None,
    )


def test_cached_parts_are_used_and_a_damaged_cache_is_rebuilt(stories):
    page = first(stories)
    read = boilerplate.read_parts(page)
    name = f"{boilerplate.SCHEME}/{page.sha256[:2]}/{page.sha256[2:]}.gz"
    assert default_storage.exists(name) and boilerplate.read_parts(page) == read
    stored_bytes.keep_file(name, b"\x1f\x8b half")
    assert boilerplate.read_parts(page) == read


def test_a_page_whose_bytes_are_gone_raises_page_error():
    with pytest.raises(PageError, match="the stored bytes of the page are missing"):
        boilerplate.read_parts(Snapshot(sha256="abc"))
