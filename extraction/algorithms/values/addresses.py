"""Addresses of pages and pictures, made absolute as a browser makes them."""

import re

from extraction.algorithms.dom.urls import first_of_srcset, join_address
from extraction.algorithms.values.reading import Reading, refuse_value

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


def read_url(text: str, base_url: str) -> Reading:
    """Return the absolute address, with a host that can exist. base_url: what relative ones are relative to, "" if it is unknown."""
    address = join_address(base_url if "://" in base_url else "", text)
    if address is None:
        relative = not base_url and not _SCHEME.match(text.strip())
        return refuse_value(text, "is relative and the page's address is not known" if relative else "is not an address")
    if not address.startswith(("http://", "https://")):
        return refuse_value(text, f"is a {address.partition(':')[0]}: address")
    return Reading(address)


def read_image(text: str, base_url: str) -> Reading:
    """Return the absolute address of a picture; of a srcset, that of its first candidate."""
    return read_url(first_of_srcset(text), base_url)
