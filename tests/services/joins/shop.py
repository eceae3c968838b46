"""A shop with category pages, a search page and pages of books, for the tests of joins."""

from collections.abc import Mapping, Sequence
from typing import Any

from extraction import pipeline
from extraction.algorithms.rules.rule import AttributeRule, ListRule, RuleDefinition, Selector
from extraction.models import Attribute, Cluster, Join, JoinedRecord, RecordType, Rule, Run, Site
from extraction.models.rule_report import RuleReport
from extraction.services.joins import make_records, plans
from extraction.services.joins.plans import JoinPlan, ListingPlan
from extraction.services.records import extract_records
from extraction.services.rules import rules
from tests.services import factory

HOST = "https://shop.example"

Row = tuple[str, str, str]
"""(title, price, link)."""


class Shop:
    """The templates of the shop: 1 categories, 2 books, 3 search pages."""

    def __init__(self) -> None:
        self.site: Site = factory.site("Shop")
        listing = _make_type("Category", ["category"], listed={"title": "text", "price": "price", "link": "url", "isbn": "text"})
        book = _make_type("Volume", ["title", "price", "text", "isbn"])
        self.categories = _publish(self.site, 1, listing, "category")
        self.books = _publish(self.site, 2, book, "book")
        self.searches = _publish(self.site, 3, listing, "search")

    def list_books(self, path: str, rows: Sequence[Row], cluster: Cluster | None = None) -> None:
        """Store a listing page. The ISBN of a row is the number in its title."""
        links = [f"<a href='{link}'>more</a>" if link else "" for _, _, link in rows]
        items = "".join(
            f"<li><b>{title}</b><i>{price}</i><s>{title.split()[-1]}</s>{link}</li>"
            for (title, price, _), link in zip(rows, links, strict=True)
        )
        content = f"<html><body><h2>{path}</h2><ul>{items}</ul></body></html>".encode()
        factory.snapshot(self.site, f"{HOST}/{path}", content, cluster=cluster or self.categories)

    def show_book(self, path: str, title: str, price: str, *, text: str = "Long", head: str = "", cluster: Cluster | None = None) -> None:
        """Store the page of a book."""
        body = f"<h1>{title}</h1><i>{price}</i><p>{text}</p><s>{title.split()[-1]}</s>" if title else ""
        content = f"<html><head>{head}</head><body>{body}</body></html>".encode()
        factory.snapshot(self.site, f"{HOST}/{path}", content, cluster=cluster or self.books)

    def attribute(self, cluster: Cluster, name: str) -> Attribute:
        assert cluster.record_type
        return cluster.record_type.attributes.get(name=name)

    def listing(self, cluster: Cluster | None = None, **settings: Any) -> ListingPlan:
        cluster = cluster or self.categories
        assert cluster.record_type
        listed = cluster.record_type.lists.get()
        return ListingPlan(cluster.pk, listed.pk, **({"link": self.attribute(cluster, "link").pk} | settings))

    def by_key(self, row: str = "isbn", page: str = "isbn") -> ListingPlan:
        pair = (self.attribute(self.categories, row).pk, self.attribute(self.books, page).pk)
        return self.listing(by_key=True, link=None, keys=(pair,))

    def join(self, *listings: ListingPlan, **settings: Any) -> Join:
        """Store a join and make its records."""
        plan = JoinPlan("Books", self.books.pk, listings=listings or (self.listing(),), **settings)
        join = plans.save_plan(self.site, plan)
        self.make(join)
        return join

    def make(self, join: Join) -> Run:
        return finish(make_records.start_joining(join))

    def extract(self) -> list[Run]:
        """Extract all records, with what follows from that; return the runs that followed."""
        last = Run.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        finish(extract_records.start_site_extraction(self.site))
        followers = list(Run.objects.filter(pk__gt=last + 1, kind=Run.Kind.JOIN, state=Run.State.QUEUED).order_by("pk"))
        return [finish(each) for each in followers]


def finish(run: Run) -> Run:
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.DONE, run.error
    return run


def _make_type(name: str, attributes: Sequence[str], listed: Mapping[str, str] | None = None) -> RecordType:
    kind = RecordType.objects.create(name=name, slug=name.lower())
    for position, each in enumerate(attributes):
        kind.attributes.create(name=each, position=position, type="price" if each == "price" else "text")
    if listed:
        rows = kind.lists.create(name="books")
        for position, (each, type_) in enumerate(listed.items(), len(attributes)):
            kind.attributes.create(name=each, type=type_, list=rows, position=position)
    return kind


PATHS = {"title": "b/text()", "price": "i/text()", "link": "a/@href", "isbn": "s/text()"}


def _publish(site: Site, number: int, kind: RecordType, path: str) -> Cluster:
    cluster = factory.cluster(site, number=number, kind=kind, patterns=[f"shop.example/{path}/*"])
    pages = {"category": "//h2", "title": "//h1", "price": "//body/i", "text": "//p", "isbn": "//body/s"}
    own = [_rule(each, f"{pages[each.name]}/text()") for each in kind.attributes.filter(list=None)]
    rows = [_rule(each, PATHS[each.name]) for each in kind.attributes.exclude(list=None)]
    lists = (ListRule("books", (Selector("//li"),), tuple(rows)),) if rows else ()
    rules.publish_rule(rules.add_draft(cluster, RuleDefinition(tuple(own), lists), report=RuleReport(), origin=Rule.Origin.LEARNED))
    return cluster


def _rule(attribute: Attribute, xpath: str) -> AttributeRule:
    return AttributeRule(attribute.name, attribute.type, alternatives=(Selector(xpath),))  # type: ignore[arg-type]


def show(join: Join) -> list[tuple[str, str, dict[str, str]]]:
    """(state, address of the page or why there is none, raw values) of each joined record."""
    found = JoinedRecord.objects.filter(join=join).select_related("page").order_by("pk")
    return [(each.state, each.page.url.removeprefix(HOST) if each.page else each.why, _read_raw(each)) for each in found]


def _read_raw(record: JoinedRecord) -> dict[str, str]:
    return {name: many[0]["raw"] for name, many in record.values.items()}
