"""Which addresses Vertex may fetch: web sites on the public internet, and hosts that an operator permits.

A site can name any address in its links, redirects and scripts, and its name server can give a different answer each time. A host name
therefore proves nothing. The code that is about to connect checks the IP address with `Guard.check` and connects to exactly that
address. `check_url` looks at a URL earlier, only to save an attempt that would fail anyway.

The guard refuses the private, loopback, link-local (cloud metadata), shared, documentation, benchmark, multicast and reserved ranges of
IANA's special-purpose registries, however they are written: as IPv4 in IPv6 (mapped, compatible, NAT64, 6to4), or as decimal, octal,
hexadecimal or shortened IPv4, which `inet_aton` accepts. It also refuses the ports that the Fetch standard blocks ("bad ports").
"""

import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit, urlunsplit

IPAddress = IPv4Address | IPv6Address

DEFAULT_PORTS = {"http": 80, "https": 443}

MAX_URL = 2_048
"""The longest URL, in characters. Longer ones come from crawler traps, not from people; sitemaps have the same limit."""

MAX_NAME, MAX_LABEL = 253, 63
"""The largest number of characters of a host name, and of one part between its dots. Longer names cannot be looked up."""

_SPECIAL = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24
    192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
    ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96
    100::/64 64:ff9b:1::/48 2001::/23 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
"""

REFUSED_NETWORKS = tuple(map(ip_network, _SPECIAL.split()))
"""IANA's IPv4 and IPv6 special-purpose registries, multicast, and the deprecated site-local, IPv4-compatible and IPv4-translated (RFC 2765)
ranges. IPv4-mapped addresses are refused whatever they contain: no public server has one. The ranges are listed here because Python's own
idea of a private address changes between releases."""

NAT64 = ip_network("64:ff9b::/96")

_PORTS = """
    0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179
    389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061
    6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080 11211
"""

BAD_PORTS = frozenset(map(int, _PORTS.split()))
"""The Fetch standard's list, with Redis (6379) and memcached (11211), which understand requests that a browser can be made to send."""


class RefusedAddress(Exception):  # noqa: N818
    """An address that Vertex does not fetch; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Decides which addresses Vertex may connect to.

    permitted: hosts that an operator permits whatever their addresses are, each as ``host`` or ``host:port``.
    """

    permitted: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, permitted: Iterable[str]) -> "Guard":
        return cls(frozenset(host.strip().lower().rstrip(".") for host in permitted if host.strip()))

    def permits(self, host: str, port: int) -> bool:
        """Return whether an operator permits this host. host: as written in the URL."""
        name = host.strip("[]").lower().rstrip(".")
        written = f"[{name}]" if ":" in name else name
        return not self.permitted.isdisjoint((name, written, f"{written}:{port}"))

    def check(self, address: IPAddress, *, host: str, port: int) -> None:
        """Raise RefusedAddress unless Vertex may connect to this address of the host."""
        if self.permits(host, port):
            return
        if port in BAD_PORTS:
            raise RefusedAddress(f"port {port} of {host} is not the port of a web site")
        if reason := explain_refusal(address):
            shown = f"{host} is {address}" if host != str(address) else str(address)
            raise RefusedAddress(f"{shown}, {reason}")

    def check_url(self, url: str) -> str:
        """Return the URL to fetch, without user, password and fragment.

        Raises RefusedAddress if the URL can be refused without looking up its host.
        """
        if len(url) > MAX_URL:
            raise RefusedAddress(f"the address has {len(url):,} characters, more than {MAX_URL:,}: {url[:80]}…")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise RefusedAddress(f"“{url[:200]}” is not the address of a web site, which looks like https://www.example.org/page") from None
        if parts.scheme not in DEFAULT_PORTS:
            raise RefusedAddress(f"only http and https are fetched, and “{url[:200]}” begins with neither")
        if not host:
            raise RefusedAddress(f"“{url[:200]}” names no host; an address looks like https://www.example.org/page")
        port = DEFAULT_PORTS[parts.scheme] if port is None else port
        if literal := parse_literal_address(host):
            self.check(literal, host=host, port=port)
        elif reason := _explain_bad_name(host):
            raise RefusedAddress(f"“{host[:80]}{'…' if len(host) > 80 else ''}” is not the name of a host: {reason}")
        elif port in BAD_PORTS and not self.permits(host, port):
            raise RefusedAddress(f"port {port} of {host} is not the port of a web site")
        return _without_user(parts)


def explain_refusal(address: IPAddress) -> str:
    """Return why Vertex does not fetch from an address; empty if the address is public."""
    if isinstance(address, IPv6Address):
        if (inner := _find_embedded(address)) and (reason := explain_refusal(inner)):
            return f"which stands for {inner}, {reason}"
        if address.scope_id:
            return "an address of this machine's own networks"
    if any(address.version == network.version and address in network for network in REFUSED_NETWORKS):
        return "not an address of the public internet"
    return ""


def parse_literal_address(host: str) -> IPAddress | None:
    """Return the IP address that the host of a URL stands for, or None if the host is a name.

    Like browsers, this accepts decimal, octal, hexadecimal and short IPv4 as `inet_aton` reads it: ``127.1``, ``0x7f000001``,
    ``2130706433``.
    """
    name = host.strip("[]").rstrip(".")
    try:
        return ip_address(name)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(name)) if name[:1].isdigit() and " " not in name else None
    except (OSError, UnicodeEncodeError):
        return None


def _explain_bad_name(host: str) -> str:
    """Return why a name cannot be a host name (RFC 1035, 2.3.4); empty if it can. Names that are not ASCII are measured in IDNA form."""
    if any(each.isspace() for each in host):
        return "a space is not allowed in it"
    parts = host.removesuffix(".").split(".")
    if not all(parts):
        return "there is nothing between two of its dots"
    try:
        length = len(host.removesuffix(".").encode("idna"))
    except UnicodeError:
        # The codec rejects a part between dots that is too long or has characters that are not allowed.
        return (
            f"a part of it has more than {MAX_LABEL} characters"
            if any(len(each) > MAX_LABEL for each in parts)
            else "it cannot be looked up"
        )
    return f"it has more than {MAX_NAME} characters" if length > MAX_NAME else ""


def resolve_host(host: str, port: int) -> list[IPAddress]:
    """Return the addresses of a host in the order of this machine's resolver. Blocks. Raises OSError if there are none."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"it is not the name of a host: {error}") from error
    return list(dict.fromkeys(ip_address(str(each[4][0]).partition("%")[0]) for each in found))


def check_addresses(addresses: Iterable[IPAddress], *, guard: Guard, host: str, port: int) -> list[IPAddress]:
    """Return the addresses of a host that Vertex may connect to. Raises RefusedAddress if it refuses all of them."""
    allowed: list[IPAddress] = []
    refused: RefusedAddress | None = None
    for address in addresses:
        try:
            guard.check(address, host=host, port=port)
            allowed.append(address)
        except RefusedAddress as error:
            refused = error
    if refused and not allowed:
        raise refused
    return allowed


def _find_embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address contains, or None."""
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour


def _without_user(parts: SplitResult) -> str:
    location = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, location, parts.path or "/", parts.query, ""))
