"""The annotations that come with the demo: record types, and the places that a person would have clicked on some pages.

Each place is an XPath that selects exactly one text node or attribute in lxml's tree of the page in design 1 on day 0. It only says where
the click was. Vertex learns the rule from these clicks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from extraction.demo.site import BASE_URL, truth

ValueType = Literal["text", "number", "price", "date", "url", "image", "boolean"]


@dataclass(frozen=True, slots=True)
class BundledAttribute:
    """An attribute of a record type."""

    name: str
    type: ValueType
    multiple: bool = False
    mandatory: bool = False


@dataclass(frozen=True, slots=True)
class BundledMark:
    """One click. value: the cleaned text at the place. xpath: selects exactly this text node or attribute."""

    value: str
    xpath: str


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotations of one template.

    record_type: the name of the record type.
    template: the name of the template, as in `site.TEMPLATES`.
    attributes: the attributes of the record type.
    pages: {url: {attribute: marks}} with every attribute; there are no marks if the page does not have it.
    """

    record_type: str
    template: str
    attributes: tuple[BundledAttribute, ...]
    pages: Mapping[str, Mapping[str, tuple[BundledMark, ...]]]


def annotations(*, base_url: str = BASE_URL) -> tuple[Annotations, ...]:
    """Return the demo's annotations: Book on four pages and Author on three. base_url: as in `site.pages`."""
    return (
        _annotations("Book", "book", _BOOK, _BOOK_PAGES, base_url),
        _annotations("Author", "author", _AUTHOR, _AUTHOR_PAGES, base_url),
    )


_BOOK = (
    (BundledAttribute("title", "text", mandatory=True), "//h1/text()[1]"),
    (BundledAttribute("authors", "text", multiple=True, mandatory=True), "//p[@class='byline']/a/text()"),
    (BundledAttribute("translators", "text", multiple=True), "//p[@class='credits']/a/text()"),
    (BundledAttribute("price", "price"), "//p[@class='price']/b/following-sibling::text()[1]"),
    (BundledAttribute("availability", "text", mandatory=True), "//p[starts-with(@class, 'stock')]/text()"),
    (BundledAttribute("shelf_mark", "text", mandatory=True), "//p[@class='shelf']/b/following-sibling::text()[1]"),
    (BundledAttribute("subjects", "text", multiple=True, mandatory=True), "//ul[@class='tags']/li/a/text()"),
    (BundledAttribute("published", "number", mandatory=True), "//tr[@class='spec spec-published']/td/text()"),
    (BundledAttribute("publisher", "text"), "//tr[@class='spec spec-publisher']/td/text()"),
    (BundledAttribute("language", "text", mandatory=True), "//tr[@class='spec spec-language']/td/text()"),
    (BundledAttribute("pages", "number"), "//tr[@class='spec spec-pages']/td/text()"),
    (BundledAttribute("ean", "text", mandatory=True), "//tr[th='EAN-13:']/td/text()"),
    (BundledAttribute("illustrated", "boolean"), "//tr[@class='spec spec-illustrated']/td/text()"),
    (BundledAttribute("catalogued", "date", mandatory=True), "//tr[@class='spec spec-catalogued']/td/text()"),
    (BundledAttribute("cover", "image"), "//div[@class='cover']/img/@src"),
)

_AUTHOR = (
    (BundledAttribute("name", "text", mandatory=True), "//h1/text()"),
    (BundledAttribute("real_name", "text"), "//li[@class='real']/b/following-sibling::text()[1]"),
    (BundledAttribute("born", "date"), "//li[@class='born']/b/following-sibling::text()[1]"),
    (BundledAttribute("birthplace", "text"), "//span[@class='place']/text()"),
    (BundledAttribute("died", "date"), "//li[@class='died']/b/following-sibling::text()[1]"),
    (BundledAttribute("country", "text", mandatory=True), "//li[@class='country']/b/following-sibling::text()[1]"),
    (BundledAttribute("occupations", "text", multiple=True, mandatory=True), "//span[@class='trade']/text()"),
    (BundledAttribute("portrait", "image"), "//img[@class='portrait']/@src"),
)

_BOOK_PAGES = (
    "/book/10662/from-the-earth-to-the-moon",
    "/book/10230/poems-by-currer-ellis-and-acton-bell",
    "/book/10573/moby-dick",
    "/de/buch/10802/don-quijote",
)

_AUTHOR_PAGES = ("/author/mark-twain", "/author/emily-bronte", "/author/jane-austen")

_Places = tuple[tuple[BundledAttribute, str], ...]


def _annotations(record_type: str, template: str, places: _Places, paths: tuple[str, ...], base_url: str) -> Annotations:
    values = truth(base_url=base_url)[template]
    marked = {
        base_url + path: {attribute.name: _marks(values[base_url + path][attribute.name], xpath) for attribute, xpath in places}
        for path in paths
    }
    return Annotations(record_type, template, tuple(attribute for attribute, _ in places), marked)


def _marks(values: list[str], xpath: str) -> tuple[BundledMark, ...]:
    return tuple(BundledMark(value, f"({xpath})[{place}]") for place, value in enumerate(values, 1))
