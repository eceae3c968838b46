"""`python -m tests.e2e.novels`: a site of novels in the product of VERTEX_VAR_DIR, with a released run and new prices that no run has seen.

The new prices are a hundred times the old ones, as if a shop had lost its decimal point.
"""

import django

django.setup()

from random import Random  # noqa: E402

from extraction import pipeline  # noqa: E402
from extraction.models import Attribute, Cluster, RecordType, Site  # noqa: E402
from extraction.services.records import extract_records  # noqa: E402
from tests.services.records.bookshop import ATTRIBUTES, Bookshop, publish  # noqa: E402

BOOKS = 60

if __name__ == "__main__":
    kind = RecordType.objects.create(name="Novel", slug="novel")
    for position, (name, type_) in enumerate(ATTRIBUTES.items()):
        Attribute.objects.create(
            record_type=kind, name=name, type=type_, position=position, is_key=name == "isbn", mandatory=name == "title"
        )
    site = Site.objects.create(name="Novels", slug="novels")
    shop = Bookshop(
        Random(1), Cluster.objects.create(site=site, number=1, name="Novels", record_type=kind, url_patterns=["shop.example/*"])
    )
    for _ in range(BOOKS):
        shop.add_book()
    publish(shop)
    shop.visit()
    pipeline.execute_run(extract_records.start_extraction(shop.cluster).pk)
    for book in shop.books.values():
        book.pence *= 100
    shop.visit()
