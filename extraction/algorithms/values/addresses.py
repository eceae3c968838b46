"""Addresses of pages and pictures, made absolute."""

import re
from urllib.parse import urljoin, urlsplit

from extraction.algorithms.values.reading import Reading, refuse_value

_SRCSET = re.compile(r"^(\S+?)\s+[\d.]+[wx]\s*(?:,|$)")


def read_url(text: str, base_url: str) -> Reading:
    """Return the absolute address. base_url: what relative ones are relative to, "" if it is unknown."""
    try:
        address = urljoin(base_url, text)
        parts = urlsplit(address)
    except ValueError:
        return refuse_value(text, "is not an address")
    if parts.scheme not in ("http", "https"):
        return refuse_value(text, f"is a {parts.scheme}: address" if parts.scheme else "is relative and the page's address is not known")
    if not parts.netloc:
        return refuse_value(text, "is not an address")
    return Reading(address.replace(" ", "%20"))


def read_image(text: str, base_url: str) -> Reading:
    """Return the absolute address of a picture; of a srcset, that of its first candidate."""
    candidate = _SRCSET.match(text)
    return read_url(candidate[1] if candidate else text, base_url)
