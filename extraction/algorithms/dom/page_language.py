"""The language of a page. Its numbers and dates are read by it: 1.234 and 03/04/2024 each have two meanings.

In this order: what the page says of itself (the lang of its root, Content-Language, og:locale), then the country of its
address, which is one for the whole site. A page that says "en" and stands under .uk is British: English dates differ by country.
"""

import re
from urllib.parse import urlsplit

from lxml import etree

_PAIRS = (
    "ar=es-AR at=de-AT au=en-AU bg=bg br=pt-BR cl=es-CL cn=zh-CN cz=cs de=de dk=da es=es fi=fi fr=fr gr=el hr=hr hu=hu ie=en-IE "
    "il=he in=en-IN ir=fa is=is it=it jp=ja kr=ko lt=lt lv=lv mx=es-MX nl=nl no=nb nz=en-NZ pe=es-PE pl=pl pt=pt ro=ro rs=sr "
    "ru=ru se=sv si=sl sk=sk th=th tr=tr tw=zh-TW ua=uk uk=en-GB us=en-US vn=vi za=en-ZA"
)
COUNTRIES = dict(pair.split("=") for pair in _PAIRS.split())
"""Languages by the last part of a host's name, where nearly all sites of a country use one. Left out are countries of several
languages (ch, be, ca) and names that sites everywhere use (co, io, me, tv)."""

_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_SAID = etree.XPath(
    "@lang | @*[name() = 'xml:lang'] | /descendant::meta[translate(@http-equiv, 'CONTELAGU', 'contelagu') = 'content-language']/@content"
    " | /descendant::meta[@property = 'og:locale']/@content"
)


def detect_language(root: etree._Element, url: str = "") -> str | None:
    """The page's language as a tag ("de", "en-GB"), None where nothing tells it. url: the page's address, if known."""
    country = _country(url)
    said = [str(text).strip() for text in _SAID(root)]
    tags = [text.replace("_", "-") for text in said if _TAG.fullmatch(text)]
    if not tags:
        return COUNTRIES.get(country)
    theirs = COUNTRIES.get(country, "")
    vague = "-" not in tags[0] or tags[0] == "en-US"  # many templates come as en-US and are never changed
    return theirs if vague and theirs.split("-")[0] == tags[0].split("-")[0].lower() else tags[0]


def primary_language(root: etree._Element) -> str:
    """The language that a page says it is in, without its country, such as "de"; "" if it does not say it."""
    return (detect_language(root) or "").split("-")[0].lower()


def _country(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.rpartition(".")[2]
