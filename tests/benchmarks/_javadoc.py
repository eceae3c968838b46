"""The pages of Debian's openjdk-17-doc, as a site with a bundle, for measuring extraction."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extraction.algorithms.bundles.bundle import BundledList, BundledRule, BundledTemplate, SiteBundle, write_bundle
from extraction.algorithms.clustering.masked_shingles import cluster_vectors
from extraction.algorithms.records.columns import ExportAttribute
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import write_stylesheet
from extraction.algorithms.sketches.shingles import compute_vectors

HOST = "docs.example"

PLACES = (Path("/usr/share/doc/openjdk-17-jre-headless/api"), Path("/usr/share/doc/openjdk-17-doc"))
"""Where Debian's package puts the pages."""

ATTRIBUTES = {
    "title": "//h1/text()",
    "package": "//div[@class='sub-title'][last()]/a/text()",
    "module": "//div[@class='sub-title'][1]/a/text()",
    "declaration": "//section[@class='class-description' or @class='description']//div[@class='type-signature'][1]",
    "since": "//dt[. = 'Since:']/following-sibling::dd[1]/text()",
}
"""Of pages that describe a class."""

METHODS = "//section[@class='method-details']//section[@class='detail']"


def find_pages(folder: Path | None) -> dict[str, bytes]:
    """{address: page} of all HTML files of the folder, or of the package if it is installed; none if there is neither."""
    found = [folder] if folder else [place for place in PLACES if place.is_dir()][:1]
    files = sorted(path for place in found for path in place.rglob("*.html") if path.is_file() and not path.is_symlink())
    return {f"https://{HOST}/{path.relative_to(found[0])}": path.read_bytes() for path in files}


def make_bundle(pages: dict[str, bytes]) -> bytes:
    """A bundle whose one rule is of the templates that have a class declaration; the others have none."""
    clusters = cluster_vectors(dict(zip(pages, compute_vectors(pages.values()), strict=True))).clusters
    definition = RuleDefinition(
        tuple(AttributeRule(name, multiple=name == "package", alternatives=(Selector(xpath),)) for name, xpath in ATTRIBUTES.items()),
        (ListRule("methods", (Selector(METHODS),), (AttributeRule("name", alternatives=(Selector("h3/text()"),)),)),),
    )
    of_page = tuple(ExportAttribute(name) for name in ATTRIBUTES)
    templates: list[BundledTemplate] = []
    for with_rule in (True, False):
        chosen = [each for each in clusters if (b'class="type-signature"' in pages[each.members[0]]) == with_rule]
        templates.append(
            BundledTemplate(
                id=len(templates) + 1,
                number=len(templates) + 1,
                label="Classes" if with_rule else "Others",
                pages=sum(len(each.members) for each in chosen),
                masks=tuple(each.mask.text() for each in chosen),
                patterns=(),
                lists=(
                    BundledList(name="", attributes=of_page),
                    BundledList(name="methods", attributes=(ExportAttribute("name"), *of_page)),
                )
                if with_rule
                else (),
                rule=BundledRule(version=1, definition=definition, stylesheet=write_stylesheet(definition)) if with_rule else None,
            )
        )
    return write_bundle(SiteBundle(site="Java", slug="java", hosts=(HOST,), templates=tuple(templates)))


def write_warcs(pages: dict[str, bytes], folder: Path, files: int) -> Sequence[Path]:
    """Write the pages to so many files of about the same size, each page as a record of gzip, as Common Crawl does."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:02}.warc.gz" for number in range(files)]
    for number, path in enumerate(paths):
        with path.open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for url in list(pages)[number::files]:
                headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
                writer.write_record(writer.create_warc_record(url, "response", payload=BytesIO(pages[url]), http_headers=headers))
    return paths
