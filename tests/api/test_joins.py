"""Joins by a program: proposed, created, made, read and exported."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from extraction.models import Join, Run
from tests.services.joins.shop import Shop, finish

Make = Callable[..., Client]
JOINS = "/api/v1/sites/shop/joins"


@pytest.fixture
def shop(db: None, sent: list[int]) -> Shop:
    shop = Shop()
    shop.list_books("category/1", [("Tea 1", "£1", "/book/1"), ("Jam 2", "£2", "/book/2"), ("Ale 9", "£9", "/book/9")])
    shop.show_book("book/1", "Tea 1", "£1")
    shop.show_book("book/2", "Jam 2", "£2.50")
    shop.show_book("book/3", "Pie 3", "£3")
    shop.extract()
    return shop


def post(client: Client, address: str, body: Any) -> Any:
    return client.post(address, body, "application/json")


def test_a_proposed_join_is_created_made_read_and_exported(shop: Shop, program: Make) -> None:
    client = program("editor")
    found = client.get(f"{JOINS}/proposals").json()
    (proposal,) = found["proposals"]
    assert (found["complete"], proposal["shares"]) == (True, [0.6667])
    made = post(client, JOINS, proposal["join"] | {"turned": ["price"]})
    assert made.status_code == 201, made.content
    join = made.json()
    assert (join["name"], join["turned"], join["listings"][0]["list_name"]) == ("books with Template 2", ["price"], "books")
    assert "being brought up to date" in join["warnings"][0]
    finish(Run.objects.get(kind=Run.Kind.JOIN))
    address = f"{JOINS}/{join['id']}"
    shown = client.get(address).json()
    assert (shown["figures"]["joined"], shown["figures"]["row_alone"], shown["figures"]["page_alone"]) == (2, 1, 1)
    conflict = client.get(f"{address}/records?part=conflicts").json()["items"]
    assert [(each["url"], each["conflicts"]) for each in conflict] == [("https://shop.example/book/2", ["price"])]
    assert conflict[0]["values"]["price"][0]["raw"] == "£2"
    assert "No page is stored" in client.get(f"{address}/records?part=row").json()["items"][0]["why"]
    assert client.get(f"{address}/records?missing=colour").status_code == 422
    assert client.get(f"{address}/records?part=some").status_code == 422
    exported: Any = client.get(f"{address}/export?format=csv")
    assert b"".join(exported.streaming_content).count(b"\n") == 5
    assert [each["id"] for each in client.get(JOINS).json()] == [join["id"]]


def test_a_join_is_changed_made_again_and_deleted(shop: Shop, program: Make) -> None:
    client = program("editor")
    body = client.get(f"{JOINS}/proposals").json()["proposals"][0]["join"]
    address = f"{JOINS}/{post(client, JOINS, body).json()['id']}"
    finish(Run.objects.get(kind=Run.Kind.JOIN))
    changed = client.put(address, body | {"name": "Offers", "winner": "listing"}, "application/json").json()
    assert (changed["name"], changed["winner"]) == ("Offers", "listing")
    run = client.post(f"{address}/make")
    assert (run.status_code, run.json()["kind"]) == (202, "join")
    shop.books.record_type = None
    shop.books.save()
    assert client.post(f"{address}/make").status_code == 409
    assert "no record type" in client.get(address).json()["problems"][0]
    assert client.delete(address).status_code == 204
    assert not Join.objects.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"template": 9}, "no template 9"),
        ({"turned": ["colour"]}, "no attribute colour"),
        ({"listings": []}, "not valid"),
        ({"listings": [{"template": 1, "list_name": "films", "link": "url"}]}, "no list films"),
        ({"listings": [{"template": 1, "list_name": "books"}]}, "by a link or by keys"),
        ({"listings": [{"template": 1, "list_name": "books", "link": "colour"}]}, "no attribute colour"),
        ({"listings": [{"template": 1, "list_name": "books", "link": "title"}]}, "not of the type URL"),
        ({"listings": [{"template": 1, "list_name": "books", "keys": [["title"]]}]}, "A key is a pair"),
    ],
)
def test_a_join_that_cannot_be_is_refused_with_the_reason(shop: Shop, program: Make, change: Any, words: str) -> None:
    client = program("editor")
    body = client.get(f"{JOINS}/proposals").json()["proposals"][0]["join"]
    answer = post(client, JOINS, body | change)
    assert (answer.status_code, words in answer.json()["detail"]) == (422, True), answer.content
    assert not Join.objects.exists()
