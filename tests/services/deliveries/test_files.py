"""Files at a folder, an S3 store and an SFTP server: complete or not there, and nowhere else."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import fsspec
import pytest
from moto.server import ThreadedMotoServer

from extraction.models import Delivery
from extraction.models.delivery import Selection
from extraction.services.deliveries import connect, contents
from extraction.services.deliveries.senders.files import ReadyFile
from extraction.services.deliveries.senders.folder import FolderSender, confine_path
from extraction.services.deliveries.senders.reach import DeliveryError
from extraction.services.records.exports.formats import FORMATS
from tests.services.deliveries.conftest import queue_hand
from tests.services.deliveries.receivers import make_target, sftp_server
from tests.services.records.bookshop import Bookshop
from tests.services.records.exports.readers import READERS
from tests.services.records.test_history import visit

WorkOff = Callable[..., list[Delivery]]


def shelf(shop: Bookshop) -> set[str]:
    return {isbn for isbn, book in shop.books.items() if book.on_sale}


@pytest.mark.parametrize("form", list(FORMATS))
def test_a_folder_gets_a_whole_file_in_every_format_with_unique_keys(shop: Bookshop, root: Path, work_off: WorkOff, form: str) -> None:
    target = make_target(shop.kind, "folder", folder="books", format=form, about=("site", "record_state"))
    queue_hand(target)
    (delivery,) = work_off(target)
    assert (delivery.state, delivery.outcome, delivery.error) == ("done", "6 lines", "")
    name = f"book{FORMATS[form].suffix}"
    assert sorted(each.name for each in (root / "books").iterdir()) == sorted(["book.dictionary.md", "book.schema.json", name])
    assert delivery.size_bytes == (root / "books" / name).stat().st_size
    found = READERS[form](root / "books" / name)
    assert set(found["isbn"]) == shelf(shop)
    assert len(set(found["record_id"])) == len(set(found["record_key"])) == 6
    schema = json.loads((root / "books" / "book.schema.json").read_text())
    assert (schema["version"], list(schema["properties"])) == (1, list(found))


def test_an_equal_file_is_not_sent_again_after_a_run_but_by_hand(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "folder", described=False)
    visit(shop)
    (first,) = work_off(target)
    assert first.outcome == "6 lines"
    (root / "book.csv").unlink()
    target.refresh_from_db()
    target.deliveries.create(key="schedule 1", cause="schedule", created_at=first.created_at, next_at=first.created_at)
    assert work_off(target)[-1].outcome == "Nothing new: the last file is still the same."
    queue_hand(target)
    assert work_off(target)[-1].outcome == "6 lines"
    assert (root / "book.csv").exists()


def test_files_of_changes_hold_each_change_once_and_say_what_happened(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "folder", selection=Selection.CHANGES, described=False, format="jsonl")
    queue_hand(target)
    work_off(target)
    first, second, third = list(shop.books.values())[:3]
    first.pence, second.on_sale = 4321, False
    new = shop.add_book()
    visit(shop)
    visit(shop)  # the second miss
    third.pence = 1
    visit(shop)
    work_off(target)
    files = sorted(root.iterdir(), key=lambda each: int(each.stem.rpartition("-")[2]))
    lines = [[json.loads(line) for line in each.read_text().splitlines()] for each in files]
    assert [len(each) for each in lines] == [6, 4]
    assert {(each["change"], each["isbn"]) for each in lines[1]} == {
        ("changed", first.isbn),
        ("gone", second.isbn),
        ("added", new.isbn),
        ("changed", third.isbn),
    }
    assert [each.outcome for each in target.deliveries.order_by("pk")][2:] == ["Nothing new: nothing changed since the last delivery."] * 2


@pytest.mark.parametrize("path", ["/etc", "../outside", "a/../../outside", "/", "~/x/../../../etc"])
def test_a_folder_outside_the_allowed_ones_is_refused(root: Path, path: str) -> None:
    with pytest.raises(DeliveryError, match="is not below a folder that is allowed"):
        confine_path(path)


def test_a_link_does_not_lead_out(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (root / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(DeliveryError, match="not below"):
        FolderSender("link")
    sender = FolderSender("books")
    (root / "books").mkdir()
    (root / "books" / ".book.csv.part").symlink_to(tmp_path / "secret" / "stolen")
    (tmp_path / "made").write_text("x")
    sender.put_file(ReadyFile(tmp_path / "made", "book.csv"), lambda: None)
    assert not (tmp_path / "secret" / "stolen").exists()
    assert (root / "books" / "book.csv").read_text() == "x"


def test_a_reader_never_sees_half_a_file(root: Path, tmp_path: Path) -> None:
    (tmp_path / "made").write_bytes(b"a" * 3_000_000)
    sender, done = FolderSender(""), threading.Event()
    sizes: set[int] = set()

    def look() -> None:
        while not done.is_set():
            sizes.update(each.stat().st_size for each in root.glob("*.csv"))

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(20):
        sender.put_file(ReadyFile(tmp_path / "made", "book.csv"), lambda: None)
    done.set()
    thread.join()
    assert sizes == {3_000_000}


@pytest.fixture
def bucket(settings: Any) -> Iterator[tuple[str, Any]]:
    """A bucket of an S3 store on this machine: its address and a client."""
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = ["127.0.0.1"]
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    client = boto3.client("s3", endpoint_url=url, aws_access_key_id="ada", aws_secret_access_key="opensesame", region_name="us-east-1")
    client.create_bucket(Bucket="books")
    yield url, client
    server.stop()


def test_an_s3_store_gets_the_file_and_an_error_names_what_and_why(shop: Bookshop, bucket: tuple[str, Any], work_off: WorkOff) -> None:
    url, client = bucket
    place = {"endpoint": url, "bucket": "books", "folder": "daily/größe", "user": "ada", "secrets": {"secret_key": "opensesame"}}
    target = make_target(shop.kind, "s3", format="parquet", **place)  # type: ignore[arg-type]
    assert connect.send_test(target) == ""
    queue_hand(target)
    (delivery,) = work_off(target)
    assert (delivery.state, delivery.error) == ("done", "")
    held = [each["Key"] for each in client.list_objects_v2(Bucket="books")["Contents"]]
    assert held == ["daily/größe/book.dictionary.md", "daily/größe/book.parquet", "daily/größe/book.schema.json"]
    assert client.get_object(Bucket="books", Key="daily/größe/book.parquet")["ContentLength"] == delivery.size_bytes
    target.place = target.place | {"bucket": "missing"}
    target.save()
    queue_hand(target)
    failed = work_off(target)[-1]
    assert failed.state == "queued"
    assert "missing/book.schema.json" in failed.error
    assert "NoSuchBucket" in failed.error


def test_an_sftp_server_gets_the_file_under_its_name_when_it_is_complete(
    shop: Bookshop, tmp_path: Path, work_off: WorkOff, settings: Any
) -> None:
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = ["127.0.0.1"]
    folder, log = tmp_path / "server", list[str]()
    folder.mkdir()
    with sftp_server(folder, log) as (port, fingerprint):
        place = {"host": "127.0.0.1", "port": port, "user": "ada", "folder": "in/books", "host_key": fingerprint}
        target = make_target(shop.kind, "sftp", secrets={"password": "opensesame"}, described=False, **place)
        assert connect.send_test(target) == ""
        queue_hand(target)
        queue_hand(target)
        (delivery,) = work_off(target)
        assert (delivery.state, delivery.error) == ("done", "")
        assert [each.replace("/in", "in") for each in log[-2:]] == [
            "write in/books/.book.csv.part",
            "rename in/books/.book.csv.part in/books/book.csv",
        ]
        assert len(READERS["csv"](folder / "in" / "books" / "book.csv")["isbn"]) == 6
        wrong = make_target(shop.kind, "sftp", name="wrong", secrets={"password": "else"}, **place)
        assert connect.send_test(wrong) == "ada@127.0.0.1 does not accept the password or key."
        other = make_target(shop.kind, "sftp", name="other", secrets={"password": "opensesame"}, **{**place, "host_key": "SHA256:else"})
        assert "is SHA256:" in connect.send_test(other)
        assert "Nothing was sent" in connect.send_test(other)


def test_any_store_of_fsspec_gets_the_file_if_the_administrator_allows_it(shop: Bookshop, work_off: WorkOff, settings: Any) -> None:
    target = make_target(shop.kind, "other", url="memory://daily", described=False)
    assert "The protocol “memory” is not allowed. Allowed (VERTEX_DELIVERY_PROTOCOLS): none." in connect.send_test(target)
    settings.VERTEX_DELIVERY_PROTOCOLS = ["memory", "file"]
    assert connect.send_test(target) == ""
    queue_hand(target)
    assert work_off(target)[0].state == "done"
    memory = fsspec.filesystem("memory")
    assert memory.ls("/daily", detail=False) == ["/daily/book.csv"]
    memory.rm("/daily", recursive=True)
    for url in ("file:///etc", "memory://x::file:///etc", "local:///etc"):
        bad = make_target(shop.kind, "other", name=url, url=url)
        assert "is not allowed" in connect.send_test(bad)


def test_a_column_that_is_no_longer_there_is_named(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "folder", columns=("title", "colour"))
    queue_hand(target)
    (delivery,) = work_off(target)
    assert delivery.error == "Book has no colour any more. Choose the columns of the target again."


def test_rows_without_a_key_are_not_delivered(shop: Bookshop, root: Path, work_off: WorkOff) -> None:
    target = make_target(shop.kind, "folder", list_name="offers")
    queue_hand(target)
    (delivery,) = work_off(target)
    assert delivery.error.startswith("The rows of offers have no key")


def test_the_name_of_a_kept_file_stays_the_same_however_often_the_delivery_is_begun(shop: Bookshop, root: Path) -> None:
    target = make_target(shop.kind, "folder", keeps_files=True)
    delivery = queue_hand(target)
    assert contents.name_file(target, delivery) == contents.name_file(target, delivery) != "book"
