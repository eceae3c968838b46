"""`python -m tests.e2e.corrected_shop [PRICE]`: makes a small shop with a live rule in the product of VERTEX_VAR_DIR; with a price, stores
a new version of its first page that says this price.
"""

import sys

import django

django.setup()

from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector  # noqa: E402
from extraction.models import Cluster, Rule, Site  # noqa: E402
from extraction.models.rule_report import RuleReport  # noqa: E402
from extraction.services.rules import rules  # noqa: E402
from tests.services import factory  # noqa: E402

SLUG = "corrected-shop"


def show(cluster: Cluster, number: int, price: str) -> None:
    content = f"<html lang=en><body><h1>Book {number}</h1><p class='price'>{price}</p><b>Now 9.75</b></body></html>".encode()
    factory.snapshot(cluster.site, f"https://shop.example/{number}", content, cluster=cluster)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        show(Cluster.objects.get(site__slug=SLUG), 1, sys.argv[1])
        sys.exit()
    kind = factory.record_type({"title": "text", "price": "price"}, name="Corrected book", mandatory=("title",), multiple=())
    made = factory.cluster(Site.objects.create(name="Corrected shop", slug=SLUG), kind=kind, patterns=["shop.example/*"])
    found = {"title": ("text", "//h1"), "price": ("price", "//p[@class='price']")}
    attributes = [AttributeRule(name, type_, alternatives=(Selector(xpath),)) for name, (type_, xpath) in found.items()]  # type: ignore[arg-type]
    rules.publish_rule(rules.add_draft(made, RuleDefinition(tuple(attributes)), report=RuleReport(), origin=Rule.Origin.LEARNED))
    for number in range(1, 7):
        show(made, number, f"{number}.50" if number % 3 else "on request")
