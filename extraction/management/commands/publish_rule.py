"""The command that publishes a rule."""

import sys
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from extraction.management import template_arguments
from extraction.management.vertex_command import VertexCommand
from extraction.models import Decision, Role, Rule, reach_of
from extraction.services.rules import doubts, rules


class Command(VertexCommand):
    help = "Make a version of a template's rule live and retire the previous one. Asks first if values of a draft look wrong."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser)
        parser.add_argument("--rule-version", type=int, help="the version (default: the newest draft)")
        parser.add_argument("--despite-doubts", action="store_true", help="publish a draft without asking although some values look wrong")
        parser.add_argument("--by", metavar="NAME", help="the user who publishes it, for the history of the rule")

    def handle(self, *, site: str, template: str, rule_version: int | None, despite_doubts: bool, by: str | None, **_: Any) -> None:
        cluster = template_arguments.find_template(site, template)
        user = find_editor(by, cluster.site.team_id) if by else None
        known = Rule.objects.filter(cluster=cluster).order_by("-version")
        wanted = known.unpublished() if rule_version is None else known.filter(version=rule_version)
        rule = wanted.first()
        if rule is None:
            what = "no draft of a rule" if rule_version is None else f"no version {rule_version} of its rule"
            raise CommandError(f"{cluster.label} has {what}.")
        try:
            doubts.refuse_doubtful(rule)
        except doubts.Doubtful as error:
            self._confirm(error, despite_doubts=despite_doubts)
        rules.publish_rule(rule, user, what=Decision.What.COMMAND)
        self.stdout.write(f"Version {rule.version} of the rule of {cluster.label} is live.")

    def _confirm(self, doubtful: doubts.Doubtful, *, despite_doubts: bool) -> None:
        """Print what is doubtful and ask whether to go on. Raises CommandError if the answer is no or nobody can answer."""
        self.stderr.write("Some values are missing or look wrong:")
        for reason in doubtful.doubts:
            self.stderr.write(f"  {reason}")
        if despite_doubts:
            return
        if not sys.stdin.isatty():
            raise CommandError("Nothing was published. Look at these values, then publish with --despite-doubts.")
        if input("Publish it anyway? [y/N] ").strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was published.")


def find_editor(name: str, team: int | None) -> User:
    """Return the user with this name, who must be allowed to publish rules of a team. Raises CommandError.

    team: None for any team of the user.
    """
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise CommandError(f"There is no user {name!r}.")
    reach = reach_of(user)
    if ((reach.highest if team is None else reach.find_role(team)) or 0) < Role.EDITOR:
        raise CommandError(f"{name} is not allowed to publish rules.")
    return user
