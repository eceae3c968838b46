"""Embedded data of pages is read within limits, cached, offered at its places, and compared with the values of rules."""

import json
import time

import pytest
from django.core.files.storage import default_storage

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.markup.items import Item
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.suggestions import markup_process, page_data
from tests.services import factory

pytestmark = pytest.mark.django_db


def book_html(number: int, *, price: str | None = None) -> bytes:
    data = {
        "@type": "Book",
        "name": f"Book {number}",
        "author": [{"name": f"Writer {number}"}, {"name": "Ann"}],
        "offers": {"price": price or f"{number}.50"},
    }
    body = factory.book_html(f"Book {number}", price=f"£{number}.50", authors=[f"Writer {number}", "Ann"]).decode()
    return body.replace("</head>", f'<script type="application/ld+json">{json.dumps(data)}</script></head>').encode()


@pytest.fixture
def shop() -> Cluster:
    books = factory.site()
    group = factory.cluster(books, kind=factory.record_type())
    for number in range(4):
        content = book_html(number, price="99.00" if number == 3 else None)
        factory.snapshot(books, f"https://shop.example/book/{number}", content, cluster=group)
    return group


def pages(shop: Cluster) -> list[Snapshot]:
    return list(Snapshot.objects.filter(cluster=shop).order_by("pk"))


def test_embedded_data_is_found_with_its_places_on_the_page(shop) -> None:
    page = pages(shop)[1]
    nodes = elements(parse(stored_bytes.get_bytes(page.sha256)).root)
    found = {row.attribute.name: row for row in page_data.suggest_values(page, Attribute.objects.all(), nodes)}
    assert found["title"].values == ("Book 1",) and nodes[found["title"].places[0].node].tag == "h1"
    assert found["author"].values == ("Writer 1", "Ann") and found["author"].words == "JSON-LD Book author"
    assert found["price"].values == ("1.50",) and value(nodes, found["price"].places[0]) == "1.50"


def test_items_are_read_once_and_cached(shop, monkeypatch) -> None:
    first = page_data.read_items(pages(shop))
    monkeypatch.setattr(markup_process, "read_items", lambda pages: pytest.fail("read again"))
    assert page_data.read_items(pages(shop)) == first
    assert first[pages(shop)[0].pk][0].type == "Book"


def test_a_damaged_cache_of_items_is_read_again(shop) -> None:
    page = pages(shop)[0]
    first = page_data.read_items([page])
    stored_bytes.keep_file(page_data._name(page.sha256), b"[{]")
    assert page_data.read_items([page]) == first
    assert default_storage.exists(page_data._name(page.sha256))


def test_rules_are_compared_with_embedded_data_and_differing_pages_are_listed(shop) -> None:
    price = Attribute.objects.get(name="price")
    given = {page.pk: [f"£{number}.50"] for number, page in enumerate(pages(shop))}
    found = page_data.measure_agreement(price, given, page_data.read_items(pages(shop)))
    assert found is not None and (found.agree, found.compared) == (3, 4)
    assert found.different == (pages(shop)[3].pk,) and found.words == "JSON-LD Book offers.price"
    assert page_data.measure_agreement(price, {}, page_data.read_items(pages(shop))) is None


def test_a_template_offers_attributes_from_its_pages_embedded_data(shop) -> None:
    assert {row.path for row in page_data.find_offered(shop)} >= {"name", "author", "offers.price"}


def test_hostile_pages_give_no_data_and_do_not_affect_the_others(monkeypatch) -> None:
    monkeypatch.setattr(markup_process, "PAGE_S", 1.5)
    good = book_html(1)
    deep = b'<html><head></head><body><script type="application/ld+json">' + b"[" * 200_000 + b"</script></body></html>"
    wrong = b'<script type="application/ld+json">{"@type": "Book", </script>'
    nested = b"<div itemscope itemprop=a>" * 1_500 + b"<i itemprop=b>x</i>" * 3_000
    started = time.monotonic()
    found = markup_process.read_items([(good, ""), (deep, ""), (wrong, ""), (b"", ""), (b"\x00\xff", ""), (nested, ""), (good, "")])
    assert [len(items) > 0 for items in (found[0], found[-1])] == [True, True] and found[0] == found[-1]
    assert found[1:5] == [[], [], [], []] and len(found) == 7
    assert time.monotonic() - started < 60
    assert all(isinstance(item, Item) for item in found[0])
