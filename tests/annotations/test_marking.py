"""Marking over the workbench's addresses: what is saved, what is learned from it, and what is refused."""

import json
import threading
from typing import Any

import pytest

from extraction.models import Label, Snapshot
from extraction.services.learning import workspaces
from tests.annotations.requests import address, attribute, mark, page, post
from tests.services import factory

pytestmark = pytest.mark.django_db


def read_draft(client, name: str, snapshot: Snapshot | None = None) -> dict[str, Any]:
    query = {"attribute": attribute(name).pk, **({"page": snapshot.pk} if snapshot else {})}
    answer: dict[str, Any] = client.get(address("workbench_draft"), query).json()
    return answer


def test_the_text_of_a_script_cannot_be_marked_and_the_answer_says_why(signed_in, shop):
    content = b"<html><head><script>var price = 7</script></head><body><h1>Book</h1></body></html>"
    odd = factory.snapshot(shop.site, "https://shop.example/book/odd", content, cluster=shop)
    change = {"attribute": attribute().pk, "locations": [{"node": 2, "kind": "text", "text": 1}]}
    response = post(signed_in("editor"), "workbench_label", {"page": odd.pk, "changes": [change]})
    assert response.status_code == 400 and "text of a script element cannot be marked" in response.json()["error"]


def test_a_mark_is_saved_and_the_draft_gives_values_and_a_hit_rate(signed_in, shop):
    client = signed_in("editor")
    while not client.get(address("workbench_warm")).json()["complete"]:
        pass
    answer = mark(client, page(shop), "title", "Book 0").json()
    assert Label.objects.get().value == "Book 0" and set(answer) == {"page", "labels", "steps"}
    draft = read_draft(client, "title")
    assert draft["state"] == "learned" and draft["values"][str(page(shop, 1).pk)][0]["value"] == "Book 1"
    assert draft["coverage"]["hits"] == draft["coverage"]["checked"] == draft["coverage"]["total"] == 8
    assert answer["steps"] == {"undo": True, "redo": False}
    assert client.get(address("workbench_coverage"), {"attribute": attribute().pk}).json()["coverage"]["hits"] == 8


def test_after_two_marks_of_an_attribute_with_several_values_the_others_are_offered(signed_in, shop):
    content = factory.book_html("Long", authors=["Ann", "Ben", "Cid", "Dot"])
    long = factory.snapshot(shop.site, "https://shop.example/book/long", content, cluster=shop)
    client = signed_in("editor")
    mark(client, long, "author", "Ann", "Ben")
    assert [each["value"] for each in read_draft(client, "author", long)["similar"]] == ["Cid", "Dot"]


def test_a_mark_is_saved_while_another_draft_is_being_learned(signed_in, shop):
    client = signed_in("editor")
    bench = workspaces.open_workspace(shop)
    bench.fill(None)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with bench._lock:
            held.set()
            done.wait(120)

    learner = threading.Thread(target=hold)
    learner.start()
    held.wait()
    try:
        assert mark(client, page(shop), "title", "Book 0").status_code == 200
        assert learner.is_alive() and Label.objects.get().value == "Book 0"
    finally:
        done.set()
        learner.join()


def test_a_value_marked_as_absent_differs_from_one_without_a_mark(signed_in, shop):
    client, first = signed_in("editor"), page(shop)
    post(client, "workbench_label", {"page": first.pk, "changes": [{"attribute": attribute().pk, "locations": None}]})
    assert Label.objects.get().absent
    post(client, "workbench_label", {"page": first.pk, "changes": [{"attribute": attribute().pk, "locations": []}]})
    assert not Label.objects.exists() and read_draft(client, "title") == {"attribute": attribute().pk, "state": "empty"}


def test_undo_and_redo_return_what_they_changed(signed_in, shop):
    client = signed_in("editor")
    mark(client, page(shop), "title", "Book 0")
    undone = post(client, "workbench_undo").json()
    assert (
        undone["page"] == page(shop).pk
        and undone["labels"] == {str(attribute().pk): {}}
        and undone["steps"] == {"undo": False, "redo": True}
    )
    assert post(client, "workbench_undo").json()["nothing"] is True
    assert post(client, "workbench_redo").json()["labels"][str(attribute().pk)][str(page(shop).pk)][0]["value"] == "Book 0"


def test_an_attribute_that_cannot_be_learned_has_a_reason_in_words(signed_in, shop):
    client = signed_in("editor")
    mark(client, page(shop), "title", "Book 0")
    mark(client, page(shop, 1), "title", "Shop since 1999")
    draft = read_draft(client, "title")
    assert draft["state"] == "learned" or draft["message"].startswith("title: ")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("no json", "not JSON"),
        ([], "not a JSON object"),
        ({"page": 0, "changes": []}, "no page"),
        ({"page": "x", "changes": []}, "no page 'x'"),
        ({"changes": None}, "no page"),
        ({"page": "FIRST"}, "changes: a list"),
        ({"page": "FIRST", "changes": []}, "the list is empty"),
        ({"page": "FIRST", "changes": [7]}, "each change needs an attribute"),
        ({"page": "FIRST", "changes": [{"attribute": 0, "locations": []}]}, "no attribute 0"),
        ({"page": "FIRST", "changes": [{"attribute": "TITLE", "locations": 5}]}, "locations: a list"),
        ({"page": "FIRST", "changes": [{"attribute": "TITLE", "locations": [{"node": -1, "kind": "text"}]}]}, "not a location"),
        ({"page": "FIRST", "changes": [{"attribute": "TITLE", "locations": [{"node": 9999, "kind": "element"}]}]}, "no longer on the page"),
    ],
)
def test_a_bad_change_is_refused_with_the_reason(signed_in, shop, body, words):
    text = json.dumps(body) if body != "no json" else "{"
    text = text.replace('"FIRST"', str(page(shop).pk)).replace('"TITLE"', str(attribute().pk))
    response = signed_in("editor").post(address("workbench_label"), text, content_type="application/json")
    assert response.status_code == 400 and words in response.json()["error"]
