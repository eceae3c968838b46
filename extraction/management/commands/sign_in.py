"""The command that shows the forms of the page to sign in, sets a sign-in up from them, and tries the steps of a site's sign-in."""

import getpass
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.fetching.crawl.messages import TriedSignIn
from extraction.fetching.crawl.shown_forms import ShownField
from extraction.forms.core import join_errors
from extraction.forms.sign_in_setup import SignInChoiceForm
from extraction.management import following
from extraction.management.vertex_command import VertexCommand
from extraction.models import Site
from extraction.services.sites import sign_in_setup


class Command(VertexCommand):
    help = (
        "Show the forms of the page to sign in, set a sign-in up from one of them, or try the stored steps and say which fails. "
        "The command fetching enters steps."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the name or slug of the site")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--forms", metavar="ADDRESS", help="show the fields of this page, with selectors for the steps")
        what.add_argument(
            "--set-up",
            metavar="ADDRESS",
            help="write the steps for a form of this page, try them, and save them if they work. Asks for name and password, "
            "or reads them from two lines of standard input",
        )
        what.add_argument("--try", action="store_true", dest="tries", help="try the stored steps, and store the session if they work")
        parser.add_argument("--name-field", metavar="SELECTOR", default="", help="with --set-up: the field for the name")
        parser.add_argument(
            "--password-field",
            metavar="SELECTOR",
            default="",
            help="with --set-up: the field for the password. Without it, Vertex looks for the field on the page that follows the click",
        )
        parser.add_argument("--button", metavar="SELECTOR", default="", help="with --set-up: what to click")

    def handle(self, *, site: str, forms: str | None, set_up: str | None, **options: Any) -> None:
        found = following.find_site(site)
        try:
            if forms is not None:
                for line in _write_forms(sign_in_setup.read_page(found, forms)):
                    self.stdout.write(line)
                return
            said = _set_up(found, set_up, options) if set_up is not None else sign_in_setup.try_stored(found)
        except sign_in_setup.SetupError as error:
            raise CommandError(str(error)) from error
        shown = f"The page {said.url} showed: {said.text or 'no text'}"
        if said.failure:
            raise CommandError(f"Signing in failed: {said.failure}. {shown}")
        self.stdout.write(f"Signed in after {said.step} steps{', which are saved' if set_up else ''}. {shown}")


def _set_up(site: Site, address: str, options: dict[str, Any]) -> TriedSignIn:
    """Try the steps for a form, and save them if they work. Raises CommandError if there are none."""
    fields = {name: options[name] for name in ("name_field", "password_field", "button")}
    name = _ask("Name") if fields["name_field"] else ""
    form = SignInChoiceForm({**fields, "address": address, "name": name, "password": _ask("Password")})
    tried = form.try_and_save(site) if form.is_valid() else None
    if tried is None:
        raise CommandError(join_errors(form))
    return tried.said


def _ask(what: str) -> str:
    """Return what a person enters; it is not shown."""
    return getpass.getpass(f"{what}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")


def _write_forms(page: sign_in_setup.SignInPage) -> list[str]:
    lines = [] if page.shown.forms else [f"No form is visible on {page.url}. It shows: {page.text or 'no text'}"]
    for number, form in enumerate(page.shown.forms, 1):
        where = f" in the frame {form.frame}" if form.frame else ""
        lines.append(f"Form {number}{where}{', with a password' if form.has_password else ''}:")
        shown = [*form.fields, *([form.button] if form.button else [])]
        lines += [f"  {_name(each)}  {each.selector or '(no selector finds it alone)'}" for each in shown]
    elsewhere = "A frame of another host has fields, in which nothing is filled in. Use its address instead:"
    lines += [f"{elsewhere} {url}" for url in page.shown.elsewhere]
    return [*lines, *(f"Note: {notice}" for notice in page.shown.notices)]


def _name(each: ShownField) -> str:
    return f"{each.kind} “{each.label}”"
