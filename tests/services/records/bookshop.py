"""A bookshop that changes from day to day and keeps a log of its own of what a careful visitor must notice.

The shop knows nothing of extraction. Its log is computed from its shelves: what a visitor saw on the last visit and sees now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.utils import timezone

from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.models import Cluster, Page, RecordType, Rule
from extraction.models.rule_report import RuleReport
from extraction.services.rules import rules
from tests.services import factory

ATTRIBUTES = {"isbn": "text", "title": "text", "price": "price", "stock": "text"}

Event = tuple[str, str, tuple[tuple[str, str, str], ...]]
"""(kind, ISBN, ((attribute, from, to), …))."""


@dataclass
class Book:
    isbn: str
    title: str
    pence: int
    stock: int
    addresses: list[str]
    on_sale: bool = True

    def values(self) -> dict[str, str]:
        return {"isbn": self.isbn, "title": self.title, "price": f"£{self.pence / 100:.2f}", "stock": f"{self.stock} left"}


@dataclass
class Bookshop:
    """The shop.

    cluster: the template of its pages.
    design: the element that titles stand in; a redesign changes it.
    seen: what visitors saw last, by ISBN.
    known: the addresses of each book in the order in which visitors found them.
    main: the address that counts.
    """

    random: Random
    cluster: Cluster
    design: str = "h1"
    books: dict[str, Book] = field(default_factory=dict)
    made: int = 0
    seen: dict[str, dict[str, str]] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)
    main: dict[str, str] = field(default_factory=dict)
    misses: dict[str, int] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    @property
    def kind(self) -> RecordType:
        assert self.cluster.record_type
        return self.cluster.record_type

    def add_book(self) -> Book:
        self.made += 1
        isbn = f"978{self.made:010}"
        book = Book(
            isbn, f"Book {self.random.randrange(5)}", self.random.randrange(100, 5000), self.random.randrange(9), [self.new_address()]
        )
        self.books[isbn] = book
        return book

    def new_address(self) -> str:
        self.made += 1
        return f"https://shop.example/book/{self.made}"

    def live_a_day(self) -> None:
        """Change prices, stock, books and addresses."""
        for book in list(self.books.values()):
            if self.random.random() < 0.3:
                book.pence = self.random.randrange(100, 5000)
            if self.random.random() < 0.2:
                book.stock = self.random.randrange(9)
            event = self.random.random()
            if event < 0.05:
                book.on_sale = not book.on_sale
            elif event < 0.1:
                book.addresses[0] = self.new_address()
            elif event < 0.13 and len(book.addresses) == 1:
                book.addresses.append(self.new_address())
        if self.random.random() < 0.4:
            self.add_book()

    def html(self, book: Book) -> bytes:
        shown = book.values()
        rest = "".join(f'<p class="{name}">{shown[name]}</p>' for name in ("isbn", "price", "stock"))
        return f"<html><body><{self.design}>{shown['title']}</{self.design}>{rest}<p class='old'>{book.pence}</p></body></html>".encode()

    def visit(self) -> None:
        """Store the shop's pages as a crawl does: what is there, and what is gone."""
        offered = {address: book for book in self.books.values() if book.on_sale for address in book.addresses}
        for address, book in offered.items():
            self._store(address, self.html(book))
        Page.objects.filter(site=self.cluster.site, url__in=offered).update(gone_at=None)
        Page.objects.filter(site=self.cluster.site, gone_at=None).exclude(url__in=offered).update(gone_at=timezone.now())

    def _store(self, address: str, content: bytes) -> None:
        from extraction.services.core import stored_bytes

        page = Page.objects.filter(site=self.cluster.site, url=address).first()
        digest = stored_bytes.digest_bytes(content)
        held = page.snapshots.filter(sha256=digest).first() if page else None
        if page and held:
            Page.objects.filter(pk=page.pk).update(current=held)
        else:
            factory.snapshot(self.cluster.site, address, content, cluster=self.cluster)

    def log_visit(self, *, gone_after: int) -> set[Event]:
        """Return what is to be noticed now, from the shelves alone."""
        events: set[Event] = set()
        for isbn, book in self.books.items():
            if book.on_sale:
                events |= self._log_book(isbn, book)
            elif isbn in self.seen and isbn not in self.gone:
                events |= self._log_miss(isbn, gone_after)
        return events

    def log_outage(self, *, gone_after: int) -> set[Event]:
        """Return what is to be noticed by a run that could not visit the shop: what was missing stays missing."""
        missing = [isbn for isbn, misses in self.misses.items() if misses and isbn not in self.gone]
        return {event for isbn in missing for event in self._log_miss(isbn, gone_after)}

    def _log_miss(self, isbn: str, gone_after: int) -> set[Event]:
        self.misses[isbn] += 1
        if self.misses[isbn] < gone_after:
            return set()
        self.gone.add(isbn)
        return {("gone", isbn, ())}

    def _log_book(self, isbn: str, book: Book) -> set[Event]:
        now, before = book.values(), self.seen.get(isbn)
        moved = before is not None and self.main[isbn] not in book.addresses
        changes = tuple((name, before[name], now[name]) for name in sorted(now) if before and before[name] != now[name])
        known = self.known.setdefault(isbn, [])
        known += [address for address in book.addresses if address not in known]
        if before is None or moved:
            self.main[isbn] = next(address for address in known if address in book.addresses)
        self.seen[isbn], self.misses[isbn] = now, 0
        if before is None:
            return {("added", isbn, ())}
        if isbn in self.gone:
            self.gone.discard(isbn)
            return {("back", isbn, changes)}
        return {("changed", isbn, changes)} if changes else {("moved", isbn, ())} if moved else set()

    def present(self) -> dict[str, dict[str, str]]:
        """Return what a visitor believes to be there: {ISBN: its values}."""
        return {isbn: values for isbn, values in self.seen.items() if isbn not in self.gone}


def open_shop(seed: int, *, count: int = 12, key: Sequence[str] = ("isbn",)) -> Bookshop:
    kind = factory.record_type(ATTRIBUTES, mandatory=("title",), multiple=())
    set_key(kind, key)
    shop = Bookshop(Random(seed), factory.cluster(factory.site(), kind=kind, patterns=["shop.example/book/*"]))
    for _ in range(count):
        shop.add_book()
    publish(shop)
    return shop


def set_key(kind: RecordType, names: Sequence[str]) -> None:
    kind.attributes.update(is_key=False)
    kind.attributes.filter(name__in=names).update(is_key=True)


def publish(shop: Bookshop, **paths: str) -> Rule:
    """Publish a rule for the shop's present design."""
    usual = {name: f"//p[@class='{name}']/text()" for name in ATTRIBUTES} | {"title": f"//{shop.design}/text()"}
    rule = RuleDefinition(
        tuple(
            AttributeRule(name, type_, alternatives=(Selector((usual | paths)[name]),))  # type: ignore[arg-type]
            for name, type_ in ATTRIBUTES.items()
        )
    )
    return rules.publish_rule(rules.add_draft(shop.cluster, rule, report=RuleReport(), origin=Rule.Origin.LEARNED))


def raw(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: many[0]["raw"] for name, many in values.items()}
