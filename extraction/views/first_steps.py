"""The first steps on a new installation: from a site to a file. Each ticks itself from what is there; the list can be closed."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from extraction.models import Cluster, Label, Page, Record, Role, Rule, Site
from extraction.services.core.access import visible_to
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires
from extraction.views.records.exports import has_exported

NEW_FOR_DAYS = 14
"""Days after its first site for which an installation is new."""

CLOSED_COOKIE = "vertex_first_steps"
CLOSED_FOR_S = 365 * 86_400


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the list.

    name: its name in the template, which has its words.
    url: where it is done; empty if the steps before it must be done first.
    now: whether it is the first that is not done.
    """

    name: str
    done: bool
    url: str
    now: bool


def list_steps(request: SignedInHttpRequest) -> list[Step]:
    """Return the steps, none if the installation is not new, all steps are done, or the person closed the list."""

    def is_any(rows: QuerySet[Any]) -> bool:
        return visible_to(rows, request.user).exists()

    sites = visible_to(Site.objects.order_by("created_at"), request.user)
    first = sites.first()
    if request.COOKIES.get(CLOSED_COOKIE) or (first and first.created_at < timezone.now() - timedelta(days=NEW_FOR_DAYS)):
        return []
    cluster = _find_template(sites)
    with_pages = sites.filter(Exists(Page.objects.filter(site=OuterRef("pk")))).first()
    site = cluster.site if cluster else with_pages or first
    site_url = site.get_absolute_url() if site else ""
    cluster_url = cluster.get_absolute_url() if cluster else ""
    found = [
        ("site", with_pages is not None, site_url or reverse("site_new")),
        ("templates", cluster is not None, site_url),
        ("mark", is_any(Label.objects.all()), cluster_url),
        ("learn", is_any(Rule.objects.all()), cluster_url),
        ("publish", is_any(Rule.objects.exclude(published_at=None)), cluster_url),
        ("run", is_any(Record.objects.all()), cluster_url),
        ("export", has_exported(request), reverse("records", args=[cluster.site.slug, cluster.number]) if cluster else ""),
    ]
    if all(done for _, done, _ in found):
        return []
    current = next(name for name, done, _ in found if not done)
    return [Step(name, done, url, name == current) for name, done, url in found]


def are_folded(steps: list[Step], role: Role) -> bool:
    """Return whether the list begins closed: somebody has been through it once, or the person operates what others made."""
    done = {step.name for step in steps if step.done}
    return "publish" in done or ("site" in done and role >= Role.OPERATOR)


def _find_template(sites: QuerySet[Site]) -> Cluster | None:
    """Return the template that is furthest on its way to records, of several that of the oldest site with the smallest number."""
    shown = Cluster.objects.shown().filter(site__in=sites.order_by()).select_related("site").order_by("site__created_at", "site", "number")
    on_the_way: tuple[type[Record] | type[Rule] | type[Label], ...] = (Record, Rule, Label)
    for kind in on_the_way:
        reached = Exists(kind._default_manager.filter(cluster=OuterRef("pk")))
        if found := shown.filter(reached).first():
            return found
    return shown.first()


@require_POST
@requires(Role.EDITOR)
def close_steps(_: SignedInHttpRequest) -> HttpResponse:
    """Close the list for this browser."""
    answer = redirect("home")
    answer.set_cookie(CLOSED_COOKIE, "closed", max_age=CLOSED_FOR_S, httponly=True, samesite="Lax")
    return answer
