"""The command that publishes a rule."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.management import template_arguments
from extraction.management.vertex_command import VertexCommand
from extraction.models import Decision, Rule
from extraction.services.rules import rules


class Command(VertexCommand):
    help = "Make a version of a template's rule live and retire the previous one."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser)
        parser.add_argument("--rule-version", type=int, help="the version (default: the newest draft)")

    def handle(self, *, site: str, template: str, rule_version: int | None, **_: Any) -> None:
        cluster = template_arguments.find_template(site, template)
        known = Rule.objects.filter(cluster=cluster).order_by("-version")
        wanted = known.unpublished() if rule_version is None else known.filter(version=rule_version)
        rule = wanted.first()
        if rule is None:
            what = "no draft of a rule" if rule_version is None else f"no version {rule_version} of its rule"
            raise CommandError(f"{cluster.label} has {what}.")
        rules.publish_rule(rule, what=Decision.What.COMMAND)
        self.stdout.write(f"Version {rule.version} of the rule of {cluster.label} is live.")
