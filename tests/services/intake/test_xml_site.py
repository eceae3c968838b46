"""A site of XML pages from start to finish: a zip file, true records, lists, suggested fields, an exported rule and checks."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from lxml import etree

from extraction import pipeline
from extraction.algorithms.alignment.methods import METHODS
from extraction.algorithms.dom.nodes import Location, elements
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.rules import exports
from extraction.fetching.crawl.messages import Outcome
from extraction.models import Attribute, Check, Cluster, Label, Record, RecordList, RecordType, Rule, Run, Site, Snapshot
from extraction.services.intake import export_warc
from extraction.services.labels import labelling
from extraction.services.learning import learn_rule, workspaces
from extraction.services.monitoring import check_site
from extraction.services.monitoring.fetch_pages import PageAnswer
from extraction.services.records import export_csv, extract_records
from extraction.services.rules import rules
from extraction.services.suggestions import suggested_fields
from extraction.services.suggestions.taking_fields import TakenColumns
from extraction.services.templates import boilerplate, cluster_pages, clusters, sample_pages
from extraction.views.core import run_words
from tests.fixtures import product_feed
from tests.fixtures.product_feed import XmlPage
from tests.reading import words
from tests.services import factory, importing

pytestmark = pytest.mark.django_db

PLAIN = {"title": "text", "price": "price", "currency": "text", "colour": "text", "style": "text", "code": "text", "image": "image"}
LISTED = ("seller", "amount")
TRUTH = {page.url: page for page in product_feed.site()}


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    workspaces.forget_workspaces()
    yield


def done(run: Run) -> Run:
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.DONE, "")
    return run


@pytest.fixture
def templates(tmp_path: Path, sent: list[int]) -> dict[str, Cluster]:
    """The site imported and clustered: {kind of its pages: the template}."""
    site = factory.site("Feed")
    imported = importing.bring(site, importing.zip_at(tmp_path / "site.zip", product_feed.files()))
    assert imported.summary["pages"] == 30 and imported.summary["skipped"] == {"not HTML": 1}
    done(cluster_pages.start_clustering(site))
    found: dict[str, Cluster] = {}
    for cluster in Cluster.objects.filter(site=site):
        kinds = {TRUTH[url].kind for url in Snapshot.objects.filter(cluster=cluster).values_list("page__url", flat=True)}
        assert len(kinds) == 1 and not kinds & set(found)
        found[kinds.pop()] = cluster
    return found


def places(snapshot: Snapshot, xpath: str) -> list[Location]:
    """The places of an XPath's nodes on a page, as clicks would give them."""
    nodes = elements(parse(TRUTH[snapshot.page.url].content).root)
    index = {element: number for number, element in enumerate(nodes)}
    found = nodes[0].xpath(xpath)
    return [
        Location(index[each.getparent()], "attribute", attribute=each.attrname)
        if each.is_attribute
        else Location(index[each.getparent()], "text", text=1)
        for each in found
    ]


XPATHS = {
    "title": "/product/title/text()",
    "price": "/product/price/text()",
    "currency": "/product/price/@currency",
    "colour": "/product/colour/text()",
    "style": "/product/style/text()",
    "code": "/product/@id",
    "image": "/product/image/@href",
}


def mark(cluster: Cluster) -> None:
    """A record type with a list, marked on four pages: one without a colour among them."""
    kind = RecordType.objects.create(name="Product", slug="product")
    for position, (name, type_) in enumerate(PLAIN.items()):
        Attribute.objects.create(record_type=kind, name=name, type=type_, position=position)
    offers = RecordList.objects.create(record_type=kind, name="offers")
    for position, name in enumerate(LISTED, len(PLAIN)):
        Attribute.objects.create(record_type=kind, name=name, position=position, list=offers)
    Cluster.objects.filter(pk=cluster.pk).update(record_type=kind)
    cluster.refresh_from_db()
    attributes = {attribute.name: attribute for attribute in Attribute.objects.filter(record_type=kind)}
    for number in (1, 2, 3, 7):
        snapshot = Snapshot.objects.get(page__url=f"https://shop.example/product/{number}.xml")
        for name, xpath in XPATHS.items():
            labelling.set_labels(cluster, snapshot, attributes[name], places(snapshot, xpath) or None, None)
        for row in range(1, 3):
            for name, xpath in (("seller", f"//offer[{row}]/seller/text()"), ("amount", f"//offer[{row}]/@amount")):
                if found := places(snapshot, xpath):
                    labelling.set_labels(cluster, snapshot, attributes[name], found, None, row=row)


def learned(cluster: Cluster) -> Rule:
    mark(cluster)
    run = done(learn_rule.start_learning(cluster))
    rule = Rule.objects.get(pk=run.summary["rule"])
    assert rule.report["failed"] == []
    return rules.publish_rule(rule)


def raw(values: Sequence[Mapping[str, Any]]) -> list[str]:
    return [value["raw"] for value in values]


def test_a_zip_of_xml_pages_becomes_two_templates_and_a_sitemap_is_not_a_page(templates: dict[str, Cluster]) -> None:
    assert {kind: Snapshot.objects.filter(cluster=cluster).count() for kind, cluster in templates.items()} == {"product": 18, "maker": 12}
    assert Snapshot.objects.get(page__url__endswith="product/4.xml").title == TRUTH["https://shop.example/product/4.xml"].truth["title"][0]
    assert not Snapshot.objects.exclude(error="").exists()


def test_records_lists_csv_exported_rule_and_checks_are_the_truth(templates: dict[str, Cluster]) -> None:
    cluster = templates["product"]
    rule = learned(cluster)
    done(extract_records.start_extraction(cluster))
    records = {record.snapshot.page.url: record for record in Record.objects.filter(cluster=cluster).select_related("snapshot__page")}
    assert len(records) == 18
    for url, record in records.items():
        truth = TRUTH[url].truth
        assert {name: raw(record.values.get(name, [])) for name in PLAIN} == {name: truth[name] for name in PLAIN}, url
        rows = [(row["seller"][0]["raw"], row["amount"][0]["raw"]) for row in record.rows["offers"]]
        assert rows == list(zip(truth["seller"], truth["amount"], strict=True)), url
        assert record.values["image"][0]["value"] == f"https://shop.example{truth['image'][0]}"
    table = list(csv.DictReader(io.StringIO("".join(export_csv.write_rows(cluster)).removeprefix("\ufeff"))))
    assert [row["title"] for row in table] == [record.values["title"][0]["raw"] for record in Record.objects.filter(cluster=cluster)]
    _spider_agrees(rule, TRUTH["https://shop.example/product/6.xml"])
    _checks_agree(cluster)


def _spider_agrees(rule: Rule, page: XmlPage) -> None:
    source = exports.write_export(rule.read_definition(), "web-poet", name="product")
    space: dict[str, Any] = {}
    head, _, reader = source.partition("class ProductPage")
    data = head[head.index("ATTRIBUTES = ") :]
    exec(compile(_imports(head) + data + reader[reader.index("# How a page is read") :], "exported", "exec"), space)
    found = space["read_record"](
        page.content, url=page.url, content_type="application/xml", attributes=space["ATTRIBUTES"], lists=space["LISTS"]
    )
    assert (found["title"], found["code"], found["style"]) == tuple(page.truth[name][0] for name in ("title", "code", "style"))
    assert [row["seller"] for row in found["offers"]] == page.truth["seller"]


def _imports(head: str) -> str:
    return "".join(f"{line}\n" for line in head.splitlines() if line.startswith(("import ", "from ")) and "web_poet" not in line)


def _checks_agree(cluster: Cluster) -> None:
    """One check finds the site in order. After the price's element is renamed, the next one finds it broken."""
    for rename, verdict in ((False, "ok"), (True, "null")):
        check_site.check_site(cluster.site, fetch=_fetch(rename=rename), now=lambda: datetime(2026, 1, 5, tzinfo=UTC))
        check = Check.objects.filter(cluster=cluster).order_by("-pk")[0]
        assert check.attributes["price"]["kind"] == verdict
        assert check.attributes["title"]["kind"] == "ok"


def _fetch(*, rename: bool) -> Callable[[Sequence[str]], Mapping[str, PageAnswer]]:
    def fetch(urls: Sequence[str]) -> Mapping[str, PageAnswer]:
        pages = {url: TRUTH[url].content for url in urls}
        return {url: PageAnswer(Outcome.OK, _renamed(content) if rename else content, "text/xml") for url, content in pages.items()}

    return fetch


def _renamed(content: bytes) -> bytes:
    return content.replace(b"g:price", b"g:cost")


def test_fields_are_suggested_by_the_names_of_elements_and_attributes(templates: dict[str, Cluster], person: Any) -> None:
    cluster = templates["product"]
    offer = suggested_fields.suggest_fields(cluster)
    fields = {field.name: field for field in offer.fields}
    assert {"title", "price", "colour", "style", "maker", "seller", "offer_amount", "product_id"} <= set(fields)
    assert fields["offer_amount"].multiple and "offer_amount_2" not in fields
    assert not fields["price"].multiple and fields["style"].filled == fields["title"].filled == offer.pages
    taken = [TakenColumns(fields[name].place, name, fields[name].type) for name in ("title", "style", "product_id")]
    assert suggested_fields.take_fields(cluster, offer.key, taken, person("editor"), type_name="Product") == 3
    assert set(Label.objects.filter(attribute__name="style").values_list("value", flat=True)) <= {"plain", "rustic", "modern"}


def test_a_site_can_be_restored_from_its_warc(templates: dict[str, Cluster], tmp_path: Path) -> None:
    path = tmp_path / "site.warc.gz"
    path.write_bytes(b"".join(export_warc.write_records(templates["product"].site)))
    again = importing.bring(Site.objects.create(name="Again", slug="again"), path)
    assert again.summary["pages"] == 30
    shas = [set(Snapshot.objects.filter(page__site__name=name).values_list("page__url", "sha256")) for name in ("Feed", "Again")]
    assert shas[0] == shas[1]


def test_refused_xml_is_listed_with_the_reason(tmp_path: Path, sent: list[int]) -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><a>&b;</a>'
    run = importing.bring(
        factory.site("Bombs"), importing.zip_at(tmp_path / "site.zip", {"a.xml": bomb, "b.xml": b"<?xml version='1.0'?><a>1</a>"})
    )
    assert dict(run.problems.values_list("name", "reason")) == {
        "a.xml": "the page is XML, and its entity “b” is made of other entities; such pages are not read"
    }
    assert Snapshot.objects.exclude(error="").count() == 1


def test_a_template_of_xml_pages_shows_its_structure_and_offers_it_as_a_file(
    templates: dict[str, Cluster], client: Client, person: Any
) -> None:
    client.force_login(person("viewer"))
    cluster = templates["product"]
    assert "Structure" in client.get(cluster.get_absolute_url()).content.decode()
    address = reverse("cluster_structure", args=[cluster.site.slug, cluster.number])
    shown = words(client.get(address, headers={"HX-Request": "true"}))
    assert "on 18 pages" in shown and "(title, g:price, colour?, style, m:image, description, maker, offers, imprint)" in shown
    tolerant = client.get(f"{address}?as=tolerant-dtd")
    assert "?as=tolerant-dtd" in client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert tolerant["Content-Disposition"].endswith('.tolerant.dtd"') and b"#REQUIRED" not in tolerant.content
    taken = client.get(f"{address}?as=dtd")
    assert taken["Content-Disposition"] == f'attachment; filename="feed-{cluster.number}.dtd"'
    found = etree.DTD(io.BytesIO(taken.content))
    assert all(found.validate(etree.fromstring(page.content)) for page in TRUTH.values() if page.kind == "product")
    said = io.StringIO()
    call_command("structure", "feed", str(cluster.number), "--method", "xtract", stdout=said)
    assert taken.content.decode() == said.getvalue()
    with pytest.raises(CommandError, match="the pages of Template 1 are XML, but rtdm-patterns reads HTML news pages"):
        call_command("structure", "feed", str(cluster.number), "--method", "rtdm-patterns")


def test_a_template_of_html_pages_has_no_document_type(client: Client, person: Any) -> None:
    client.force_login(person("viewer"))
    cluster = factory.shop(3)
    assert "Structure" not in client.get(cluster.get_absolute_url()).content.decode()
    address = reverse("cluster_structure", args=[cluster.site.slug, cluster.number])
    assert "not XML" in client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert client.get(f"{address}?as=zzz").status_code == client.get(f"{address}?as=dtd").status_code == 404
    with pytest.raises(CommandError, match="the pages of Template 1 are not XML"):
        call_command("structure", "books", "1", "--method", "xtract")


def test_broken_xml_pages_are_marked_everywhere_and_listed_after_whole_ones(client: Client, person: Any, tmp_path: Path) -> None:
    client.force_login(person("viewer"))
    whole = {f"b{n}.xml": f"<?xml version='1.0'?><book><title>T {n}</title><price>{n}</price></book>".encode() for n in range(12)}
    broken = {"a.xml": b"<?xml version='1.0'?><book>\n<title>T</title><price>1</price>"}
    site = factory.site("Broken")
    run = importing.bring(site, importing.zip_at(tmp_path / "site.zip", broken | whole))
    told = run.problems.get()
    assert told.name == "a.xml" and told.reason.startswith("read in part: the XML is broken in line 2 (")
    assert run.summary["partly"] == 1 and run_words.write_sentence(run) == "13 pages read, 13 new, 1 read in part"
    found = Cluster.objects.create(site=site, number=1)
    Snapshot.objects.filter(page__site=site).update(cluster=found)
    preview = clusters.list_templates(site).rows[0].preview
    assert preview and preview.page.url == "b0.xml"
    assert "a.xml" not in {row.snapshot.page.url for row in sample_pages.choose_samples(found, count=20)}
    address = reverse("site_pages", args=[site.slug])
    listed = client.get(f"{address}?part=partly").content.decode()
    assert "a.xml" in listed and "b0.xml" not in listed and "Read in part (1)" in listed and "the XML is broken in line 2" in listed
    page = site.pages.get(url="a.xml")
    assert "the XML is broken in line 2" in client.get(reverse("page", args=[site.slug, page.pk])).content.decode()
    Snapshot.objects.exclude(notice="").exclude(page=page).delete()
    Snapshot.objects.filter(page__site=site).exclude(page=page).update(cluster=None)
    assert [row.snapshot.page.url for row in sample_pages.choose_samples(found)] == ["a.xml"]  # where there is no other


def test_broken_pages_are_left_out_of_a_document_type_which_says_so(client: Client, person: Any) -> None:
    client.force_login(person("viewer"))
    cluster = factory.cluster(factory.site("Broken"))
    for number, page in enumerate(("<a><b/></a>", "<a><b/><c></a>")):
        factory.snapshot(cluster.site, f"https://b.example/{number}", f"<?xml version='1.0'?>{page}".encode(), cluster=cluster)
    address = reverse("cluster_structure", args=["broken", 1])
    as_script = {"HX-Request": "true"}
    shown = words(client.get(address, headers=as_script))
    assert "on 1 page. 1 broken page was left out." in shown
    taken = client.get(f"{address}?as=dtd").content
    assert taken == b"<!-- 1 page of broken XML left out -->\n<!ELEMENT a (b)>\n<!ELEMENT b EMPTY>\n" and etree.DTD(io.BytesIO(taken))
    whole = cluster.snapshots.order_by("pk").first()
    assert whole is not None
    whole.delete()
    assert "the XML of every page of Template 1 is broken" in client.get(address, headers=as_script).content.decode()


def test_pages_with_endless_names_have_no_document_type(client: Client, person: Any) -> None:
    client.force_login(person("viewer"))
    cluster = factory.cluster(factory.site("Names"))
    names = "".join(f"<n{number}/>" for number in range(600))
    factory.snapshot(cluster.site, "https://names.example/1", f"<?xml version='1.0'?><r>{names}</r>".encode(), cluster=cluster)
    answer = client.get(reverse("cluster_structure", args=["names", 1]), headers={"HX-Request": "true"})
    assert "more than 500 names" in answer.content.decode()
    with pytest.raises(CommandError, match="more than 500 names"):
        call_command("structure", "names", "1", "--method", "xtract")


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"mse"}))
def test_methods_that_find_fields_find_the_titles_of_pages_of_xml(method: str) -> None:
    roots = [parse(page.content).root for page in TRUTH.values() if page.kind == "product"][:8]
    columns = METHODS[method](roots).columns()
    titles = [page.truth["title"][0] for page in TRUTH.values() if page.kind == "product"][:8]
    held = [{value.text for value in rows.get(number, ())} for rows in columns.values() for number in range(8)]
    best = max(sum(titles[number] in held[at * 8 + number] for number in range(8)) for at in range(len(columns)))
    assert best == 8


def test_shared_parts_of_xml_pages_are_dimmed_and_fields_are_not(templates: dict[str, Cluster]) -> None:
    snapshot = Snapshot.objects.get(page__url="https://shop.example/product/1.xml")
    nodes = elements(parse(TRUTH[snapshot.page.url].content).root)
    assert [nodes[node].tag for node in boilerplate.find_dimmed(templates["product"], snapshot)] == ["imprint"]
