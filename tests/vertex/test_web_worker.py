"""Slow clients cannot hold the threads of the web server."""

import gc
import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from gunicorn.workers.gthread import ThreadWorker

from extraction.management import processes
from tests.ports import find_port
from tests.slowness import measure_slowness
from vertex.web_worker import LimitedWorker

ROOT = Path(__file__).resolve().parents[2]
THREADS = 2


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server with two threads, whose requests have a second and 2,000 bytes a second after that."""
    found = find_port()
    command = [sys.executable, "-m", "gunicorn", "tests.vertex.echo_app", "--bind", f"127.0.0.1:{found}", "--threads", str(THREADS)]
    command += ["--worker-class", "tests.vertex.hasty_worker.HastyWorker", "--log-level", "critical", "--no-control-socket"]
    with subprocess.Popen(command, cwd=ROOT) as server:
        processes.wait_for_port(server, found)
        yield found
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(10)
        server.kill()


def test_what_was_loaded_is_left_out_of_collections_of_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[list[str]] = []
    monkeypatch.setattr(ThreadWorker, "load_wsgi", lambda _: loaded.append(["an application"]))
    before = gc.get_freeze_count()
    try:
        LimitedWorker.load_wsgi(object.__new__(LimitedWorker))
        assert gc.get_freeze_count() > before
        assert not any(each is loaded[0] for each in gc.get_objects()), "it is frozen"
    finally:
        gc.unfreeze()


def ask(port: int, body: bytes = b"", *, keep: http.client.HTTPConnection | None = None) -> int:
    """What the server says the length of the body is."""
    connection = keep or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/", body)
    answer = connection.getresponse()
    assert answer.status == 200
    return int(answer.read())


def check_answered_soon(port: int) -> None:
    """Fail unless somebody else is answered within five seconds of a quiet machine."""
    began = time.monotonic()
    assert ask(port, b"four") == 4
    assert time.monotonic() - began < 5 * measure_slowness()


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"


@pytest.mark.parametrize("sent", [b"GE", b"GET / HTTP/1.1\r\nHost: x\r\n", HEAD, HEAD + b"x" * 500], ids=["line", "head", "body", "part"])
def test_clients_that_send_slowly_hold_nobody_up(port: int, sent: bytes) -> None:
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(2 * THREADS)]
    for each in slow:
        each.sendall(sent)
    time.sleep(0.3)
    for _ in range(6):  # a byte now and then
        for each in slow:
            with suppress(OSError):
                each.sendall(b"x")
        time.sleep(0.5)
    check_answered_soon(port)
    for each in slow:
        each.close()


def test_clients_that_receive_slowly_hold_nobody_up(port: int) -> None:
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(THREADS)]
    for each in slow:
        each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        each.sendall(b"GET /?16000000 HTTP/1.1\r\nHost: x\r\n\r\n")
    time.sleep(3)
    check_answered_soon(port)
    for each in slow:
        each.close()


def test_a_large_body_has_the_time_that_it_needs(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as patient:
        patient.sendall(HEAD)
        for _ in range(20):
            patient.sendall(b"x" * 5_000)
            time.sleep(0.1)  # two seconds in all, which is more than the grace
        assert patient.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_connection_is_used_again_after_a_pause(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for body in (b"one", b"three"):
        assert ask(port, body, keep=connection) == len(body)
        time.sleep(1.2)
