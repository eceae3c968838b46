"""The base of our commands."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError

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
        except (OperationalError, ProgrammingError) as error:
            if "no such table" in str(error) or "does not exist" in str(error):
                raise CommandError(
                    "the database is not set up yet, or is older than this version. Run `vertex manage migrate` first."
                ) from error
            raise
