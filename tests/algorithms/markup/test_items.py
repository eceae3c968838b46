"""Embedded data of pages in one form, the property that an attribute means, and the place of a value on the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.markup import items, matching, value_places
from extraction.algorithms.markup.items import Item, parse_items

PRODUCT = {
    "@context": "https://schema.org",
    "@graph": [
        {"@type": "WebSite", "name": "Shop", "url": "https://shop.example/"},
        {
            "@type": ["Product", "Thing"],
            "name": " A  Lamp ",
            "brand": {"@type": "Brand", "name": "Lux"},
            "image": [{"@type": "ImageObject", "url": "a.jpg"}, "b.jpg"],
            "offers": {"@type": "Offer", "price": 19.9, "priceCurrency": "EUR", "itemCondition": None},
            "isAccessibleForFree": False,
        },
    ],
}


def product() -> Item:
    return next(item for item in parse_items({"json-ld": [PRODUCT]}) if item.type == "Product")


def test_nested_things_are_represented_by_their_names_and_keep_their_properties() -> None:
    found = product().properties
    assert found["name"] == ("A Lamp",) and found["brand"] == ("Lux",) and found["brand.name"] == ("Lux",)
    assert found["image"] == ("a.jpg", "b.jpg") and found["offers.price"] == ("19.9",) and found["isAccessibleForFree"] == ("false",)
    assert "offers.itemCondition" not in found


def test_microdata_rdfa_and_open_graph_come_in_the_same_form() -> None:
    micro = {
        "type": "https://schema.org/Book",
        "properties": {"author": {"type": "x/Person", "properties": {"name": "Ann"}}, "isbn": ["1", "2"]},
    }
    rdfa = {"@id": "", "@type": ["http://schema.org/Book"], "http://schema.org/name": [{"@value": "Emma"}]}
    graph = {"namespace": {}, "properties": [("og:title", "Emma"), ("og:type", "book")]}
    found = parse_items({"microdata": [micro], "rdfa": [rdfa], "opengraph": [graph]})
    assert [(item.syntax, item.type) for item in found] == [("microdata", "Book"), ("RDFa", "Book"), ("Open Graph", "book")]
    assert found[0].properties == {"author": ("Ann",), "author.name": ("Ann",), "isbn": ("1", "2")}
    assert found[1].properties == {"name": ("Emma",)} and found[2].properties["og:title"] == ("Emma",)


def test_items_survive_their_own_json() -> None:
    assert [Item.from_json(item.as_json()) for item in parse_items({"json-ld": [PRODUCT]})] == parse_items({"json-ld": [PRODUCT]})


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
)
NAMES = st.sampled_from(["@type", "@graph", "mainEntity", "name", "offers", "properties", "type", "@value"])


@given(
    st.dictionaries(
        st.sampled_from(["json-ld", "microdata", "rdfa", "opengraph"]),
        st.lists(st.dictionaries(NAMES, JSON, max_size=4), max_size=3) | JSON,
    )
)
def test_any_embedded_data_becomes_texts_within_limits(found) -> None:
    for item in parse_items(found):
        assert len(item.properties) <= items.MAX_PROPERTIES
        for path, values in item.properties.items():
            assert isinstance(path, str) and values and all(isinstance(each, str) and each for each in values)


def test_endlessly_nested_things_are_cut_off() -> None:
    deep: dict = {"name": "x"}
    for _ in range(200):
        deep = {"@type": "A", "@graph": [deep], "child": deep, "name": "y" * 10_000}
    wide = {"@type": "B", **{f"p{n}": ["v"] * 1_000 for n in range(1_000)}}
    found = parse_items({"json-ld": [deep, wide, *[{"@type": "C", "name": "c"}] * 500]})
    assert len(found) <= items.MAX_ITEMS
    assert all(
        len(values) <= items.MAX_VALUES and len(values[0]) <= items.MAX_CHARS for item in found for values in item.properties.values()
    )


@pytest.mark.parametrize(
    ("name", "kind", "path"),
    [
        ("title", "text", "name"),
        ("price", "price", "offers.price"),
        ("cost", "price", "offers.price"),
        ("Manufacturer", "text", "brand"),
        ("image", "image", "image"),
        ("images", "text", "image"),
        ("shoe_size", "text", None),
        ("13", "text", None),
    ],
)
def test_an_attribute_means_a_property_by_its_name_then_by_its_type(name, kind, path) -> None:
    items = parse_items({"json-ld": [PRODUCT], "opengraph": [{"properties": [("og:title", "Lamp | Shop")]}]})
    found = matching.match_properties({name: kind}, items).get(name)
    assert (found and found.path) == path
    assert found is None or found.words == f"JSON-LD Product {path}"


@pytest.mark.parametrize(
    ("types", "meaning"),
    [
        ({"price": "price", "old_price": "price"}, {"price"}),
        ({"cost": "price", "unit": "price"}, set()),
        ({"cost": "price", "unit": "text"}, {"cost"}),
    ],
)
def test_a_type_gives_a_property_to_one_attribute_only_and_after_the_names(types, meaning) -> None:
    assert set(matching.match_properties(types, parse_items({"json-ld": [PRODUCT]}))) == meaning


def test_a_template_offers_the_properties_of_its_subject_with_their_page_counts() -> None:
    lamp = parse_items({"json-ld": [PRODUCT]})
    chair = [Item("JSON-LD", "Product", {"name": ("Chair",), "sku": ("7",)}), Item("JSON-LD", "Organization", {"name": ("Shop",)})]
    found = {row.path: row for row in matching.collect_properties([lamp, chair, []])}
    assert found["name"].pages == 2 and found["sku"].pages == 1 and found["image"].several and not found["name"].several
    assert {row.type for row in found.values()} == {"Product"}


PAGE = parse(
    b"""<html><head><title>A Lamp</title><meta property="og:image" content="lamp.jpg"></head><body><nav><a>A Lamp</a></nav>
    <p>A lamp</p><h1>A Lamp</h1><p>now $ 19.90 only</p><p>x19.90</p><p>119.90</p><p>One <b>two</b> three</p><script>"hidden"</script>
    <ul><li>flour</li><li>milk</li></ul></body></html>"""
).root
NODES = elements(PAGE)


def at(text: str) -> str:
    found = value_places.locate_value(NODES, text)
    assert found is not None
    tag = str(NODES[found.node].tag)
    return f"{tag} {found.kind} {value(NODES, found)}"


def test_a_value_is_placed_in_the_heading_before_other_texts_and_navigation() -> None:
    assert at("A Lamp") == "h1 text A Lamp"


def test_a_value_within_a_longer_text_is_a_part_of_it_but_never_a_piece_of_a_number() -> None:
    found = value_places.locate_value(NODES, "19.90")
    assert found is not None and value(NODES, found) == "19.90" and found.start == 6


def test_a_value_across_elements_is_placed_at_the_element_and_one_in_no_text_at_the_attribute() -> None:
    assert at("One two three") == "p element One two three"
    assert at("lamp.jpg") == "meta attribute lamp.jpg"
    assert value_places.locate_value(NODES, "hidden") is None and value_places.locate_value(NODES, " ") is None


def test_nearly_all_values_of_a_list_must_be_on_the_page() -> None:
    assert [value(NODES, each) for each in value_places.locate_values(NODES, ["flour", "milk"])] == ["flour", "milk"]
    assert value_places.locate_values(NODES, ["flour", "sugar"]) == ()


def test_places_are_locations_of_the_tree() -> None:
    assert isinstance(value_places.locate_value(NODES, "flour"), Location)
