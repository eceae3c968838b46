"""Stored English texts are shown in the reader's language, and what is not recognised stays as it is."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext, ngettext

from extraction.services.core.stored_sentences import SENTENCES
from extraction.services.core.stored_texts import _VALUE, tell

ROOT = Path(__file__).parents[3]

CASES = [
    ("none of the old records has a value", "keiner der alten Datensätze hat einen Wert"),
    ("“12.50” is on the page, but the rule no longer finds it", "“12.50” steht auf der Seite, aber die Regel findet es nicht mehr"),
    (
        "the rule finds nothing on 14 of 1,500 pages; 3 % was usual",
        "die Regel findet auf 14 von 1\u202f500 Seiten nichts; üblich waren 3 %",
    ),
    ("The page cannot be read: the page is empty", "Die Seite kann nicht gelesen werden: die Seite ist leer"),
    (
        "The database did not answer. The run was tried 3 times; it is not tried again.",
        "Die Datenbank hat nicht geantwortet. Der Lauf wurde 3-mal versucht und wird nicht wieder versucht.",
    ),
    ("Internal error: KeyError: 'title'", "Interner Fehler: KeyError: 'title'"),
]


@pytest.mark.parametrize(("stored", "german"), CASES)
def test_a_stored_text_is_shown_in_the_language_of_the_reader(stored: str, german: str) -> None:
    with translation.override("de"):
        assert tell(stored) == german
    with translation.override("en"):
        assert tell(stored) == stored


def test_texts_that_were_joined_are_told_one_by_one() -> None:
    with translation.override("de"):
        told = tell("title has no value on this page; price has no value on this page")
    assert told == "title hat auf dieser Seite keinen Wert; price hat auf dieser Seite keinen Wert"


def test_what_services_write_with_the_catalogue_is_recognised_too() -> None:
    def write() -> list[str]:
        plural = ngettext("%(name)s has %(n)s marked value", "%(name)s has %(n)s marked values", 3) % {"name": "price", "n": 3}
        return [gettext("%(into)s belongs to another site") % {"into": "Novels of the week"}, plural]

    with translation.override("en"):
        stored = write()
    for language in ("de", "fr"):
        with translation.override(language):
            assert [tell(each) for each in stored] == write() != stored


@pytest.mark.parametrize("text", ["", "Connection reset by peer", "title", "%(a)s", "…: …", "x" * 100_000, "12 of 13", "ünïcode ; : "])
def test_what_nobody_translated_stays_as_it_is(text: str) -> None:
    with translation.override("de"):
        assert tell(text) == text


def test_a_name_is_not_taken_for_a_text() -> None:
    with translation.override("de"):
        assert gettext("Template") == "Vorlage"
        assert tell("Template has no value on this page") == "Template hat auf dieser Seite keinen Wert"


def test_each_sentence_is_written_by_the_code() -> None:
    packages = defaultdict[Path, set[str]](set)  # the reasons of a row are made from those of a page, by the module beside
    for path in sorted((ROOT / "extraction").rglob("*.py")):
        if path.name != "stored_sentences.py":
            packages[path.parent].update(re.findall(r"[a-z]+", path.read_text().lower()))
    words = {sentence: set(re.findall(r"[a-z]+", " ".join(_VALUE.split(sentence)[::2]).lower())) for sentence in SENTENCES}
    assert not [sentence for sentence, own in words.items() if not any(own <= package for package in packages.values())]


def test_screens_show_stored_reasons_and_errors_through_the_filter() -> None:
    shown = re.compile(r"\{\{ *((?:\w+\.)+(?:reason|error|why|bits_reason)|(?:run|failed)\.message)\b(?!\|told)[^}]*\}\}")
    made_for_the_reader = {"field.error", "row.error", "row.reason"}  # by a form or a preview, in the request itself
    found = {
        (str(path.relative_to(ROOT / "templates")), name)
        for path in sorted((ROOT / "templates" / "extraction").rglob("*.html"))
        for name in shown.findall(path.read_text())
        if name not in made_for_the_reader
    }
    assert not found
