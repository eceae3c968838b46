"""Roles: viewer, editor, operator, admin. Each may do all that the roles before it may do."""

from enum import IntEnum

from django.utils.translation import gettext_lazy
from django_stubs_ext import StrPromise


class Role(IntEnum):
    """What a person may do in a team.

    VIEWER: look and export.
    EDITOR: also import, cluster, compare clusterings, annotate, learn, publish (also an earlier version again) and run.
    OPERATOR: also delete, adopt clusterings, retire rules and cancel other people's runs.
    ADMIN: also manage the people of the team. An administrator of the installation is one in every team.
    """

    VIEWER = 1
    EDITOR = 2
    OPERATOR = 3
    ADMIN = 4

    @property
    def group(self) -> str:
        """The role's name, as it is stored."""
        return self.name.lower()

    @property
    def word(self) -> StrPromise:
        """The role's name, as it is shown."""
        return ROLE_WORDS[self]


ROLE_WORDS = {
    Role.VIEWER: gettext_lazy("viewer"),
    Role.EDITOR: gettext_lazy("editor"),
    Role.OPERATOR: gettext_lazy("operator"),
    Role.ADMIN: gettext_lazy("admin"),
}
