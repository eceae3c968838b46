"""Invitations: links with which people make their own accounts, once, with the role that an administrator chose.

A link holds a random token, signed with the secret key. The signature refuses made-up links without a look at the database; the digest of
the token, its time and its use are in the database, so that a link can be revoked and used once only.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import (
    AuditKind,
    Invitation,
    Role,
    Team,
    reach_of,
)
from extraction.models.team import find_first_team
from extraction.services.core import audit, people, secret_tokens

PREFIX = "vxi_"

_SIGNER = signing.Signer(salt="vertex.invitation")

KEPT = timedelta(days=90)
"""How long an invitation that cannot be used any more stays in the list."""


class InvitationError(Exception):
    """The invitation cannot be used. The message says why."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What a person chooses who accepts an invitation."""

    name: str
    email: str
    password: str


def invite(user: User, note: str, role: Role, *, days: int, email: str = "", team: Team | None = None) -> str:
    """Make an invitation and return what its link ends with. It cannot be found out again.

    note: whom it is for.
    team: where the person will have the role; None for the oldest team, and for an admin, for the installation.
    days: how long it can be accepted.
    """
    new, now = secret_tokens.make_token(PREFIX), timezone.now()
    with transaction.atomic():
        row = Invitation.objects.create(
            note=note,
            email=email,
            role=role.group,
            team_id=team.pk if team else None if role is Role.ADMIN else find_first_team(),
            digest=new.digest,
            created_at=now,
            created_by=user,
            expires_at=now + timedelta(days=days),
        )
        text = f"role: {role.group}\nuntil: {row.expires_at:%Y-%m-%d}"
        audit.record(AuditKind.INVITED, row.note, team=row.team, text=text)
    return _SIGNER.sign(new.text)


def find_invitation(text: str) -> Invitation:
    """Return the invitation of a link. Raises InvitationError if it cannot be accepted."""
    try:
        digest = secret_tokens.digest_token(_SIGNER.unsign(text))
    except signing.BadSignature as error:
        raise InvitationError(gettext("This link is not complete. Copy it again as a whole.")) from error
    found = Invitation.objects.select_related("created_by", "team").filter(digest=digest).first()
    if found is None or found.revoked_at:
        raise InvitationError(gettext("This invitation was withdrawn. Ask the person who invited you for another."))
    if found.used_at:
        raise InvitationError(gettext("This invitation was used already. If you made your account with it, sign in."))
    if not _may_still_invite(found):
        raise InvitationError(gettext("The person who invited you may not do that any more. Ask an administrator for another."))
    if found.expires_at <= timezone.now():
        raise InvitationError(gettext("This invitation has expired. Ask the person who invited you for another."))
    return found


def _may_still_invite(invitation: Invitation) -> bool:
    """Return whether the person who made an invitation could make it now. Otherwise they could come back by it after they were shut out."""
    user = invitation.created_by
    return user is not None and user.is_active and reach_of(user).find_role(invitation.team_id) == Role.ADMIN


def accept_invitation(text: str, newcomer: Newcomer) -> User:
    """Make the person's account and use the invitation up. Raises InvitationError."""
    found = find_invitation(text)
    with transaction.atomic():
        # Whoever changes the row first may use it; another waits here and then finds nothing to change.
        if not Invitation.objects.open().filter(pk=found.pk).update(used_at=timezone.now()):
            raise InvitationError(gettext("This invitation was used or withdrawn at this moment."))
        try:
            user = people.save_person(
                User(username=newcomer.name, email=newcomer.email),
                password=newcomer.password,
                role=Role[found.role.upper()],
                team=found.team,
                note=f"by the invitation for {found.note} from {found.created_by}",
            )
        except people.PersonError as error:
            raise InvitationError(str(error)) from error
        Invitation.objects.filter(pk=found.pk).update(used_by=user)
    return user


def revoke_invitation(invitation: Invitation) -> bool:
    """Withdraw an invitation. Return False if it was used or withdrawn before."""
    with transaction.atomic():
        changed = Invitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None).update(revoked_at=timezone.now())
        if changed:
            audit.record(AuditKind.INVITATION_REVOKED, invitation.note, team=invitation.team)
    return bool(changed)


def tidy_invitations(now: datetime) -> int:
    """Delete invitations that could not be used for a long time, and return how many."""
    return Invitation.objects.filter(expires_at__lt=now - KEPT).delete()[0]
