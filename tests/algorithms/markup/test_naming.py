"""Names and types of the attributes that a template's own data offers."""

import pytest

from extraction.algorithms.markup.matching import OfferedProperty
from extraction.algorithms.markup.naming import MAX_ATTRIBUTES, NamedProperty, name_attributes


def offered(path: str, *, type: str = "Product", several: bool = False) -> OfferedProperty:
    return OfferedProperty(type, path, 5, several, f"{path} here")


@pytest.mark.parametrize(
    ("path", "type", "several", "name", "kind", "multiple"),
    [
        ("name", "Product", False, "title", "text", False),
        ("og:description", "", False, "description", "text", False),
        ("recipeIngredient", "Recipe", True, "ingredients", "text", True),
        ("recipeIngredient", "Recipe", False, "ingredient", "text", False),
        ("recipes", "Recipe", False, "recipes", "text", False),
        ("keyword", "Product", True, "keywords", "text", True),
        ("author", "Book", True, "author", "text", True),
        ("offers.price", "Product", True, "price", "price", False),
        ("aggregateRating.ratingValue", "Product", False, "rating", "number", False),
        ("aggregateRating.reviewCount", "Product", False, "review_count", "number", False),
        ("datePublished", "Article", True, "date_published", "date", False),
        ("startDate", "Event", False, "start_date", "date", False),
        ("cookTime", "Recipe", False, "cook_time", "text", False),
        ("og:image", "", True, "image", "image", False),
    ],
)
def test_a_property_becomes_an_attribute(path: str, type: str, several: bool, name: str, kind: str, multiple: bool) -> None:
    assert name_attributes([offered(path, type=type, several=several)]) == [NamedProperty(name, kind, multiple, path, f"{path} here")]


@pytest.mark.parametrize("path", ["url", "og:url", "article:tag", "twitter:card", "brand.name", "offers", "two words", "9lives", "@id"])
def test_how_a_page_is_published_and_what_is_no_name_is_left_out(path: str) -> None:
    assert name_attributes([offered(path)]) == []


def test_a_name_is_given_once_and_no_more_are_offered_than_a_person_wants_to_read() -> None:
    assert [each.path for each in name_attributes([offered("headline"), offered("name"), offered("og:title")])] == ["headline"]
    many = name_attributes([offered(f"detail{'x' * n}") for n in range(MAX_ATTRIBUTES + 3)])
    assert [each.name for each in many] == [f"detail{'x' * n}" for n in range(MAX_ATTRIBUTES)]
