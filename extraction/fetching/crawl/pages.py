"""What the crawler looks at in a page: its links, its words, and signs of error pages and walls. The tree is read once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from lxml import etree

from extraction.algorithms.dom.nodes import is_xml
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.urls import find_base_address, join_address
from extraction.fetching.crawl.scope import tidy

MAX_LINKS = 5_000
"""The largest number of links followed from one page. A page with more is a list of addresses; other pages link to the rest too."""

MAX_LINK_ELEMENTS = 50_000
"""The largest number of elements of one page that are looked at for links, pictures and files. Each takes some 50 µs."""

MAX_WORDS = 5_000
"""The largest number of words compared of one page. Two pages that agree in these are the same."""

_NEXT = """next|next page|next »|next ›|next >|next →|older|older posts|more results|›|»|→|weiter|nächste|nächste seite|suivant
page suivante|siguiente|próxima|próximo|volgende|successiva|successivo|avanti
następna|další|nästa|neste|næste|下一页|次へ|다음|следующая|далее"""

NEXT_WORDS = frozenset(re.split(r"[|\n]", _NEXT))
"""The texts of links to the next page of a list, in lower case."""

SILENT = frozenset({"script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object"})
"""Elements whose text people do not read."""

ROOT_IDS = frozenset({"root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "app-root", "react-root", "q-app"})
"""Ids of elements in which script frameworks build a page. In the plain page they are empty."""

WEB_TEXT = re.compile(r"\s*https?://[^\s<>\"']+\s*\Z", re.IGNORECASE)

LINK_NAMES = frozenset({"href", "link", "loc", "url", "uri", "next"})
"""Elements and attributes of XML that contain an address, with or without a host."""

WORD = re.compile(r"\w+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link of a page. url: absolute. is_next: whether it leads to the next page of a list."""

    url: str
    is_next: bool = False


@dataclass(frozen=True, slots=True)
class ParsedView:
    """A page as the crawler sees it.

    words: the words of the text that people read, in order, at most `MAX_WORDS`.
    canonical: the address that the page gives as its own; "" for none.
    refresh: the address that it redirects to within three seconds; "" for none.
    links_left_out: whether the page has more links than are read (`MAX_LINKS`, `MAX_LINK_ELEMENTS`).
    has_empty_root: whether an element in which a script framework builds the page is empty.
    content: a 64-bit hash of the words and pictures, equal for pages that show the same.
    """

    title: str
    heading: str
    words: tuple[str, ...]
    links: tuple[PageLink, ...]
    pictures: tuple[str, ...]
    stylesheets: tuple[str, ...]
    canonical: str
    refresh: str
    has_script: bool
    has_empty_root: bool
    has_password: bool
    content: int
    is_xml: bool = False
    links_left_out: bool = False


def view(content: bytes, *, url: str, content_type: str = "") -> ParsedView:
    """Return the page in these bytes. Raises PageError if they are not a page."""
    root = parse(content, content_type=content_type or None).root
    reader = _XmlReader(root, url) if is_xml(root) else _Reader(root, url)
    words = tuple(_words(root))
    pictures = tuple(dict.fromkeys(reader.pictures))
    return ParsedView(
        title=_text(root.find(".//title")),
        heading=_text(root.find(".//h1")),
        words=words,
        links=tuple(reader.links.values()),
        pictures=pictures,
        stylesheets=tuple(dict.fromkeys(reader.stylesheets)),
        canonical=reader.canonical,
        refresh=reader.refresh,
        has_script=reader.has_script,
        has_empty_root=reader.has_empty_root,
        has_password=reader.has_password,
        content=hash64("\n".join((*words, *pictures))),
        is_xml=is_xml(root),
        links_left_out=reader.links_left_out,
    )


def hash64(text: str) -> int:
    """Return a 64-bit hash of a text that is the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


class _Reader:
    """Collects what the crawler needs from the elements of an HTML page."""

    def __init__(self, root: etree._Element, url: str) -> None:
        self._base = find_base_address(root, url)
        self.links: dict[str, PageLink] = {}
        self.pictures: list[str] = []
        self.stylesheets: list[str] = []
        self.canonical = self.refresh = ""
        self.has_script = self.has_empty_root = self.has_password = self.links_left_out = False
        steps = {"a": self._link, "area": self._link, "link": self._relation, "img": self._picture, "meta": self._meta}
        steps |= {"input": self._input, "script": self._script, "div": self._div}
        for number, element in enumerate(root.iter(*steps)):
            if number >= MAX_LINK_ELEMENTS:
                self.links_left_out = True
                break
            steps[str(element.tag)](element)

    def _link(self, element: etree._Element) -> None:
        href = element.get("href")
        if href and (url := absolute(self._base, href)):
            is_next = _is_next(element)
            if url not in self.links and len(self.links) >= MAX_LINKS:
                self.links_left_out = True
            elif url not in self.links or is_next:
                self.links[url] = PageLink(url, is_next)

    def _relation(self, element: etree._Element) -> None:
        relations = (element.get("rel") or "").lower().split()
        href = element.get("href") or ""
        if "next" in relations:
            self._link(element)
        elif "canonical" in relations and not self.canonical:
            self.canonical = absolute(self._base, href)
        elif "stylesheet" in relations and (url := absolute(self._base, href)):
            self.stylesheets.append(url)

    def _picture(self, element: etree._Element) -> None:
        if url := absolute(self._base, element.get("src") or element.get("data-src") or ""):
            self.pictures.append(url)

    def _meta(self, element: etree._Element) -> None:
        if (element.get("http-equiv") or "").lower() == "refresh":
            delay, _, rest = (element.get("content") or "").partition(";")
            target = re.sub(r"^\s*url\s*=\s*", "", rest, flags=re.IGNORECASE).strip().strip("'\"")
            if target and delay.strip() in {"", "0", "1", "2", "3"}:
                self.refresh = absolute(self._base, target)

    def _input(self, element: etree._Element) -> None:
        self.has_password |= (element.get("type") or "").lower() == "password"

    def _script(self, element: etree._Element) -> None:
        self.has_script |= (element.get("type") or "text/javascript").lower() in {"text/javascript", "module", "application/javascript"}

    def _div(self, element: etree._Element) -> None:
        if (element.get("id") or "") in ROOT_IDS and not len(element) and not (element.text or "").strip():
            self.has_empty_root = True


class _XmlReader(_Reader):
    """Collects the links of an XML page, which has no elements for them.

    A text or an attribute value is a link if it is a web address, or if its element or attribute is in `LINK_NAMES`.
    """

    def __init__(self, root: etree._Element, url: str) -> None:
        self.links: dict[str, PageLink] = {}
        self.pictures: list[str] = []
        self.stylesheets: list[str] = []
        self.canonical = self.refresh = ""
        self.has_script = self.has_empty_root = self.has_password = self.links_left_out = False
        for number, element in enumerate(root.iter(etree.Element)):
            if len(self.links) >= MAX_LINKS or number >= 20 * MAX_LINK_ELEMENTS:
                self.links_left_out = True
                break
            for name, text in ((element.tag, element.text or ""), *element.items()):
                if WEB_TEXT.match(text) or (str(name).lower() in LINK_NAMES and "\n" not in text.strip()):
                    self._add(absolute(url, text))

    def _add(self, url: str) -> None:
        if url:
            self.links.setdefault(url, PageLink(url))


def _is_next(element: etree._Element) -> bool:
    relations = (element.get("rel") or "").lower().split()
    if "next" in relations:
        return True
    if len(element) > 3:
        return False
    label = element.get("aria-label") or "".join(element.itertext())[:40]
    return " ".join(label.lower().split()) in NEXT_WORDS


@lru_cache(maxsize=8192)
def absolute(base: str, href: str) -> str:
    """Return the absolute web address of a link; empty if it has none. Cached, because the pages of a site share most of their links."""
    href = href.strip()
    if not href or href[0] == "#" or href[:11].lower().startswith(("javascript:", "mailto:", "tel:", "data:")):
        return ""
    url = tidy(join_address(base, href) or "")
    return url if url.startswith(("http://", "https://")) else ""


def _text(element: etree._Element | None) -> str:
    return " ".join("".join(element.itertext()).split())[:500] if element is not None else ""


def _words(root: etree._Element) -> Iterator[str]:
    """Yield the words of the text that people read, in lower case."""
    left = MAX_WORDS
    for text in _texts(root):
        words = WORD.findall(text.lower())
        yield from words[:left]
        left -= len(words)
        if left <= 0:
            return


def _texts(root: etree._Element) -> Iterator[str]:
    skipping: etree._Element | None = None
    silent = frozenset() if is_xml(root) else SILENT
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if skipping is not None:
            if event == "end" and element is skipping:
                skipping = None
        elif event == "start":
            if element.tag in silent or not isinstance(element.tag, str):
                skipping = element
                continue
            if element.text:
                yield element.text
            continue
        if event == "end" and element.tail and skipping is None:
            yield element.tail
