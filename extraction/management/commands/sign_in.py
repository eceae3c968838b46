"""The command that shows the forms of the page to sign in, and tries the steps of a site's sign-in."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from extraction.fetching.crawl.page_forms import FormField
from extraction.management import following
from extraction.management.vertex_command import VertexCommand
from extraction.services.sites import sign_in_setup


class Command(VertexCommand):
    help = "Show the forms of the page to sign in, or try the stored steps and say which fails. The command fetching enters steps."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="the name or slug of the site")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--forms", metavar="ADDRESS", help="show the fields of this page, with selectors for the steps")
        what.add_argument("--try", action="store_true", dest="tries", help="try the stored steps, and store the session if they work")

    def handle(self, *, site: str, forms: str | None, tries: bool, **_: Any) -> None:  # noqa: ARG002 - one of the two is given
        found = following.find_site(site)
        try:
            if forms is not None:
                for line in _write_forms(sign_in_setup.read_page(found, forms)):
                    self.stdout.write(line)
                return
            said = sign_in_setup.try_stored(found)
        except sign_in_setup.SetupError as error:
            raise CommandError(str(error)) from error
        shown = f"The page {said.url} showed: {said.text or 'no text'}"
        if said.failure:
            raise CommandError(f"Signing in failed: {said.failure}. {shown}")
        self.stdout.write(f"Signed in after {said.step} steps. {shown}")


def _write_forms(page: sign_in_setup.SignInPage) -> list[str]:
    if not page.forms:
        return [f"There is no form on {page.url}. Forms in frames are not read."]
    lines = []
    for number, form in enumerate(page.forms, 1):
        lines.append(f"Form {number}{', with a password' if form.has_password else ''}:")
        shown = [*(each for each in form.fields if each.kind != "hidden"), *([form.button] if form.button else [])]
        lines += [f"  {_name(each)}  {each.selector or '(no selector finds it alone)'}" for each in shown]
    return lines


def _name(each: FormField) -> str:
    return f"{each.kind} “{each.label}”"
