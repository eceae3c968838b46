"""A receiver that sends a byte from time to time, or never answers, keeps nobody waiting for longer than the limit."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from extraction.models import RecordType
from extraction.services.deliveries import connect
from extraction.services.deliveries.senders import reach
from extraction.services.deliveries.senders.reach import DeliveryError, send_request
from extraction.services.deliveries.senders.time_limits import limit_time, watch_connection
from tests.services import factory
from tests.services.deliveries.receivers import KEY, make_target

GREETING = b"HTTP/1.1 200 OK\r\n"
AFTER = {
    "head": GREETING + b"X-A: ",
    "body": GREETING + b"Content-Length: 60000\r\n\r\n",
    "body without an end": GREETING + b"\r\n",
    "ssh": b"",
    "sql": (
        b"R\0\0\0\x08\0\0\0\0S\0\0\0\x18server_version\x0016.0\0S\0\0\0\x19client_encoding\0UTF8\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x01Z\0\0\0\x05I"
    ),
}
"""{what a receiver is slow with: what it sends before}."""

SSL_REQUEST = b"\x04\xd2\x16\x2f"


@contextlib.contextmanager
def slow(kind: str) -> Iterator[int]:
    """A receiver; its port. It sends a byte every tenth of a second without end. A database sends nothing any more."""
    server, ended = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def serve() -> None:
        while not ended.is_set():
            try:
                threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
            except OSError:
                return

    def answer(taken: socket.socket) -> None:
        with taken, contextlib.suppress(OSError):
            if kind != "ssh" and taken.recv(65_536)[4:8] == SSL_REQUEST:
                taken.sendall(b"N")
                taken.recv(65_536)
            taken.sendall(AFTER[kind])
            while not ended.wait(0.1):
                taken.sendall(b"" if kind == "sql" else b"a")

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        ended.set()
        server.close()


@pytest.fixture(autouse=True)
def limits(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.VERTEX_DELIVERY_PRIVATE_HOSTS = ["127.0.0.1"]
    monkeypatch.setattr(reach, "ANSWER_S", 0.5)
    monkeypatch.setattr(connect, "TEST_S", 0.5)


@pytest.fixture
def kind(db: None) -> RecordType:
    return factory.record_type({"title": "text"})


@pytest.mark.parametrize("part", ["head", "body", "body without an end"])
def test_an_answer_that_never_ends_is_given_up(part: str) -> None:
    began = time.monotonic()
    with slow(part) as port, pytest.raises(DeliveryError, match="was not complete after") as found:
        send_request("POST", f"http://127.0.0.1:{port}/", headers={}, body=b"{}")
    assert found.value.again and time.monotonic() - began < 60


@pytest.mark.parametrize("target", ["webhook", "sftp", "sql", "s3"])
def test_a_test_of_a_target_ends(kind: RecordType, target: str) -> None:
    part = {"webhook": "body", "s3": "head", "sftp": "ssh", "sql": "sql"}[target]
    began = time.monotonic()
    with slow(part) as port:
        said = connect.send_test(_make(kind, target, port))
    assert said and time.monotonic() - began < 60, said


def test_a_connection_that_was_closed_in_time_is_left_alone() -> None:
    here, there = socket.socketpair()
    with limit_time(0.1) as limit:
        watch_connection(here.fileno())
        here.close()
        again = socket.socketpair()
        time.sleep(0.3)
        again[0].sendall(b"still open")
        assert limit.over and again[1].recv(20) == b"still open"
    for each in (there, *again):
        each.close()


def test_a_block_inside_has_no_more_time_than_the_one_around() -> None:
    with limit_time(0.2), limit_time(60) as inner:
        assert inner.left_s <= 0.2


def _make(kind: RecordType, target: str, port: int) -> Any:
    secret = "a secret of some length"
    if target == "webhook":
        return make_target(kind, "webhook", secrets={"url": f"http://127.0.0.1:{port}/", "key": KEY})
    if target == "s3":
        return make_target(kind, "s3", endpoint=f"http://127.0.0.1:{port}", bucket="b", user="u", secrets={"secret_key": secret})
    if target == "sftp":
        return make_target(kind, "sftp", host="127.0.0.1", port=port, user="u", host_key="SHA256:x", secrets={"password": secret})
    return make_target(kind, "sql", url=f"postgresql://u@127.0.0.1:{port}/d", table="books", secrets={"password": secret})
