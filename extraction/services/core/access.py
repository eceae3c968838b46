"""Who may see and do what: teams and roles of people, and the narrower limits of the tokens with which programs act for them.

The dashboard and the API both ask here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.utils.translation import gettext

from extraction.models import ApiScope, ApiToken, Membership, Reach, Role, Site, Team, reach_of
from extraction.services.core import second_factors

M = TypeVar("M", bound=Model)

SCOPES = {Role.EDITOR: ApiScope.EDIT, Role.OPERATOR: ApiScope.OPERATE, Role.ADMIN: ApiScope.ADMINISTER}
"""The scope that a token needs for what a role may do. What viewers may do needs READ or RECORDS."""

TEAM_PATHS: Mapping[str, str] = {
    "team": "pk",
    "site": "team",
    "recordtype": "team",
    "alertchannel": "team",
    "auditentry": "team",
    "invitation": "team",
    "alert": "channel__team",
    "cluster": "site__team",
    "run": "site__team",
    "page": "site__team",
    "breakage": "cluster__site__team",
    "check": "cluster__site__team",
    "runrelease": "cluster__site__team",
    "correction": "page__site__team",
    "rule": "cluster__site__team",
    "label": "cluster__site__team",
    "record": "cluster__site__team",
    "qualityrule": "record_type__team",
    "deliverytarget": "record_type__team",
    "delivery": "target__record_type__team",
}
"""{model: how a query gets from its rows to their team}. What lists show goes through `visible_to`, which uses these."""


def visible_to(rows: QuerySet[M], user: User | AnonymousUser, *, least: Role = Role.VIEWER) -> QuerySet[M]:
    """Return those of the rows that belong to a team in which a person has this role or a higher one."""
    reach = reach_of(user)
    if reach.everywhere:
        return rows
    path = TEAM_PATHS[rows.model._meta.model_name or ""]
    return rows.filter(**{f"{path}__in": reach.list_teams(least)})


def list_teams(user: User | AnonymousUser, *, least: Role = Role.VIEWER) -> QuerySet[Team]:
    """Return the teams in which a person has this role or a higher one, by name."""
    return visible_to(Team.objects.all(), user, least=least)


def list_members(team_id: int | None, *, least: Role = Role.VIEWER) -> QuerySet[User]:
    """Return those who may work in a team with this role or a higher one, administrators of the installation included."""
    members = Membership.objects.filter(team=team_id, role__gte=least).values("user")
    return (User.objects.filter(is_superuser=True) | User.objects.filter(pk__in=members)).filter(is_active=True)


def refuse_lower_role(held: Role | None, needed: Role) -> None:
    """Raise PermissionDenied if a person has no role or a lower one than is needed."""
    if held is None or held < needed:
        raise PermissionDenied(gettext("This needs the role %(group)s.") % {"group": needed.word})


def refuse_team_admin(user: User | AnonymousUser) -> None:
    """Raise PermissionDenied for everybody but administrators of the installation."""
    if not reach_of(user).everywhere:
        raise PermissionDenied(gettext("This needs an administrator of the installation."))


@dataclass(frozen=True, slots=True)
class TokenAccess:
    """What one request with a token may do. reach: of the token's person at the time of the request."""

    token: ApiToken
    reach: Reach

    @classmethod
    def of(cls, token: ApiToken) -> "TokenAccess":
        """Return what a token may be used for now."""
        return cls(token, reach_of(token.user))

    @property
    def user(self) -> User:
        """The person for whom the program acts."""
        return self.token.user

    def refuse_unless(self, role: Role, scope: ApiScope, *, held: Role | None) -> None:
        """Raise PermissionDenied if the person's role is too low, a second factor is required and not set up, or the token lacks the scope.

        held: the role in the team of what is asked for; the highest one where the request names nothing.
        """
        refuse_lower_role(held, role)
        if self.reach.second_factor and second_factors.find_factor(self.user) is None:
            raise PermissionDenied("A team of this token's person requires a second factor. Set one up on the page of your account first.")
        if scope not in self.token.scopes:
            raise PermissionDenied(gettext("This needs a token with the scope %(value)s.") % {"value": scope.value})

    def refuse_site_limits(self, reason: str) -> None:
        """Raise PermissionDenied if the token is limited to some sites. reason: why that is not enough, a sentence."""
        if not self.token.every_site:
            raise PermissionDenied(gettext("This token is limited to some sites. %(reason)s") % {"reason": reason})

    def refuse_team_limits(self, reason: str) -> None:
        """Raise PermissionDenied if the person is not in every team. reason: why that is not enough, a sentence."""
        if list_teams(self.user).count() < Team.objects.count():
            raise PermissionDenied(gettext("The person of this token is not in every team. %(reason)s") % {"reason": reason})

    def list_sites(self) -> QuerySet[Site]:
        """Return the sites that the token may be used for: they are among its sites and in a team of its person."""
        found = visible_to(Site.objects.all(), self.user)
        return found if self.token.every_site else found.filter(pk__in=self.token.sites.values("pk"))
