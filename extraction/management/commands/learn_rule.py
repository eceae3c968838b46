"""The command that learns a rule."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management import following, template_arguments
from extraction.services.core.runs import JobError
from extraction.services.learning import learn_rule


class Command(BaseCommand):
    help = "Learn a template's rule from the marked values and save it as a draft."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser)
        following.add_arguments(parser)

    def handle(self, *, site: str, template: str, wait: bool, here: bool, **_: Any) -> None:
        try:
            run = learn_rule.start_learning(template_arguments.template_named(site, template))
        except JobError as error:
            raise CommandError(str(error)) from error
        following.follow(self, run, wait=wait, here=here)
