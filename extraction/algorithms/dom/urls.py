"""Addresses as a browser resolves them (https://url.spec.whatwg.org), by Ada, the parser that Node.js uses.

Backslashes, line breaks within an address, ``///host``, percent signs and hosts that cannot exist follow that standard, which
`urllib.parse` does not. The source of this module is copied into exported rules, so it imports nothing of Vertex.
"""

import re

import ada_url
from lxml import etree

_START = re.compile(r"[\s,]*")
_ADDRESS = re.compile(r"\S+")
_DESCRIPTOR = re.compile(r"[^,(]*(?:\([^)]*\)?[^,(]*)*")
MAX_ADDRESS = 2_000
"""Longest address that counts, in characters."""

_SIZE = re.compile(r"|\d+w(?:\s+\d+h)?|\d*\.?\d+x")


def join_address(base: str, address: str) -> str | None:
    """Return the absolute address, None if it is none or relative to nothing.

    base: what it is relative to, "" if that is not known.
    """
    try:
        return str(ada_url.URL(address, base=base or None).href)
    except ValueError:
        return None


def find_base_address(root: etree._Element, url: str) -> str:
    """Return what the addresses of a page are relative to: its first ``<base href>`` outside of a template if a browser would take it,
    else the page's own address.

    url: the page's address; "" or a file's name if it has none.
    """
    own = url if "://" in url else ""
    for element in root.iter("base"):
        href = element.get("href")
        if href is not None and next(element.iterancestors("template"), None) is None:
            found = join_address(own, href)
            return own if found is None or found.startswith(("javascript:", "data:")) else found
    return own


def find_canonical_address(root: etree._Element, url: str) -> str:
    """Return the address that a page gives as its own (RFC 6596), "" if there is none, it is the page's, or it is on another host.

    A page with several different ones has none, since nobody can tell which is right. Fragments do not count.

    url: the page's address; "" or a file's name if it has none.
    """
    base = find_base_address(root, url)
    found = set()
    for element in root.iter("link"):
        if "canonical" in (element.get("rel") or "").lower().split() and next(element.iterancestors("template"), None) is None:
            found.add((join_address(base, element.get("href") or "") or "").partition("#")[0])
    found.discard("")
    address = found.pop() if len(found) == 1 else ""
    if not address.startswith(("http://", "https://")) or len(address) > MAX_ADDRESS or address == join_address("", url):
        return ""
    return address if "://" not in url or ada_url.URL(address).host == ada_url.URL(url).host else ""


def split_srcset(text: str) -> list[tuple[str, str]]:
    """Return (address, descriptor such as ``2x`` or ``480w``, or "" without one) of each picture in a srcset.

    A comma within an address belongs to it, unless it is the address's end.
    """
    found, at = list[tuple[str, str]](), 0
    while match := _ADDRESS.match(text, _START.match(text, at).end()):  # type: ignore[union-attr]
        at, address = match.end(), match[0]
        descriptor = ""
        if not address.endswith(","):
            rest = _DESCRIPTOR.match(text, at)
            at, descriptor = (rest.end(), rest[0].strip()) if rest else (at, "")
        found.append((address.rstrip(","), descriptor))
    return found


def first_of_srcset(text: str) -> str:
    """Return the first address of a srcset, or a text that is none as it is."""
    listed = split_srcset(text)
    sizes = [size for _, size in listed]
    is_srcset = (len(listed) > 1 or any(sizes)) and all(map(_SIZE.fullmatch, sizes))
    return listed[0][0] if is_srcset else text
