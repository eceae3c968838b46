"""Who may do what: roles of people, and the narrower limits of the tokens with which programs act for them.

The dashboard and the API both ask here.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from extraction.models import ApiScope, ApiToken, Role, Site, role_of

SCOPES = {Role.EDITOR: ApiScope.EDIT, Role.OPERATOR: ApiScope.OPERATE}
"""The scope that a token needs for what a role may do. What viewers may do needs READ or RECORDS."""


def refuse_lower_role(held: Role | None, needed: Role) -> None:
    """Raise PermissionDenied if a person has no role or a lower one than is needed."""
    if held is None or held < needed:
        raise PermissionDenied(f"This needs the role {needed.group}.")


@dataclass(frozen=True, slots=True)
class TokenAccess:
    """What one request with a token may do. role: of the token's person at the time of the request."""

    token: ApiToken
    role: Role | None

    @classmethod
    def of(cls, token: ApiToken) -> "TokenAccess":
        """Return what a token may be used for now."""
        return cls(token, role_of(token.user))

    @property
    def user(self) -> User:
        """The person for whom the program acts."""
        return self.token.user

    def refuse_unless(self, role: Role, scope: ApiScope) -> None:
        """Raise PermissionDenied if the person lacks the role or the token lacks the scope."""
        refuse_lower_role(self.role, role)
        if scope not in self.token.scopes:
            raise PermissionDenied(f"This needs a token with the scope {scope.value}.")

    def refuse_site_limits(self, reason: str) -> None:
        """Raise PermissionDenied if the token is limited to some sites. reason: why that is not enough, a sentence."""
        if not self.token.every_site:
            raise PermissionDenied(f"This token is limited to some sites. {reason}")

    def list_sites(self) -> QuerySet[Site]:
        """Return the sites that the token may be used for."""
        return Site.objects.all() if self.token.every_site else Site.objects.filter(pk__in=self.token.sites.values("pk"))
