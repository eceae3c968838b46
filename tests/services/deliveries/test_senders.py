"""What a sender refuses before it sends anything, and what it says of receivers that are not as they should be."""

import io
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import paramiko
import pytest
import urllib3
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from extraction.algorithms.records.columns import Column, Part
from extraction.models.delivery import TargetPlace
from extraction.services.deliveries.senders import files, reach, s3, sql_table
from extraction.services.deliveries.senders.files import ReadyFile, WatchedFile
from extraction.services.deliveries.senders.folder import confine_path
from extraction.services.deliveries.senders.other import OtherSender, read_options
from extraction.services.deliveries.senders.reach import DeliveryError, find_address, send_request
from extraction.services.deliveries.senders.s3 import S3Sender
from extraction.services.deliveries.senders.sftp import SftpSender, read_private_key
from extraction.services.deliveries.senders.time_limits import TimeLimit, watch_connection
from tests.services.deliveries.receivers import sftp_server

KEYS: dict[str, Callable[[], Any]] = {
    "Ed25519": ed25519.Ed25519PrivateKey.generate,
    "ECDSA": lambda: ec.generate_private_key(ec.SECP256R1()),
    "RSA": lambda: rsa.generate_private_key(65537, 2048),
}


def write_key(key: Any, passphrase: bytes = b"") -> str:
    """Return a private key as OpenSSH writes it."""
    form = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    return str(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, form).decode())


@pytest.fixture
def made(tmp_path: Path) -> ReadyFile:
    """A file that is ready to be sent."""
    (tmp_path / "made").write_bytes(b"title\nEmma\n")
    return ReadyFile(tmp_path / "made", "book.csv")


@pytest.fixture
def here(settings: Any) -> None:
    """Receivers on this machine may be reached."""
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = ["127.0.0.1"]


@pytest.fixture
def deaf() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("kind", list(KEYS))
def test_each_kind_of_private_key_opens_an_sftp_server_and_another_key_does_not(
    kind: str, made: ReadyFile, tmp_path: Path, here: None
) -> None:
    text = write_key(KEYS[kind]())
    folder = tmp_path / "server"
    folder.mkdir()
    with sftp_server(folder, [], read_private_key(text)) as (port, fingerprint):
        place = TargetPlace(host="127.0.0.1", port=port, user="ada", folder="/in/", host_key=fingerprint)
        SftpSender(place, {"private_key": f"\n{text}  "}).put_file(made, lambda: None)
        assert (folder / "in" / "book.csv").read_bytes() == b"title\nEmma\n"
        with pytest.raises(DeliveryError, match=r"^ada@127\.0\.0\.1 does not accept the password or key\.$"):
            SftpSender(place, {"private_key": write_key(KEYS[kind]())}).put_file(made, lambda: None)


@pytest.mark.parametrize("text", ["", "sesame", "-----BEGIN OPENSSH PRIVATE KEY-----\nsesame\n-----END OPENSSH PRIVATE KEY-----", "locked"])
def test_a_text_that_is_no_private_key_is_refused_without_being_repeated(text: str) -> None:
    given = write_key(KEYS["Ed25519"](), b"sesame") if text == "locked" else text
    with pytest.raises(DeliveryError, match="The private key cannot be read") as caught:
        read_private_key(given)
    assert not caught.value.again and "sesame" not in str(caught.value)


def test_a_file_in_the_place_of_a_folder_of_an_sftp_server_is_named(made: ReadyFile, tmp_path: Path, here: None) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "in").write_text("x")
    with sftp_server(tmp_path / "server", []) as (port, fingerprint):
        place = TargetPlace(host="127.0.0.1", port=port, user="ada", folder="in/books", host_key=fingerprint)
        with pytest.raises(DeliveryError, match=r"^in is not a folder\.$"):
            SftpSender(place, {"password": "opensesame"}).put_file(made, lambda: None)


def test_without_an_allowed_folder_there_is_none_and_no_path_has_a_null_character(settings: Any, tmp_path: Path) -> None:
    settings.VERTEX_DELIVERY_DIRS = []
    with pytest.raises(DeliveryError, match=r"No folder is allowed\. An administrator can name some in VERTEX_DELIVERY_DIRS"):
        confine_path("books")
    settings.VERTEX_DELIVERY_DIRS = [str(tmp_path)]
    with pytest.raises(DeliveryError, match="cannot have a null character"):
        confine_path("books\0")
    assert confine_path("books/../daily") == tmp_path.resolve() / "daily"


def test_a_file_of_another_store_is_replaced(settings: Any, made: ReadyFile, tmp_path: Path) -> None:
    settings.VERTEX_DELIVERY_PROTOCOLS = ["memory"]
    sender = OtherSender("memory://shelf/", "")
    sender.put_file(made, lambda: None)
    made.path.write_bytes(b"new")
    sender.put_file(made, lambda: None)
    memory = fsspec.filesystem("memory")
    assert {name: memory.cat(name) for name in memory.ls("/shelf", detail=False)} == {"/shelf/book.csv": b"new"}
    sender.remove_file("book.csv")
    with pytest.raises(DeliveryError, match=r"^memory://shelf/book\.csv cannot be removed: FileNotFoundError"):
        sender.remove_file("book.csv")


@pytest.mark.parametrize(
    ("text", "reason"), [("{sesame", "are not JSON"), ('["sesame"]', "must be a JSON object"), ("7", "must be a JSON object")]
)
def test_options_of_a_driver_are_an_object_and_never_repeated(text: str, reason: str) -> None:
    assert read_options("") == {} and read_options('{"token": "sesame"}') == {"token": "sesame"}
    with pytest.raises(DeliveryError, match=reason) as caught:
        read_options(text)
    assert not caught.value.again and "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://books.example/", r"must begin with https:// or http://"),
        ("books.example", r"must begin with https:// or http://"),
        ("https:///hook", r"No host is named"),
        ("http://books.example:99999/", r"is not a web address"),
        ("http://books.example:22/", r"Port 22 of books\.example is not the port of a web site"),
    ],
)
def test_an_address_that_is_no_web_address_is_refused_for_good(url: str, reason: str) -> None:
    with pytest.raises(DeliveryError, match=reason) as caught:
        send_request("POST", url, headers={})
    assert not caught.value.again


def test_ports_of_other_services_are_for_other_services_unless_the_administrator_lists_them(settings: Any) -> None:
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = ["127.0.0.1"]
    assert str(find_address("127.0.0.1", 22)) == "127.0.0.1"
    assert str(find_address("127.0.0.1", 22, any_port=False)) == "127.0.0.1"
    assert str(find_address("93.184.216.34", 22)) == "93.184.216.34"
    with pytest.raises(DeliveryError, match="not the port of a web site"):
        find_address("93.184.216.34", 22, any_port=False)


def test_a_server_that_says_nothing_is_given_up(deaf: int, here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "TIMEOUT_S", 0.2)
    with pytest.raises(DeliveryError, match=r"^127\.0\.0\.1 does not answer: nothing came for") as caught:
        send_request("POST", f"http://127.0.0.1:{deaf}/", headers={}, body=b"{}")
    assert caught.value.again


def test_why_a_connection_failed_is_said_without_its_address() -> None:
    pool = urllib3.HTTPConnectionPool("127.0.0.1", 1)
    assert reach._describe_http_error(urllib3.exceptions.ConnectTimeoutError(pool, "/secret")) == "nothing came for 30 seconds"
    refused = urllib3.exceptions.NewConnectionError(pool, "/secret")  # type: ignore[arg-type]
    refused.__cause__ = ConnectionRefusedError(111, "Connection refused")
    assert reach._describe_http_error(refused) == "Connection refused"
    assert reach._describe_http_error(urllib3.exceptions.HTTPError()) == "HTTPError"


def test_a_server_without_a_certificate_is_no_https_server(here: None) -> None:
    server = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with server.accept()[0] as taken:
            taken.recv(1000)
            taken.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    thread = threading.Thread(target=answer)
    thread.start()
    with server, pytest.raises(DeliveryError, match=r"^127\.0\.0\.1 does not answer: ") as caught:
        send_request("POST", f"https://127.0.0.1:{server.getsockname()[1]}/hook?token=sesame", headers={}, body=b"{}")
    thread.join()
    assert "sesame" not in str(caught.value)


def test_a_file_that_is_too_large_for_one_upload_is_not_sent(made: ReadyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3, "MAX_BYTES", 10)
    with pytest.raises(DeliveryError, match=r"book\.csv has 11 bytes; S3 takes 10 in one upload") as caught:
        S3Sender(TargetPlace(bucket="books"), "sesame").put_file(made, lambda: None)
    assert not caught.value.again


def test_a_long_upload_says_from_time_to_time_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, beats = [100.0], list[float]()
    monkeypatch.setattr("extraction.services.deliveries.senders.files.time.monotonic", lambda: clock[0])
    watched = WatchedFile(io.BytesIO(b"abcdef"), lambda: beats.append(clock[0]))
    for second in (0, 1, files.BEAT_S, files.BEAT_S + 1, 2 * files.BEAT_S, 9 * files.BEAT_S):
        clock[0] = 100 + second
        assert watched.read(1)
    assert beats == [100 + files.BEAT_S, 100 + 2 * files.BEAT_S, 100 + 9 * files.BEAT_S]


def column(name: str, part: Part = "value") -> Column:
    """Return a column of texts."""
    return Column(name, name, part, "text", several=False, meaning="")


def test_names_that_a_table_cannot_have_are_refused() -> None:
    with pytest.raises(DeliveryError, match="is longer than 63 bytes, which databases cut off"):
        sql_table._describe_table("books", [column("é" * 32)])
    assert sql_table._describe_table("shop.books", [column("é" * 31)]).schema == "shop"
    with pytest.raises(DeliveryError, match=rf"The attribute {sql_table.ID.upper()} has the name of a column that every table has"):
        sql_table._leave_out_own([column(sql_table.ID.upper())])
    kept = sql_table._leave_out_own([column(sql_table.ID, "page"), column("title")])
    assert [each.name for each in kept] == ["title"], "the table has the column of the page already"


def test_a_connection_that_is_made_when_the_time_is_over_is_shut_down() -> None:
    here, there = socket.socketpair()
    limit = TimeLimit(0.0)
    limit.begin()
    limit.watch(here.fileno())
    assert limit.over and there.recv(1) == b""
    limit.end()
    watch_connection(there.fileno())  # without a limit around, nothing is watched
    for each in (here, there):
        each.close()


def test_a_server_that_cannot_rename_over_a_file_gets_the_new_one_in_its_place(
    made: ReadyFile, tmp_path: Path, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("Operation unsupported")

    monkeypatch.setattr(paramiko.SFTPClient, "posix_rename", refuse)
    (tmp_path / "server").mkdir()
    log: list[str] = []
    with sftp_server(tmp_path / "server", log) as (port, fingerprint):
        sender = SftpSender(TargetPlace(host="127.0.0.1", port=port, user="ada", host_key=fingerprint), {"password": "opensesame"})
        sender.put_file(made, lambda: None)
        made.path.write_bytes(b"new")
        sender.put_file(made, lambda: None)
    assert {each.name: each.read_bytes() for each in (tmp_path / "server").iterdir()} == {"book.csv": b"new"}
