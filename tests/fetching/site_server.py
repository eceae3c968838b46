"""Serves the made-up site on loopback.

`SiteServer()` is a context manager with an `address` and a log of `requests`. For measurements, ``python -m tests.fetching.site_server
--products 20000`` serves in a process of its own. The server speaks plain HTTP/1.1 over asyncio, so it costs little beside the crawler that
is measured.
"""

import argparse
import asyncio
import ssl
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.fetching.site_pages import Answer, Site


@dataclass(frozen=True)
class Seen:
    """A request as the server saw it."""

    at_s: float
    path: str
    headers: dict[str, str] = field(default_factory=dict)


class SiteServer:
    """Serves a site in a thread. requests: all requests so far. tls: the TLS context; None for plain HTTP."""

    def __init__(self, site: Site | None = None, *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.site = site or Site()
        self.requests: list[Seen] = []
        self._port, self._tls = port, tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> "SiteServer":
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @property
    def address(self) -> str:
        return self.site.address

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    def paths(self) -> list[str]:
        return [seen.path for seen in self.requests]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", self._port, ssl=self._tls))
        self.site.address = f"{'https' if self._tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
                target = first.split(" ")[1]
                self.requests.append(Seen(time.monotonic(), target, headers))
                if not await self._send(writer, self.site.answer(target, headers)):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter, answer: Answer) -> bool:
        """Send an answer, and return whether the connection can stay open."""
        lines = [f"HTTP/1.1 {answer.status} -", *(f"{name}: {value}" for name, value in answer.headers)]
        if answer.pieces is None or answer.length is not None:
            lines.append(f"Content-Length: {len(answer.body) if answer.length is None else answer.length}")
        else:
            lines.append("Connection: close")
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + answer.body)
        for piece in answer.pieces() if answer.pieces else ():
            await asyncio.sleep(answer.pause_s)
            writer.write(piece)
            await writer.drain()
        await writer.drain()
        return answer.pieces is None and answer.length is None


def main() -> None:
    parser = argparse.ArgumentParser(description="Serves the test site on 127.0.0.1 until its standard input closes.")
    parser.add_argument("--products", type=int, default=1500)
    options = parser.parse_args()
    with SiteServer(Site(products=options.products)) as server:
        print(server.address, flush=True)
        input()


if __name__ == "__main__":
    main()
