"""A cluster's bellwethers: chosen once, kept as long as their pages exist, then replaced (docs/algorithms.md#monitoring).

Pages are added for attributes that too few of them have a value of.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Max, QuerySet

from extraction.algorithms.monitoring import bellwethers as choosing
from extraction.algorithms.monitoring.verdict import RuleVerdict
from extraction.models import Bellwether, Cluster, Page, Snapshot
from extraction.services.monitoring import valued_pages
from extraction.services.templates import sample_pages

POOL = 200
"""The number of pages among which bellwethers are chosen."""


def find_bellwethers(cluster: Cluster, *, count: int = choosing.BELLWETHERS) -> list[Bellwether]:
    """The cluster's bellwethers, filled up to `count` from its readable pages. There are fewer where the cluster has fewer pages.

    There are more where these pages have too few values of a rare attribute.
    """
    kept = list(_rows(cluster))
    if len(kept) < count:
        watched = [each.page_id for each in kept]
        pool = list(
            Snapshot.objects.learnable()
            .filter(cluster=cluster.pk)
            .filter(page__gone_at=None)
            .exclude(page__in=watched)
            .select_related("page")
            .order_by("sha256")[:POOL]
        )
        _add(cluster, pool, _choose(pool, count - len(kept)))
        kept = list(_rows(cluster))
    if valued := _choose_valued(cluster, kept, most=count + choosing.MOST_ADDED - len(kept)):
        _add(cluster, valued, range(len(valued)))
        kept = list(_rows(cluster))
    return kept


def record_visit(bellwethers: Iterable[Bellwether], answered: Mapping[str, Snapshot], verdict: RuleVerdict) -> None:
    """Counts a visit of the bellwethers. What they have now becomes the baseline for later visits, unless the rule may be wrong there.

    answered: the current content of the pages that could be read, by URL.
    verdict: the verdict on the rule. While it is broken, no baseline changes, and no doubt grows older.
    """
    for each in bellwethers:
        new = answered.get(each.page.url)
        mine = Bellwether.objects.filter(pk=each.pk)
        mine.update(asked=F("asked") + 1, answered=F("answered") + int(new is not None))
        if new is None:
            continue
        if verdict.renews_baseline(each.page.url):
            mine.update(baseline=new, doubted=0)
        elif not verdict.alarming:
            mine.update(doubted=F("doubted") + 1)


def drop_bellwethers(bellwethers: Collection[Bellwether], at: datetime) -> None:
    """Stops watching pages that are gone, and marks the pages as gone."""
    Page.objects.filter(pk__in=[each.page_id for each in bellwethers], gone_at=None).update(gone_at=at)
    Bellwether.objects.filter(pk__in=[each.pk for each in bellwethers]).delete()


def _rows(cluster: Cluster) -> QuerySet[Bellwether]:
    return Bellwether.objects.filter(cluster=cluster).select_related("page", "baseline")


def _choose(pool: Sequence[Snapshot], count: int) -> list[int]:
    return choosing.choose_bellwethers([sample_pages.read_paths(each) for each in pool], answered_fractions=[1.0] * len(pool), k=count)


def _choose_valued(cluster: Cluster, kept: Sequence[Bellwether], *, most: int) -> list[Snapshot]:
    """Chooses pages with values of the attributes that too few of the watched pages have."""
    pages = valued_pages.find_valued_pages(cluster) if most > 0 else {}
    watched = set(Page.objects.filter(pk__in=[each.page_id for each in kept]).values_list("current", flat=True))
    have = Counter(name for snapshot in watched for name in pages.get(snapshot, ()))
    others = {snapshot: names for snapshot, names in pages.items() if snapshot not in watched}
    lacking = {name: choosing.LEAST_VALUED - have[name] for names in others.values() for name in names}
    chosen = choosing.choose_valued(list(others.values()), lacking=lacking, k=most)
    found = Snapshot.objects.select_related("page").in_bulk([list(others)[n] for n in chosen])
    return list(found.values())


def _add(cluster: Cluster, pool: Sequence[Snapshot], chosen: Iterable[int]) -> None:
    with transaction.atomic():
        Cluster.objects.select_for_update().get(pk=cluster.pk)
        last = Bellwether.objects.filter(cluster=cluster).aggregate(last=Max("position"))["last"] or 0
        for place, number in enumerate(chosen, last + 1):
            snapshot = pool[number]
            Bellwether.objects.get_or_create(cluster=cluster, page=snapshot.page, defaults={"baseline": snapshot, "position": place})
