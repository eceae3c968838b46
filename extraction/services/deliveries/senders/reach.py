"""The way to other machines: each address is judged, and the connection goes to the very address that was judged.

`url_safety` judges: an address of a private network is refused unless the administrator lists its host in VERTEX_DELIVERY_PRIVATE_HOSTS.
"""

import contextlib
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import IO, Any
from urllib.parse import urlsplit

import certifi
import urllib3
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from extraction.fetching.url_safety import (
    BAD_PORTS,
    DEFAULT_PORTS,
    Guard,
    IPAddress,
    RefusedAddress,
    check_addresses,
    parse_literal_address,
    resolve_host,
)
from extraction.services.deliveries.senders.time_limits import TimeLimit, watch_connection

TIMEOUT_S = 30.0
"""How long a machine may take to accept a connection, and between two pieces of an answer."""

ANSWER_S = 60.0
"""How long a web server may take for its whole answer when the request is sent."""

MAX_ANSWER_BYTES = 64 * 1024
"""How much of an answer is read. It is only needed for messages."""

_TOO_SLOW = f"its answer was not complete after {ANSWER_S:.0f} seconds"

SAID = 200
"""Characters of an answer that a message repeats."""


class DeliveryError(Exception):
    """A delivery failed. The message names what and why, and has no secrets.

    again: whether trying again may help.
    wait_s: how long the receiver asks to wait, 0 if it does not say.
    """

    def __init__(self, message: str, *, again: bool = True, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.again = again
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer of a web server: its status, its headers in lower case, and the beginning of its text."""

    status: int
    headers: Mapping[str, str]
    text: str

    def describe(self) -> str:
        """Return the status and what the server said, on one line."""
        said = " ".join(self.text.split())[:SAID]
        return f"{self.status}: {said}" if said else str(self.status)

    def read_wait_s(self, now: datetime) -> float:
        """Return how long the server asks to wait (Retry-After), 0 if it does not."""
        said = self.headers.get("retry-after", "")
        if said.isdecimal():
            return float(said[:9])
        with contextlib.suppress(ValueError, TypeError):
            return max(0.0, (parsedate_to_datetime(said) - now).total_seconds())
        return 0.0


@dataclass(frozen=True, slots=True)
class WebAddress:
    """The parts of the address of a web server.

    host: as it is written. name: the same in ASCII, as certificates and requests have it.
    header: the name with a port that was written. target: path and query.
    """

    scheme: str
    host: str
    name: str
    port: int
    header: str
    target: str


def read_address(url: str) -> WebAddress:
    """Return the parts of a web address. Raises DeliveryError."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        name = host if host.isascii() else host.encode("idna").decode()
    except ValueError as error:  # the codec's errors are of this kind, too
        raise DeliveryError(gettext("The address is not a web address."), again=False) from error
    if parts.scheme not in DEFAULT_PORTS:
        raise DeliveryError(gettext("The address must begin with https:// or http://."), again=False)
    if not host:
        raise DeliveryError(gettext("No host is named."), again=False)
    written = f"[{name}]" if ":" in name else name
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    header = written if port is None else f"{written}:{port}"
    return WebAddress(parts.scheme, host, name, port or DEFAULT_PORTS[parts.scheme], header, target)


def find_address(host: str, port: int, *, any_port: bool = True) -> IPAddress:
    """Return the address of a host that Vertex may connect to. Raises DeliveryError.

    any_port: ports that web sites never use are allowed, such as that of SSH.
    """
    guard = Guard.of(settings.VERTEX_DELIVERY_PRIVATE_HOSTS)
    if not host:
        raise DeliveryError(gettext("No host is named."), again=False)
    if port in BAD_PORTS and not any_port and not guard.permits(host, port):
        raise DeliveryError(gettext("Port %(port)s of %(host)s is not the port of a web site.") % {"port": port, "host": host}, again=False)
    judged = 0 if any_port and port in BAD_PORTS else port
    try:
        literal = parse_literal_address(host)
        addresses = [literal] if literal else resolve_host(host, port)
        if guard.permits(host, port):
            return addresses[0]
        return check_addresses(addresses, guard=guard, host=host, port=judged or DEFAULT_PORTS["https"])[0]
    except RefusedAddress as error:
        listed = gettext("An administrator can allow the host with VERTEX_DELIVERY_PRIVATE_HOSTS.")
        raise DeliveryError(
            gettext("The address is not allowed: %(error)s. %(listed)s") % {"error": error, "listed": listed}, again=False
        ) from error
    except (OSError, UnicodeError) as error:
        raise DeliveryError(
            gettext("The host %(host)s was not found: %(error)s") % {"host": host, "error": describe_os_error(error)}
        ) from error


def open_socket(host: str, port: int) -> socket.socket:
    """Return a connection to a host. Raises DeliveryError."""
    address = find_address(host, port)
    try:
        made = socket.create_connection((str(address), port), timeout=TIMEOUT_S)
    except OSError as error:
        raise DeliveryError(
            gettext("%(host)s, port %(port)s, does not answer: %(error)s") % {"host": host, "port": port, "error": describe_os_error(error)}
        ) from error
    watch_connection(made.fileno())
    return made


def send_request(method: str, url: str, *, headers: Mapping[str, str], body: bytes | IO[bytes] | None = None) -> HttpAnswer:
    """Send a request and return the answer. Redirects are not followed. Raises DeliveryError."""
    found = read_address(url)
    host, port = found.host, found.port
    address = find_address(host, port, any_port=False)
    sent = {"Host": found.header, "User-Agent": "Vertex", **headers}
    limit = TimeLimit(ANSWER_S)
    with _open_pool(found.scheme, str(address), port, found.name, limit) as pool:
        try:
            answer = pool.request(method, found.target, headers=sent, body=body, preload_content=False, redirect=False, retries=False)
            text = answer.read(MAX_ANSWER_BYTES, decode_content=True).decode("utf-8", "replace")
            answer.release_conn()
        except urllib3.exceptions.HTTPError as error:
            reason = _TOO_SLOW if limit.over else _describe_http_error(error)
            raise DeliveryError(gettext("%(host)s does not answer: %(reason)s") % {"host": host, "reason": reason}) from error
    if limit.over:
        raise DeliveryError(gettext("%(host)s does not answer: %(too_slow)s") % {"host": host, "too_slow": _TOO_SLOW})
    return HttpAnswer(answer.status, {name.lower(): value for name, value in answer.headers.items()}, text)


def fail_on(answer: HttpAnswer, what: str) -> None:
    """Raise DeliveryError unless the answer is a success. what: who answers, for the message."""
    if 200 <= answer.status < 300:
        return
    if 300 <= answer.status < 400:
        raise DeliveryError(
            gettext("%(what)s answers with a redirect (%(status)s). Enter the address that it leads to.")
            % {"what": what, "status": answer.status}
        )
    raise DeliveryError(
        gettext("%(what)s answers %(describe)s") % {"what": what, "describe": answer.describe()}, wait_s=answer.read_wait_s(timezone.now())
    )


def describe_os_error(error: Exception) -> str:
    """Return an error of the operating system without its number."""
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


@contextlib.contextmanager
def _open_pool(scheme: str, address: str, port: int, host: str, limit: TimeLimit) -> Iterator[urllib3.HTTPConnectionPool]:
    """Yield a way to a server. The limit begins with its answer: what is sent to it may take longer."""
    timeout = urllib3.Timeout(connect=TIMEOUT_S, read=TIMEOUT_S)
    if scheme == "http":
        pool = urllib3.HTTPConnectionPool(address, port, timeout=timeout, maxsize=1)
    else:
        pool = urllib3.HTTPSConnectionPool(
            address,
            port,
            timeout=timeout,
            maxsize=1,
            server_hostname=host,
            assert_hostname=host,
            cert_reqs="CERT_REQUIRED",
            ca_certs=certifi.where(),
        )
    pool.ConnectionCls = _limit_answers(pool.ConnectionCls, limit)
    try:
        yield pool
    finally:
        pool.close()
        limit.end()


def _limit_answers(connection: Any, limit: TimeLimit) -> Any:
    """Return a class of connections whose answers must be complete in time."""

    class Limited(connection):  # type: ignore[misc]
        def getresponse(self) -> Any:
            limit.begin()
            limit.watch(self.sock.fileno())
            return super().getresponse()

    return Limited


def _describe_http_error(error: Exception) -> str:
    """Return why a request failed, without the address of the request."""
    refused = isinstance(error, urllib3.exceptions.NewConnectionError)  # it counts as a time-out, too
    if not refused and isinstance(error, urllib3.exceptions.ConnectTimeoutError | urllib3.exceptions.ReadTimeoutError):
        return f"nothing came for {TIMEOUT_S:.0f} seconds"
    cause = error.__cause__ or error.args[-1] if error.args else error
    return describe_os_error(cause) if isinstance(cause, OSError) else type(error).__name__
