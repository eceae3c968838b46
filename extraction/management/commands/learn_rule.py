"""The command that learns a rule."""

from typing import Any

from django.core.management.base import CommandParser

from extraction.management import following, template_arguments
from extraction.management.vertex_command import VertexCommand
from extraction.services.learning import learn_rule


class Command(VertexCommand):
    help = "Learn a template's rule from the marked values and save it as a draft."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser)
        following.add_arguments(parser)

    def handle(self, *, site: str, template: str, wait: bool, here: bool, **_: Any) -> None:
        run = learn_rule.start_learning(template_arguments.find_template(site, template))
        following.follow(self, run, wait=wait, here=here)
