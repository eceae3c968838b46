"""Whether a host speaks HTTPS: only a refusal or an answer without TLS counts, never slowness."""

import socket
import threading
from collections.abc import Iterator

import pytest

from extraction.fetching import tls_probe

HERE = ["127.0.0.1"]


@pytest.fixture
def plain_port() -> Iterator[int]:
    """A server that answers every connection without TLS."""
    server = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                with server.accept()[0] as connection:
                    connection.recv(1000)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            except OSError:
                return

    threading.Thread(target=answer, daemon=True).start()
    yield server.getsockname()[1]
    server.close()


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def test_a_server_without_tls_refuses_it_and_accepts_connections(plain_port: int) -> None:
    assert tls_probe.refuses_tls(HERE, plain_port, "shop.example")
    assert tls_probe.accepts_connections(HERE, plain_port)


def test_a_closed_port_refuses_both(closed_port: int) -> None:
    assert tls_probe.refuses_tls(HERE, closed_port, "shop.example")
    assert not tls_probe.accepts_connections(HERE, closed_port)


def test_a_server_that_says_nothing_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tls_probe, "TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert not tls_probe.refuses_tls(HERE, server.getsockname()[1], "shop.example")
