"""Addresses from sitemaps, feeds and lists. Each reader accepts any bytes and returns the addresses that it finds.

XML is read without entities and without network access, and broken XML is read as far as possible.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree
from protego import Protego
from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

from extraction.fetching.crawl.pages import absolute
from extraction.fetching.crawl.scope import tidy

GZIP_MAGIC = b"\x1f\x8b"

_BARE = re.compile(rb"(?P<kept><!\[CDATA\[.*?(?:\]\]>|\Z))|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)", re.DOTALL)

WEB_ADDRESS = re.compile(r"https?://[^\s<>\"',;|]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a sitemap, feed or list names.

    pages, sitemaps: absolute addresses.
    unreadable: entries that look like addresses and are none, as they are written.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


def read_sitemap(content: bytes, *, url: str, max_bytes: int) -> Listing:
    """Return what a sitemap names, whether it is compressed with gzip or not.

    It may be a sitemap, a sitemap index, a text file of addresses or a feed; the protocol allows all of these.

    Raises OSError if the file is damaged or unpacks to more than `max_bytes`.
    """
    if content[:2] == GZIP_MAGIC:
        content = unpacked(content, max_bytes=max_bytes)
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return read_url_list(content)
    try:
        sitemap = Sitemap(escape_ampersands(content))
        found = _join(url, (str(entry["loc"]) for entry in sitemap if entry.get("loc")))
    except (etree.XMLSyntaxError, StopIteration):
        return Listing()
    if sitemap.type == "sitemapindex":
        return Listing(sitemaps=found.pages, unreadable=found.unreadable)
    return found if found.pages or found.unreadable else read_feed(content, url=url)


def read_feed(content: bytes, *, url: str) -> Listing:
    """Return the addresses of the entries of an RSS (0.9 to 2.0) or Atom feed."""
    return _join(url, _feed_links(content))


def _feed_links(content: bytes) -> Iterator[str]:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, remove_comments=True, huge_tree=False)
    try:
        root = etree.fromstring(escape_ampersands(content.lstrip()), parser)
    except (etree.XMLSyntaxError, ValueError):
        return
    for entry in root.iter("{*}item", "{*}entry") if root is not None else ():
        for link in entry.iterchildren("{*}link"):
            if link.get("rel", "alternate") == "alternate" and (href := (link.get("href") or link.text or "").strip()):
                yield href


def _join(base: str, addresses: Iterable[str]) -> Listing:
    """Return the addresses as absolute ones, and those that are none."""
    pages, unreadable = list[str](), list[str]()
    for address in addresses:
        url = absolute(base, address)
        (pages if url else unreadable).append(url or address.strip())
    return Listing(tuple(pages), unreadable=tuple(unreadable))


def escape_ampersands(content: bytes) -> bytes:
    """Return XML whose bare ``&`` are written as ``&amp;``: ``?x=1&y=2``. In CDATA they are left as they are.

    XML in UTF-16 and XML that declares entities is returned unchanged.
    """
    plain = b"\0" not in content[:64] and b"<!ENTITY" not in content
    return _BARE.sub(lambda match: match["kept"] or b"&amp;", content) if b"&" in content and plain else content


def read_url_list(content: bytes) -> Listing:
    """Return the addresses in a text or CSV file, at most one for each row, each once.

    It is the first cell that is a web address or, if there is none, the first web address within the row. Rows without one are skipped.
    """
    text = content.decode("utf-8-sig", "replace")
    found: dict[str, None] = {}
    unreadable: dict[str, None] = {}
    for row in _rows(text):
        url = next((cell.strip() for cell in row if WEB_ADDRESS.fullmatch(cell.strip())), "")
        if url := url or next(iter(WEB_ADDRESS.findall(" ".join(row))), ""):
            try:
                found[tidy(url)] = None
            except ValueError:
                unreadable[url] = None
    return Listing(tuple(found), unreadable=tuple(unreadable))


def robots_sitemaps(content: bytes) -> list[str]:
    """Return the sitemaps that a robots.txt names."""
    return list(Protego.parse(content.decode("utf-8", "replace")).sitemaps)


def unpacked(content: bytes, *, max_bytes: int) -> bytes:
    """Return the unpacked content of gzip data. Raises OSError if it is damaged or has more than `max_bytes`."""
    try:
        return gunzip(content, max_size=max_bytes)
    except (OSError, EOFError):
        raise
    except ValueError as error:  # Scrapy's error for data that unpacks to too much
        raise OSError(f"it unpacks to more than {max_bytes:,} bytes") from error


def _rows(text: str) -> Iterable[list[str]]:
    lines = text.replace("\0", "").splitlines(keepends=True)
    delimiter = next((each for each in (",", ";", "\t") if lines and each in lines[0]), "")
    if not delimiter:
        return ([line] for line in lines)
    try:
        return list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:  # a quote that nothing closes would make one cell of all lines after it, and a cell may be too long for the reader
        return ([cell.strip().strip('"') for cell in line.split(delimiter)] for line in lines)
