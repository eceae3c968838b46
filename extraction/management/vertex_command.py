"""The base of our commands."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from extraction.services.core import audit
from extraction.services.core.runs import JobError
from extraction.services.rules.rules import StateError


class VertexCommand(BaseCommand):
    """A command that prints why a service refused its work, and whose changes are in the audit log as those of the command line."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            with audit.acting_as(audit.name_command):
                return super().execute(*args, **options)
        except (JobError, StateError) as error:
            raise CommandError(str(error)) from error
