"""A forward proxy that is the only way for the browser to reach the network.

A page can make a browser request anything by scripts, frames, prefetching, service workers, WebSockets and redirects. Instead of blocking
each of these, the browser gets no resolver and must use this proxy for everything. The proxy resolves each name itself, checks the address
and connects to it. It supports what browsers send to proxies: CONNECT (TLS, WebSockets) and requests with an absolute address. It listens
only on this machine and requires a password that only the browser knows.
"""

import asyncio
import base64
import contextlib
import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from extraction.fetching.url_safety import Guard, IPAddress, RefusedAddress, check_addresses, parse_literal_address, resolve_host

HEAD_BYTES = 65_536
"""The largest number of bytes in the head of a request or an answer."""

CONNECT_S = 15.0
IDLE_S = 30.0
"""How long a connection may be silent."""

PIECE_BYTES = 65_536

MAX_CONNECTIONS = 200

Lookup = Callable[[str, int], list[IPAddress]]

OWN_HEADERS = (b"proxy-", b"connection:", b"keep-alive:")


class Gateway:
    """The proxy.

    max_bytes: the most bytes in each direction of one connection.
    upstream: the address of a proxy that is used for all connections; "" for none.
    checks_upstream: whether the address of that proxy is checked, too: it is the site's proxy, not the operator's.
    refusals: the latest refusals, for messages.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        max_bytes: int,
        upstream: str = "",
        checks_upstream: bool = False,
        lookup: Lookup = resolve_host,
    ) -> None:
        self._guard = guard
        self._max_bytes = max_bytes
        self._upstream = urlsplit(upstream) if upstream else None
        self._checks_upstream = checks_upstream
        self._lookup = lookup
        self._server: asyncio.Server | None = None
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)
        self.user, self.password = "vertex", secrets.token_urlsafe(24)
        self.refusals: list[str] = []

    async def start(self) -> str:
        """Start to listen and return the address."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HEAD_BYTES)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._server:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with self._slots:
            try:
                await self._answer(reader, writer)
            except RefusedAddress as error:
                self.refusals = [*self.refusals[-19:], str(error)]
                await _refuse(writer, "403 Forbidden", str(error))
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError) as error:
                await _refuse(writer, "502 Bad Gateway", str(error) or type(error).__name__)
            finally:
                writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE_S)
        request, *headers = head[:-4].split(b"\r\n")
        method, target, _ = request.decode("latin-1").split(" ", 2)
        if not self._is_known(headers):
            await _ask_password(writer)
            return
        if method == "CONNECT":
            host, port = _host_and_port(f"//{target}", 443)
            far_reader, far_writer = await self._connect(host, port)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            host, port = _host_and_port(self._guard.check_url(target), 80)
            far_reader, far_writer = await self._connect(host, port)
            far_writer.write(_origin_head(method, target, headers))
        # What a request sends is passed on before the answer is read, because the answer to a form comes only after the form.
        sending = asyncio.create_task(self._pump(reader, far_writer))
        try:
            if method != "CONNECT":
                writer.write(_closing(await asyncio.wait_for(far_reader.readuntil(b"\r\n\r\n"), IDLE_S)))
            await self._both_ways(sending, asyncio.create_task(self._pump(far_reader, writer)))
        finally:
            sending.cancel()
            far_writer.close()

    def _is_known(self, headers: list[bytes]) -> bool:
        expected = base64.b64encode(f"{self.user}:{self.password}".encode())
        given = (line.partition(b":")[2].split() for line in headers if line.lower().startswith(b"proxy-authorization:"))
        return any(len(words) == 2 and secrets.compare_digest(words[1], expected) for words in given)

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the first allowed address of a host that answers. Raises RefusedAddress, OSError."""
        try:
            addresses = await self._addresses(host, port)
        except OSError:
            if not self._upstream:  # the proxy may know hosts that this machine does not
                raise
        if self._upstream:
            return await self._connect_on(host, port)
        failure: OSError = OSError(f"{host} has no address")
        for address in addresses:
            try:
                return await asyncio.wait_for(asyncio.open_connection(str(address), port, limit=HEAD_BYTES), CONNECT_S)
            except OSError as error:
                failure = error
        raise failure

    async def _addresses(self, host: str, port: int) -> list[IPAddress]:
        literal = parse_literal_address(host)
        found = [literal] if literal else await asyncio.to_thread(self._lookup, host, port)
        return check_addresses(found, guard=self._guard, host=host, port=port)

    async def _connect_on(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a tunnel through the proxy. Raises RefusedAddress, OSError."""
        upstream = self._upstream
        if upstream is None or not upstream.hostname:
            raise OSError("no proxy to go on through")
        place, far_port = upstream.hostname, upstream.port or 80
        if self._checks_upstream:
            place = str((await self._addresses(place, far_port))[0])
        opening = asyncio.open_connection(place, far_port, limit=HEAD_BYTES)
        reader, writer = await asyncio.wait_for(opening, CONNECT_S)
        name = f"[{host}]" if ":" in host else host
        user = ""
        if upstream.username is not None:
            pair = base64.b64encode(f"{upstream.username}:{upstream.password or ''}".encode()).decode()
            user = f"Proxy-Authorization: Basic {pair}\r\n"
        writer.write(f"CONNECT {name}:{port} HTTP/1.1\r\nHost: {name}:{port}\r\n{user}\r\n".encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), CONNECT_S)
        if b" 200" not in head.partition(b"\r\n")[0]:
            writer.close()
            raise OSError(f"the proxy answers {head.partition(bytes((13,)))[0].decode('latin-1')!r}")
        return reader, writer

    async def _both_ways(self, *tasks: asyncio.Task[None]) -> None:
        """Pass bytes on until one side ends, is silent for too long or has sent too much."""
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        left = self._max_bytes
        while left > 0 and (piece := await asyncio.wait_for(reader.read(PIECE_BYTES), IDLE_S)):
            left -= len(piece)
            writer.write(piece)
            await writer.drain()


def _host_and_port(target: str, default: int) -> tuple[str, int]:
    parts = urlsplit(target)
    if not parts.hostname:
        raise ValueError(f"no host in {target[:200]!r}")
    return parts.hostname, parts.port or default


def _origin_head(method: str, target: str, headers: list[bytes]) -> bytes:
    """Return the head of the request as the site's server expects it."""
    parts = urlsplit(target)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [line for line in headers if not line.lower().startswith(OWN_HEADERS)]
    return b"\r\n".join([f"{method} {path} HTTP/1.1".encode("latin-1"), *kept, b"Connection: close", b"", b""])


def _closing(head: bytes) -> bytes:
    """Return the head of an answer with a header that closes the connection, because the next request may be for another host."""
    status, *headers = head[:-4].split(b"\r\n")
    return b"\r\n".join([status, *(line for line in headers if not line.lower().startswith(OWN_HEADERS)), b"Connection: close", b"", b""])


async def _refuse(writer: asyncio.StreamWriter, status: str, reason: str) -> None:
    text = reason.encode("utf-8", "replace")
    with contextlib.suppress(OSError):
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(text)}\r\n".encode())
        writer.write(b"Connection: close\r\n\r\n" + text)
        await writer.drain()


async def _ask_password(writer: asyncio.StreamWriter) -> None:
    writer.write(b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="crawl"\r\nContent-Length: 0\r\n')
    writer.write(b"Connection: close\r\n\r\n")
    await writer.drain()
