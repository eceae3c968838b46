"""The command that shows and changes how the pages of a site are fetched that need more than a visit."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.forms.core import join_errors
from extraction.forms.fetching import FetchingForm
from extraction.management import following
from extraction.management.vertex_command import VertexCommand


class Command(VertexCommand):
    help = "Show how pages that need more than a visit are fetched. Secrets are hidden. --set changes it; see docs/fetching.md."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the name or slug of the site")
        parser.add_argument(
            "--set",
            metavar="FILE",
            help='a JSON file with the changes, such as {"headers": {"X-Key": "abc"}}; - reads standard input. '
            "What it does not name stays. Secrets are not options, because everybody on the machine can see the options of a command.",
        )

    def handle(self, *, site: str, set: str | None, **_: Any) -> None:
        found = following.find_site(site)
        if set is not None:
            form = FetchingForm.with_changes(found, _read_changes(set, FetchingForm(site=found)))
            if not form.is_valid():
                raise CommandError(join_errors(form))
            form.save()
        self.stdout.write(json.dumps(FetchingForm(site=found).describe(), indent=2, ensure_ascii=False))


def _read_changes(name: str, form: FetchingForm) -> dict[str, Any]:
    """Return the changes in a file. Raises CommandError; the message shows nothing of the file but names."""
    try:
        changes = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{name} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}.") from None
    except ValueError as error:
        raise CommandError(f"{name} is not JSON: line {getattr(error, 'lineno', 1)}.") from None
    if not isinstance(changes, dict):
        raise CommandError(f"{name} holds no JSON object.")
    if unknown := sorted(set(changes) - set(form.fields)):
        raise CommandError(f"There is no setting “{unknown[0]}”. There are: {', '.join(form.fields)}.")
    for field, value in changes.items():
        wanted = type(form.initial[field])
        pairs = isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
        if not isinstance(value, wanted) or (wanted is dict and not pairs):
            raise CommandError(f"“{field}” must be {_KINDS[wanted]}.")
    return changes


_KINDS: dict[type, str] = {dict: "an object of texts", str: "a text", bool: "true or false", int: "a whole number", list: "a list"}
