"""Roles: viewer, editor, operator, admin. Groups of Django's, each with all that those before it may do."""

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser


class Role(IntEnum):
    """What a person may do. viewer: look and export. editor: also import, cluster, compare clusterings, annotate, learn, publish (also
    an earlier version again), run. operator: also delete, adopt clusterings, retire rules, cancel other people's runs. admin: also people.
    """

    VIEWER = 1
    EDITOR = 2
    OPERATOR = 3
    ADMIN = 4

    @property
    def group(self) -> str:
        """The name of its group."""
        return self.name.lower()


def role_of(user: "AbstractBaseUser | AnonymousUser") -> Role | None:
    """The highest role a user has; None for one who is signed out or in no group."""
    if not user.is_authenticated:
        return None
    if getattr(user, "is_superuser", False):
        return Role.ADMIN
    names = set(user.groups.values_list("name", flat=True))  # type: ignore[attr-defined]
    return max((role for role in Role if role.group in names), default=None)
