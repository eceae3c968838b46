"""Which page a row of a listing leads to, and what both say together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.records.addresses import find_forms, join_to_file
from extraction.algorithms.records.join import (
    Found,
    NoPartner,
    Partner,
    SharedAttribute,
    ThingIndex,
    Way,
    find_differences,
    merge_values,
)

PAGE = "https://shop.example/book/1"


def value(raw, normal=None):
    return [{"raw": raw, "value": normal, "problem": ""}]


@pytest.mark.parametrize(
    ("link", "way"),
    [
        (PAGE, Way.ADDRESS),
        ("HTTPS://SHOP.example:443/a/../book/1#reviews", Way.ADDRESS),
        ("https:\\\\shop.example\\book/1", Way.ADDRESS),
        ("https://shop.example/old/1", Way.REDIRECT),
        ("https://shop.example/older/1", Way.REDIRECT),
        ("https://shop.example/the-book", Way.CANONICAL),
        (f"{PAGE}?utm_source=mail&fbclid=x", Way.LOOSE),
        (f"{PAGE};jsessionid=8A9B7C6D5E?PHPSESSID=0123456789ab", Way.LOOSE),
        ("http://www.shop.example/book/%31/", Way.LOOSE),
        ("https://shop.example/book/1?page=2", None),
        ("https://shop.example/book/1#!/reviews", None),
        ("https://other.example/book/1", None),
        ("https://shop.example/round", None),
        ("https://", None),
    ],
)
def test_an_address_leads_to_its_page_by_the_surest_way(link: str, way: Way | None) -> None:
    index = ThingIndex()
    index.add_address(PAGE, 7)
    index.add_address("https://shop.example/the-book", 7, canonical=True)
    old, older, circle = "https://shop.example/old/1", "https://shop.example/older/1", "https://shop.example/round"
    index.add_redirects({older: old, old: PAGE, circle: circle})
    assert index.find_address(link) == (NoPartner() if way is None else Partner(7, way))


def test_an_address_of_several_things_leads_to_none_of_them() -> None:
    index = ThingIndex()
    index.add_address("https://shop.example/a?utm_id=1", 1)
    index.add_address("https://shop.example/a?utm_id=2", 2)
    assert index.find_address("https://shop.example/a?utm_id=2") == Partner(2, Way.ADDRESS)
    assert index.find_address("https://shop.example/a") == NoPartner(2)
    assert index.find_links(["https://shop.example/a?utm_id=1", "https://shop.example/a?utm_id=2"]) == NoPartner(2)
    assert index.find_links(["https://shop.example/nowhere", "https://shop.example/a?utm_id=1"]) == Partner(1, Way.ADDRESS)


def test_pages_of_an_archive_are_found_by_their_names() -> None:
    index = ThingIndex()
    index.add_address("books/one two?id=1.html", 5)
    link = join_to_file("lists/all.html", "../books/one%20two%3Fid=1.html#top")
    assert link and index.find_address(link) == Partner(5, Way.ADDRESS)


HOSTS = st.sampled_from(["a.example", "www.a.example", "b.example"])
PATHS = st.sampled_from(["", "/", "/x", "/x/", "/%78", "/y"])
QUERIES = st.sampled_from(["", "?k=1", "?k=1&utm_id=2", "?utm_id=3", "?l=1&k=1", "?k=1&l=1"])
ADDRESSES = st.builds("{}://{}{}{}{}".format, st.sampled_from(["http", "https"]), HOSTS, PATHS, QUERIES, st.sampled_from(["", "#f", "#!f"]))
PAGES = st.lists(st.tuples(ADDRESSES, st.integers(1, 3), st.booleans()), max_size=5)


def find_by_hand(pages: list[tuple[str, int, bool]], link: str) -> Found:
    """The definition: each way in turn, each page against the link."""
    wanted = find_forms(link)
    assert wanted

    def fits(address: str, form: str) -> bool:
        forms = find_forms(address)
        return forms is not None and getattr(forms, form) == getattr(wanted, form)

    own = {thing for address, thing, canonical in pages if not canonical and fits(address, "exact")}
    claimed = {thing for address, thing, canonical in pages if canonical and fits(address, "exact")}
    loose = {thing for address, thing, _ in pages if fits(address, "loose")}
    for things, way in ((own, Way.ADDRESS), (claimed, Way.CANONICAL), (loose, Way.LOOSE)):
        if things:
            return Partner(things.pop(), way) if len(things) == 1 else NoPartner(len(things))
    return NoPartner()


@given(PAGES, ADDRESSES)
def test_the_index_finds_what_comparing_every_page_finds(pages: list[tuple[str, int, bool]], link: str) -> None:
    index = ThingIndex()
    for address, thing, canonical in pages:
        index.add_address(address, thing, canonical=canonical)
    assert index.find_address(link) == find_by_hand(pages, link)


def test_shared_attributes_keep_both_sides_and_name_what_differs() -> None:
    row = {"title": value("Tea"), "price": value("£1", "1.00 GBP"), "old": value("£2"), "link": value("/1")}
    page = {"title": value(" Tea "), "price": value("1,00 £", "1.20 GBP"), "text": value("Long")}
    shared = [
        SharedAttribute("title", "title_listing", "page"),
        SharedAttribute("price", "price_page", "listing"),
        SharedAttribute("old", "old_listing", "page"),
    ]
    merged = merge_values(row, page, shared)
    assert merged.conflicts == ("price",)
    assert merged.values == {
        "link": row["link"],
        "text": page["text"],
        "title": page["title"],
        "title_listing": row["title"],
        "price": row["price"],
        "price_page": page["price"],
        "old": row["old"],  # the page has none, so the listing's counts
        "old_listing": row["old"],
    }
    assert merge_values(row, {}, shared).conflicts == () == merge_values({}, page, shared).conflicts


def test_rows_of_one_thing_differ_only_in_what_both_have() -> None:
    first = {"price": value("£1", "1.00 GBP"), "stock": value("3")}
    assert find_differences(first, {"price": value("1.00 pounds", "1.00 GBP"), "rating": value("5")}) == []
    assert find_differences(first, {"price": value("£1", "1.10 GBP"), "stock": value("4")}) == ["price", "stock"]
