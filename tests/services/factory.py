"""Makes sites, pages, clusters and labels for the tests, as an import and an editor would."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse
from extraction.models import Attribute, Cluster, Label, Page, RecordType, Rule, Run, RunRelease, SamplePage, Site, Snapshot
from extraction.services.core import stored_bytes

BOOK = {"title": "text", "price": "price", "author": "text"}


def book_html(title: str, *, price: str | None = "£9.50", authors: Sequence[str] = ("A. Writer",), pad: int = 0) -> bytes:
    """A book's page: the title in h1, an optional price, a list of authors, and adverts to make it longer."""
    cost = f'<p class="price"><b>Price:</b> {price}</p>' if price is not None else ""
    people = "".join(f'<li class="author">{name}</li>' for name in authors)
    adverts = "".join(f'<div class="ad"><a href="/ad/{n}">Advert {n}</a></div>' for n in range(pad))
    return (
        f'<html lang="en"><head><title>{title} | Shop</title></head><body><div id="main"><h1 class="name">{title}</h1>{cost}'
        f'<ul class="people">{people}</ul></div>{adverts}<p class="foot">Shop since 1999</p></body></html>'
    ).encode()


def site(name: str = "Books") -> Site:
    return Site.objects.get_or_create(name=name, slug=name.lower())[0]


def run(site: Site, kind: str, state: str = Run.State.QUEUED, **values: Any) -> Run:
    """Make a run in a state, with the values that a run in that state has."""
    return Run.objects.create(site=site, kind=kind, **(_as_in(state) | values))


def released_run(cluster: Cluster) -> Run:
    """Make an extraction of a template that is done and whose records are released."""
    made, now = run(cluster.site, Run.Kind.EXTRACT, Run.State.DONE, cluster=cluster), timezone.now()
    RunRelease.objects.create(cluster=cluster, run=made, state=RunRelease.State.RELEASED, judged_at=now, decided_at=now)
    return made


def put(runs: QuerySet[Run], state: str, **values: Any) -> None:
    """Put runs into a state, with the values that a run in that state has."""
    runs.update(**(_as_in(state) | values))


def _as_in(state: str) -> dict[str, Any]:
    now = timezone.now()
    ended = state in (Run.State.DONE, Run.State.FAILED, Run.State.CANCELLED)
    held = {"claimed_by": "elsewhere 17@1.0", "started_at": now} if state == Run.State.RUNNING else {}
    return {"state": state, "finished_at": now if ended else None} | held


def rule(cluster: Cluster, *, version: int = 1, state: str = Rule.State.DRAFT, definition: Mapping[str, Any] | None = None) -> Rule:
    """Make a version of a rule in a state, with the values that a version in that state has."""
    published_at = None if state in Rule.UNPUBLISHED else timezone.now()
    return Rule.objects.create(
        cluster=cluster, version=version, state=state, definition=dict(definition or {}), stylesheet="", published_at=published_at
    )


def record_type(
    types: Mapping[str, str] = BOOK,
    *,
    name: str = "Book",
    mandatory: Sequence[str] = ("title", "price"),
    multiple: Sequence[str] = ("author",),
) -> RecordType:
    kind = RecordType.objects.create(name=name, slug=slugify(name))
    for position, (name, type_) in enumerate(types.items()):
        Attribute.objects.create(
            record_type=kind, name=name, type=type_, position=position, mandatory=name in mandatory, multiple=name in multiple
        )
    return kind


def cluster(
    site: Site, *, number: int = 1, patterns: Sequence[str] = (), masks: Sequence[str] = (), kind: RecordType | None = None
) -> Cluster:
    return Cluster.objects.create(site=site, number=number, url_patterns=list(patterns), masks=list(masks), record_type=kind)


def snapshot(site: Site, url: str, content: bytes, *, cluster: Cluster | None = None, error: str = "", vector: str = "") -> Snapshot:
    """A page with its content as its current snapshot."""
    page, _ = Page.objects.get_or_create(site=site, url=url)
    found = Snapshot.objects.create(
        page=page,
        sha256=stored_bytes.put_bytes(content),
        size_bytes=len(content),
        fetched_at=timezone.now(),
        cluster=cluster,
        error=error,
        vector=vector,
        scheme="test/1" if vector else "",
    )
    page.current = found
    page.save()
    return found


def samples(cluster: Cluster, snapshots: Sequence[Snapshot]) -> None:
    for position, each in enumerate(snapshots):
        SamplePage.objects.create(cluster=cluster, snapshot=each, position=position, covered_fraction=0.9)


def text_at(content: bytes, text: str, *, nth: int = 0) -> Location:
    """The place of the nth text node whose cleaned text is `text`, in document order."""
    nodes = elements(parse(content).root)
    found = [
        location
        for n, element in enumerate(nodes)
        for k in range(1, len(element) + 2)
        if value(nodes, location := Location(n, "text", text=k)) == text
    ]
    return found[nth]


def label(cluster: Cluster, snapshot: Snapshot, attribute: Attribute, locations: Sequence[Location] | None) -> None:
    """Labels as the workbench writes them; None for "not on this page"."""
    Label.objects.filter(cluster=cluster, snapshot=snapshot, attribute=attribute).delete()
    rows: list[Any] = [None] if locations is None else list(locations)
    nodes = elements(parse(stored_bytes.get_bytes(snapshot.sha256)).root)
    for position, place in enumerate(rows):
        Label.objects.create(
            cluster=cluster,
            snapshot=snapshot,
            attribute=attribute,
            location=place and place.as_json(),
            value=(place and value(nodes, place)) or "",
            position=position,
        )


def shop(count: int = 12, *, kind: RecordType | None = None) -> Cluster:
    """A site of books: one cluster, `count` pages, the first three as samples, the price missing on every fifth page."""
    books = site()
    group = cluster(books, kind=kind or record_type(), patterns=["shop.example/book/*"])
    pages = []
    for n in range(count):
        content = book_html(f"Book {n}", price=None if n % 5 == 4 else f"£{n}.50", authors=[f"Writer {n}", f"Second {n}"][: 1 + n % 2])
        pages.append(snapshot(books, f"https://shop.example/book/{n}", content, cluster=group))
    samples(group, pages[:3])
    return group


def mark(cluster: Cluster, number: int, **values: Sequence[str] | None) -> None:
    """Labels texts of page `number` of `shop`: mark(cluster, 0, title=["Book 0"], price=None)."""
    page = Snapshot.objects.filter(cluster=cluster).order_by("pk")[number]
    content = stored_bytes.get_bytes(page.sha256)
    for name, texts in values.items():
        attribute = Attribute.objects.get(record_type=cluster.record_type, name=name)
        label(cluster, page, attribute, None if texts is None else [text_at(content, text) for text in texts])
