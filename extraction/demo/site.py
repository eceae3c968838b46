"""The demo site: a second-hand bookshop of about 170 pages in five templates and two designs, with its correct values.

Everything depends only on the arguments: there is no clock, no network, and no files except the texts next to the code. `design` 2 is a
complete redesign of the same content at the same addresses. `partial` changes only the price and stock block of design 1's book pages.
`day` changes prices, stock, reviews and adverts, but no template.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from extraction.demo import content, design_one, design_two, markup
from extraction.demo.content import ArticlePage, AuthorPage, BookPage, InfoPage, ListingPage
from extraction.demo.images import Picture, pictures

BASE_URL = "http://inkhorn-lane.example"
"""The address of the site when no server runs. The domain is reserved for examples."""

DESIGNS = (1, 2)

TEMPLATES: dict[type[content.Page], str] = {
    BookPage: "book",
    AuthorPage: "author",
    ListingPage: "listing",
    ArticlePage: "article",
    InfoPage: "info",
}

PRINT_CSS = "#nav,.side,.advert,.promo,.menu,.find{display:none}body{background:#fff}\n"

Truth = dict[str, dict[str, dict[str, list[str]]]]


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page as a server sends it.

    path: the path with the query.
    content_type: the value of the HTTP header.
    template: one of the values of `TEMPLATES`.
    """

    path: str
    url: str
    content: bytes
    content_type: str
    template: str

    @property
    def file(self) -> str:
        """The page's name in an archive, such as ``subject/gothic-page-2.html``."""
        place, _, query = self.path.partition("?")
        name = place.strip("/") + ("/index" if place.endswith("/") and place != "/" else "") or "index"
        return f"{name}{'-' + query.replace('=', '-') if query else ''}.html"


def pages(*, design: int = 1, day: int = 0, partial: bool = False, base_url: str = BASE_URL) -> Iterator[DemoPage]:
    """Return an iterator over every page of the site, books first.

    design: 1 or 2.
    day: 0 or later.
    partial: whether to use the partial redesign of design 1.
    base_url: the address of the site, without a slash at its end.

    Raises ValueError for other designs, days before 0, and `partial` with design 2.
    """
    _check(design, day, partial)
    return (_page(page, design, partial, base_url) for page in content.site(day=day))


def files() -> tuple[Picture, ...]:
    """Return the stylesheets and pictures that the pages of both designs load."""
    sheets = {"print": PRINT_CSS, "shop": markup.source("design_one.css"), "site": markup.source("design_two.css")}
    return (*pictures(), *(Picture(f"/css/{name}.css", text.encode(), "text/css") for name, text in sheets.items()))


def truth(*, design: int = 1, day: int = 0, base_url: str = BASE_URL) -> Truth:
    """Return {template: {url: {attribute: values}}} for the templates book and author.

    Each value is a whole text node or attribute of the page, with white space cleaned. The list is empty if the page does not have the
    attribute. The partial redesign changes no value. Raises ValueError like `pages`.
    """
    _check(design, day, partial=False)
    found: Truth = {"book": {}, "author": {}}
    for page in content.site(day=day):
        if isinstance(page, BookPage):
            found["book"][base_url + page.frame.path] = _clean_values(_book_values(page, design))
        elif isinstance(page, AuthorPage):
            found["author"][base_url + page.frame.path] = _clean_values(_author_values(page, design))
    return found


def _check(design: int, day: int, partial: bool) -> None:
    if design not in DESIGNS:
        raise ValueError(f"the demo site has the designs 1 and 2, not {design!r}")
    if day < 0:
        raise ValueError(f"the demo site begins at day 0, not at {day}")
    if partial and design != 1:
        raise ValueError("the partial redesign is one of design 1")


def _page(page: content.Page, design: int, partial: bool, base_url: str) -> DemoPage:
    path = page.frame.path
    html = design_one.html(page, partial=partial) if design == 1 else design_two.html(page)
    charset = "iso-8859-1" if path == markup.LATIN_ONE else "utf-8"
    codec = "cp1252" if charset == "iso-8859-1" else charset
    body = markup.tidy(markup.damaged(path, html)).encode(codec, "xmlcharrefreplace")
    return DemoPage(path, base_url + path, body, f"text/html; charset={charset}", TEMPLATES[type(page)])


def _book_values(page: BookPage, design: int) -> dict[str, list[str]]:
    specs = dict(page.specs)
    return {
        "title": [page.title],
        "authors": [link.text for link in page.authors],
        "translators": [link.text for link in page.translators],
        "price": [page.offer.price],
        "availability": [page.offer.availability],
        "shelf_mark": [page.shelf_mark],
        "subjects": [link.text for link in page.subjects],
        **{key: [specs.get(key, "")] for key in ("published", "publisher", "language", "pages", "ean", "illustrated", "catalogued")},
        "cover": [_address(page.frame, page.cover, design)],
    }


def _author_values(page: AuthorPage, design: int) -> dict[str, list[str]]:
    author = page.author
    return {
        "name": [author.name],
        "real_name": [author.real_name],
        "born": [author.born],
        "birthplace": [author.birthplace],
        "died": [author.died],
        "country": [author.country],
        "occupations": list(author.occupations),
        "portrait": [_address(page.frame, page.portrait, design)],
    }


def _address(frame: content.Frame, picture: str, design: int) -> str:
    if not picture:
        return ""
    return design_one.address(frame, picture) if design == 1 else design_two.address(frame, picture)


def _clean_values(values: dict[str, list[str]]) -> dict[str, list[str]]:
    return {attribute: [" ".join(value.split()) for value in found if value] for attribute, found in values.items()}
