"""Who somebody is that a provider has signed in (OpenID Connect), and whether they get an account.

A person is found by what the provider calls them. The first time, they are found by their e-mail address, if the provider has verified it
and exactly one account has it.
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
from extraction.services.core.person_names import COMMAND_LINE, find_name_problem


class IdentityError(Exception):
    """The person is not let in. The message says why, and what to do."""


def find_person(claims: Mapping[str, Any]) -> User:
    """Return the person whom a provider has confirmed; make an account if that is allowed. Raises IdentityError."""
    issuer, subject = str(claims["iss"]), str(claims["sub"])
    known = ExternalIdentity.objects.select_related("user").filter(issuer=issuer, subject=subject).first()
    user = known.user if known else _link_person(claims, issuer, subject)
    if not user.is_active:
        raise IdentityError(gettext("Your account may not sign in. Ask an administrator."))
    return user


def _link_person(claims: Mapping[str, Any], issuer: str, subject: str) -> User:
    address = str(claims.get("email") or "").strip()
    if not address or claims.get("email_verified") is not True:
        raise IdentityError(gettext("The provider has not verified your e-mail address, so your account cannot be found."))
    with transaction.atomic():
        found = list(User.objects.exclude(username=COMMAND_LINE).filter(email__iexact=address)[:2])
        if len(found) > 1:
            raise IdentityError(
                gettext("Several accounts have the address %(address)s. Ask an administrator to change that.") % {"address": address}
            )
        user = found[0] if found else _make_person(address)
        ExternalIdentity.objects.create(user=user, issuer=issuer, subject=subject)
        audit.record(AuditKind.IDENTITY_LINKED, user.get_username(), text=f"{address} at {issuer}")
    return user


def _make_person(address: str) -> User:
    """Make an account with the role and in the team of the settings. Raises IdentityError if that is not allowed."""
    if not settings.VERTEX_OIDC_NEW_PEOPLE:
        raise IdentityError(
            gettext(
                "No account has the address %(address)s. Ask an administrator to invite you, or enter the address on the page of "
                "your account."
            )
            % {"address": address}
        )
    team = Team.objects.filter(slug=settings.VERTEX_OIDC_TEAM).first()
    if settings.VERTEX_OIDC_TEAM and team is None:
        raise IdentityError(
            gettext("There is no team %(vertex_oidc_team)s. An administrator must correct VERTEX_OIDC_TEAM.")
            % {"vertex_oidc_team": settings.VERTEX_OIDC_TEAM}
        )
    user = User(username=_find_free_name(address), email=address)
    user.set_unusable_password()
    user.save()
    role = Role[settings.VERTEX_OIDC_NEW_PEOPLE.upper()]
    give_role(user, role, team)
    audit.record(AuditKind.PERSON_SAVED, user.get_username(), text=f"role: {role.group}\nby signing in with the provider")
    return user


def _find_free_name(address: str) -> str:
    base = "".join(letter for letter in address.partition("@")[0] if letter.isalnum() or letter in "._+-")[:140] or "person"
    number, name = 1, base
    while find_name_problem(name):
        number += 1
        name = f"{base}{number}"
    return name
