"""The demo shop's listings: two books are marked on one page, the CSV of rows is the shop's whole shelf."""

import csv
import io

import pytest
from lxml import etree

from extraction import pipeline
from extraction.algorithms.dom.nodes import Location, clean, elements, texts
from extraction.algorithms.dom.parse import parse
from extraction.demo.content import ListingPage, site
from extraction.demo.site import BASE_URL, pages
from extraction.models import Attribute, Cluster, RecordList, RecordType, Rule, Run, Snapshot
from extraction.services.core import stored_pages
from extraction.services.labels import labelling
from extraction.services.learning import learn_rule, workspaces
from extraction.services.records import export_csv, extract_records
from extraction.services.rules import rules
from tests.services import factory

pytestmark = pytest.mark.django_db

SHOWN = {page.frame.path: page for page in site(day=0) if isinstance(page, ListingPage)}


def listings(design: int) -> Cluster:
    kind = RecordType.objects.create(name="Shelf", slug="shelf")
    Attribute.objects.create(record_type=kind, name="shelf", mandatory=True)
    books = RecordList.objects.create(record_type=kind, name="books")
    for position, (name, type_) in enumerate({"title": "text", "price": "price", "link": "url"}.items(), 1):
        Attribute.objects.create(record_type=kind, name=name, type=type_, position=position, list=books, mandatory=name == "title")
    cluster = factory.cluster(factory.site("Inkhorn"), kind=kind)
    made = [page for page in pages(design=design) if page.path in SHOWN]
    found = [factory.snapshot(cluster.site, page.url, page.content, cluster=cluster) for page in made]
    Snapshot.objects.filter(cluster=cluster).update(content_type=made[0].content_type)
    factory.samples(cluster, found[:3])
    return cluster


def text(nodes: list[etree._Element], wanted: str, *, after: int = 0) -> Location:
    """The first text node with exactly this text."""
    return next(
        Location(n, "text", nth)
        for n, element in enumerate(nodes)
        for nth, each in enumerate(texts(element), 1)
        if n > after and clean(each) == clean(wanted) and element.tag != "title"
    )


def mark(cluster: Cluster) -> None:
    """The heading and two books with a price, as an editor clicks them: the linked title, the price beside it, the link itself."""
    page = Snapshot.objects.filter(cluster=cluster).order_by("pk")[0]
    shown = SHOWN[page.page.url.removeprefix(BASE_URL)]
    content = next(each.content for each in pages(design=2 if b"grid--shelf" in stored(page) else 1) if each.url == page.page.url)
    nodes = elements(parse(content).root)
    schema = {attribute.name: attribute for attribute in Attribute.objects.filter(record_type=cluster.record_type)}
    labelling.set_labels(cluster, page, schema["shelf"], [text(nodes, shown.heading)], None)
    for row, card in enumerate([card for card in shown.cards if card.price][:2], 1):
        title = text(nodes, card.title.text)
        link = next(n for n in range(title.node, 0, -1) if nodes[n].tag == "a")
        labelling.set_labels(cluster, page, schema["title"], [title], None, row=row)
        labelling.set_labels(cluster, page, schema["price"], [text(nodes, card.price, after=title.node)], None, row=row)
        labelling.set_labels(cluster, page, schema["link"], [Location(link, "attribute", attribute="href")], None, row=row)


def stored(page: Snapshot) -> bytes:
    return b"".join(etree.tostring(each) for each in stored_pages.read_elements(page)[:1])


def finished(run: Run) -> Run:
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.DONE, "")
    return run


@pytest.mark.parametrize("design", [1, 2])
def test_the_rows_of_all_listings_are_the_shelves(design: int, sent: list[int]) -> None:
    """The second design writes "Out of stock" where the price stands otherwise: that is the text of the place."""
    workspaces.forget_workspaces()
    cluster = listings(design)
    mark(cluster)
    rules.publish_rule(Rule.objects.get(pk=finished(learn_rule.start_learning(cluster)).summary["rule"]))
    finished(extract_records.start_extraction(cluster))
    layout = export_csv.get_default_layout(cluster, list="books", normalised=False)
    rows = list(csv.DictReader(io.StringIO("".join(export_csv.write_rows(cluster, layout)))))
    urls = Snapshot.objects.filter(cluster=cluster).order_by("pk").values_list("page__url", flat=True)
    truth = [
        {
            "title": clean(card.title.text),
            "price": clean(card.price or (card.availability if design == 2 else "")),
            "link": card.title.href,
            "shelf": clean(SHOWN[url.removeprefix(BASE_URL)].heading),
            "source_url": url,
        }
        for url in urls
        for card in SHOWN[url.removeprefix(BASE_URL)].cards
    ]
    assert len(truth) > 100
    assert [row for row in truth if row not in rows] == []
    assert rows == truth
