"""Embedded data of pages is read within limits, cached, offered at its places, and compared with the values of rules."""

import io
import json
import time

import pytest
from django.core.files.storage import default_storage

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.markup.items import Item
from extraction.algorithms.values.evidence import NO_EVIDENCE
from extraction.models import Attribute, Cluster, Snapshot
from extraction.services.core import stored_bytes
from extraction.services.suggestions import markup_process, page_data
from tests.services import factory
from tests.services.core import sandbox_entries

pytestmark = pytest.mark.django_db


def book_html(number: int, *, price: str | None = None) -> bytes:
    data = {
        "@type": "Book",
        "name": f"Book {number}",
        "author": [{"name": f"Writer {number}"}, {"name": "Ann"}],
        "offers": {"price": price or f"{number}.50"},
    }
    body = factory.book_html(f"Book {number}", price=f"£{number}.50", authors=[f"Writer {number}", "Ann"]).decode()
    return body.replace("</head>", f'<script type="application/ld+json">{json.dumps(data)}</script></head>').encode()


@pytest.fixture
def shop() -> Cluster:
    books = factory.site()
    group = factory.cluster(books, kind=factory.record_type())
    for number in range(4):
        content = book_html(number, price="99.00" if number == 3 else None)
        factory.snapshot(books, f"https://shop.example/book/{number}", content, cluster=group)
    return group


def pages(shop: Cluster) -> list[Snapshot]:
    return list(Snapshot.objects.filter(cluster=shop).order_by("pk"))


def items_of(page: Snapshot) -> tuple[Item, ...]:
    return page_data.read_embedded_data([page])[page.pk].items


def test_embedded_data_is_found_with_its_places_on_the_page(shop) -> None:
    page = pages(shop)[1]
    nodes = elements(parse(stored_bytes.get_bytes(page.sha256)).root)
    found = {row.attribute.name: row for row in page_data.suggest_values(items_of(page), Attribute.objects.all(), nodes)}
    assert found["title"].values == ("Book 1",) and nodes[found["title"].places[0].node].tag == "h1"
    assert found["author"].values == ("Writer 1", "Ann") and found["author"].words == "JSON-LD Book author"
    assert found["price"].values == ("£1.50",) and value(nodes, found["price"].places[0]) == "£1.50", "an amount with its currency"


def test_an_old_price_is_not_said_to_be_the_price_of_the_offer(shop) -> None:
    page = pages(shop)[1]
    kind = Attribute.objects.get(name="price").record_type
    old = Attribute.objects.create(record_type=kind, name="old_price", type=Attribute.Type.PRICE, position=9)
    nodes = elements(parse(stored_bytes.get_bytes(page.sha256)).root)
    found = {row.attribute.name for row in page_data.suggest_values(items_of(page), Attribute.objects.all(), nodes)}
    assert "price" in found and "old_price" not in found
    assert page_data.measure_agreement(old, {page.pk: ["£2.00"]}, {page.pk: items_of(page)}) is None


def test_items_are_read_once_and_cached(shop, monkeypatch) -> None:
    first = page_data.read_embedded_data(pages(shop))
    monkeypatch.setattr(markup_process, "read_embedded_data", lambda pages: pytest.fail("read again"))
    assert page_data.read_embedded_data(pages(shop)) == first
    assert first[pages(shop)[0].pk].items[0].type == "Book"


def test_a_damaged_cache_of_items_is_read_again(shop) -> None:
    page = pages(shop)[0]
    first = page_data.read_embedded_data([page])
    stored_bytes.keep_file(page_data._name(page.sha256), b"[{]")
    assert page_data.read_embedded_data([page]) == first
    assert default_storage.exists(page_data._name(page.sha256))


def test_rules_are_compared_with_embedded_data_and_differing_pages_are_listed(shop) -> None:
    price = Attribute.objects.get(name="price")
    given = {page.pk: [f"£{number}.50"] for number, page in enumerate(pages(shop))}
    found = page_data.measure_agreement(price, given, {page.pk: items_of(page) for page in pages(shop)})
    assert found is not None and (found.agree, found.compared) == (3, 4)
    assert found.different == (pages(shop)[3].pk,) and found.words == "JSON-LD Book offers.price"
    assert page_data.measure_agreement(price, {}, {page.pk: items_of(page) for page in pages(shop)}) is None


def test_a_date_agrees_with_embedded_data_only_as_the_rules_column_reads_it(shop) -> None:
    day = Attribute(name="published", type=Attribute.Type.DATE)
    wrong_way, right_way = [Item("json-ld", "Book", {"datePublished": (text,)}) for text in ("2024-03-04", "2024-04-03")]
    for given, said, agree in (
        ({1: ["03/04/2024"], 2: ["25/12/2024"]}, wrong_way, 0),
        ({1: ["03/04/2024"], 2: ["25/12/2024"]}, right_way, 1),
        ({1: ["03/04/2024"]}, wrong_way, 1),
    ):
        found = page_data.measure_agreement(day, given, {1: (said,)})
        assert found is not None and found.agree == agree, given


def test_a_template_offers_attributes_from_its_pages_embedded_data(shop) -> None:
    proposal = page_data.propose_record_type(shop)
    assert proposal.type == "Book" and proposal.problems == {}
    assert {row.path for row in proposal.attributes} >= {"name", "author", "offers.price"}


def test_a_crash_is_told_with_its_reason_and_the_other_pages_are_read(shop, monkeypatch) -> None:
    odd = factory.snapshot(shop.site, "https://shop.example/book/odd", b"<html><body>crash", cluster=shop)
    monkeypatch.setattr(markup_process, "read_pages", sandbox_entries.read_one_page_and_crash)
    found = page_data.read_embedded_data(pages(shop))
    assert {pk: data.problem for pk, data in found.items() if data.problem}.keys() == {odd.pk}
    assert found[odd.pk].problem.startswith("it failed: ValueError: the seventh page is odd (tests/services/core/sandbox_entries.py, line ")
    monkeypatch.undo()
    again = page_data.propose_record_type(shop)
    assert again.problems == {"https://shop.example/book/odd": found[odd.pk].problem}, "what is stored still says why"


def test_a_page_whose_child_was_stopped_from_outside_is_read_again(shop, monkeypatch) -> None:
    page = factory.snapshot(shop.site, "https://shop.example/book/new", book_html(77), cluster=shop)
    monkeypatch.setattr(markup_process, "read_pages", sandbox_entries.kill_itself_at_once)
    assert "SIGKILL" in page_data.read_embedded_data([page])[page.pk].problem
    monkeypatch.undo()
    assert page_data.read_embedded_data([page])[page.pk].problem == "" and items_of(page)


def test_data_that_cannot_be_read_or_is_left_out_is_named(monkeypatch) -> None:
    wrong = b'<html><body><script type="application/ld+json">{"@type": "Book", </script>'
    large = b'<html><body><p typeof="Book">' + b"x" * markup_process.RDFA_BYTES
    [broken, long] = markup_process.read_embedded_data([(wrong, ""), (large, "")])
    assert broken.problem.startswith("JSON-LD could not be read: ") and broken.final
    assert long.problem == "RDFa was not read, because the page is larger than 1 MB"


def test_hostile_pages_give_no_data_and_do_not_affect_the_others(monkeypatch) -> None:
    monkeypatch.setattr(markup_process, "PAGE_S", 1.5)
    good = book_html(1)
    deep = b'<html><head></head><body><script type="application/ld+json">' + b"[" * 200_000 + b"</script></body></html>"
    wrong = b'<script type="application/ld+json">{"@type": "Book", </script>'
    nested = b"<div itemscope itemprop=a>" * 1_500 + b"<i itemprop=b>x</i>" * 3_000
    started = time.monotonic()
    found = markup_process.read_embedded_data([(good, ""), (deep, ""), (wrong, ""), (b"", ""), (b"\x00\xff", ""), (nested, ""), (good, "")])
    assert found[0].items and found[0] == found[-1] and found[0].problem == ""
    assert all(data.items == () for data in found[1:5]) and len(found) == 7
    assert found[1].problem and found[2].problem and found[3].problem
    assert time.monotonic() - started < 60
    assert all(isinstance(item, Item) for item in found[0].items)


def read_pages(*pages: tuple[bytes, str]) -> list[tuple[list[str], str]]:
    """Return ("syntax: property" of each value, the problem) of pages, as the child process reads them."""
    request = io.BytesIO(b"".join(json.dumps([len(content), kind]).encode() + b"\n" + content for content, kind in pages))
    rows = list(markup_process.read_pages(request))
    return [(sorted({f"{each['syntax']}: {each['type']}" for each in row["items"]}), row["problem"]) for row in rows]


EACH = {
    "json-ld": '<script type="application/ld+json">{"@type": "Book", "name": "Emma"}</script>',
    "microdata": '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">Emma</b></div>',
    "rdfa": '<div vocab="https://schema.org/" typeof="Book"><b property="name">Emma</b></div>',
    "opengraph": '<meta property="og:title" content="Emma">',
}


def test_each_syntax_is_read_where_a_page_has_it() -> None:
    both = read_pages(*((f"<html><head>{text}</head><body>{text}</body></html>".encode(), "text/html") for text in EACH.values()))
    assert both == [(["JSON-LD: Book"], ""), (["microdata: Book"], ""), (["RDFa: Book"], ""), (["Open Graph: "], "")]
    assert read_pages((b"<p>plain</p>", "")) == [([], "")]


def test_no_syntax_of_a_page_makes_vertex_connect_to_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def connect(self: object, address: object) -> None:
        asked.append(address)
        raise OSError("no network here")

    monkeypatch.setattr("socket.socket.connect", connect)
    elsewhere = "".join(EACH.values()).replace("https://schema.org/", "https://vocabulary.example/")
    elsewhere += '<p prefix="v: https://other.example/" profile="https://third.example/" typeof="v:Book"><b property="v:name">Emma</b></p>'
    context = '<script type="application/ld+json">{"@context": "https://context.example/", "@type": "Book", "name": "Emma"}</script>'
    ((found, problem),) = read_pages((f"<html><body>{elsewhere}{context}</body></html>".encode(), ""))
    assert found and problem == "" and asked == []


def test_a_large_page_is_read_in_part_and_without_rdfa(monkeypatch: pytest.MonkeyPatch) -> None:
    page = f"<html><body>{EACH['rdfa']}{EACH['microdata']}</body></html>".encode()
    monkeypatch.setattr(markup_process, "RDFA_BYTES", len(page) - 1)
    ((found, problem),) = read_pages((page, ""))
    assert found == ["microdata: Book"] and problem.startswith("RDFa was not read, because")
    monkeypatch.setattr(markup_process, "RDFA_BYTES", len(page))
    monkeypatch.setattr(markup_process, "MAX_BYTES", page.index(b"<div itemscope"))
    ((found, problem),) = read_pages((page, ""))
    assert found == ["RDFa: Book"] and problem.startswith("only the first ")


def test_what_cannot_be_read_of_a_page_is_said_and_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, *_: object, **__: object) -> None:
        raise IndexError("no such place")

    monkeypatch.setattr("extruct.w3cmicrodata.MicrodataExtractor.extract_items", fail)
    page = f"<html><body>{EACH['microdata']}{EACH['json-ld']}</body></html>".encode()
    ((found, problem),) = read_pages((page, ""))
    assert found == ["JSON-LD: Book"] and problem == "microdata could not be read: IndexError: no such place"
    broken = page.replace(b'"name": "Emma"}', b'"name": ')
    assert "JSON-LD could not be read" in read_pages((broken, ""))[0][1]


def test_a_page_that_cannot_be_parsed_has_a_problem_and_memory_ends_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_with(error: Exception) -> None:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(markup_process, "parse", fail)

    fail_with(PageError("it has no elements"))
    assert read_pages((b"x", "")) == [([], "the page cannot be parsed: it has no elements")]
    fail_with(ValueError("Memory allocation failed"))
    with pytest.raises(ValueError, match="Memory allocation failed"):
        read_pages((b"x", ""))


@pytest.mark.parametrize(
    ("type_", "multiple", "given", "said", "agree"),
    [
        ("text", False, ["Emma"], ["EMMA "], True),
        ("text", False, ["Emma, by Jane Austen"], ["Emma"], True),
        ("text", False, ["Emma"], ["Persuasion"], False),
        ("text", True, [f"a{n}" for n in range(10)], [f"a{n}" for n in range(9)], True),
        ("text", True, [f"a{n}" for n in range(10)], [f"a{n}" for n in range(8)], False),
        ("text", True, ["a", "b"], ["b", "a"], True),
        ("text", True, ["a, b"], ["a"], False),
        ("price", False, ["£9.50"], ["9.5"], True),
        ("price", False, ["£9.50"], ["£9.51"], False),
        ("date", False, ["3 April 2024"], ["2024-04-03"], True),
        ("number", True, ["7", "8"], ["8"], True),
    ],
)
def test_values_agree_as_texts_as_readings_or_as_parts(type_: str, multiple: bool, given: list[str], said: list[str], agree: bool) -> None:
    attribute = Attribute(name="x", type=type_, multiple=multiple)
    assert page_data.agrees(attribute, given, said, column=NO_EVIDENCE) == agree
