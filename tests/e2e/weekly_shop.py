"""`python -m tests.e2e.weekly_shop FIRST LAST`: adds these books to a shop in the product of VERTEX_VAR_DIR, and extracts their records.

`python -m tests.e2e.weekly_shop monday` queues what is due on the next Monday at nine.
"""

import sys

import django

django.setup()

from datetime import timedelta  # noqa: E402

from django.utils import timezone  # noqa: E402

from extraction import pipeline  # noqa: E402
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector  # noqa: E402
from extraction.models import Attribute, Cluster, RecordType, Rule, Site  # noqa: E402
from extraction.models.rule_report import RuleReport  # noqa: E402
from extraction.services.deliveries import outbox  # noqa: E402
from extraction.services.records import extract_records  # noqa: E402
from extraction.services.rules import rules  # noqa: E402
from tests.services import factory  # noqa: E402

SLUG = "weekly-shop"

ATTRIBUTES = {"isbn": ("text", "//p"), "title": ("text", "//h1"), "price": ("price", "//i")}


def find_template() -> Cluster:
    """The template of the shop's books; with the shop, the first time."""
    if found := Cluster.objects.filter(site__slug=SLUG).first():
        return found
    kind = RecordType.objects.create(name="Weekly book", slug="weekly-book")
    for position, (name, (type_, _)) in enumerate(ATTRIBUTES.items()):
        Attribute.objects.create(record_type=kind, name=name, type=type_, position=position)
    made = factory.cluster(Site.objects.create(name="Weekly shop", slug=SLUG), kind=kind, patterns=["weekly.example/*"])
    attributes = [AttributeRule(name, type_, alternatives=(Selector(xpath),)) for name, (type_, xpath) in ATTRIBUTES.items()]  # type: ignore[arg-type]
    rules.publish_rule(rules.add_draft(made, RuleDefinition(tuple(attributes)), report=RuleReport(), origin=Rule.Origin.LEARNED))
    return made


def add_books(first: int, last: int) -> None:
    template = find_template()
    for number in range(first, last + 1):
        content = f"<html lang=en><body><h1>Book {number}</h1><i>£{number}.50</i><p>00978{number:04}</p></body></html>".encode()
        factory.snapshot(template.site, f"https://weekly.example/{number}", content, cluster=template)
    pipeline.execute_run(extract_records.start_extraction(template).pk)


if __name__ == "__main__":
    if sys.argv[1:] == ["monday"]:
        now = timezone.now()
        monday = now.replace(hour=9, minute=0) + timedelta(days=7 - now.weekday())
        print(outbox.queue_due(monday))
    else:
        add_books(*map(int, sys.argv[1:]))
