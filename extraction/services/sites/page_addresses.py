"""Give the new pages of a crawl their shortest addresses."""

from collections.abc import Collection

from django.db import IntegrityError, transaction

from extraction.fetching.crawl.repeats import without
from extraction.models import Page, Run


def shorten_addresses(run: Run, keys: Collection[str]) -> int:
    """Remove query keys from the addresses of pages that a run found, and return how many addresses changed.

    A crawl learns which keys say nothing about a page only after it has stored some pages. Pages that were known before keep the
    addresses under which they are known, and so does a page if another one has the shorter address.
    """
    if not keys:
        return 0
    ignored, changed = frozenset(keys), 0
    found = Page.objects.filter(site=run.site, created_at__gte=run.created_at, url__contains="?").order_by("pk")
    for pk, url in list(found.values_list("pk", "url")):
        short = without(url, ignored)
        if short != url and not Page.objects.filter(site=run.site, url=short).exists():
            try:
                with transaction.atomic():
                    changed += Page.objects.filter(pk=pk, url=url).update(url=short)
            except IntegrityError:  # another run has just stored a page at this address
                continue
    return changed
