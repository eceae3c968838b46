"""People: accounts, roles and passwords."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from extraction.models import AuditKind, ExternalIdentity, Membership, ReaderSettings, Role, Team, forget_reach, reach_of, role_of
from extraction.models.team import find_first_team
from extraction.services.core import audit, sessions
from extraction.services.core.access import list_members
from extraction.services.core.person_names import COMMAND_LINE, find_name_problem


def list_people(team: int | None, least: Role = Role.VIEWER) -> QuerySet[User]:
    """Return those who may work in a team with this role or a higher one, by name."""
    return list_members(team, least=least).exclude(username=COMMAND_LINE).order_by("username")


UNKNOWN = "(unknown name)"
"""What is recorded, and taken back at once, for a name that nobody has. Names have no brackets."""


class PersonError(Exception):
    """The change of a person is refused. The message says why."""


def save_person(user: User, *, password: str, role: Role, team: Team | None = None, note: str = "") -> User:
    """Save a person with this password and this role.

    team: where the role counts; None for the oldest team, and for an admin, for the installation.
    note: how it came about, for the audit log. Raises PersonError for a new person whose name is taken, reserved or looks like another.
    """
    with transaction.atomic():
        if not user.pk and (problem := find_name_problem(user.get_username())):
            raise PersonError(problem)
        before = {"role": held.group if user.pk and (held := role_of(user)) else None}
        user.set_password(password)
        user.save()
        give_role(user, role, team)
        changed = audit.describe_differences(before, {"role": role.group})
        text = "\n".join(each for each in (changed, "password set", note) if each)
        audit.record(AuditKind.PERSON_SAVED, user.get_username(), text=text)
    return user


def change_person(user: User, *, role: Role | None, active: bool, by: User) -> None:
    """Change a person's role, and whether they may sign in; if not, they are signed out everywhere.

    role: ADMIN for an administrator of the installation, another for a role in the only team, None for the roles in teams alone.
    Raises PersonError for one's own account, so that there is always an administrator.
    """
    held = reach_of(user).highest if role is not None or user.is_superuser else None
    if user.pk == by.pk and (role != held or not active):
        raise PersonError(gettext("You cannot change your own role or keep yourself out. Another administrator can."))
    with transaction.atomic():
        before = {"role": held.group if held else None, "may sign in": user.is_active}
        user.is_active = active
        user.save(update_fields=["is_active"])
        if role is None:
            _set_installation_admin(user, False)
        else:
            give_role(user, role)
        after = {"role": role.group if role else None, "may sign in": active}
        if changed := audit.describe_differences(before, after):
            audit.record(AuditKind.PERSON_SAVED, user.get_username(), text=changed)
        if not active:
            sessions.end_sessions(user)


def read_role(user: User) -> Role | None:
    """Return a person's highest role as `role_of` does, from memberships that were read together with those of others."""
    return Role.ADMIN if user.is_superuser else max((Role(each.role) for each in user.memberships.all()), default=None)


def give_role(user: User, role: Role, team: Team | None = None) -> None:
    """Give a person a role in a team. Without a team, an admin is one of the installation, and other roles are in the oldest team."""
    _set_installation_admin(user, role is Role.ADMIN and team is None)
    if not user.is_superuser:
        found = team.pk if team else find_first_team()
        Membership.objects.update_or_create(user=user, team_id=found, defaults={"role": role})
    forget_reach(user)


def _set_installation_admin(user: User, admin: bool) -> None:
    """Make a person an administrator of the installation, or end that. They may also use Django's admin pages."""
    user.is_staff = user.is_superuser = admin
    user.save(update_fields=["is_staff", "is_superuser"])
    forget_reach(user)


def find_command_account() -> User:
    """Return the account for which local commands act, an administrator of the installation, as whoever has the shell is.

    Raises PersonError if somebody can sign in as it: they would become an administrator.
    """
    user = User.objects.filter(username=COMMAND_LINE).first()
    if user is None:
        user = User(username=COMMAND_LINE)
        user.set_unusable_password()
    elif user.has_usable_password() or ExternalIdentity.objects.filter(user=user).exists():
        raise PersonError(
            gettext("Somebody can sign in as %(command_line)s, the account of commands. Rename that account in Django's admin first.")
            % {"command_line": COMMAND_LINE}
        )
    if not user.is_superuser:
        user.is_superuser = True
        user.save()
    return user


def change_email(user: User, email: str) -> None:
    """Change the address to which the link goes if a person forgets the password."""
    with transaction.atomic():
        user.email = email
        user.save(update_fields=["email"])
        audit.record(AuditKind.EMAIL_CHANGED, user.get_username())


def change_reader(user: User, *, language: str, zone: str) -> None:
    """Change the language and the time zone in which a person reads the dashboard. Empty: what the browser and the server say."""
    with transaction.atomic():
        text = f"language: {language or 'of the browser'}\ntime zone: {zone or 'of the server'}"
        ReaderSettings.objects.update_or_create(user=user, defaults={"language": language, "zone": zone})
        audit.record(AuditKind.READER_CHANGED, user.get_username(), text=text)


def record_new_password(user: User) -> None:
    """Record that a person set a new password with a link that was mailed."""
    with transaction.atomic():
        audit.record(AuditKind.PASSWORD_CHANGED, user.get_username(), text="with a link in a mail")


def change_password(user: User, password: str) -> None:
    """Give a person the password that they chose themselves."""
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password"])
        audit.record(AuditKind.PASSWORD_CHANGED, user.get_username())


def record_sign_in(user: User) -> None:
    """Record that a person signed in."""
    with transaction.atomic():
        audit.record(AuditKind.SIGNED_IN, user.get_username())


def record_failed_sign_in(name: str, address: str) -> None:
    """Record that somebody did not get in under a person's name. Other names are not kept: they may be passwords in the wrong field.

    For these the same is done and taken back, so that the time of the answer does not tell which names exist.
    """
    found = User.objects.filter(username=name).first()
    with transaction.atomic():
        audit.record_often(AuditKind.SIGN_IN_FAILED, found.get_username() if found else UNKNOWN, text=f"from {address}" if address else "")
        if found is None:
            transaction.set_rollback(True)
