"""A name resolver for Twisted that checks addresses where the connection is made.

For each new connection, even to an IP literal, Twisted's endpoints ask the reactor's name resolver and connect only to the addresses that
it returns. So with this resolver, the process never connects to an unchecked address, whatever redirects and name servers say and however
often their answers change.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address
from time import monotonic
from typing import Any

from twisted.internet import address as tcp
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution
from twisted.internet.threads import deferToThreadPool
from zope.interface import implementer

from extraction.fetching.url_safety import Guard, IPAddress, RefusedAddress, check_addresses, parse_literal_address, resolve_host

REMEMBER_S = 60.0
"""How long the addresses of a name are reused. They have been checked, so reusing them is safe and only saves time."""

MAX_NAMES = 2_000

Lookup = Callable[[str, int], list[IPAddress]]


@implementer(IHostResolution)
class _Resolution:
    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """Do nothing: a look-up in a thread cannot be stopped, and its answer is ignored."""


@implementer(IHostnameResolver)
class CheckedResolver:
    """Resolves a host to the addresses that `guard` allows.

    trusted: (host, port) of the operator's own proxy, whose address is not checked.
    refusals: why each (host, port) was last refused, because Twisted reports only that there is no address.
    """

    def __init__(self, reactor: Any, guard: Guard, *, trusted: tuple[str, int] | None = None, lookup: Lookup = resolve_host) -> None:
        self._reactor = reactor
        self._guard = guard
        self._trusted = trusted
        self._lookup = lookup
        self._remembered: dict[tuple[str, int], tuple[float, list[IPAddress]]] = {}
        self.refusals: dict[tuple[str, int], str] = {}

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803, ARG002
        transportSemantics: str = "TCP",  # noqa: N803, ARG002
    ) -> Any:
        """Resolve a name for Twisted. The addresses go to the receiver."""
        resolution = _Resolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)
        place = (hostName, portNumber)
        known = self._remembered.get(place)
        if known and known[0] > monotonic():
            self._deliver(resolutionReceiver, portNumber, known[1])
            return resolution
        looked_up = deferToThreadPool(self._reactor, self._reactor.getThreadPool(), self._addresses, hostName, portNumber)
        looked_up.addCallbacks(
            lambda found: self._remember(resolutionReceiver, place, found),
            lambda failure: self._report_failure(resolutionReceiver, place, failure.value),
        )
        return resolution

    async def judge(self, host: str, port: int) -> None:
        """Check the addresses of a host that a proxy will connect to. Raises RefusedAddress.

        The proxy resolves the name again, so this check cannot be certain. A host that only the proxy knows passes.
        """
        with contextlib.suppress(OSError):
            await self.find_checked(host, port)

    async def find_checked(self, host: str, port: int) -> list[IPAddress]:
        """Return the addresses of a host that may be connected to. Raises RefusedAddress, OSError."""
        known = self._remembered.get((host, port))
        if known and known[0] > monotonic():
            return known[1]
        found = await asyncio.to_thread(self._addresses, host, port)
        self._remembered[host, port] = (monotonic() + REMEMBER_S, found)
        return found

    def _addresses(self, host: str, port: int) -> list[IPAddress]:
        literal = parse_literal_address(host)
        found = [literal] if literal else self._lookup(host, port)
        return found if (host, port) == self._trusted else check_addresses(found, guard=self._guard, host=host, port=port)

    def _remember(self, receiver: Any, place: tuple[str, int], found: list[IPAddress]) -> None:
        if len(self._remembered) >= MAX_NAMES:
            self._remembered.clear()
        self._remembered[place] = (monotonic() + REMEMBER_S, found)
        self.refusals.pop(place, None)
        self._deliver(receiver, place[1], found)

    def _report_failure(self, receiver: Any, place: tuple[str, int], error: BaseException) -> None:
        if isinstance(error, RefusedAddress):
            self.refusals[place] = str(error)
        receiver.resolutionComplete()

    def _deliver(self, receiver: Any, port: int, addresses: list[IPAddress]) -> None:
        for address in addresses:
            kind = tcp.IPv4Address if isinstance(address, IPv4Address) else tcp.IPv6Address
            receiver.addressResolved(kind("TCP", str(address), port))
        receiver.resolutionComplete()
