"""The screens and answers of the workbench: its state, its questions, learning and publishing a rule."""

import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Cluster, Label, RecordType, Rule, Run, Snapshot
from extraction.models.rule_report import DoubtReport, RuleReport
from extraction.services.core import stored_bytes
from extraction.services.learning import workspaces
from extraction.services.rules import rules
from tests.annotations.requests import address, attribute, mark, page, post
from tests.services import factory

pytestmark = pytest.mark.django_db


def test_the_workbench_shows_the_template_without_inline_scripts_or_styles(signed_in, shop):
    body = signed_in("editor").get(address("workbench")).content.decode()
    assert "Template 1" in body and "Book" in body and address("workbench") in body
    assert " style=" not in body and " onclick=" not in body


def test_without_a_record_type_one_is_chosen_first(signed_in, shop):
    Cluster.objects.update(record_type=None)
    client = signed_in("editor")
    body = client.get(address("workbench")).content.decode()
    assert '<option value="">Choose…</option>' in body and not re.search("<(select|input)[^>]* autofocus", body)
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


def test_labelled_samples_come_first_and_the_coverage_still_grows(signed_in, shop):
    client = signed_in("editor")
    rows = client.get(address("workbench_state")).json()["samples"]
    last = Snapshot.objects.get(pk=rows[-1]["id"])
    factory.label(shop, last, attribute(), None)
    again = client.get(address("workbench_state")).json()["samples"]
    assert [row["id"] for row in again] == [rows[-1]["id"], *(row["id"] for row in rows[:-1])]
    shares = [row["covered"] for row in again]
    assert shares == sorted(shares) and abs(shares[-1] - rows[-1]["covered"]) < 1e-5


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
def test_a_bad_question_is_refused_with_the_reason(signed_in, shop, name, query, words):
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
    ids = f"{page(shop).pk},{page(shop, 1).pk}"
    pages = signed_in("editor").get(address("workbench_without"), {"pages": ids}).json()["pages"]
    assert [each["url"] for each in pages] == ["https://shop.example/book/0", "https://shop.example/book/1"]


def test_learning_is_a_run_that_leads_to_the_rule_when_done(signed_in, shop, sent):
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


def test_publishing_without_a_draft_is_refused(signed_in, shop):
    response = post(signed_in("editor"), "workbench_publish")
    assert response.status_code == 400 and "no draft" in response.json()["error"]


def test_advice_lists_pages_by_how_much_they_would_improve_the_rule(signed_in, shop):
    client = signed_in("editor")
    mark(client, page(shop), "title", "Book 0")
    found = client.get(address("workbench_advice")).json()
    assert {offer["page"] for offer in found["offers"]} >= {page(shop, n).pk for n in range(3)}
    assert found["annotated"] == 1 and found["settled"] is False
    assert all(set(each) == {"page", "reason", "doubts"} for each in found["offers"])


def test_a_page_that_is_not_a_sample_is_shown_on_request(signed_in):
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


def test_embedded_data_is_offered_and_drafts_are_compared_with_it(signed_in, shop):
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


def test_a_new_record_type_can_be_filled_from_embedded_data(signed_in, shop):
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


def test_publishing_a_rule_with_doubtful_values_asks_first_and_names_them(signed_in, shop):
    value = RuleDefinition(tuple(AttributeRule(name, alternatives=(Selector("//h1/text()"),)) for name in ("title", "price", "author")))
    report = RuleReport(doubts=(DoubtReport(attribute="price", kind="missing", words="no value on 6 of 6 pages"),))
    draft = rules.add_draft(shop, value, report=report, origin=Rule.Origin.LEARNED)
    asked = {"lacking": [], "doubts": ["price: no value on 6 of 6 pages."]}
    client = signed_in("editor")
    bodies: tuple[dict[str, object], ...] = ({}, {"doubts": []}, {"doubts": ["another"]}, {"doubts": 3})
    for body in bodies:
        assert post(client, "workbench_publish", body).json() == asked
    assert post(client, "workbench_publish", asked).json() == {"rule": draft.get_absolute_url()}


def test_pages_without_embedded_data_offer_nothing(signed_in, shop):
    assert signed_in("editor").get(address("workbench_offered")).content.decode().strip() == ""


def test_publishing_a_rule_without_some_attributes_asks_first_and_names_them(signed_in, shop):
    client = signed_in("editor")
    value = RuleDefinition((AttributeRule("title", alternatives=(Selector("//h1/text()"),)),))
    draft = rules.add_draft(shop, value, report=RuleReport(), origin=Rule.Origin.LEARNED)
    bodies: tuple[dict[str, object], ...] = ({}, {"lacking": []}, {"lacking": ["price"]}, {"lacking": "price, author"})
    doubts = ["price: mandatory, but not in this rule, so every record lacks it."]
    for body in bodies:
        answer = post(client, "workbench_publish", body)
        assert (answer.status_code, answer.json()) == (200, {"lacking": ["price", "author"], "doubts": doubts})
    draft.refresh_from_db()
    assert not draft.serving
    body = {"lacking": ["price", "author"], "doubts": doubts}
    assert post(client, "workbench_publish", body).json() == {"rule": draft.get_absolute_url()}
    draft.refresh_from_db()
    assert draft.serving


def suggest(client, snapshot):
    return client.get(address("workbench_suggestions"), {"page": snapshot.pk}).json()["suggestions"]


def test_the_live_rule_suggests_its_values_and_a_broken_one_nothing(signed_in, shop):
    definition = RuleDefinition((AttributeRule("title", alternatives=(Selector("//h1"),)),)).as_json()
    live = factory.rule(shop, state=Rule.State.LIVE, definition=definition)
    client = signed_in("editor")
    title = next(each for each in suggest(client, page(shop, 1)) if each["attribute"] == attribute().pk)
    assert (title["attribute"], title["words"], title["values"][0]["value"]) == (attribute().pk, "live rule", "Book 1")
    Rule.objects.filter(pk=live.pk).update(state=Rule.State.BROKEN)
    assert suggest(client, page(shop, 1)) == []


def test_a_sample_whose_page_looks_different_now_is_called_outdated(signed_in, shop):
    def outdated():
        return [sample["outdated"] for sample in signed_in("editor").get(address("workbench_state")).json()["samples"]]

    factory.mark(shop, 0, title=["Book 0"])
    assert not any(outdated())
    old = Snapshot.objects.filter(cluster=shop).order_by("pk")[0]
    Cluster.objects.filter(pk=shop.pk).update(masks=["11.**.**.**.**.**.**.**"])
    Snapshot.objects.filter(pk=old.pk).update(vector="2200000000000000", fetched_at=timezone.now() - timedelta(days=2))
    factory.snapshot(shop.site, old.page.url, b"<html><body><h2>Book 0</h2></body></html>", cluster=shop, vector="1100000000000000")
    assert outdated().count(True) == 1
