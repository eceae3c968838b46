"""Attributes for a record type, made from what a template's pages carry: names, types, and whether there are several values."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from extraction.algorithms.markup.matching import OfferedProperty

MAX_ATTRIBUTES = 12
"""The largest number of attributes offered. A person can add more."""

WITHIN = frozenset(("offers.price", "aggregateRating.ratingValue", "aggregateRating.reviewCount"))
"""Properties of things within the subject that people want. Other properties of such things are details."""

LEFT_OUT = frozenset(
    """url mainEntityOfPage isPartOf potentialAction inLanguage breadcrumb sameAs publisher copyrightHolder copyrightYear thumbnailUrl
    dateModified offers aggregateRating review nutrition video identifier id isAccessibleForFree wordCount primaryImageOfPage
    commentCount og:url og:site_name og:type og:locale og:image:width og:image:height og:image:type og:updated_time""".split()  # noqa: SIM905
)
"""Properties that say how a page is published, or that only hold others."""

TYPES: tuple[tuple[str, str], ...] = (
    (r"price$", "price"),
    (r"^date|date$|_time$|published|startDate|endDate", "date"),
    (r"image|photo|logo", "image"),
    (r"(Count|Value|Rating)$", "number"),
)

RENAMED = {"name": "title", "headline": "title", "og:title": "title", "offers.price": "price", "aggregateRating.ratingValue": "rating"}


@dataclass(frozen=True, slots=True)
class NamedProperty:
    """An attribute that could be made.

    multiple: whether it has several values.
    path, example: of the property behind it.
    """

    name: str
    type: str
    multiple: bool
    path: str
    example: str


def name_attributes(offered: Iterable[OfferedProperty]) -> list[NamedProperty]:
    """Return the attributes worth having, in the order offered, each name once."""
    found: dict[str, NamedProperty] = {}
    for row in offered:
        if row.path in LEFT_OUT or ("." in row.path and row.path not in WITHIN) or row.path.startswith(("article:", "twitter:")):
            continue
        name = _name(row)
        if name.isidentifier() and name not in found and len(found) < MAX_ATTRIBUTES:
            kind = _type(row.path)
            found[name] = NamedProperty(name, kind, row.several and kind not in ("image", "date", "price", "number"), row.path, row.example)
    return list(found.values())


def _name(row: OfferedProperty) -> str:
    """Return a name: recipeIngredient of a Recipe becomes ingredients, og:description becomes description."""
    known = RENAMED.get(row.path)
    if known:
        return known
    last = row.path.rsplit(".", 1)[-1].rsplit(":", 1)[-1]
    prefix = row.type[:1].lower() + row.type[1:]
    if prefix and last.startswith(prefix) and last[len(prefix) : len(prefix) + 1].isupper():
        last = last[len(prefix) :]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()
    return f"{snake}s" if row.several and snake in ("ingredient", "instruction", "keyword", "actor", "director", "genre") else snake


def _type(path: str) -> str:
    last = path.rsplit(".", 1)[-1]
    return next((kind for pattern, kind in TYPES if re.search(pattern, last) and not last.endswith("Time")), "text")
