"""What programs read: latest files, the feed, the schema; and downloads that go on where they broke off."""

import base64
import csv
import io
import json
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.urls import reverse
from django.utils import timezone

from extraction.models import Ledger, ReaderToken, RecordChange, RecordType, RunRelease, SchemaVersion, StoredFile, TrackedRecord
from extraction.services.core import secret_tokens
from extraction.services.deliveries.readers import change_files, feed, tokens
from extraction.services.deliveries.readers.latest import find_latest
from extraction.services.deliveries.record_lines import NotDelivered, find_type_records
from extraction.services.records import stored_files
from extraction.services.records.exports.formats import FORMATS
from tests.views.addresses import address
from tests.views.records.test_exports import body
from tests.views.world import World

ATOM = "{http://www.w3.org/2005/Atom}"


def latest(client: Any, suffix: str = "csv", **headers: str) -> Any:
    return client.get(reverse("latest_file", args=["book", suffix]), headers=headers)


def test_a_token_reads_its_record_type_until_it_is_revoked(client: Any, world: World) -> None:
    other = RecordType.objects.create(name="Other", slug="other")
    token, wrong = tokens.create_token(world.record_type, "Prices", None), tokens.create_token(other, "x", None)
    basic = base64.b64encode(f"any:{token}".encode()).decode()
    for given in (f"Bearer {token}", f"Basic {basic}"):
        answer = latest(client, authorization=given)
        assert answer.status_code == 200
        assert len(list(csv.DictReader(io.StringIO(body(answer).decode())))) == 6
    assert client.get(reverse("latest_feed", args=["book"]), {"token": token}).status_code == 200
    assert client.get(reverse("latest_schema", args=["book"]), {"token": token}).status_code == 200
    for refused in ("", "Bearer x", f"Bearer {wrong}", "Basic ###", "Basic " + base64.b64encode(b"\xff").decode()):
        answer = latest(client, authorization=refused)
        assert (answer.status_code, answer.headers["WWW-Authenticate"][:5]) == (401, "Basic")
    assert client.get(reverse("latest_file", args=["nowhere", "csv"])).status_code == 401, "nobody learns which types there are"
    assert client.get(reverse("home"), headers={"authorization": f"Bearer {token}"}).status_code == 302
    assert client.post(reverse("latest_file", args=["book", "csv"])).status_code in (401, 405)
    held = ReaderToken.objects.get(name="Prices", record_type=world.record_type, hint=token[:12])
    assert token not in str(held.__dict__)
    assert held.used_at is not None
    secret_tokens.revoke_token(held)
    assert latest(client, authorization=f"Bearer {token}").status_code == 401


def test_a_token_is_shown_once(signed_in: Any, world: World) -> None:
    client = signed_in("operator")
    answer = client.post(reverse("record_type_token", args=["book"]), {"name": "Prices 2"})
    text = answer.content.decode()
    shown = text.split('<code class="note-code">')[1].split("</code>")[0]
    assert tokens.find_token(world.record_type, shown)
    assert answer.headers["Cache-Control"] == "no-store"
    assert shown not in client.get(reverse("record_type_readers", args=["book"])).content.decode()


def test_a_latest_file_stays_the_same_until_something_is_released(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    first, second = latest(client), latest(client)
    assert first.headers["ETag"] == second.headers["ETag"]
    assert latest(client, **{"if-none-match": first.headers["ETag"]}).status_code == 304
    from tests.views.world import extract

    extract(world.cluster)
    assert latest(client).headers["ETag"] != first.headers["ETag"]
    assert latest(client, "doc").status_code == 404
    assert client.get(reverse("latest_file", args=["book", "csv"]), {"list": "offers"}).status_code == 404


def test_a_held_back_run_is_not_in_the_latest_file(signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from extraction.services.deliveries import record_lines
    from tests.services import factory

    run = world.run
    now = timezone.now()
    record = TrackedRecord.objects.earliest("pk")
    before, after = record.values["title"], [{"raw": "Held", "value": None}]
    held = factory.released_run(world.cluster)
    record.values, record.number = record.values | {"title": after}, record.number + 1
    record.save()
    change = {"title": {"from": before, "to": after, "cause": "page"}}
    RecordChange.objects.create(cluster=world.cluster, record=record, number=record.number, kind="changed", run=held, at=now, values=change)
    monkeypatch.setattr(record_lines, "find_released_runs", lambda clusters: {each.pk: run for each in clusters})
    client = signed_in("viewer")
    assert "Held" not in body(latest(client)).decode()
    assert "Held" not in client.get(reverse("latest_feed", args=["book"])).content.decode()
    monkeypatch.undo()
    assert "Held" in body(latest(client)).decode()


def test_the_feed_is_valid_atom_and_nothing_in_it_becomes_markup(signed_in: Any, world: World) -> None:
    record = TrackedRecord.objects.earliest("pk")
    nasty = "<script>alert(1)</script> & ]]> \x00\x0b\ud800 \U0001f4d6"
    record.key = [nasty.replace("\x00", "").replace("\ud800", "")]
    record.save()
    RecordChange.objects.filter(record=record).update(
        values={"title": {"from": [], "to": [{"raw": nasty.replace("\x00", "").replace("\ud800", ""), "value": None}], "cause": "page"}}
    )
    first = signed_in("viewer").get(reverse("latest_feed", args=["book"]))
    root = ElementTree.fromstring(first.content)
    assert first.headers["Content-Type"].startswith("application/atom+xml")
    assert [each.tag.removeprefix(ATOM) for each in root][:6] == ["id", "title", "updated", "link", "link", "author"]
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) == 6
    ids = [each.findtext(f"{ATOM}id") for each in entries]
    assert len(set(ids)) == 6
    for entry in entries:
        for name in ("id", "title", "updated", "content"):
            assert entry.findtext(f"{ATOM}{name}"), name
            assert not list(entry.find(f"{ATOM}{name}") or ()), "texts only"
    shown = next(each for each in entries if "<script>" in (each.findtext(f"{ATOM}title") or ""))
    assert "<script>alert(1)</script> & ]]>" in (shown.findtext(f"{ATOM}content") or "")
    again = ElementTree.fromstring(signed_in("viewer").get(reverse("latest_feed", args=["book"])).content)
    assert [each.findtext(f"{ATOM}id") for each in again.findall(f"{ATOM}entry")] == ids
    made = feed.write_feed(world.record_type, [], feed.FeedAddresses("a\x00", "b\ud800", "c"))
    assert ElementTree.fromstring(made).findtext(f"{ATOM}updated")


def test_a_download_that_broke_off_goes_on_with_the_same_bytes(signed_in: Any, world: World) -> None:
    client, place = signed_in("viewer"), address(world, "records_export")
    whole = client.get(place, {"format": "csv"})
    content, etag = body(whole), whole.headers["ETag"]
    assert (whole.headers["Accept-Ranges"], int(whole.headers["Content-Length"])) == ("bytes", len(content))
    TrackedRecord.objects.all().delete()
    world.cluster.records.all().delete()  # the records change in the meantime
    rest = client.get(place, {"format": "csv"}, headers={"range": "bytes=100-", "if-range": etag})
    assert (rest.status_code, rest.headers["Content-Range"]) == (206, f"bytes 100-{len(content) - 1}/{len(content)}")
    assert content[:100] + body(rest) == content
    bare = client.get(place, {"format": "csv"}, headers={"range": "bytes=5-9"})
    assert (bare.status_code, body(bare)) == (206, content[5:10])
    assert body(client.get(place, {"format": "csv"}, headers={"range": "bytes=-7"})) == content[-7:]
    beyond = client.get(place, {"format": "csv"}, headers={"range": f"bytes={len(content)}-"})
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{len(content)}")
    several = client.get(place, {"format": "csv"}, headers={"range": "bytes=0-1,4-5"})
    assert (several.status_code, body(several)) == (200, content)


def test_parts_of_two_files_are_never_mixed(signed_in: Any, world: World) -> None:
    client, place = signed_in("viewer"), address(world, "records_export")
    first = client.get(place, {"format": "csv"})
    world.cluster.records.filter(pk=world.cluster.records.earliest("pk").pk).delete()
    second = client.get(place, {"format": "csv"})
    assert len(body(second)) < len(body(first))
    kept = client.get(place, {"format": "csv"}, headers={"range": "bytes=10-", "if-range": second.headers["ETag"]})
    assert kept.status_code == 206
    answer = client.get(place, {"format": "csv"}, headers={"range": "bytes=10-"})
    assert (answer.status_code, "Content-Range" in answer.headers) == (200, False), "it is not known which file is meant"
    answer = client.get(place, {"format": "csv"}, headers={"range": "bytes=10-", "if-range": '"unknown"'})
    assert answer.status_code == 200
    answer = client.get(place, {"format": "csv"}, headers={"range": "bytes=10-", "if-range": "Sat, 28 Nov 2026 00:00:00 GMT"})
    assert answer.status_code == 200
    other = signed_in("editor").get(place, {"format": "csv"}, headers={"range": "bytes=10-", "if-range": second.headers["ETag"]})
    assert other.status_code == 200, "another person's download is another file"


def test_old_files_are_tidied(signed_in: Any, world: World) -> None:
    body(signed_in("viewer").get(address(world, "records_export"), {"format": "csv"}))
    kept = StoredFile.objects.get()
    assert stored_files.tidy_files(timezone.now()) == 0
    assert stored_files.tidy_files(timezone.now() + timedelta(hours=49)) == 1
    with pytest.raises(OSError):
        stored_files.open_file(kept).read()


def download(client: Any, world: World, **asked: str) -> list[dict[str, Any]]:
    answer = client.post(reverse("record_type_changes", args=["book"]), {"format": "jsonl", **asked})
    assert answer.status_code == 302, answer.content.decode()
    return [json.loads(line) for line in body(client.get(answer.headers["Location"])).decode().splitlines()]


def change_title(world: World, text: str) -> TrackedRecord:
    from tests.services import factory

    run = factory.released_run(world.cluster)
    record = TrackedRecord.objects.earliest("pk")
    values = {"title": {"from": record.values["title"], "to": [{"raw": text, "value": None}], "cause": "page"}}
    record.values, record.number = record.values | {"title": [{"raw": text, "value": None}]}, record.number + 1
    record.save()
    RecordChange.objects.create(
        cluster=world.cluster, record=record, number=record.number, kind="changed", run=run, at=timezone.now(), values=values
    )
    return record


def test_a_person_gets_each_change_once_and_another_person_gets_their_own(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    assert [each["change"] for each in download(client, world)] == ["added"] * 6
    assert download(client, world) == []
    change_title(world, "First")
    record = change_title(world, "Second")
    (line,) = download(client, world)
    assert (line["change"], line["title"], line["record_id"]) == ("changed", "Second", record.pk)
    assert download(client, world) == []
    assert len(download(signed_in("editor"), world)) == 6
    TrackedRecord.objects.filter(pk=record.pk).delete()
    (line,) = download(signed_in("viewer"), world)
    assert (line["change"], line["record_id"]) == ("removed", record.pk)


def test_changes_since_a_date_do_not_count_as_a_download(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    RecordChange.objects.update(at=timezone.now() - timedelta(days=10))
    change_title(world, "New title")
    yesterday = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%d")
    (line,) = download(client, world, since=yesterday)
    assert (line["change"], line["title"]) == ("changed", "New title")
    assert len(download(client, world, since="2000-01-01")) == 6
    assert len(download(client, world)) == 6, "the first download of the person"
    RecordChange.objects.earliest("pk").delete()
    answer = client.post(reverse("record_type_changes", args=["book"]), {"format": "jsonl", "since": "2000-01-01"})
    assert answer.status_code == 400
    assert "are no longer kept" in answer.content.decode()


def test_a_file_is_fetched_by_its_person_only(signed_in: Any, world: World) -> None:
    client = signed_in("viewer")
    place = client.post(reverse("changes_download", args=world.address("cluster")), {"format": "csv"}).headers["Location"]
    content = body(client.get(place))
    assert body(client.get(place, headers={"range": "bytes=20-"})) == content[20:]
    assert signed_in("admin").get(place).status_code == 404


def test_a_breaking_change_is_named_before_it_happens_and_makes_a_version(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    first = json.loads(client.get(address(world, "records_export"), {"part": "schema"}).content)
    assert (first["version"], first["$id"]) == (1, "urn:vertex:book:1")
    page = reverse("record_type", args=["book"])
    form = client.get(page).context["rows"]
    data = {f"{form.prefix}-{name}": value for name, value in form.management_form.initial.items()}
    for each in form.forms:
        data |= {f"{each.prefix}-{name}": value for name, value in each.initial.items() if value not in (None, False)}
    data |= {"name": "Book", "description": ""}
    names = [each.initial["name"] for each in form.forms if each.initial.get("name")]
    place = next(each.prefix for each in form.forms if each.initial.get("name") == "price")
    changed = {**data, f"{place}-name": "cost"}
    answer = client.post(page, changed)
    assert answer.status_code == 400
    text = answer.content.decode()
    assert "price is called cost." in text
    assert "the delivery to Shop" in text
    assert list(world.record_type.attributes.values_list("name", flat=True)) == names, "nothing was saved"
    assert client.post(page, {**changed, "break_readers": "1"}).status_code == 302
    newest = SchemaVersion.objects.first()
    assert newest
    assert (newest.number, newest.breaking) == (2, ["price is called cost."])
    second = json.loads(client.get(address(world, "records_export"), {"part": "schema"}).content)
    assert (second["version"], second["breaking_changes"]) == (2, ["price is called cost."])
    dictionary = client.get(address(world, "records_export"), {"part": "dictionary"}).content.decode()
    assert "Version 2 of the schema" in dictionary
    assert "This breaks programs that read version 1." in dictionary


def test_where_nothing_was_released_there_is_nothing_to_download(world: World, person: Any) -> None:
    RunRelease.objects.all().delete()
    records = find_type_records(world.record_type)
    with pytest.raises(NotDelivered, match="No records of Book have been released yet"):
        find_latest(world.record_type, "csv")
    for store in (
        lambda: change_files.store_new_changes(person("viewer"), records, FORMATS["csv"]),
        lambda: change_files.store_changes_since(person("viewer"), records, FORMATS["csv"], timezone.now()),
    ):
        with pytest.raises(NotDelivered, match="No records of Book have been released yet"):
            store()


def test_a_download_of_changes_beside_another_is_made_again_and_given_up_after_some_tries(
    world: World, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, user, make = find_type_records(world.record_type), person("viewer"), change_files._store
    disturbed: list[int] = []

    def store_beside(*args: Any) -> Any:
        made = make(*args)
        if len(disturbed) < disturbances:
            disturbed.append(1)
            Ledger.objects.update(updated_at=timezone.now())
        return made

    monkeypatch.setattr(change_files, "_store", store_beside)
    disturbances = change_files.TRIES
    with pytest.raises(NotDelivered, match="You are downloading these changes in several windows at once"):
        change_files.store_new_changes(user, records, FORMATS["csv"])
    disturbances = len(disturbed) + 1
    assert change_files.store_new_changes(user, records, FORMATS["csv"]).lines == 6
    assert change_files.store_new_changes(user, records, FORMATS["csv"]).lines == 0


def test_a_record_that_is_gone_since_is_told_as_gone_and_one_that_came_and_went_is_not() -> None:
    kinds = {
        (before, present): change_files._name_change(before, present=present) for before in (None, False, True) for present in (False, True)
    }
    assert kinds == {
        (None, False): "",
        (False, False): "",
        (True, False): "gone",
        (None, True): "added",
        (False, True): "back",
        (True, True): "changed",
    }
