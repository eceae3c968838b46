"""Loads what a breakage's pages need to look right. A check fetches pages without it, since most breakages are never looked at."""

from django.contrib.auth.models import User

from extraction.models import Breakage, Run, Snapshot
from extraction.services.intake import load_assets
from extraction.views.monitoring.breakage_view import choose_page_number, list_pages


def load_looks(breakage: Breakage, asked: str, user: User | None = None) -> Run | None:
    """Starts loading the styles and pictures of the check's pages if the page looked at lacks some, else returns None.

    asked: the number of the page looked at.
    """
    pages, site = list_pages(breakage.check_found), breakage.cluster.site
    if not pages or not load_assets.can_load(site):
        return None
    shown = pages[choose_page_number(asked, len(pages)) - 1]
    found = Snapshot.objects.select_related("page__site").in_bulk([pk for pair in pages for pk in (pair.new, pair.old) if pk])
    if not load_assets.find_missing([found[pk] for pk in (shown.old, shown.new) if pk in found]):
        return None
    return load_assets.start_loading_for(list(found.values()), cluster=breakage.cluster, user=user)
