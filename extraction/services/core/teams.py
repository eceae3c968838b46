"""Teams and their members."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils.translation import gettext

from extraction.models import AuditKind, Breakage, Cluster, Membership, Role, StoredFile, Team, forget_reach, reach_of
from extraction.services.core import audit
from extraction.services.core.slugs import find_free_slug


class TeamError(Exception):
    """The change of a team is refused. The message says why."""


def create_team(name: str) -> Team:
    """Create a team. It has no members and no sites yet."""
    with transaction.atomic():
        team = Team.objects.create(name=name, slug=find_free_slug(Team, name, default="team", max_length=80))
        audit.record(AuditKind.TEAM_CREATED, team)
    return team


def rename_team(team: Team, name: str) -> None:
    """Change a team's name. Its slug stays."""
    before = Team.objects.get(pk=team.pk).name
    team.name = name
    if name != before:
        with transaction.atomic():
            team.save(update_fields=["name"])
            audit.record(AuditKind.TEAM_CHANGED, team, text=audit.describe_differences({"name": before}, {"name": name}))


def require_second_factor(team: Team, required: bool) -> None:
    """Say whether members must set up a second factor before they see anything. It counts for administrators of the installation, too."""
    before = team.second_factor
    team.second_factor = required
    if required != before:
        with transaction.atomic():
            team.save(update_fields=["second_factor"])
            text = audit.describe_differences({"second factor required": before}, {"second factor required": required})
            audit.record(AuditKind.TEAM_CHANGED, team, text=text)


def delete_team(team: Team) -> None:
    """Delete a team that has nothing left. Its members keep their accounts. Raises TeamError."""
    held = {"site": team.sites.count(), "record type": team.record_types.count(), "alert channel": team.channels.count()}
    left = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in held.items() if count]
    if left:
        raise TeamError(
            gettext("%(team)s still has %(left)s. Move the sites to another team, and delete the rest, first.")
            % {"team": team, "left": ", ".join(left)}
        )
    if Team.objects.count() == 1:
        raise TeamError(gettext("This is the only team. There is always one."))
    with transaction.atomic():
        audit.record(AuditKind.TEAM_DELETED, team.name)
        team.delete()


def list_teams_with_counts(teams: QuerySet[Team]) -> list[tuple[Team, int, int]]:
    """Return (team, number of members, number of sites), by name."""
    members = dict(Membership.objects.order_by().values_list("team").annotate(n=Count("pk")))
    return [(each, members.get(each.pk, 0), each.site_count) for each in teams.annotate(site_count=Count("sites"))]


def change_member(team: Team, user: User, role: Role | None, *, by: User) -> None:
    """Give a person a role in a team, or with None take them out of it.

    Raises TeamError for one's own membership, so that nobody is locked out by a slip.
    """
    if user.pk == by.pk and not reach_of(by).everywhere:
        raise TeamError(gettext("You cannot change your own role or leave. Another administrator can do that."))
    known = Membership.objects.filter(team=team, user=user).first()
    before = Role(known.role).group if known else None
    after = role.group if role else None
    if before == after:
        return
    with transaction.atomic():
        if role is None:
            Membership.objects.filter(team=team, user=user).delete()
        else:
            Membership.objects.update_or_create(team=team, user=user, defaults={"role": role})
        forget_reach(user)
        text = audit.describe_differences({user.get_username(): before}, {user.get_username(): after})
        audit.record(AuditKind.MEMBER_CHANGED, team, text=text)
        drop_lost_access([user], team)


def drop_lost_access(users: list[User], team: Team) -> None:
    """End what people had of a team that they can no longer do there: work that is assigned to them, and files kept for their downloads."""
    for user in users:
        held = reach_of(user).find_role(team.pk)
        if held is None:
            StoredFile.objects.filter(owner=user).update(owner=None)
        if held is None or held < Role.EDITOR:
            Cluster.objects.filter(site__team=team, assignee=user).update(assignee=None)
            Breakage.objects.filter(cluster__site__team=team, assignee=user).update(assignee=None)
