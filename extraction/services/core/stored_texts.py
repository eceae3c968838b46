"""Shows stored texts in the reader's language.

Errors of runs, reasons of breakages and repairs, outcomes of deliveries and the like are stored in English, because a worker that writes
them has no reader. Nearly all were made from a text of the catalogue and values put into it. So a stored text is compared with the texts
of the catalogue, its values are read out of it, and they are put into the translation. What is not recognised is shown as it is stored.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from babel.messages.mofile import read_mo
from django.conf import settings
from django.utils.translation import get_language, gettext, ngettext

from extraction.services.core.percent import write_number

LEAST_LETTERS = 8
"""Letters besides its values that a text must have to be recognised by them: “%(a)s of %(b)s” could be anything."""

LEAST_WORDS = 3
"""Words that a value must have to be taken for a text itself. A name such as “title” is none."""

SEPARATORS = ("; ", ": ")
"""What is between texts that were joined."""

LONGEST = 2_000
"""Characters of a text that is looked for; a longer one is shown as it is."""

_VALUE = re.compile(r"%\((\w+)\)s")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})*")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A text of the catalogue with values.

    forms: as gettext takes them. names: of its values, in their order.
    parts: what is before the first value, between them, and behind the last.
    """

    forms: tuple[str, ...]
    names: tuple[str, ...]
    parts: tuple[str, ...]

    @property
    def letters(self) -> int:
        """How many letters it has besides its values."""
        return sum(each.isalpha() for each in "".join(self.parts))


def tell(text: str) -> str:
    """Return a stored text in the reader's language."""
    language = get_language() or "en"
    return text if language.startswith("en") or not text or len(text) > LONGEST else _tell(text, language)


@lru_cache(maxsize=4096)
def _tell(text: str, language: str) -> str:
    if text in _list_plain(language):
        return gettext(text)
    for each in _list_sentences(language):
        values = _read_values(each, text)
        if values is not None:
            return _put_together(each, {name: _tell_value(value, language) for name, value in values.items()})
    for separator in SEPARATORS:
        pieces = text.split(separator, 1)
        told = [_tell(piece, language) for piece in pieces] if len(pieces) > 1 else pieces
        if told != pieces:
            return separator.join(told)
    return text


def _tell_value(value: str, language: str) -> str:
    if _NUMBER.fullmatch(value):
        return write_number(int(value.replace(",", "")))
    return _tell(value, language) if len(value.split()) >= LEAST_WORDS else value


def _put_together(sentence: _Sentence, values: Mapping[str, str]) -> str:
    if len(sentence.forms) == 1:
        return gettext(sentence.forms[0]) % values
    numbers = (re.sub(r"\D", "", value) for value in values.values() if value[:1].isdigit())
    one, several = sentence.forms
    return ngettext(one, several, int(next(numbers, "") or 2)) % values


def _read_values(sentence: _Sentence, text: str) -> dict[str, str] | None:
    """Return the values of a text that was made from a sentence; None if it was not."""
    first, *between, last = sentence.parts
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return None
    values, at, end = dict[str, str](), len(first), len(text) - len(last)
    for name, part in zip(sentence.names, [*between, ""], strict=True):
        found = text.find(part, at + 1, end) if part else end
        if found <= at or values.setdefault(name, text[at:found]) != text[at:found]:
            return None
        at = found + len(part)
    return values


@cache
def _list_plain(language: str) -> frozenset[str]:
    return frozenset(forms[0] for forms in _read_catalogue(language) if len(forms) == 1 and not _VALUE.search(forms[0]))


@cache
def _list_sentences(language: str) -> tuple[_Sentence, ...]:
    """Return the texts with values, those with the most letters first: they are the surest."""
    found = [sentence for forms in _read_catalogue(language) for sentence in _read_forms(forms) if sentence.letters >= LEAST_LETTERS]
    return tuple(sorted(found, key=lambda each: (-each.letters, each.forms)))


def _read_forms(forms: tuple[str, ...]) -> Iterator[_Sentence]:
    for form in forms:
        pieces = _VALUE.split(form)
        parts = tuple(each.replace("%%", "%") for each in pieces[::2])
        if len(parts) > 1 and all(parts[1:-1]):
            yield _Sentence(forms, tuple(pieces[1::2]), parts)


@cache
def _read_catalogue(language: str) -> tuple[tuple[str, ...], ...]:
    """Return the English texts of the catalogue of a language; a text with a plural has two forms."""
    found = []
    for folder in settings.LOCALE_PATHS:
        path = Path(folder) / language.replace("-", "_") / "LC_MESSAGES" / "django.mo"
        if path.exists():
            with path.open("rb") as file:
                plain = [message.id for message in read_mo(file) if message.id and not message.context]
                found += [(each,) if isinstance(each, str) else tuple(each) for each in plain]
    return tuple(found)
