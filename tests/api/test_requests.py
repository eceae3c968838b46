"""What all operations have in common: pages of lists, ETags, keys against doing things twice, limits, and errors."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from extraction.api.paging import Paging, take_page
from extraction.api.problems import ProblemError
from extraction.models import ApiOutcome, ApiToken, Label, Record, RecordType, Run, Site
from extraction.services.core import api_outcomes
from tests.services import factory
from tests.views.world import World

ROOT = "/api/v1"


def test_a_list_in_pages_has_each_row_once_in_both_orders(person: Any) -> None:
    for number in range(7):
        Site.objects.create(name=f"Site {number}", slug=f"site-{number}")
    for newest_first in (False, True):
        for limit in range(1, 9):
            found: list[str] = []
            after, steps = "", 0
            while steps == 0 or after:
                page = take_page(Site.objects.all(), Paging(after=after, limit=limit), lambda each: each.slug, newest_first=newest_first)
                found, after, steps = found + page["items"], page["next"] or "", steps + 1
            assert found == sorted((f"site-{n}" for n in range(7)), reverse=newest_first)
            assert steps == -(-7 // limit)


def test_rows_that_are_added_and_deleted_while_a_list_is_read_shift_nothing(person: Any) -> None:
    rows = [Site.objects.create(name=f"Site {number}", slug=f"site-{number}") for number in range(4)]
    first = take_page(Site.objects.all(), Paging(after="", limit=2), lambda each: each.pk)
    rows[0].delete()
    later = Site.objects.create(name="Later", slug="later")
    second = take_page(Site.objects.all(), Paging(after=first["next"], limit=9), lambda each: each.pk)
    assert second["items"] == [rows[2].pk, rows[3].pk, later.pk]


@given(st.text(max_size=100))
def test_a_cursor_that_no_page_gave_is_an_error_or_a_number(text: str) -> None:
    try:
        list(str(take_page(Site.objects.none(), Paging(after=text, limit=1), str)))
    except ProblemError as error:
        assert error.status == 422


def test_an_answer_that_did_not_change_is_not_sent_again(world: World, program: Callable[..., Client]) -> None:
    client = program("viewer")
    address = f"{ROOT}/sites/{world.site.slug}/templates/{world.cluster.number}"
    first = client.get(address)
    again = client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    type(world.cluster).objects.filter(pk=world.cluster.pk).update(name="Other")
    changed = client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (changed.status_code, changed.json()["name"]) == (200, "Other")


def test_a_request_with_the_same_key_is_done_once_and_answered_alike(world: World, program: Callable[..., Client]) -> None:
    client, key = program("editor"), {"Idempotency-Key": "one"}
    body = {"name": "Film", "attributes": [{"name": "title"}]}
    first = client.post(f"{ROOT}/record-types", body, "application/json", headers=key)
    again = client.post(f"{ROOT}/record-types", body, "application/json", headers=key)
    assert first.status_code == again.status_code == 201
    assert (again.content, again.headers["Idempotent-Replayed"]) == (first.content, "true")
    assert RecordType.objects.filter(name__startswith="Film").count() == 1
    other = client.post(f"{ROOT}/record-types", body | {"name": "Song"}, "application/json", headers=key)
    assert (other.status_code, "another request" in other.json()["detail"]) == (422, True)
    assert not RecordType.objects.filter(name="Song").exists()


def test_errors_of_the_program_are_answered_alike_too_and_keys_are_of_one_token(world: World, program: Callable[..., Client]) -> None:
    client, key = program("editor"), {"Idempotency-Key": "one"}
    first = client.post(f"{ROOT}/sites", {"name": ""}, "application/json", headers=key)
    assert client.post(f"{ROOT}/sites", {"name": ""}, "application/json", headers=key).content == first.content
    assert program("editor").post(f"{ROOT}/sites", {"name": "Else"}, "application/json", headers=key).status_code == 201


def test_an_upload_with_the_same_key_and_other_bytes_is_refused(world: World, program: Callable[..., Client], sent: list[int]) -> None:
    client, address = program("editor"), f"{ROOT}/sites/{world.site.slug}/uploads"

    def send(content: bytes) -> Any:
        given = {"file": SimpleUploadedFile("p.html", content), "url": "https://shop.example/emma"}
        return client.post(address, given, headers={"Idempotency-Key": "upload"})

    page = b"<html><body><h1>Emma</h1></body></html>"
    assert send(page).json()["id"] == send(page).json()["id"]
    assert send(page + b" ").status_code == 422


def test_a_request_that_is_being_handled_is_not_begun_twice_unless_it_was_interrupted(program: Callable[..., Client]) -> None:
    program("viewer")
    token, now = ApiToken.objects.get(), timezone.now()
    assert isinstance(api_outcomes.begin_request(token, "k", "d", now=now), ApiOutcome)
    with pytest.raises(api_outcomes.BeingHandled):
        api_outcomes.begin_request(token, "k", "d", now=now)
    later = now + 2 * api_outcomes.ABANDONED_AFTER
    row = api_outcomes.begin_request(token, "k", "d", now=later)
    assert isinstance(row, ApiOutcome)
    api_outcomes.end_request(row, api_outcomes.Answer(500, "", "", ""))
    assert isinstance(api_outcomes.begin_request(token, "k", "d", now=later), ApiOutcome)
    assert api_outcomes.tidy_outcomes(later + 2 * api_outcomes.KEPT) == 1


def test_a_token_over_its_limit_waits_and_others_do_not(world: World, program: Callable[..., Client], settings: Any) -> None:
    settings.VERTEX_API_REQUESTS_PER_MINUTE = 3
    busy, other = program("viewer"), program("viewer")
    statuses = [busy.get(f"{ROOT}/sites").status_code for _ in range(8)]
    assert statuses[:3] == [200] * 3
    assert 429 in statuses
    refused = next(answer for _ in range(8) if (answer := busy.get(f"{ROOT}/sites")).status_code == 429)
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert other.get(f"{ROOT}/sites").headers["RateLimit"].startswith('"minute";r=2;')


def test_a_page_is_uploaded_with_its_address(world: World, program: Callable[..., Client], sent: list[int]) -> None:
    from extraction import pipeline

    client = program("editor")
    page = SimpleUploadedFile("p.html", factory.book_html("Emma"), content_type="text/html")
    answer = client.post(f"{ROOT}/sites/{world.site.slug}/uploads", {"file": page, "url": "https://shop.example/emma?a=1"})
    assert answer.status_code == 202
    pipeline.execute_run(answer.json()["id"])
    assert Run.objects.get(pk=answer.json()["id"]).state == "done"
    found = client.get(f"{ROOT}/sites/{world.site.slug}/pages?q=emma").json()["items"]
    assert [each["url"] for each in found] == ["https://shop.example/emma?a=1"]
    content = client.get(f"{ROOT}/sites/{world.site.slug}/pages/{found[0]['id']}/content")
    assert content.content == factory.book_html("Emma")
    assert "sandbox" in content.headers["Content-Security-Policy"]


def test_values_are_marked_by_their_texts(world: World, program: Callable[..., Client]) -> None:
    client = program("editor")
    pages = client.get(f"{ROOT}/sites/{world.site.slug}/pages?limit=2").json()["items"]
    address = f"{ROOT}/sites/{world.site.slug}/templates/1/pages/{pages[1]['id']}/labels"

    def mark(name: str, body: Any) -> Any:
        return client.put(f"{address}/{name}", body, "application/json")

    assert mark("title", {"values": [{"text": "Book 1"}]}).json()[0]["value"] == "Book 1"
    assert (Label.objects.get(snapshot__page=pages[1]["id"], attribute__name="title").location or {})["kind"] == "text"
    assert mark("title", {"absent": True}).json()[0]["absent"] is True
    assert mark("title", {"values": []}).json() == []
    assert "not on this page" in mark("title", {"values": [{"text": "Nowhere"}]}).json()["detail"]
    assert mark("title", {"values": [], "absent": True}).status_code == 422
    assert mark("title", {"places": [{"node": -1}]}).status_code == 422
    assert mark("colour", {"values": []}).status_code == 404


def test_records_are_filtered_and_read_since_a_time(world: World, program: Callable[..., Client]) -> None:
    client = program("viewer")
    address = f"{ROOT}/sites/{world.site.slug}/templates/1/records"
    found = client.get(address).json()["items"]
    assert [each["url"] for each in found] == [each.snapshot.page.url for each in Record.objects.order_by("pk")]
    assert found[0]["values"]["title"] == [{"raw": "Book 0", "value": "Book 0", "problem": ""}]
    last = found[-1]["extracted_at"]
    assert client.get(address, {"extracted_after": last}).json()["items"] == []
    for wrong in ("0.5", "1700000000", "yesterday", "2026-11-29T08:00:00"):
        assert client.get(address, {"extracted_after": wrong}).status_code == 422, wrong
    assert client.get(address, {"q": "book 3"}).json()["items"][0]["values"]["title"][0]["raw"] == "Book 3"
    changes = client.get(f"{ROOT}/sites/{world.site.slug}/templates/1/changes", {"limit": 2}).json()
    more = client.get(f"{ROOT}/sites/{world.site.slug}/templates/1/changes", {"after": changes["next"]}).json()
    assert [each["kind"] for each in (*changes["items"], *more["items"])] == ["added"] * len(found)


def test_the_export_is_the_file_of_the_dashboard(world: World, program: Callable[..., Client], signed_in: Any) -> None:
    def read(answer: Any) -> bytes:
        return b"".join(answer.streaming_content)

    for query in ("format=csv", "format=csv&values=raw&columns=title", "format=jsonl"):
        shown = read(signed_in("viewer").get(f"/sites/{world.site.slug}/templates/1/records/export/?{query}"))
        assert read(program("viewer").get(f"{ROOT}/sites/{world.site.slug}/templates/1/export?{query}")) == shown
        assert shown.count(b"\n") >= 6
    assert program("viewer").get(f"{ROOT}/sites/{world.site.slug}/templates/1/export?format=doc").status_code == 400


def test_two_tokens_of_a_person_never_share_a_file_that_a_download_goes_on_with(world: World, program: Callable[..., Client]) -> None:
    full, limited = program("viewer"), program("viewer", sites=[])
    address = f"{ROOT}/record-types/{world.record_type.slug}/export"
    first: Any = full.get(address)
    ranged = {"Range": "bytes=0-", "If-Range": first.headers["ETag"]}
    whole: Any = full.get(address, headers=ranged)
    nothing: Any = limited.get(address, headers=ranged)
    assert len(b"".join(whole.streaming_content)) > len(b"".join(nothing.streaming_content))


def test_the_openapi_document_needs_no_token_and_the_reference_shows_every_operation(signed_in: Any, world: World) -> None:
    document = Client().get(f"{ROOT}/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    text = signed_in("viewer").get("/api/").content.decode()
    for methods in document["paths"].values():
        for each in methods.values():
            assert f'id="{each["operationId"]}"' in text


def test_a_token_is_shown_once_and_revoked_by_its_person_only(signed_in: Any, person: Any) -> None:
    made = signed_in("viewer").post("/account/tokens/new/", {"name": "Import", "scopes": ["read", "records"], "days": "90"})
    token = made.context["token"]
    assert token in made.content.decode()
    assert made.headers["Cache-Control"] == "no-store"
    assert token not in signed_in("viewer").get("/account/tokens/").content.decode()
    api = Client(headers={"Authorization": f"Bearer {token}"})
    assert api.get(f"{ROOT}/sites").status_code == 200
    row = ApiToken.objects.get()
    assert signed_in("admin").post(f"/account/tokens/{row.pk}/revoke/").status_code == 404
    assert signed_in("viewer").post(f"/account/tokens/{row.pk}/revoke/").status_code == 302
    assert api.get(f"{ROOT}/sites").status_code == 401


def test_a_person_can_give_a_token_only_what_the_role_permits(signed_in: Any) -> None:
    refused = signed_in("viewer").post("/account/tokens/new/", {"name": "Import", "scopes": ["edit"], "days": ""})
    assert refused.status_code == 400
    assert not ApiToken.objects.exists()
