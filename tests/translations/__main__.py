"""Collects the texts of templates, code and scripts into locale/ and compiles it: `make messages`."""

import os
import re

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")
django.setup()

from django.core.management import call_command  # noqa: E402 - Django must be set up first
from django.core.management.commands import makemessages  # noqa: E402

from tests.translations import catalogues  # noqa: E402

ELSEWHERE = (".venv/*", ".data/*", "build/*", "docs/*", "node_modules/*", "tests/*", "var/*")


class Command(makemessages.Command):
    """Leaves a new text empty, where gettext would guess from a similar one."""

    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]


def main() -> None:
    """Bring the catalogues and their compiled form up to date, and say what is left to translate."""
    os.chdir(catalogues.ROOT)
    for domain in catalogues.DOMAINS:
        call_command(
            Command(),
            locale=list(catalogues.LANGUAGES),
            domain=domain,
            ignore_patterns=list(ELSEWHERE),
            add_location="file",
            no_wrap=True,
            no_obsolete=True,
            verbosity=0,
        )
        for language in catalogues.LANGUAGES:
            path = catalogues.find_catalogue(language, domain)
            path.write_text(re.sub(r'^"POT-Creation-Date: .*\n', "", path.read_text(), count=1, flags=re.MULTILINE))
            path.with_suffix(".mo").write_bytes(catalogues.compile_catalogue(language, domain))
            texts = list(catalogues.list_texts(catalogues.read_catalogue(language, domain)))
            left = sum(not all(translation) for _, translation in texts)
            print(f"{path.relative_to(catalogues.ROOT)}: {len(texts)} texts, {left} to translate")


main()
