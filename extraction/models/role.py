"""Roles: viewer, editor, operator, admin. Each is a Django group, and each may do all that the roles before it may do."""

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser


class Role(IntEnum):
    """What a person may do.

    VIEWER: look and export.
    EDITOR: also import, cluster, compare clusterings, annotate, learn, publish (also an earlier version again) and run.
    OPERATOR: also delete, adopt clusterings, retire rules and cancel other people's runs.
    ADMIN: also manage people.
    """

    VIEWER = 1
    EDITOR = 2
    OPERATOR = 3
    ADMIN = 4

    @property
    def group(self) -> str:
        """The name of the role's group."""
        return self.name.lower()


def role_of(user: "AbstractBaseUser | AnonymousUser") -> Role | None:
    """Return the highest role of a user; None for a user who is signed out or in no group."""
    if not user.is_authenticated:
        return None
    if getattr(user, "is_superuser", False):
        return Role.ADMIN
    names = set(user.groups.values_list("name", flat=True))  # type: ignore[attr-defined]
    return max((role for role in Role if role.group in names), default=None)
