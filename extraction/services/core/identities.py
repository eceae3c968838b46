"""Who somebody is that a provider has signed in (OpenID Connect), and whether they get an account.

A person is found by what the provider calls them: they linked it to their account while they were signed in there. An e-mail address leads
to no account, because everybody can enter any address for their own.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from extraction.models import AuditKind, ExternalIdentity, Role, Team
from extraction.services.core import audit
from extraction.services.core.people import give_role
from extraction.services.core.person_names import find_name_problem


class IdentityError(Exception):
    """The person is not let in. The message says why, and what to do."""


def find_person(claims: Mapping[str, Any]) -> User:
    """Return the person whom a provider has confirmed; make an account if that is allowed. Raises IdentityError."""
    known = _find_identity(claims)
    user = known.user if known else _make_person(claims)
    if not user.is_active:
        raise IdentityError(gettext("Your account may not sign in. Ask an administrator."))
    return user


def link_person(user: User, claims: Mapping[str, Any]) -> None:
    """Let a person who is signed in sign in with the provider from now on. Raises IdentityError if that is somebody else's."""
    known = _find_identity(claims)
    if known is None:
        _link(user, claims)
    elif known.user != user:
        raise IdentityError(gettext("Another account is linked to what the provider calls you."))


def unlink_person(user: User) -> bool:
    """End the sign-in by the provider and return whether there was one. Raises IdentityError if the person could not sign in any more."""
    if not user.has_usable_password():
        raise IdentityError(gettext("Without a password, the provider is your only way in. Set a password first."))
    with transaction.atomic():
        removed, _ = user.external_identities.all().delete()
        if removed:
            audit.record(AuditKind.IDENTITY_REMOVED, user.get_username())
    return bool(removed)


def _find_identity(claims: Mapping[str, Any]) -> ExternalIdentity | None:
    return ExternalIdentity.objects.select_related("user").filter(issuer=claims["iss"], subject=claims["sub"]).first()


def _link(user: User, claims: Mapping[str, Any]) -> None:
    with transaction.atomic():
        ExternalIdentity.objects.create(user=user, issuer=claims["iss"], subject=claims["sub"])
        audit.record(AuditKind.IDENTITY_LINKED, user.get_username(), text=f"{claims.get('email') or claims['sub']} at {claims['iss']}")


def _make_person(claims: Mapping[str, Any]) -> User:
    """Make an account with the role and in the team of the settings. Raises IdentityError if that is not allowed."""
    address = str(claims.get("email") or "").strip()
    if not settings.VERTEX_OIDC_NEW_PEOPLE:
        raise IdentityError(
            gettext(
                "No account is linked to you. If you have one, sign in with your password and link it on the page of your account."
                " If you have none, ask an administrator to invite you."
            )
        )
    if not address or claims.get("email_verified") is not True:
        raise IdentityError(gettext("The provider has not verified your e-mail address, so you cannot have an account."))
    if User.objects.filter(email__iexact=address).exists():
        raise IdentityError(
            gettext(
                "There is an account with the address %(address)s. If it is yours, sign in with your password and link it on the page of"
                " your account. If not, tell an administrator."
            )
            % {"address": address}
        )
    team = Team.objects.filter(slug=settings.VERTEX_OIDC_TEAM).first()
    if settings.VERTEX_OIDC_TEAM and team is None:
        raise IdentityError(
            gettext("There is no team %(vertex_oidc_team)s. An administrator must correct VERTEX_OIDC_TEAM.")
            % {"vertex_oidc_team": settings.VERTEX_OIDC_TEAM}
        )
    with transaction.atomic():
        user = User(username=_find_free_name(address), email=address)
        user.set_unusable_password()
        user.save()
        role = Role[settings.VERTEX_OIDC_NEW_PEOPLE.upper()]
        give_role(user, role, team)
        audit.record(AuditKind.PERSON_SAVED, user.get_username(), text=f"role: {role.group}\nby signing in with the provider")
        _link(user, claims)
    return user


def _find_free_name(address: str) -> str:
    base = "".join(letter for letter in address.partition("@")[0] if letter.isalnum() or letter in "._+-")[:140] or "person"
    number, name = 1, base
    while find_name_problem(name):
        number += 1
        name = f"{base}{number}"
    return name
