"""`python -m tests.e2e.listed_shop`: a shop with category pages and pages of books in the product of VERTEX_VAR_DIR, extracted once."""

import django

django.setup()

from extraction import pipeline  # noqa: E402
from extraction.services.records import extract_records  # noqa: E402
from tests.services.joins.shop import Shop  # noqa: E402

if __name__ == "__main__":
    shop = Shop()
    shop.list_books("category/teas", [("Tea 1", "£1.20", "/book/1"), ("Jam 2", "£2.50", "/book/2"), ("Ale 9", "£9.00", "/book/9")])
    shop.show_book("book/1", "Tea 1", "£1.20", text="Leaves from a hill.")
    shop.show_book("book/2", "Jam 2", "£2.75", text="Sweet and red.")
    shop.show_book("book/3", "Pie 3", "£3.10", text="Nobody lists it.")
    pipeline.execute_run(extract_records.start_site_extraction(shop.site).pk)
    print(shop.site.slug)
