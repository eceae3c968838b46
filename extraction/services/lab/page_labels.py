"""What people said the pages are, to measure clusterings by: uploaded, confirmed of a whole template, or seen from what they moved."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from extraction.models import Cluster, Page, PageLabel, Placement, Site
from extraction.services.core.runs import JobError

MOST_BYTES = 5_000_000
"""Of a file of labels: some fifty thousand lines."""

CHUNK = 500
"""Addresses a query; databases bound the number of parameters of a statement."""

LENGTH = 120
"""Characters of a label."""


@dataclass(frozen=True, slots=True)
class Taken:
    """How a file of labels was taken. labelled: pages. unknown: addresses of no page of the site, the first few of them.

    left_out: lines without a label after a tab; first: the first of them.
    """

    labelled: int
    unknown: int
    examples: tuple[str, ...]
    left_out: int
    first: str


def get_labels(site: Site) -> dict[int, str]:
    """{page id: its label}. A page without one that a person put into a template counts as labelled by that."""
    placed = Placement.objects.filter(cluster__site=site, belongs=True).select_related("cluster")
    found = {row.page_id: row.cluster.label for row in placed}
    return found | dict(PageLabel.objects.filter(page__site=site).values_list("page", "label"))


def take_labels(site: Site, text: str, user: User | None) -> Taken:
    """Labels pages by lines of an address and a label with a tab between; other columns and empty lines count for nothing.

    Raises JobError where no line is like that, naming the first that is not.
    """
    rows, wrong = _rows(text)
    first = wrong[0][:80] if wrong else ""
    if not rows:
        raise JobError(f"no line has an address and a label separated by a tab{f'; the first is {first!r}' if wrong else ''}")
    pages: dict[str, int] = {}
    addresses = list(rows)
    for start in range(0, len(addresses), CHUNK):
        some = addresses[start : start + CHUNK]
        pages |= dict(Page.objects.filter(site=site, url__in=some).values_list("url", "pk"))
    _say({pk: rows[url] for url, pk in pages.items()}, user)
    unknown = [url for url in addresses if url not in pages]
    return Taken(len(pages), len(unknown), tuple(unknown[:3]), len(wrong), first)


def confirm_template(cluster: Cluster, user: User | None) -> int:
    """Labels all pages that a template has now as what it is called; gives how many."""
    pages = cluster.snapshots.current().values_list("page", flat=True)
    _say(dict.fromkeys(pages, cluster.label), user)
    return len(pages)


def clear_labels(site: Site) -> int:
    """Forgets the site's labels, not where people put pages; gives how many there were."""
    return PageLabel.objects.filter(page__site=site).delete()[0]


def _rows(text: str) -> tuple[dict[str, str], list[str]]:
    """({address: label}, the lines that are none)."""
    rows, wrong = {}, []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split("\t")]
        if len(parts) > 1 and parts[0] and parts[1]:
            rows[parts[0]] = parts[1][:LENGTH]
        elif line.strip():
            wrong.append(line)
    return rows, wrong


@transaction.atomic
def _say(labels: dict[int, str], user: User | None) -> None:
    rows = [PageLabel(page_id=page, label=label[:LENGTH], created_by=user, created_at=timezone.now()) for page, label in labels.items()]
    PageLabel.objects.bulk_create(
        rows, batch_size=CHUNK, update_conflicts=True, unique_fields=["page"], update_fields=["label", "created_by", "created_at"]
    )
