"""Pages of earlier imports that an import of the same site no longer contains.

An archive may hold only a part of a site, so nobody but a person can say that the other pages are gone. The import notes them, its page
offers to mark them as gone, and so does the command `import_pages`. An import that has no page in common with the earlier ones is another
part of the site, and notes nothing.
"""

from collections.abc import Collection, Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import AuditKind, CrawlAddress, Page, Run, TrackedRecord
from extraction.services.core import audit
from extraction.services.core.runs import JobError
from extraction.services.intake.outcome_words import ABSENT
from extraction.services.records import extract_records
from extraction.services.records.key_schema import read_key_schemas
from extraction.services.sites import sources

CHUNK = 500


def note_absent(run: Run, seen: Collection[str], *, new: int) -> int:
    """Note the pages of a site that an import does not contain, and return how many. A site that is fetched has no such pages.

    seen: the addresses of all pages of the import.
    new: how many of them are new.
    """
    CrawlAddress.objects.filter(run=run).delete()  # an attempt that died may have noted others
    if sources.can_fetch(run.site) or new >= len(seen):
        return 0
    known = Page.objects.filter(site=run.site, gone_at=None).exclude(current=None).order_by("pk").values_list("url", flat=True)
    absent = [url for url in known.iterator(chunk_size=10_000) if url not in seen]
    rows = [CrawlAddress(run=run, url=url, state=CrawlAddress.State.DONE, outcome=ABSENT, fetched_at=timezone.now()) for url in absent]
    CrawlAddress.objects.bulk_create(rows, batch_size=CHUNK)
    return len(rows)


def count_absent(run: Run) -> int:
    """Return how many pages an import did not contain that are not marked as gone."""
    if run.kind != Run.Kind.IMPORT:
        return 0
    urls = CrawlAddress.objects.filter(run=run, outcome=ABSENT).values("url")
    return Page.objects.filter(site=run.site_id, gone_at=None, url__in=urls).count()


def mark_gone(run: Run, user: User | None = None) -> int:
    """Mark the pages that an import did not contain as gone, make the records again, and return how many pages there were.

    Their records leave at once, and so do the records over time at the run that follows. Raises JobError if a newer import is under way.
    """
    later = Run.objects.filter(site=run.site, kind=Run.Kind.IMPORT, pk__gt=run.pk)
    if later.exists():
        raise JobError(gettext("The site was imported again since. Decide on the page of the newest import."))
    with transaction.atomic():
        urls = list(CrawlAddress.objects.filter(run=run, outcome=ABSENT).order_by("pk").values_list("url", flat=True))
        marked = 0
        for some in _split_chunks(urls):
            pages = list(Page.objects.filter(site=run.site, gone_at=None, url__in=some).values_list("pk", flat=True))
            now = timezone.now()
            marked += Page.objects.filter(pk__in=pages).update(gone_at=now, left_at=now)
            _expect_last_miss(pages)
        audit.record(AuditKind.PAGES_GONE, run, text=f"pages: {marked:,}")
        extract_records.renew_records(run.site, user)
    return marked


def _expect_last_miss(pages: Sequence[int]) -> None:
    """Let the next run that misses the things of these pages be the one that finds them gone."""
    things = TrackedRecord.objects.present().filter(page__in=pages)
    for cluster_id, schema in read_key_schemas(set(things.values_list("cluster", flat=True))).items():
        things.filter(cluster=cluster_id).update(misses=max(0, schema.gone_after - 1))


def _split_chunks(urls: Sequence[str]) -> Iterator[Sequence[str]]:
    return (urls[at : at + CHUNK] for at in range(0, len(urls), CHUNK))
