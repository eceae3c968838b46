"""`python -m tests.e2e.twelve_rules NAME=ADDRESS …`: makes sites with live rules and records in the product of VERTEX_VAR_DIR.

They are the shops of `tests.fixtures.twelve_sites`: each is crawled, and a person's marks on three pages teach its rule.
"""

import sys
import time
from collections.abc import Iterator
from datetime import timedelta

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.utils import timezone  # noqa: E402
from django.utils.text import slugify  # noqa: E402

from extraction import pipeline  # noqa: E402
from extraction.demo.bundled import Annotations, BundledAttribute, BundledMark  # noqa: E402
from extraction.management.commands.demo import annotate  # noqa: E402
from extraction.models import Monitor, Run, Site, Source  # noqa: E402
from extraction.services.core import runs  # noqa: E402
from extraction.services.intake import crawl_site  # noqa: E402
from extraction.services.learning import learn_rule  # noqa: E402
from extraction.services.records import extract_records  # noqa: E402
from extraction.services.rules import rules  # noqa: E402
from tests.fixtures import twelve_sites  # noqa: E402

PLACES = {
    BundledAttribute("name", "text", mandatory=True): "//h1/text()",
    BundledAttribute("price", "price"): "//p[@class='price']/b/following-sibling::text()[1]",
    BundledAttribute("maker", "text"): "//dd[1]/text()",
    BundledAttribute("weight", "text"): "//dd[2]/text()",
}

MARKED = 3
"""The number of pages that are marked."""


def make_site(name: str, address: str, editor: User) -> None:
    site = Site.objects.create(name=name, slug=slugify(name), address=address)
    Source.objects.create(site=site, addresses=[address], whole=True, delay_s=0.0, concurrency=8)
    # A check by the schedule among those of the nights would change what is usual on the site.
    Monitor.objects.create(site=site, next_due_at=timezone.now() + timedelta(days=1))
    crawl_site.start_crawl(site, editor)
    finish_runs(site)
    cluster = annotate(site, mark_pages(name, address), editor)
    learn_rule.start_learning(cluster, editor)
    finish_runs(site)
    rules.publish_rule(cluster.rules.get(), editor)
    extract_records.start_extraction(cluster, editor)
    finish_runs(site)


def mark_pages(name: str, address: str) -> Annotations:
    """Return what a person clicked on the first pages."""
    pages = {
        address.rstrip("/") + item.path: {
            attribute.name: (BundledMark(getattr(item, attribute.name), place),) for attribute, place in PLACES.items()
        }
        for item in twelve_sites.list_items(name)[:MARKED]
    }
    return Annotations("Shop item", "item", tuple(PLACES), pages)


def finish_runs(site: Site) -> None:
    """Do the site's runs and what follows them, or wait for those that a worker of the product has taken. Pictures are left out."""
    for run in _list_unfinished(site):
        if run.kind in (Run.Kind.PREVIEW, Run.Kind.ASSETS):
            runs.cancel_run(run)
        pipeline.execute_run(run.pk)
        while Run.objects.unfinished().filter(pk=run.pk).exists():
            time.sleep(0.1)


def _list_unfinished(site: Site) -> Iterator[Run]:
    while run := Run.objects.unfinished().filter(site=site).order_by("pk").first():
        yield run


if __name__ == "__main__":
    person = User.objects.get_or_create(username="editor")[0]
    for argument in sys.argv[1:]:
        name, _, address = argument.partition("=")
        make_site(name, address, person)
