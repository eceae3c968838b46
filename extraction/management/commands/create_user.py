"""The command that creates or changes a user."""

import getpass
import sys
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from extraction.management.vertex_command import VertexCommand
from extraction.models import (
    Role,
    Team,
)
from extraction.services.core import people


class Command(VertexCommand):
    help = "Create a user, or change a user's role and password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name to sign in with")
        parser.add_argument("--role", choices=[role.group for role in Role], default=Role.EDITOR.group)
        parser.add_argument("--team", default="", metavar="SLUG", help="where the role counts (without it, in the oldest team)")

    def handle(self, *, name: str, role: str, team: str, **_: Any) -> None:
        into = Team.objects.filter(slug=team).first()
        if team and into is None:
            known = ", ".join(Team.objects.values_list("slug", flat=True)[:20])
            raise CommandError(f"there is no team {team}. There are: {known}")
        password = getpass.getpass(f"Password for {name}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
        user = User.objects.filter(username=name).first() or User(username=name)
        try:
            validate_password(password, user)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        try:
            people.save_person(user, password=password, role=Role[role.upper()], team=into)
        except people.PersonError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{name} can now sign in as {role}.")
