"""Move a site to another team. Its record types go with it, and so do the sites that share them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from extraction.models import AlertChannel, AuditKind, DeliveryTarget, RecordType, Site, Team
from extraction.services.core import audit
from extraction.services.core.teams import TeamError, drop_lost_access
from extraction.services.sites.sites import find_sites_named_alike


@dataclass(frozen=True, slots=True)
class Move:
    """What moves together: the site, those that share record types with it, and the record types."""

    sites: tuple[Site, ...]
    record_types: tuple[RecordType, ...]


def plan_move(site: Site) -> Move:
    """Return what has to move with a site, because sites of two teams cannot share a record type."""
    sites, types = {site.pk}, set[int]()
    while True:
        used = (
            Q(clusters__site__in=sites) | Q(attributes__corrections__page__site__in=sites) | Q(attributes__labels__cluster__site__in=sites)
        )
        types |= set(RecordType.objects.filter(used).values_list("pk", flat=True))
        found = sites | set(Site.objects.filter(clusters__record_type__in=types).values_list("pk", flat=True))
        if found == sites:
            return Move(tuple(Site.objects.filter(pk__in=sites)), tuple(RecordType.objects.filter(pk__in=types)))
        sites = found


def move_site(site: Site, team: Team, *, together: bool = False) -> Move:
    """Move a site and its record types to a team.

    together: also move the sites that share record types with it. Raises TeamError if there are such sites and it is not set, and if the
    team has something of the same name.
    """
    with transaction.atomic():
        list(Team.objects.select_for_update().order_by("pk"))
        move, before = plan_move(site), site.team
        if before == team:
            return Move((), ())
        _refuse_sharing(site, move, together)
        _refuse_names(move, team)
        Site.objects.filter(pk__in=[each.pk for each in move.sites]).update(team=team)
        RecordType.objects.filter(pk__in=[each.pk for each in move.record_types]).update(team=team)
        _leave_channels(move.sites, before)
        for each in move.sites:
            each.team = team
            for of in (before, team):  # the administrators of both teams see it
                audit.record(
                    AuditKind.SITE_MOVED, each, team=of, text=audit.describe_differences({"team": before.name}, {"team": team.name})
                )
        _drop_assignments(before, team)
    site.team = team
    return move


def _refuse_sharing(site: Site, move: Move, together: bool) -> None:
    others = [each.name for each in move.sites if each.pk != site.pk]
    if others and not together:
        shared = ", ".join(each.name for each in move.record_types)
        raise TeamError(
            gettext(
                "%(site)s shares record types with other sites (%(shared)s), and sites of two teams cannot share one. Move it "
                "together with %(others)s, or give it record types of its own first."
            )
            % {"site": site, "shared": shared, "others": ", ".join(others)}
        )


def _refuse_names(move: Move, team: Team) -> None:
    """Raise TeamError if the team already has a site, a record type or a target with a name that would come to it."""
    for site in move.sites:
        if find_sites_named_alike(site.name, team.pk):
            raise TeamError(
                gettext("%(team)s already has a site called %(site)s. Rename one of them first.") % {"team": team, "site": site}
            )
    types = RecordType.objects.filter(team=team, name__in=[each.name for each in move.record_types])
    if clash := types.first():
        raise TeamError(
            gettext("%(team)s already has a record type called %(clash)s. Rename one of them first.") % {"team": team, "clash": clash}
        )
    names = DeliveryTarget.objects.filter(record_type__in=move.record_types).values("name")
    if taken := DeliveryTarget.objects.filter(record_type__team=team, name__in=names).first():
        raise TeamError(
            gettext("%(team)s already has a delivery target called %(taken)s. Rename one of them first.") % {"team": team, "taken": taken}
        )


def _leave_channels(sites: Sequence[Site], team: Team) -> None:
    """Take the sites out of the alert channels of their old team.

    A channel without sites is for all sites, so one that loses its last is disabled.
    """
    for channel in AlertChannel.objects.filter(team=team, sites__in=sites).distinct():
        channel.sites.remove(*sites)
        if not channel.sites.exists():
            AlertChannel.objects.filter(pk=channel.pk).update(enabled=False)


def _drop_assignments(before: Team, team: Team) -> None:
    """Take work from people who cannot do it in the new team."""
    people: Iterable[User] = User.objects.filter(memberships__team=before)
    drop_lost_access(list(people), team)
