"""Teams: who sees which sites, and with which role."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from extraction.models.role import Role

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

FIRST_TEAM = "Main team"
FIRST_TEAM_SLUG = "main-team"
"""The name of the team that every installation begins with. It can be renamed."""


class Team(models.Model):
    """People who work on the same sites. A site and its record types belong to one team.

    second_factor: its members must set up a second factor before they see anything.
    """

    name = models.CharField(max_length=80, unique=True)
    slug = models.SlugField(max_length=90, unique=True)
    second_factor = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("team", args=[self.slug])


def find_first_team() -> int:
    """Return the id of the oldest team: that of everything for which nobody chose a team."""
    found = Team.objects.order_by("pk").values_list("pk", flat=True).first()
    return Team.objects.create(name=FIRST_TEAM, slug=FIRST_TEAM_SLUG).pk if found is None else found


class Membership(models.Model):
    """A person's role in a team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.PositiveSmallIntegerField(choices=[(role.value, role.word) for role in Role])

    class Meta:
        ordering = ["team__name", "user__username"]
        constraints = [
            models.UniqueConstraint(fields=["user", "team"], name="one_role_per_person_and_team"),
            models.CheckConstraint(condition=Q(role__in=[role.value for role in Role]), name="a_membership_has_a_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


@dataclass(frozen=True, slots=True)
class Reach:
    """What a person may see and do.

    everywhere: the person is an administrator of the installation, who is one in every team.
    roles: {team: role}, for everybody else.
    second_factor: one of the person's teams requires a second factor.
    """

    everywhere: bool = False
    roles: Mapping[int, Role] = field(default_factory=dict)
    second_factor: bool = False

    @property
    def highest(self) -> Role | None:
        """The highest role in any team; None for nobody in particular."""
        return Role.ADMIN if self.everywhere else max(self.roles.values(), default=None)

    def find_role(self, team_id: int | None) -> Role | None:
        """Return the role in a team. What belongs to no team belongs to the administrators of the installation."""
        if self.everywhere:
            return Role.ADMIN
        return self.roles.get(team_id) if team_id is not None else None

    def list_teams(self, least: Role = Role.VIEWER) -> list[int]:
        """Return the teams in which the person has this role or a higher one. It is not for those who reach everything."""
        return sorted(team for team, role in self.roles.items() if role >= least)


NOWHERE = Reach()

_KEPT = "_vertex_reach"


def reach_of(user: "AbstractBaseUser | AnonymousUser") -> Reach:
    """Return what a person may see and do. It is read once for each object of a user, and so once in a request."""
    if not user.is_authenticated:
        return NOWHERE
    kept: Reach | None = getattr(user, _KEPT, None)
    if kept is None:
        kept = _read_reach(user)
        setattr(user, _KEPT, kept)
    return kept


def forget_reach(user: "AbstractBaseUser") -> None:
    """Read anew what a person may do, after a change."""
    if hasattr(user, _KEPT):
        delattr(user, _KEPT)


def role_of(user: "AbstractBaseUser | AnonymousUser") -> Role | None:
    """Return the highest role that a user has in any team; None for a user who is signed out or in no team."""
    return reach_of(user).highest


def _read_reach(user: "AbstractBaseUser | AnonymousUser") -> Reach:
    if getattr(user, "is_superuser", False):
        return Reach(everywhere=True, second_factor=Team.objects.filter(second_factor=True).exists())
    rows = list(Membership.objects.filter(user=user.pk).order_by().values_list("team", "role", "team__second_factor"))
    return Reach(roles={team: Role(role) for team, role, _ in rows}, second_factor=any(required for *_, required in rows))
