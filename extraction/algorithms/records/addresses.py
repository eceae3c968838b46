"""When two addresses lead to the same page.

Two forms of an address are compared. The *exact* form is what a browser would request (https://url.spec.whatwg.org). The *loose* form
leaves out what sites add or write differently without meaning another page: the scheme, ``www.``, a trailing slash, the order of the
query, tracking and session keys, and how characters are escaped. A fragment is a place on the page and is left out of both, unless it
begins with ``!`` or ``/``: then scripts on the page show other content for it.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

import ada_url

from extraction.algorithms.dom.address_noise import PATH_SESSION, is_noise
from extraction.algorithms.dom.urls import join_address

FILES = "file:///"
"""What the names of pages from archives without addresses are relative to."""

_SCHEME = re.compile(r"\s*[a-zA-Z][a-zA-Z0-9+.-]*:[/\\]")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_PLAIN = re.compile(r"[A-Za-z0-9._~-]")


@dataclass(frozen=True, slots=True)
class AddressForms:
    """The forms of an address in which it is compared."""

    exact: str
    loose: str


def find_forms(address: str) -> AddressForms | None:
    """Return the forms of an absolute address or of the name of a page from an archive; None if a browser would not take it."""
    whole = join_address("", address) if _SCHEME.match(address) else name_file(address)
    if whole is None:
        return None
    head, _, fragment = whole.partition("#")
    route = f"#{fragment}" if fragment.startswith(("!", "/")) else ""
    return AddressForms(head + route, _loosen(head) + route)


def name_file(name: str) -> str | None:
    """Return the address that stands for the name of a page from an archive."""
    return join_address(FILES, quote(name.lstrip("/"), safe="/!$&'()*+,;=:@"))


def join_to_file(name: str, link: str) -> str | None:
    """Return what a link on a page from an archive leads to, None if it is no address. name: the page's."""
    own = name_file(name)
    return own and join_address(own, link)


def _loosen(address: str) -> str:
    url = ada_url.URL(address)
    host = url.host.removeprefix("www.").removesuffix(".")
    path = PATH_SESSION.sub("", url.pathname).rstrip("/")
    pairs = sorted(pair for pair in url.search.removeprefix("?").split("&") if pair and not is_noise(*_split(pair)))
    return _write_escapes(f"{host}{path}{'?' if pairs else ''}{'&'.join(pairs)}")


def _split(pair: str) -> tuple[str, str]:
    name, _, value = pair.partition("=")
    return name, value


def _write_escapes(text: str) -> str:
    """Return the text with escapes in one form: a character that needs no escape has none, and the digits are upper case."""

    def write(match: re.Match[str]) -> str:
        character = chr(int(match[0][1:], 16))
        return character if _PLAIN.fullmatch(character) else match[0].upper()

    return _ESCAPE.sub(write, text)
