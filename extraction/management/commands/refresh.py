"""The command that refreshes the records of a site, and sets when they are refreshed."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from extraction.forms.core import join_errors
from extraction.forms.refresh import RefreshForm
from extraction.management import following, template_arguments
from extraction.management.vertex_command import VertexCommand
from extraction.models import Cluster, RefreshSchedule, Site
from extraction.services.refresh import schedules, start_refreshes
from extraction.views.refresh import refresh_view


class Command(VertexCommand):
    help = "Refresh the records of a site or template, or set when they are refreshed. Without options, say when they are."

    def add_arguments(self, parser: CommandParser) -> None:
        template_arguments.add_arguments(parser, default="the whole site")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--now", action="store_true", help="refresh at once")
        what.add_argument("--every", type=int, metavar="HOURS", help="refresh every so many hours")
        what.add_argument("--at", action="append", metavar="HH:MM", help="refresh at this time of day; may be given several times")
        what.add_argument("--cron", metavar="EXPRESSION", help='refresh by a cron expression of five fields, such as "30 6 * * 1-5"')
        what.add_argument("--after-checks", action="store_true", help="refresh after each check of the rules")
        for name in ("pause", "resume", "skip", "remove"):
            what.add_argument(f"--{name}", dest="action", action="store_const", const=name, help=f"{name} {_MEANT[name]}")
        parser.add_argument("--zone", help="the time zone of --at and --cron, such as Europe/Berlin")
        parser.add_argument("--max-pages", type=int, help="the most pages that a refresh asks for")
        following.add_arguments(parser)

    def handle(self, *, site: str, template: str | None, now: bool, wait: bool, here: bool, action: str | None, **options: Any) -> None:
        found = following.find_site(site)
        cluster = template_arguments.find_template(site, template) if template else None
        if now:
            refresh = start_refreshes.start_refresh(found, cluster, now=timezone.now())
            if refresh.run:
                following.follow(self, refresh.run, wait=wait, here=here)
            return
        if action:
            _control(schedules.require_schedule(found, cluster), action)
        elif mode := _choose_mode(options):
            _change(found, cluster, mode, options)
        self.stdout.write(_describe(found, cluster))


_MEANT = {
    "pause": "the schedule until it is resumed",
    "resume": "the schedule",
    "skip": "the next refresh",
    "remove": "the schedule",
}


def _choose_mode(options: dict[str, Any]) -> str:
    if options["every"] is not None:
        return RefreshSchedule.Mode.INTERVAL
    if options["at"]:
        return RefreshSchedule.Mode.TIMES
    if options["cron"]:
        return RefreshSchedule.Mode.CRON
    return RefreshSchedule.Mode.CHECKS if options["after_checks"] else ""


def _change(site: Site, cluster: Cluster | None, mode: str, options: dict[str, Any]) -> None:
    """Set the schedule. Raises CommandError for an option that cannot be used."""
    schedule = schedules.find_schedule(site, cluster)
    data = {
        "mode": mode,
        "every_hours": options["every"],
        "times": ", ".join(options["at"] or ()),
        "cron": options["cron"] or "",
        "zone": options["zone"] or schedule.zone,
        "max_pages": options["max_pages"] if options["max_pages"] is not None else schedule.max_pages,
    }
    form = RefreshForm(data, instance=schedule)
    if not form.is_valid():
        raise CommandError(join_errors(form))
    schedules.change_schedule(form.save(commit=False), now=timezone.now())


def _control(schedule: RefreshSchedule, action: str) -> None:
    now = timezone.now()
    if action == "pause":
        schedules.pause_schedule(schedule, now=now)
    elif action == "resume":
        schedules.resume_schedule(schedule, now=now)
    elif action == "skip":
        schedules.skip_refresh(schedule, now=now)
    else:
        schedules.remove_schedule(schedule)


def _describe(site: Site, cluster: Cluster | None) -> str:
    name = cluster.label if cluster else site.name
    schedule = schedules.find_schedule(site, cluster)
    if schedule.pk is None:
        return f"{name} has no schedule; its records are refreshed {'with the site' if cluster else 'on request'}."
    words = f"{name} is refreshed {refresh_view.describe_schedule(schedule)}"
    if schedule.paused_at:
        return f"{words}, but paused."
    due = schedule.next_due_at
    return f"{words}, next at {due:%Y-%m-%d %H:%M %Z}." if due else f"{words}."
