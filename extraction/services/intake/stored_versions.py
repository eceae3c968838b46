"""What is stored of each page of a site, so that a page that has not changed is neither sent nor read again."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import F, Q

from extraction.models import Page, Rule, Site


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """The stored content of a page.

    headers: of the answer that brought it.
    sha256: of its bytes; empty if an answer with the same bytes is to be read nevertheless.
    """

    headers: Mapping[str, str]
    sha256: str = ""


def read_versions(site: Site, *, refreshes: bool) -> dict[str, StoredVersion]:
    """Return {address: stored version} of the pages that need not be sent again if they have not changed.

    Those are the pages whose bytes are kept and came in an HTTP answer.

    refreshes: leave out pages that a browser rendered, since their scripts may show something new although the page that the server
        sends is the same. Add the pages that are not kept if their record was made by the live rule. The others have to be sent again,
        because only their bytes would give a record.
    """
    fetched = Page.objects.filter(site=site, current__status__isnull=False)
    if not refreshes:
        rows = fetched.filter(current__kept=True).values_list("url", "current__headers")
        return {url: StoredVersion(headers) for url, headers in rows.iterator(chunk_size=10_000)}
    live = Rule.objects.serving().of_site(site).values("pk")
    recorded = Q(current__record__rule__in=live, current__record__cluster=F("current__cluster"))
    usable = fetched.filter(Q(current__kept=True) | recorded, current__received="")
    found = usable.values_list("url", "current__headers", "current__sha256")
    return {url: StoredVersion(headers, sha256) for url, headers, sha256 in found.iterator(chunk_size=10_000)}
