"""Names to addresses for Twisted, judged where the connection is made.

Twisted's endpoints ask the reactor's name resolver for each new connection and connect to just the addresses that it gives, IP literals
included. So with this resolver installed no connection of this process goes to an address that was not judged, whatever a
redirect or a name server says, and however often it changes its mind.
"""

import asyncio
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
"""How long a name's addresses are used again. What is used again was judged, so this is about speed only."""

MAX_NAMES = 2_000

Lookup = Callable[[str, int], list[IPAddress]]


@implementer(IHostResolution)
class _Resolution:
    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """A look-up that runs in a thread cannot be stopped; its answer then comes too late."""


@implementer(IHostnameResolver)
class CheckedResolver:
    """Gives the addresses of a host that `guard` lets pass. trusted: (host, port) of the operator's own proxy, not judged.

    refusals: why a (host, port) was refused the last time, since Twisted reports only that there is no address.
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
        """Twisted's question; addresses go to the receiver."""
        resolution = _Resolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)
        place = (hostName, portNumber)
        known = self._remembered.get(place)
        if known and known[0] > monotonic():
            self._give(resolutionReceiver, portNumber, known[1])
            return resolution
        looked_up = deferToThreadPool(self._reactor, self._reactor.getThreadPool(), self._addresses, hostName, portNumber)
        looked_up.addCallbacks(
            lambda found: self._found(resolutionReceiver, place, found),
            lambda failure: self._failed(resolutionReceiver, place, failure.value),
        )
        return resolution

    async def judge(self, host: str, port: int) -> None:
        """Looks at the addresses of a host that a proxy will connect to, which resolves it again: the best that can be done from here.
        Raises RefusedAddress. A host that only the proxy knows passes."""
        known = self._remembered.get((host, port))
        if known and known[0] > monotonic():
            return
        try:
            found = await asyncio.to_thread(self._addresses, host, port)
        except OSError:
            return
        self._remembered[host, port] = (monotonic() + REMEMBER_S, found)

    def _addresses(self, host: str, port: int) -> list[IPAddress]:
        literal = parse_literal_address(host)
        found = [literal] if literal else self._lookup(host, port)
        return found if (host, port) == self._trusted else check_addresses(found, guard=self._guard, host=host, port=port)

    def _found(self, receiver: Any, place: tuple[str, int], found: list[IPAddress]) -> None:
        if len(self._remembered) >= MAX_NAMES:
            self._remembered.clear()
        self._remembered[place] = (monotonic() + REMEMBER_S, found)
        self.refusals.pop(place, None)
        self._give(receiver, place[1], found)

    def _failed(self, receiver: Any, place: tuple[str, int], error: BaseException) -> None:
        if isinstance(error, RefusedAddress):
            self.refusals[place] = str(error)
        receiver.resolutionComplete()

    def _give(self, receiver: Any, port: int, addresses: list[IPAddress]) -> None:
        for address in addresses:
            kind = tcp.IPv4Address if isinstance(address, IPv4Address) else tcp.IPv6Address
            receiver.addressResolved(kind("TCP", str(address), port))
        receiver.resolutionComplete()
