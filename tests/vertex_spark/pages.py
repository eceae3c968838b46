"""A shop's bundle and its pages as WARC files, without a database."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extraction.algorithms.bundles.bundle import BundledList, BundledRule, BundledTemplate, SiteBundle, write_bundle
from extraction.algorithms.records.columns import ExportAttribute
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import write_stylesheet
from extraction.algorithms.sketches.shingles import Mask, compute_vector
from tests.services.factory import book_html

DEFINITION = RuleDefinition(
    (
        AttributeRule("title", mandatory=True, alternatives=(Selector("//h1/text()"),)),
        AttributeRule("price", type="price", mandatory=True, alternatives=(Selector("//p[@class='price']/text()"),)),
    ),
    (ListRule("people", (Selector("//li[@class='author']"),), (AttributeRule("name", alternatives=(Selector("text()"),)),)),),
)


def make_bundle(slug: str = "shop", host: str = "shop.example") -> bytes:
    of_page = (ExportAttribute("title"), ExportAttribute("price", "price"))
    template = BundledTemplate(
        id=7,
        number=1,
        label="Books",
        pages=12,
        masks=tuple({Mask(compute_vector(book_html("x", price=price, authors=("A", "B")))).text(): None for price in ("£1", None)}),
        patterns=(f"{host}/book/*",),
        lists=(
            BundledList(name="", attributes=of_page),
            BundledList(name="people", attributes=(ExportAttribute("name"), *of_page)),
        ),
        rule=BundledRule(version=3, definition=DEFINITION, stylesheet=write_stylesheet(DEFINITION)),
    )
    return write_bundle(SiteBundle(site=slug.title(), slug=slug, hosts=(host,), templates=(template,)))


def write_warc(path: Path, pages: Mapping[str, bytes], *, packed: bool = True) -> Path:
    """Write responses as Common Crawl does: a record of gzip for each page."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        for url, content in pages.items():
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            about = {"WARC-Date": "2026-01-02T03:04:05Z"}
            writer.write_record(
                writer.create_warc_record(url, "response", payload=BytesIO(content), http_headers=headers, warc_headers_dict=about)
            )
    return path


def make_pages(numbers: Sequence[int], host: str = "shop.example") -> dict[str, bytes]:
    """Books, every fifth of them without a price."""
    return {f"https://{host}/book/{n}": book_html(f"Book {n}", price=f"£{n}.50" if n % 5 else None, authors=("A", "B")) for n in numbers}
