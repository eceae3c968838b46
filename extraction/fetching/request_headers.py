"""Headers, cookies and proxies that a person may set for a site: which are allowed, and which may be shown.

Names and values are checked here so that nothing a person enters can end a header, begin another one, or take the place of what Vertex
itself decides about a request.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from extraction.fetching.hidden_texts import HIDDEN

NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
"""A token of RFC 9110, 5.6.2, which names of headers and cookies are."""

VALUE = re.compile(r"[\t\x20-\x7e]*")
"""What a value may hold: printable ASCII. RFC 9110, 5.5, allows more, but what a server makes of it is not defined."""

COOKIE_VALUE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*|\"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*\"")
"""The value of a cookie in RFC 6265, 4.1.1."""

MAX_VALUE = 4_000
MAX_NUMBER = 50
"""The largest number of headers, and of cookies, that a site may have."""

OWN_HEADERS = {
    "host": "it follows from the address",
    "user-agent": "it names Vertex and your contact; change the contact under Source of the pages",
    "cookie": "enter cookies in their own field",
    "cookie2": "enter cookies in their own field",
    "set-cookie": "only servers send it",
    "accept-encoding": "Vertex names the encodings that it can read",
    "content-length": "requests for pages have no content",
    "content-type": "requests for pages have no content",
    "content-encoding": "requests for pages have no content",
    "if-none-match": "Vertex sets it for pages that it has stored",
    "if-modified-since": "Vertex sets it for pages that it has stored",
    "if-match": "Vertex sets conditions itself",
    "if-unmodified-since": "Vertex sets conditions itself",
    "if-range": "Vertex fetches whole pages",
    "range": "Vertex fetches whole pages",
    "expect": "requests for pages have no content",
}
"""Headers that Vertex sets itself, and why a person cannot."""

CONNECTION_HEADERS = frozenset({"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings", "via"})

OPEN_HEADERS = frozenset({"accept", "accept-language", "dnt", "referer", "save-data", "x-requested-with"})
"""Headers whose values are shown. All others may hold keys, so nobody sees their values again."""


@dataclass(frozen=True, slots=True)
class SiteProxy:
    """A proxy of a site. address: without user and password. login: "user:password", "" if it needs none."""

    address: str = ""
    login: str = ""

    @property
    def url(self) -> str:
        """The address with user and password."""
        if not self.login:
            return self.address
        user, _, password = self.login.partition(":")
        parts = urlsplit(self.address)
        return urlunsplit(parts._replace(netloc=f"{quote(user, safe='')}:{quote(password, safe='')}@{parts.netloc}"))


def check_header(name: str, value: str) -> None:
    """Raise ValueError unless a person may set this header. The message names the header, never the value."""
    lower = name.lower()
    if not NAME.fullmatch(name):
        raise ValueError(f"“{name[:60]}” is not the name of a header.")
    if reason := OWN_HEADERS.get(lower):
        raise ValueError(f"{name} cannot be set: {reason}.")
    if lower in CONNECTION_HEADERS or lower.startswith(("proxy-", "sec-", "access-control-")):
        raise ValueError(f"{name} cannot be set: it is about the connection, which Vertex and the browser manage.")
    _check_value(name, value)


def check_cookie(name: str, value: str) -> None:
    """Raise ValueError unless a person may set this cookie. The message names the cookie, never the value."""
    if not NAME.fullmatch(name):
        raise ValueError(f"“{name[:60]}” is not the name of a cookie.")
    _check_value(name, value)
    if not COOKIE_VALUE.fullmatch(value):
        raise ValueError(f"The value of the cookie {name} has a space, a comma, a semicolon or another character that no cookie can have.")


def read_proxy(text: str) -> SiteProxy:
    """Return the proxy in a text such as http://user:password@proxy.example:3128. Raises ValueError; the message shows no password."""
    text = text.strip()
    if not text:
        return SiteProxy()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("This is not the address of a proxy, which looks like http://proxy.example:3128.") from None
    if parts.scheme != "http":
        raise ValueError(f"Only proxies that are reached by http:// are supported, not {parts.scheme}://. They fetch https pages, too.")
    if not host or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("This is not the address of a proxy, which looks like http://proxy.example:3128.")
    name = f"[{host}]" if ":" in host else host
    login = "" if parts.username is None else f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    if not VALUE.fullmatch(login):
        raise ValueError("The user or the password of the proxy has a character that is not printable ASCII.")
    return SiteProxy(f"http://{name}:{port or 80}", login)


def list_secrets(*, headers: Mapping[str, str], cookies: Mapping[str, str], proxy: str) -> dict[str, str]:
    """Return the values among these that nobody may see, by a name of their own."""
    found = {f"header {name}": value for name, value in headers.items() if name.lower() not in OPEN_HEADERS}
    found |= {f"{name}, its key": value.partition(" ")[2] for name, value in found.items()}  # "Bearer KEY": the key alone, too
    found |= {f"cookie {name}": value.strip('"') for name, value in cookies.items()}
    if "@" in proxy:
        found["proxy"] = unquote(urlsplit(proxy).password or "")
    return {name: value for name, value in found.items() if value}


def show_header(name: str, value: str) -> str:
    """Return what people see of the value of a header."""
    return value if name.lower() in OPEN_HEADERS else HIDDEN


def _check_value(name: str, value: str) -> None:
    if not VALUE.fullmatch(value):
        raise ValueError(f"The value of {name} has a line break or another character that is not printable ASCII.")
    if not value.strip():
        raise ValueError(f"{name} has no value.")
    if len(value) > MAX_VALUE:
        raise ValueError(f"The value of {name} has {len(value):,} characters; at most {MAX_VALUE:,} are accepted.")
