"""Which property of a page's own data an attribute means, and which attributes such data offers.

The name decides first: a small table gives the properties that it may mean, and after those the name itself is tried. The type decides
last, if only one property fits it and no other attribute means it. If a page describes several things, the one with the most information
is taken as its subject. A site's name, its search box and its breadcrumbs are on every page and are never the subject.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from extraction.algorithms.markup.items import Item

FURNITURE = frozenset(
    (
        *("WebSite", "Organization", "BreadcrumbList", "ListItem", "SearchAction", "ReadAction", "EntryPoint", "ImageObject", "Person"),
        *("SiteNavigationElement", "WPHeader", "WPFooter", "WPSideBar", "ContactPoint", "PostalAddress"),
        *("Rating", "AggregateRating", "Review", "Comment"),
    )
)
"""Types that are seldom a page's subject."""

GENERAL = frozenset(("WebPage", "ItemPage", "website", "article", ""))
"""Types that say nothing about the subject of a page."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    "title": ("name", "headline", "title", "og:title"),
    "name": ("name", "headline", "title", "og:title"),
    "headline": ("headline", "name", "og:title"),
    "price": ("offers.price", "offers.lowPrice", "price", "offers.priceSpecification.price", "product:price:amount", "og:price:amount"),
    "currency": ("offers.priceCurrency", "priceCurrency", "product:price:currency"),
    "author": ("author", "creator", "byline", "article:author", "book:author"),
    "writer": ("author", "creator"),
    "brand": ("brand", "manufacturer", "product:brand"),
    "manufacturer": ("manufacturer", "brand"),
    "publisher": ("publisher", "sourceOrganization"),
    "date": ("datePublished", "dateCreated", "dateModified", "article:published_time", "startDate"),
    "published": ("datePublished", "dateCreated", "article:published_time"),
    "publicationdate": ("datePublished", "dateCreated", "article:published_time", "book:release_date"),
    "dateposted": ("datePosted", "datePublished"),
    "image": ("image", "thumbnailUrl", "og:image"),
    "picture": ("image", "thumbnailUrl", "og:image"),
    "description": ("description", "abstract", "og:description"),
    "summary": ("description", "abstract", "og:description"),
    "text": ("articleBody", "text", "reviewBody"),
    "ingredient": ("recipeIngredient", "ingredients"),
    "instruction": ("recipeInstructions",),
    "step": ("recipeInstructions",),
    "yield": ("recipeYield",),
    "serving": ("recipeYield",),
    "totaltime": ("totalTime",),
    "cooktime": ("cookTime",),
    "preptime": ("prepTime",),
    "cuisine": ("servesCuisine", "recipeCuisine"),
    "category": ("category", "recipeCategory", "articleSection", "genre"),
    "genre": ("genre",),
    "director": ("director",),
    "actor": ("actor", "actors"),
    "rating": ("aggregateRating.ratingValue", "reviewRating.ratingValue", "contentRating"),
    "mpaarating": ("contentRating",),
    "review": ("aggregateRating.reviewCount", "aggregateRating.ratingCount"),
    "isbn": ("isbn", "book:isbn", "gtin13"),
    "sku": ("sku", "productID", "mpn"),
    "model": ("model", "mpn"),
    "availability": ("offers.availability", "product:availability"),
    "phone": ("telephone", "contactPoint.telephone"),
    "telephone": ("telephone",),
    "address": ("address", "address.streetAddress", "location.address.streetAddress"),
    "street": ("address.streetAddress",),
    "city": ("address.addressLocality",),
    "location": ("jobLocation.address.addressLocality", "location", "address.addressLocality"),
    "company": ("hiringOrganization",),
    "salary": ("baseSalary.value", "baseSalary"),
    "website": ("url", "sameAs"),
    "url": ("url", "og:url"),
    "language": ("inLanguage", "og:locale"),
    "keyword": ("keywords", "article:tag"),
    "tag": ("keywords", "article:tag"),
    "duration": ("duration", "totalTime"),
}
"""What people call an attribute, without signs and a plural's s, and the properties that may be meant, the likeliest first."""

BY_TYPE: dict[str, tuple[str, ...]] = {"price": SYNONYMS["price"], "date": SYNONYMS["date"], "image": SYNONYMS["image"]}
"""What an attribute of a type means if its name says nothing."""

_WORD = re.compile(r"[^a-z]+")


@dataclass(frozen=True, slots=True)
class PropertyMatch:
    """A property and its values on a page."""

    item: Item
    path: str
    values: tuple[str, ...]

    @property
    def words(self) -> str:
        """For people: "JSON-LD Product name"."""
        return " ".join(part for part in (self.item.syntax, self.item.type if self.item.type else "", self.path) if part)


@dataclass(frozen=True, slots=True)
class OfferedProperty:
    """A property that the pages of a template carry.

    pages: on how many pages.
    several: whether a page has several values of it.
    """

    type: str
    path: str
    pages: int
    several: bool
    example: str


def rank_subjects(items: Sequence[Item]) -> list[Item]:
    """Return the items a page may be about, the likeliest first: specific types before general ones, then other syntaxes before Open Graph,
    then those with more properties first."""
    known = [item for item in items if item.type not in FURNITURE]
    return sorted(known, key=lambda item: (item.type in GENERAL, item.syntax == "Open Graph", -len(item.properties)))


def match_properties(attributes: Mapping[str, str], items: Sequence[Item]) -> dict[str, PropertyMatch]:
    """Return {name: the property that an attribute means on a page} for the attributes of one record type that mean any.

    A type alone says little: beside a `price`, an `old_price` is not the price of the offer. So a property that an attribute means by
    its name is not given to another by its type, nor is one that would go to several.

    attributes: {name: type}.
    """
    found = rank_subjects(items)
    by_name = {name: match for name in attributes if (match := _find_property(found, _by_name(name)))}
    taken = {(match.item.type, match.path) for match in by_name.values()}
    by_type = {
        name: match for name, kind in attributes.items() if name not in by_name and (match := _find_property(found, BY_TYPE.get(kind, ())))
    }
    wanted = Counter((match.item.type, match.path) for match in by_type.values())
    alone = {
        name: match
        for name, match in by_type.items()
        if (match.item.type, match.path) not in taken and wanted[match.item.type, match.path] == 1
    }
    return by_name | alone


def _find_property(subjects: Sequence[Item], paths: Sequence[str]) -> PropertyMatch | None:
    for item in subjects:
        for path in paths:
            for real, values in item.properties.items():
                if real.casefold() == path.casefold() or (path == _plain(real) and path):
                    return PropertyMatch(item, real, values)
    return None


def _by_name(name: str) -> tuple[str, ...]:
    """Return the property names that the attribute may mean, followed by its own name."""
    plain = _plain(name)
    singular = plain[:-1] if plain.endswith("s") else plain
    known = SYNONYMS.get(plain) or SYNONYMS.get(singular) or ()
    return (*dict.fromkeys(path for path in (*known, plain, singular) if path),)


def _plain(name: str) -> str:
    """Return the letters only, in lower case: "ISBN-13" is "isbn"."""
    return _WORD.sub("", name.casefold())


def collect_properties(pages: Iterable[Sequence[Item]]) -> list[OfferedProperty]:
    """Return what the pages' subjects of the commonest type carry: properties by the number of pages, then by name."""
    rows = [found[0] for items in pages if (found := rank_subjects(items))]
    kinds = Counter(item.type for item in rows if item.type not in GENERAL) or Counter(item.type for item in rows)
    if not kinds:
        return []
    kind = max(kinds, key=lambda each: (kinds[each], each))
    mine = [item for item in rows if item.type == kind]
    counts = Counter(path for item in mine for path in item.properties)
    return [
        OfferedProperty(
            kind,
            path,
            count,
            any(len(item.properties.get(path, ())) > 1 for item in mine),
            next(item.properties[path][0] for item in mine if path in item.properties),
        )
        for path, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    ]
