"""`python -m tests.guide.reference` writes the reference pages. It needs no database."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")
django.setup()

from tests.guide.reference.pages import FOLDER, PAGES  # noqa: E402 - Django must be set up first

FOLDER.mkdir(exist_ok=True)
for name, write_page in PAGES.items():
    text = write_page()
    changed = not (FOLDER / name).exists() or (FOLDER / name).read_text() != text
    (FOLDER / name).write_text(text)
    print(f"docs/reference/{name}: {'written' if changed else 'unchanged'}")
