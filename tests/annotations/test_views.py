"""The workbench's addresses: who may, what comes back, what is said of what is wrong."""

import json
import threading
import time
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Attribute, Cluster, Label, RecordType, Rule, Run, Snapshot
from extraction.models.rule_report import RuleReport
from extraction.services.core import stored_bytes
from extraction.services.learning import workspaces
from extraction.services.rules import rules
from tests.services import factory

pytestmark = pytest.mark.django_db

GETS = [
    "workbench",
    "workbench_state",
    "workbench_warm",
    "workbench_draft",
    "workbench_advice",
    "workbench_offered",
    "workbench_dimmed",
    "workbench_suggestions",
    "workbench_agreement",
    "workbench_coverage",
    "workbench_without",
    "workbench_place",
    "workbench_tree",
]
POSTS = ["workbench_label", "workbench_undo", "workbench_redo", "workbench_learn", "workbench_publish", "workbench_record_type"]


@pytest.fixture
def shop() -> Cluster:
    workspaces.forget_workspaces()
    return factory.shop(8)


def address(name: str, *more: int) -> str:
    return reverse(name, args=["books", 1, *more])


def page(shop: Cluster, number: int = 0) -> Snapshot:
    return Snapshot.objects.filter(cluster=shop).order_by("pk")[number]


def attribute(name: str = "title") -> Attribute:
    return Attribute.objects.get(name=name)


def place(snapshot: Snapshot, text: str) -> dict:
    return factory.text_at(stored_bytes.get_bytes(snapshot.sha256), text).as_json()


def post(client, name: str, body: object = None):
    return client.post(address(name), json.dumps(body or {}), content_type="application/json")


def mark(client, snapshot: Snapshot, name: str, *texts: str):
    return post(
        client,
        "workbench_label",
        {"page": snapshot.pk, "changes": [{"attribute": attribute(name).pk, "locations": [place(snapshot, text) for text in texts]}]},
    )


def taught(client, name: str, snapshot: Snapshot | None = None) -> dict[str, Any]:
    query = {"attribute": attribute(name).pk, **({"page": snapshot.pk} if snapshot else {})}
    answer: dict[str, Any] = client.get(address("workbench_draft"), query).json()
    return answer


@pytest.mark.parametrize("name", GETS + POSTS)
def test_who_is_signed_out_is_sent_to_sign_in(client, shop, name):
    response = client.get(address(name))
    assert response.status_code == 302 and reverse("login") in response["Location"]


@pytest.mark.parametrize("name", GETS)
def test_a_viewer_may_not_annotate(signed_in, shop, name):
    assert signed_in("viewer").get(address(name)).status_code == 403


@pytest.mark.parametrize("name", POSTS)
def test_a_viewer_may_not_change_anything(signed_in, shop, name):
    assert post(signed_in("viewer"), name).status_code == 403


@pytest.mark.parametrize("name", GETS)
def test_looking_is_not_posted(signed_in, shop, name):
    assert post(signed_in("editor"), name).status_code == 405


@pytest.mark.parametrize("name", POSTS)
def test_changing_is_posted(signed_in, shop, name):
    assert signed_in("editor").get(address(name)).status_code == 405


@pytest.mark.parametrize("name", ["workbench", "workbench_state", "workbench_tree"])
def test_a_template_that_is_not_there_is_not_found(signed_in, shop, name):
    assert signed_in("editor").get(reverse(name, args=["books", 99])).status_code == 404


def test_a_change_without_the_token_is_refused(shop, person):
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("editor"))
    assert post(client, "workbench_undo").status_code == 403
    token = client.get(address("workbench")).cookies["csrftoken"].value
    assert client.post(address("workbench_undo"), "{}", content_type="application/json", headers={"X-CSRFToken": token}).status_code == 200


def test_the_workbench_shows_the_template_and_needs_nothing_inline(signed_in, shop):
    body = signed_in("editor").get(address("workbench")).content.decode()
    assert "Template 1" in body and "Book" in body and address("workbench") in body
    assert " style=" not in body and " onclick=" not in body


def test_without_a_record_type_one_is_chosen_first(signed_in, shop):
    Cluster.objects.update(record_type=None)
    client = signed_in("editor")
    body = client.get(address("workbench")).content.decode()
    assert '<option value="">Choose…</option>' in body and "autofocus" not in body
    assert f"{reverse('record_type_new')}?template={shop.pk}" in body and ">Book<" in body
    response = client.post(address("workbench_record_type"), {"record_type": "book"})
    chosen = Cluster.objects.get().record_type
    assert response.status_code == 302 and chosen is not None and chosen.slug == "book"


def test_a_template_with_labels_keeps_its_record_type_and_says_why(signed_in, shop):
    factory.mark(shop, 0, title=["Book 0"])
    RecordType.objects.create(name="Film", slug="film")
    response = signed_in("editor").post(address("workbench_record_type"), {"record_type": "film"}, follow=True)
    assert "has marked values of its current record type" in response.content.decode()
    kept = Cluster.objects.get().record_type
    assert kept is not None and kept.slug == "book"


def test_without_any_record_type_one_is_made_first(signed_in, shop):
    Cluster.objects.update(record_type=None)
    RecordType.objects.all().delete()
    assert "No record types yet" in signed_in("editor").get(address("workbench")).content.decode()


def test_the_state_has_samples_attributes_and_labels(signed_in, shop):
    factory.mark(shop, 0, title=["Book 0"], price=None)
    state = signed_in("editor").get(address("workbench_state")).json()
    assert [sample["url"] for sample in state["samples"]][:1] == ["https://shop.example/book/0"]
    assert [each["name"] for each in state["attributes"]] == ["title", "price", "author"]
    first = str(page(shop).pk)
    assert state["labels"][str(attribute().pk)][first][0]["value"] == "Book 0"
    assert state["labels"][str(attribute("price").pk)][first] is None
    assert state["steps"] == {"undo": False, "redo": False}


def test_labelled_samples_come_first_and_the_share_still_grows(signed_in, shop):
    client = signed_in("editor")
    rows = client.get(address("workbench_state")).json()["samples"]
    last = Snapshot.objects.get(pk=rows[-1]["id"])
    factory.label(shop, last, attribute(), None)
    again = client.get(address("workbench_state")).json()["samples"]
    assert [row["id"] for row in again] == [rows[-1]["id"], *(row["id"] for row in rows[:-1])]
    shares = [row["covered"] for row in again]
    assert shares == sorted(shares) and abs(shares[-1] - rows[-1]["covered"]) < 1e-5


def test_the_text_of_a_script_cannot_be_marked_and_it_is_said_why(signed_in, shop):
    content = b"<html><head><script>var price = 7</script></head><body><h1>Book</h1></body></html>"
    odd = factory.snapshot(shop.site, "https://shop.example/book/odd", content, cluster=shop)
    change = {"attribute": attribute().pk, "locations": [{"node": 2, "kind": "text", "text": 1}]}
    response = post(signed_in("editor"), "workbench_label", {"page": odd.pk, "changes": [change]})
    assert response.status_code == 400 and "text of a script element cannot be marked" in response.json()["error"]


def test_a_mark_is_saved_and_brings_the_values_it_teaches_and_their_rate(signed_in, shop):
    client = signed_in("editor")
    while not client.get(address("workbench_warm")).json()["complete"]:
        pass
    answer = mark(client, page(shop), "title", "Book 0").json()
    assert Label.objects.get().value == "Book 0" and set(answer) == {"page", "labels", "steps"}
    draft = taught(client, "title")
    assert draft["state"] == "learned" and draft["values"][str(page(shop, 1).pk)][0]["value"] == "Book 1"
    assert draft["coverage"]["hits"] == draft["coverage"]["checked"] == draft["coverage"]["total"] == 8
    assert answer["steps"] == {"undo": True, "redo": False}
    assert client.get(address("workbench_coverage"), {"attribute": attribute().pk}).json()["coverage"]["hits"] == 8


def test_two_of_several_offer_the_others(signed_in, shop):
    content = factory.book_html("Long", authors=["Ann", "Ben", "Cid", "Dot"])
    long = factory.snapshot(shop.site, "https://shop.example/book/long", content, cluster=shop)
    client = signed_in("editor")
    mark(client, long, "author", "Ann", "Ben")
    assert [each["value"] for each in taught(client, "author", long)["similar"]] == ["Cid", "Dot"]


def test_a_save_does_not_wait_for_what_is_being_learned(signed_in, shop):
    client = signed_in("editor")
    bench = workspaces.open_workspace(shop)
    bench.fill(None)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with bench._lock:
            held.set()
            done.wait(10)

    learner = threading.Thread(target=hold)
    learner.start()
    held.wait()
    try:
        started = time.monotonic()
        assert mark(client, page(shop), "title", "Book 0").status_code == 200
        assert time.monotonic() - started < 5 and Label.objects.get().value == "Book 0"
    finally:
        done.set()
        learner.join()


def test_not_on_this_page_and_nothing_said_are_different(signed_in, shop):
    client, first = signed_in("editor"), page(shop)
    post(client, "workbench_label", {"page": first.pk, "changes": [{"attribute": attribute().pk, "locations": None}]})
    assert Label.objects.get().absent
    post(client, "workbench_label", {"page": first.pk, "changes": [{"attribute": attribute().pk, "locations": []}]})
    assert not Label.objects.exists() and taught(client, "title") == {"attribute": attribute().pk, "state": "empty"}


def test_undo_and_redo_say_what_they_changed(signed_in, shop):
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


def test_what_cannot_be_learned_is_said_in_words(signed_in, shop):
    client = signed_in("editor")
    mark(client, page(shop), "title", "Book 0")
    mark(client, page(shop, 1), "title", "Shop since 1999")
    draft = taught(client, "title")
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
def test_a_wrong_change_says_what_is_wrong(signed_in, shop, body, words):
    text = json.dumps(body) if body != "no json" else "{"
    text = text.replace('"FIRST"', str(page(shop).pk)).replace('"TITLE"', str(attribute().pk))
    response = signed_in("editor").post(address("workbench_label"), text, content_type="application/json")
    assert response.status_code == 400 and words in response.json()["error"]


@pytest.mark.parametrize(
    ("name", "query", "words"),
    [
        ("workbench_draft", {"attribute": "x"}, "no attribute 'x'"),
        ("workbench_tree", {"page": "FIRST", "after": "x"}, "after: a number"),
        ("workbench_place", {"page": "FIRST", "location": "{"}, "not JSON"),
        ("workbench_place", {"page": "FIRST", "location": '{"node": 9999, "kind": "element"}'}, "no such place"),
        ("workbench_tree", {"page": "FIRST", "node": "9999"}, "there is no element 9999"),
        ("workbench_tree", {"page": "0"}, "no page"),
    ],
)
def test_a_wrong_question_says_what_is_wrong(signed_in, shop, name, query, words):
    ids = {"FIRST": page(shop).pk, "TITLE": attribute().pk}
    response = signed_in("editor").get(address(name), {key: ids.get(value, value) for key, value in query.items()})
    assert response.status_code == 400 and words in response.json()["error"]


def test_the_tree_leads_from_the_root_to_a_value_and_search_finds_it(signed_in, shop):
    client, first = signed_in("editor"), page(shop)
    root = client.get(address("workbench_tree"), {"page": first.pk}).json()["rows"][0]
    assert root["label"] == "html" and root["children"] == 2
    below = client.get(address("workbench_tree"), {"page": first.pk, "node": root["node"]}).json()["rows"]
    assert [row["label"] for row in below] == ["head", "body"]
    hit = client.get(address("workbench_tree"), {"page": first.pk, "search": "writer 0"}).json()["hits"][0]
    shown = client.get(address("workbench_place"), {"page": first.pk, "location": json.dumps(hit["location"])}).json()
    assert shown["value"] == "Writer 0" and shown["path"][-1]["label"] == "li.author"


def test_pages_without_a_value_are_named(signed_in, shop):
    ids = f"{page(shop).pk},x,{page(shop, 1).pk}"
    pages = signed_in("editor").get(address("workbench_without"), {"pages": ids}).json()["pages"]
    assert [each["url"] for each in pages] == ["https://shop.example/book/0", "https://shop.example/book/1"]


def test_learning_is_a_run_whose_end_leads_to_the_rule(signed_in, shop, sent):
    client = signed_in("editor")
    nothing = post(client, "workbench_learn")
    assert nothing.status_code == 400 and nothing.json()["error"]
    mark(client, page(shop), "title", "Book 0")
    progress = post(client, "workbench_learn").json()["progress"]
    assert client.get(progress).json()["state"] == "queued"
    factory.put(Run.objects.all(), Run.State.FAILED, error="title: no rule")
    assert client.get(progress).json()["message"] == "title: no rule"
    rule = Rule.objects.create(cluster=shop, version=1, definition={"attributes": []}, stylesheet="")
    factory.put(Run.objects.all(), Run.State.DONE)
    assert client.get(progress).json()["rule"] == rule.get_absolute_url()


def test_there_is_nothing_to_publish_without_a_draft(signed_in, shop):
    response = post(signed_in("editor"), "workbench_publish")
    assert response.status_code == 400 and "no draft" in response.json()["error"]


def test_a_viewer_may_look_at_a_page_and_it_comes_inert(signed_in, shop):
    response = signed_in("viewer").get(reverse("frame", args=[page(shop).pk]))
    assert response["Content-Type"].startswith("application/xhtml+xml") and response["X-Frame-Options"] == "SAMEORIGIN"
    assert response["Content-Security-Policy"].startswith("sandbox allow-scripts; default-src 'none'")
    assert b'data-v="0"' in response.content


def test_a_page_with_marks_or_as_a_preview(signed_in, shop):
    client, frame = signed_in("viewer"), reverse("frame", args=[page(shop).pk])
    assert b"<script" not in client.get(frame, {"preview": "1"}).content
    assert b"&quot;node&quot;: 4" in client.get(frame, {"mark": '[{"node": 4, "kind": "element"}]'}).content
    assert "cannot be shown" in client.get(frame, {"mark": "nonsense"}).content.decode()
    assert b"&quot;hue&quot;: 5" in client.get(frame, {"mark": '[{"node": 4, "kind": "element", "hue": 5}]'}).content
    assert "cannot be shown" in client.get(frame, {"mark": '[{"node": 4, "kind": "element", "hue": "x"}]'}).content.decode()
    assert "cannot be shown" in client.get(frame, {"mark": '[{"node": "x"}]'}).content.decode()


def test_a_frame_needs_a_role_a_page_and_a_get(client, signed_in, shop, person):
    frame = reverse("frame", args=[page(shop).pk])
    assert client.get(frame).status_code == 302
    viewer = signed_in("viewer")
    assert viewer.get(reverse("frame", args=[9_999])).status_code == 404 and viewer.post(frame).status_code == 405


def test_a_page_whose_bytes_are_gone_says_so_in_its_frame(signed_in, shop):
    Snapshot.objects.update(sha256="f" * 64)
    assert "bytes of the page are missing" in signed_in("viewer").get(reverse("frame", args=[page(shop).pk])).content.decode()


def test_advice_names_the_pages_in_the_order_in_which_they_would_teach(signed_in, shop):
    client = signed_in("editor")
    mark(client, page(shop), "title", "Book 0")
    found = client.get(address("workbench_advice")).json()
    assert {offer["page"] for offer in found["offers"]} >= {page(shop, n).pk for n in range(3)}
    assert found["annotated"] == 1 and found["settled"] is False
    assert all(set(each) == {"page", "reason", "doubts"} for each in found["offers"])


def test_a_page_that_is_no_sample_is_shown_when_asked_for(signed_in):
    workspaces.forget_workspaces()
    shop = factory.shop(14)
    client = signed_in("editor")
    samples = {row["id"] for row in client.get(address("workbench_state")).json()["samples"]}
    wanted = next(pk for pk in Snapshot.objects.filter(cluster=shop).order_by("pk").values_list("pk", flat=True) if pk not in samples)
    shown = client.get(address("workbench_state"), {"also": f"{wanted},999999"}).json()["samples"]
    assert {row["id"] for row in shown} == samples | {wanted} and shown[-1]["covered"] is None
    mark(client, page(shop), "title", "Book 0")
    draft = client.get(address("workbench_draft"), {"attribute": attribute().pk, "also": wanted}).json()
    assert draft["values"][str(wanted)][0]["value"] == Snapshot.objects.get(pk=wanted).page.url.replace(
        "https://shop.example/book/", "Book "
    )


def test_what_a_page_says_of_itself_is_offered_and_checks_what_is_learned(signed_in, shop):
    client = signed_in("editor")
    for number in range(2):
        content = factory.book_html(f"Book {number}", price=f"£{number}.50", authors=["Ann"])
        data = f'<script type="application/ld+json">{{"@type": "Book", "name": "Book {number}"}}</script></head>'
        Snapshot.objects.filter(pk=page(shop, number).pk).update(sha256=stored_bytes.put_bytes(content.replace(b"</head>", data.encode())))
    found = client.get(address("workbench_suggestions"), {"page": page(shop).pk}).json()
    assert [(row["attribute"], row["words"], row["values"][0]["value"]) for row in found["suggestions"]] == [
        (attribute().pk, "JSON-LD Book name", "Book 0")
    ]
    assert found["problem"] == "" and Label.objects.count() == 0
    assert client.get(address("workbench_agreement"), {"attribute": attribute().pk}).json()["agreement"] is None
    mark(client, page(shop), "title", "Book 0")
    client.get(address("workbench_warm"))
    said = client.get(address("workbench_agreement"), {"attribute": attribute().pk}).json()["agreement"]
    assert said == {"words": "JSON-LD Book name", "agree": 2, "compared": 2, "different": []}


def test_a_record_type_can_be_begun_with_what_the_pages_say_of_themselves(signed_in, shop):
    data = '{"@type": "Book", "name": "B", "author": ["Ann", "Bob"], "offers": {"price": "9"}, "datePublished": "2020", "bookFormat": "x"}'
    block = f'<script type="application/ld+json">{data}</script></head>'.encode()
    for number in range(8):
        content = factory.book_html(f"Book {number}").replace(b"</head>", block)
        Snapshot.objects.filter(pk=page(shop, number).pk).update(sha256=stored_bytes.put_bytes(content))
    Cluster.objects.update(record_type=None)
    client = signed_in("editor")
    body = client.get(address("workbench_offered")).content.decode()
    assert "<b>Book</b>" in body and "Use as attributes" in body
    form = client.get(f"{reverse('record_type_new')}?template={shop.pk}&from=data").content.decode()
    for name in ("title", "author", "price", "date_published", "format"):
        assert f'value="{name}"' in form
    assert 'value="Book"' in form


def test_embedded_data_that_cannot_be_read_is_told_with_its_reason(signed_in, shop):
    content = factory.book_html("Book 0").replace(b"</head>", b'<script type="application/ld+json">{"@type": "Book", </script></head>')
    Snapshot.objects.filter(pk=page(shop).pk).update(sha256=stored_bytes.put_bytes(content))
    client = signed_in("editor")
    told = client.get(address("workbench_suggestions"), {"page": page(shop).pk}).json()
    assert told["suggestions"] == [] and told["problem"].startswith("JSON-LD could not be read: JSONDecodeError: ")
    body = client.get(address("workbench_offered")).content.decode()
    assert "The embedded data of 1 page could not be fully read" in body and page(shop).page.url in body
    assert "JSON-LD could not be read: JSONDecodeError: " in body and "Use as attributes" not in body


def test_pages_that_say_nothing_of_themselves_offer_nothing(signed_in, shop):
    assert signed_in("editor").get(address("workbench_offered")).content.decode().strip() == ""


def test_publishing_a_rule_that_lacks_attributes_asks_first_and_names_them(signed_in, shop):
    client = signed_in("editor")
    value = RuleDefinition((AttributeRule("title", alternatives=(Selector("//h1/text()"),)),))
    draft = rules.add_draft(shop, value, report=RuleReport(), origin=Rule.Origin.LEARNED)
    bodies: tuple[dict[str, object], ...] = ({}, {"lacking": []}, {"lacking": ["price"]}, {"lacking": "price, author"})
    for body in bodies:
        answer = post(client, "workbench_publish", body)
        assert (answer.status_code, answer.json()) == (200, {"lacking": ["price", "author"]})
    draft.refresh_from_db()
    assert not draft.serving
    assert post(client, "workbench_publish", {"lacking": ["price", "author"]}).json() == {"rule": draft.get_absolute_url()}
    draft.refresh_from_db()
    assert draft.serving
