"""The truth that comes with the demo site agrees with its pages."""

import csv
import io
from collections import Counter
from functools import cache
from typing import TypedDict, Unpack
from zipfile import ZipFile

import pytest
from lxml import etree

from extraction.algorithms.dom.nodes import clean, elements, texts
from extraction.algorithms.dom.parse import parse
from extraction.demo.bundled import annotations
from extraction.demo.content import BookPage, site
from extraction.demo.design_one_book import PARTIAL_ATTRIBUTES
from extraction.demo.markup import BROKEN, LATIN_ONE
from extraction.demo.site import BASE_URL, DemoPage, files, pages, truth
from tests.demo.zipped import write_zip


class TruthOptions(TypedDict, total=False):
    """The arguments of `truth`."""

    design: int
    day: int
    base_url: str


class Options(TruthOptions, total=False):
    """The arguments of `pages`."""

    partial: bool


DESIGNS: tuple[Options, ...] = (
    {"design": 1},
    {"design": 2},
    {"design": 1, "partial": True},
    {"design": 1, "day": 17},
    {"design": 2, "day": 41},
)


@cache
def made(**options: Unpack[Options]) -> tuple[DemoPage, ...]:
    """The pages for these arguments, made once: most claims read the same site."""
    return tuple(pages(**options))


@cache
def facts(**options: Unpack[TruthOptions]) -> dict[str, dict[str, dict[str, list[str]]]]:
    """The truth for these arguments, made once."""
    return truth(**options)


def held(page: DemoPage) -> Counter[str]:
    """How often each cleaned text node of the body and each attribute value is on a page, without scripts and styles."""
    body = parse(page.content, content_type=page.content_type).root.find("body")
    assert body is not None
    found: Counter[str] = Counter()
    for element in elements(body):
        if element.tag not in {"script", "style"}:
            found.update(clean(text) for text in texts(element))
            found.update(clean(str(value)) for value in element.attrib.values())
    return found


def shapes(**options: Unpack[Options]) -> dict[str, set[tuple[str, str]]]:
    """{template: the (path of tags, fixed classes) of its pages' elements}, without adverts and without hashed classes."""
    found: dict[str, set[tuple[str, str]]] = {}
    for page in made(**options):
        root = parse(page.content, content_type=page.content_type).root
        for advert in root.xpath("//*[@class='advert' or @class='promo']"):
            advert.getparent().remove(advert)
        paths: dict[object, str] = {None: ""}
        for element in elements(root):
            assert isinstance(element.tag, str)
            paths[element] = f"{paths[element.getparent()]}/{element.tag}"
            fixed = " ".join(name for name in element.get("class", "").split() if not any(c.isdigit() or c == "_" for c in name))
            found.setdefault(page.template, set()).add((paths[element], fixed))
    return found


@pytest.mark.parametrize("design", [1, 2])
def test_the_site_has_its_pages_in_five_templates_at_distinct_addresses(design: int) -> None:
    found = list(made(design=design))
    assert Counter(page.template for page in found) == {"book": 89, "author": 28, "listing": 26, "article": 15, "info": 9}
    assert len({page.url for page in found}) == len({page.file for page in found}) == len(found)
    assert all(page.url == BASE_URL + page.path for page in found)


def test_both_designs_have_the_same_addresses() -> None:
    assert [page.url for page in made(design=1)] == [page.url for page in made(design=2, day=9)]


@pytest.mark.parametrize("options", DESIGNS)
def test_the_same_arguments_give_the_same_bytes(options: Options) -> None:
    assert list(pages(**options)) == list(made(**options))


@pytest.mark.parametrize("options", DESIGNS)
def test_every_true_value_is_a_whole_text_node_or_attribute_of_its_page(options: Options) -> None:
    values = facts(**{key: value for key, value in options.items() if key != "partial"})
    found = {page.url: page for page in made(**options)}
    for template, rows in values.items():
        for url, attributes in rows.items():
            assert found[url].template == template
            there = held(found[url])
            for attribute, expected in attributes.items():
                assert all(there[value] >= 1 for value in expected), (url, attribute, expected)
                assert expected == [clean(value) for value in expected]


def test_every_book_and_author_page_has_a_truth_with_all_its_attributes() -> None:
    values = facts()
    of = {name: {page.url for page in made() if page.template == name} for name in ("book", "author")}
    assert {name: set(rows) for name, rows in values.items()} == of
    for given in annotations():
        names = {attribute.name for attribute in given.attributes}
        assert all(set(row) == names for row in values[given.template].values())


def test_the_truth_has_the_mess_of_real_sites() -> None:
    books = facts()["book"].values()
    assert {len(row["authors"]) for row in books} == {1, 2, 3}
    assert {len(row["translators"]) for row in books} == {0, 1, 2, 3}
    for optional in ("price", "publisher", "pages", "illustrated", "cover"):
        assert {len(row[optional]) for row in books} == {0, 1}, optional
    prices = [price for row in books for price in row["price"]]
    assert any("€" in price and "," in price for price in prices)
    assert any(price.startswith("£") and "," in price for price in prices)
    sizes = {len(page.reviews) for page in site(day=0) if isinstance(page, BookPage)}
    assert min(sizes) == 0
    assert max(sizes) == 9


def test_mandatory_attributes_are_on_every_page_and_single_ones_have_one_value() -> None:
    for day in (0, 30):
        values = facts(day=day)
        for given in annotations():
            for attribute in given.attributes:
                counts = {len(row[attribute.name]) for row in values[given.template].values()}
                assert not attribute.mandatory or 0 not in counts, attribute
                assert attribute.multiple or max(counts) == 1, attribute


@pytest.mark.parametrize("base_url", [BASE_URL, "http://127.0.0.1:8100"])
def test_each_bundled_annotation_selects_exactly_one_node_with_its_true_value(base_url: str) -> None:
    found = {page.url: page for page in made(base_url=base_url)}
    values = facts(base_url=base_url)
    for given in annotations(base_url=base_url):
        for url, marks in given.pages.items():
            root = parse(found[url].content, content_type=found[url].content_type).root
            assert {name: [mark.value for mark in row] for name, row in marks.items()} == values[given.template][url]
            for mark in (mark for row in marks.values() for mark in row):
                selected = root.xpath(mark.xpath)
                assert len(selected) == 1, mark
                assert clean(str(selected[0])) == mark.value, mark
                assert not etree.iselement(selected[0])


def test_the_values_of_all_other_pages_are_at_the_annotated_places_too() -> None:
    found = {page.url: page for page in made()}
    for given in annotations():
        places = {name: row[0].xpath for marks in given.pages.values() for name, row in marks.items() if row}
        for url, row in facts()[given.template].items():
            root = parse(found[url].content, content_type=found[url].content_type).root
            for name, expected in row.items():
                everywhere = places[name].removeprefix("(").removesuffix(")[1]")
                assert [clean(str(item)) for item in root.xpath(everywhere)] == expected, (url, name)


def test_the_annotated_pages_show_every_attribute_at_least_once_and_are_not_the_broken_ones() -> None:
    for given in annotations():
        seen = {name for marks in given.pages.values() for name, row in marks.items() if row}
        assert seen == {attribute.name for attribute in given.attributes}
        assert not {BASE_URL + path for path in BROKEN} & set(given.pages)


def test_a_day_changes_prices_stock_reviews_and_adverts() -> None:
    first, later = facts(day=0)["book"], facts(day=20)["book"]
    changed = {name for url in first for name in first[url] if first[url][name] != later[url][name]}
    assert changed == {"price", "availability"}
    same = sum(first[url]["price"] == later[url]["price"] for url in first)
    assert 0 < same < len(first)
    before, after = ([page for page in site(day=day) if isinstance(page, BookPage)] for day in (0, 20))
    assert any(len(a.reviews) != len(b.reviews) for a, b in zip(before, after, strict=True))
    assert any(a.frame.adverts != b.frame.adverts for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("design", [1, 2])
def test_a_day_brings_no_element_or_class_that_the_template_did_not_have(design: int) -> None:
    usual = shapes(design=design, day=0)
    for template, found in shapes(design=design, day=33).items():
        assert found <= usual[template]


def test_the_partial_redesign_changes_the_price_and_stock_block_of_books_only() -> None:
    for old, new in zip(made(), made(partial=True), strict=True):
        if old.template != "book":
            assert old == new
            continue
        a, b = (parse(page.content, content_type=page.content_type).root for page in (old, new))
        for root, block in ((a, "//div[@class='buybox']"), (b, "//section[@class='panel']")):
            (found,) = root.xpath(block)
            found.getparent().remove(found)
        assert etree.tostring(a) == etree.tostring(b), old.url


def test_the_partial_redesign_breaks_the_marks_of_its_attributes_and_no_others() -> None:
    found = {page.url: page for page in made(partial=True)}
    book = annotations()[0]
    broken = set()
    for url, marks in book.pages.items():
        root = parse(found[url].content, content_type=found[url].content_type).root
        broken |= {name for name, row in marks.items() for mark in row if len(root.xpath(mark.xpath)) != 1}
    assert broken == set(PARTIAL_ATTRIBUTES)


def test_one_page_is_latin_one_in_bytes_header_and_meta() -> None:
    (page,) = [page for page in made() if "iso-8859-1" in page.content_type]
    assert page.path == LATIN_ONE
    assert b"charset=iso-8859-1" in page.content
    with pytest.raises(UnicodeDecodeError):
        page.content.decode("utf-8")
    assert parse(page.content).encoding == "windows-1252"
    assert facts()["book"][page.url]["price"][0].endswith("€")


def test_some_pages_have_end_tags_missing_stray_or_crossed() -> None:
    kinds: Counter[str] = Counter()
    for page in made():
        unclosed = page.content.count(b"<p") - page.content.count(b"</p>") > 0
        crossed = b"</b></i>" in page.content
        stray = b"</center>" in page.content
        assert (page.path in BROKEN) or not (crossed or stray), page.path
        kinds.update({"unclosed": unclosed and BROKEN.get(page.path) == "unclosed", "misnested": crossed, "stray": stray})
    assert kinds == Counter(BROKEN.values())


def test_no_page_shows_a_placeholder() -> None:
    for design in (1, 2):
        for page in made(design=design):
            assert b"[[" not in page.content
            assert b"||" not in page.content.split(b"</script>")[-2].split(b"<body")[-1]
            assert b"<!--mark" not in page.content
            assert b"None" not in page.content


@pytest.mark.parametrize("options", [{"design": 3}, {"day": -1}, {"design": 2, "partial": True}])
def test_arguments_that_name_no_site_are_refused(options: Options) -> None:
    with pytest.raises(ValueError, match=r"demo site|partial redesign"):
        pages(**options)


def test_the_zip_has_the_manifest_first_and_every_page_under_its_url(tmp_path) -> None:
    count = write_zip(tmp_path / "demo.zip", design=2, day=3)
    write_zip(tmp_path / "again.zip", design=2, day=3)
    assert (tmp_path / "demo.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    with ZipFile(tmp_path / "demo.zip") as archive:
        names = archive.namelist()
        rows = list(csv.DictReader(io.StringIO(archive.read("manifest.csv").decode(), newline="")))
        assert names[0] == "manifest.csv"
        assert [row["file"] for row in rows] == names[1 : 1 + count]
        assert {f"/{name}" for name in names[1 + count :]} == {file.path for file in files()}
        assert list(rows[0]) == ["file", "url"]
        assert len(rows) == count
        assert {row["url"]: archive.read(row["file"]) for row in rows} == {page.url: page.content for page in made(design=2, day=3)}
