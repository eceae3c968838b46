"""Labels that say which pages belong together, used to measure clusterings.

Labels are uploaded as a file or made by confirming a template. Pages that somebody moved into a template count as labelled.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import AuditKind, Cluster, Page, PageLabel, Placement, Site
from extraction.services.core import audit
from extraction.services.core.runs import JobError

MOST_BYTES = 5_000_000
"""Bytes of a file of labels at most, enough for about fifty thousand lines."""

CHUNK = 500
"""The number of addresses per query. Databases limit the number of parameters of a statement."""

LENGTH = 120
"""The largest number of characters of a label."""


@dataclass(frozen=True, slots=True)
class TakenLabels:
    """The result of reading a file of labels.

    labelled: the number of pages that got a label.
    unknown: the number of addresses that are not pages of the site.
    examples: the first few of these addresses.
    left_out: the number of lines without a label after a tab.
    first: the first of these lines.
    """

    labelled: int
    unknown: int
    examples: tuple[str, ...]
    left_out: int
    first: str


def get_labels(site: Site) -> dict[int, str]:
    """Return {page id: its label}.

    A page without a label that somebody moved into a template has the name of that template as its label.
    """
    placed = Placement.objects.filter(cluster__site=site, belongs=True).select_related("cluster")
    found = {row.page_id: row.cluster.stored_label for row in placed}
    return found | dict(PageLabel.objects.filter(page__site=site).values_list("page", "label"))


def take_labels(site: Site, text: str, user: User | None) -> TakenLabels:
    """Label pages from lines of an address, a tab and a label. Other columns and empty lines are ignored.

    Raises JobError when no line has this form. Its message quotes the first line.
    """
    rows, wrong = _rows(text)
    first = wrong[0][:80] if wrong else ""
    if not rows:
        raise JobError(
            gettext("no line has an address and a label separated by a tab; the first is %(first)s") % {"first": repr(first)}
            if wrong
            else gettext("no line has an address and a label separated by a tab")
        )
    pages: dict[str, int] = {}
    addresses = list(rows)
    for start in range(0, len(addresses), CHUNK):
        some = addresses[start : start + CHUNK]
        pages |= dict(Page.objects.filter(site=site, url__in=some).values_list("url", "pk"))
    _write_labels(site, {pk: rows[url] for url, pk in pages.items()}, user)
    unknown = [url for url in addresses if url not in pages]
    return TakenLabels(len(pages), len(unknown), tuple(unknown[:3]), len(wrong), first)


def confirm_template(cluster: Cluster, user: User | None) -> int:
    """Label all current pages of a template with the template's name, and return how many there are."""
    pages = cluster.snapshots.current().values_list("page", flat=True)
    _write_labels(cluster.site, dict.fromkeys(pages, cluster.stored_label), user)
    return len(pages)


def clear_labels(site: Site) -> int:
    """Delete the site's labels and return how many there were. Placements of pages are not changed."""
    with transaction.atomic():
        deleted: int = PageLabel.objects.filter(page__site=site).delete()[0]
        audit.record(AuditKind.PAGES_LABELLED, site, text=f"labels deleted: {deleted:,}")
    return deleted


def _rows(text: str) -> tuple[dict[str, str], list[str]]:
    """Return ({address: label}, lines without a label)."""
    rows, wrong = {}, []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split("\t")]
        if len(parts) > 1 and parts[0] and parts[1]:
            rows[parts[0]] = parts[1][:LENGTH]
        elif line.strip():
            wrong.append(line)
    return rows, wrong


@transaction.atomic
def _write_labels(site: Site, labels: dict[int, str], user: User | None) -> None:
    audit.record(AuditKind.PAGES_LABELLED, site, text=f"pages labelled: {len(labels):,}")
    rows = [PageLabel(page_id=page, label=label[:LENGTH], created_by=user, created_at=timezone.now()) for page, label in labels.items()]
    PageLabel.objects.bulk_create(
        rows, batch_size=CHUNK, update_conflicts=True, unique_fields=["page"], update_fields=["label", "created_by", "created_at"]
    )
