"""The command that imports a site from a folder of files."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from extraction.management import following
from extraction.management.commands.publish_rule import find_editor
from extraction.models import Decision
from extraction.services.folders import importing, planning, storing
from extraction.services.folders.apply_templates import Publisher
from extraction.services.folders.change_words import describe_changes, summarize_plan
from extraction.services.folders.errors import FolderError
from extraction.services.folders.planning import Options, Plan

CONFLICT = 2
"""The exit code if both sides have changed. Nothing was imported."""


class Command(BaseCommand):
    help = "Import a site from the folder that export_site wrote, or merge it into one that is here. Prints first what changes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder, or a zip file of it")
        parser.add_argument("--dry-run", action="store_true", help="only print what would change")
        parser.add_argument("--into", metavar="SITE", help="the name or slug of another site than the one that the folder names")
        parser.add_argument(
            "--prefer",
            choices=["stop", "folder", "installation"],
            default="stop",
            help="what counts where both sides have changed (default: import nothing)",
        )
        parser.add_argument("--delete", action="store_true", help="remove what is only here; templates, record types and deliveries stay")
        parser.add_argument("--by", metavar="NAME", help="the user who publishes the rules, for their history")

    def handle(self, *, folder: Path, dry_run: bool, into: str | None, prefer: Any, delete: bool, by: str | None, **_: Any) -> None:
        site = following.find_site(into) if into else None
        publisher = Publisher(find_editor(by, site.team_id if site else None) if by else None, Decision.What.COMMAND)
        options = Options(into=site, prefer=prefer, delete=delete)
        try:
            with storing.open_folder(folder) as reader:
                checked = planning.read_folder(reader)
                if dry_run:
                    self._print(plan := planning.plan_import(checked, options))
                    self._refuse_conflicts(plan)
                    return
                done = importing.import_folder(checked, options, publisher)
        except planning.ConflictError as error:
            self._print(error.plan)
            self._refuse_conflicts(error.plan)
        except FolderError as error:
            raise CommandError(f"{error}.") from error
        else:
            self._print(done.plan)
            for note in done.notes[len(done.plan.notes) :]:
                self.stderr.write(note)
            self.stdout.write(f"Imported into {done.site.name} ({done.site.slug}).")

    def _print(self, plan: Plan) -> None:
        for each in describe_changes(plan.changes):
            self.stdout.write(f"{each.sign} {each.subject} {each.text}{f' ({each.place})' if each.sign == '!' and each.place else ''}")
            for detail in each.details:
                self.stdout.write(f"    {detail}")
        for note in plan.notes:
            self.stderr.write(note)
        self.stdout.write(summarize_plan(plan))

    def _refuse_conflicts(self, plan: Plan) -> None:
        if plan.conflicts:
            hint = "Choose with --prefer folder or --prefer installation, or change the files."
            raise CommandError(
                f"Nothing was imported, because both sides have changed in parts marked with “!”. {hint}", returncode=CONFLICT
            )
