"""How much one site, and all sites of one team, may hold: pages, and bytes of stored pages and their pictures.

Without limits, one could fill the disk of all.

The limits are settings. A run that would go beyond one stores what still fits and then fails with the reason; what was there before stays.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils.translation import gettext

from extraction.models import Page, PageCount, PagePicture, Site, Snapshot
from extraction.services.core.percent import write_number
from extraction.services.core.runs import JobError

LOOK_EVERY_S = 60.0
"""How often the stored bytes are added up. In between, what this process stored is added to the sum."""


@dataclass(slots=True)
class _Stored:
    """The bytes that kept contents have, and when they were added up."""

    size_bytes: int
    at: float


_stored: dict[tuple[str, int | None], _Stored] = {}


@dataclass(frozen=True, slots=True)
class _Holder:
    """Who has a limit: a site, or a team with all its sites.

    kind: "site" or "team", as messages and settings call it.
    site: the site, or one of the team's.
    """

    kind: str
    site: Site

    @property
    def key(self) -> tuple[str, int | None]:
        """What it is called in `_stored`."""
        return self.kind, self.site.pk if self.kind == "site" else self.site.team_id

    @property
    def sites(self) -> QuerySet[Site]:
        """The sites whose pages count."""
        return Site.objects.filter(pk=self.site.pk) if self.kind == "site" else Site.objects.filter(team=self.site.team_id)

    def read_limit(self, what: str) -> tuple[int, str]:
        """Return a limit, 0 for none, and the name of its setting. what: PAGES or BYTES."""
        name = f"VERTEX_{self.kind.upper()}_MAX_{what}"
        return getattr(settings, name), name

    def count_pages(self) -> int:
        return PageCount.objects.filter(site__in=self.sites).total()

    def measure(self) -> int:
        held = _stored.get(self.key)
        if held is None or time.monotonic() - held.at > LOOK_EVERY_S:
            size = Snapshot.objects.filter(page__site__in=self.sites).kept().aggregate(size=Sum("size_bytes", default=0))["size"]
            pictures = PagePicture.objects.filter(snapshot__page__site__in=self.sites)
            size += pictures.aggregate(size=Sum("size_bytes", default=0))["size"]
            held = _stored[self.key] = _Stored(int(size), time.monotonic())
        return held.size_bytes

    def explain(self, has: str, most: int, setting: str) -> JobError:
        name = self.site.name if self.kind == "site" else self.site.team.name
        return JobError(
            gettext(
                "%(name)s would have %(has)s with the next ones; a %(kind)s may have at most %(most)s. Delete pages, fetch "
                "fewer, or ask the administrator of this server for more (%(setting)s)."
            )
            % {"name": name, "has": has, "kind": self.kind, "most": write_number(most), "setting": setting}
        )


def check_batch(site: Site, addresses: set[str], size_bytes: int) -> None:
    """Refuse a batch of pages that would make the site or its team too large. Raises JobError.

    addresses: of the pages in the batch; those that the site has already need no room.
    size_bytes: of their contents that are new and will be kept.
    """
    holders = [_Holder("site", site), _Holder("team", site)]
    _check(holders, "PAGES", _Holder.count_pages, lambda: _count_new(site, addresses), "{:,} pages")
    _check(holders, "BYTES", _Holder.measure, lambda: size_bytes, "{:,} bytes of stored pages")
    for each in holders:
        if held := _stored.get(each.key):
            held.size_bytes += size_bytes


def _check(holders: list[_Holder], what: str, count: Callable[[_Holder], int], more: Callable[[], int], words: str) -> None:
    """Raise JobError if there is more than a limit allows. more: what the batch adds; asked only if there is a limit."""
    limited = [(each, *limit) for each in holders if (limit := each.read_limit(what))[0]]
    added = more() if limited else 0
    for holder, most, setting in limited:
        if added and (total := count(holder) + added) > most:
            raise holder.explain(words.format(total), most, setting)


def _count_new(site: Site, addresses: set[str]) -> int:
    return len(addresses) - Page.objects.filter(site=site, url__in=addresses).count()
