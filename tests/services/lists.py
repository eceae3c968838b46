"""A shop whose pages list offers, for the tests of lists: pages of different length, some prices missing, an advert between."""

from collections.abc import Sequence

from extraction.models import Attribute, Cluster, RecordList, RecordType, Snapshot
from extraction.services.labels import labelling
from tests.services import factory

Offer = tuple[str, str]


def offers(page: int) -> list[Offer]:
    """(name, price or "") of a page's offers; the first two have a price."""
    return [(f"Tea {page}-{n}", "" if n % 4 == 3 else f"£{n + 1}.{page}0") for n in range(4 + page % 3)]


def html(page: int) -> bytes:
    rows = [f'<li class="offer"><b>{name}</b>{f"<i>{price}</i>" if price else ""}</li>' for name, price in offers(page)]
    rows.insert(2, '<li class="ad"><b>Sponsored</b></li>')
    body = f"<h1>Shop {page}</h1><ul class=menu><li><b>Home</b></li></ul><ul class=offers>{''.join(rows)}</ul><p>Foot</p>"
    return f'<html lang="en"><head><title>Shop {page}</title></head><body>{body}</body></html>'.encode()


def record_type() -> RecordType:
    kind = RecordType.objects.create(name="Shop", slug="shop")
    Attribute.objects.create(record_type=kind, name="shop", position=0, mandatory=True)
    listed = RecordList.objects.create(record_type=kind, name="offers")
    Attribute.objects.create(record_type=kind, name="thing", position=1, list=listed, mandatory=True)
    Attribute.objects.create(record_type=kind, name="price", type="price", position=2, list=listed)
    return kind


def shops(count: int = 6) -> Cluster:
    site = factory.site("Shops")
    cluster = factory.cluster(site, kind=record_type(), patterns=["shops.example/*"])
    pages = [factory.snapshot(site, f"https://shops.example/{n}", html(n), cluster=cluster) for n in range(count)]
    factory.samples(cluster, pages[:3])
    return cluster


def snapshots(cluster: Cluster) -> list[Snapshot]:
    return list(Snapshot.objects.filter(cluster=cluster).order_by("pk"))


def mark(cluster: Cluster, page: int, rows: Sequence[int]) -> None:
    """Mark the page's name and, as rows 1, 2 …, these offers. A missing price is marked as absent."""
    shown = snapshots(cluster)[page]
    attributes = {attribute.name: attribute for attribute in Attribute.objects.filter(record_type=cluster.record_type)}
    content = html(page)
    labelling.set_labels(cluster, shown, attributes["shop"], [factory.text_at(content, f"Shop {page}", nth=1)], None)
    for number, row in enumerate(rows, 1):
        name, price = offers(page)[row]
        labelling.set_labels(cluster, shown, attributes["thing"], [factory.text_at(content, name)], None, row=number)
        places = [factory.text_at(content, price)] if price else None
        labelling.set_labels(cluster, shown, attributes["price"], places, None, row=number)
