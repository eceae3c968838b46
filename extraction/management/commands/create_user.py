"""The command that creates or changes a user."""

import getpass
import sys
from typing import Any

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.models import Role


class Command(BaseCommand):
    help = "Create a user, or change a user's role and password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name to sign in with")
        parser.add_argument("--role", choices=[role.group for role in Role], default=Role.EDITOR.group)

    def handle(self, *, name: str, role: str, **_: Any) -> None:
        password = getpass.getpass(f"Password for {name}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        user = User.objects.filter(username=name).first() or User(username=name)
        try:
            validate_password(password, user)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        save_user(user, password=password, role=Role[role.upper()])
        self.stdout.write(f"{name} can now sign in as {role}.")


def save_user(user: User, *, password: str, role: Role) -> User:
    """Save the user with this password and this role only, and return it. An admin may also use Django's admin pages."""
    user.set_password(password)
    user.is_staff = user.is_superuser = role is Role.ADMIN
    user.save()
    user.groups.remove(*Group.objects.filter(name__in=[each.group for each in Role]))
    user.groups.add(Group.objects.get(name=role.group))
    return user
