"""The language of a text, by py3langid (Lui & Baldwin 2012, langid.py), for texts that are long enough to tell."""

from functools import cache
from typing import Any

LEAST_LETTERS = 20
"""Shorter texts are names and labels as often as sentences, and are not judged."""

LEAST_CONFIDENCE = 0.5
"""The probability from which a language is believed. Names of products get less than 0.1, ordinary sentences more than 0.7."""

MOST_CHARACTERS = 2_000
"""How much of a text is read."""

_ALIKE = {"nb": "no", "nn": "no"}


@cache
def _load_identifier() -> Any:
    # Loading takes a second and some 80 MB, so it is done only where a rule asks for a language.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def list_languages() -> frozenset[str]:
    """Return the codes of the languages that can be told."""
    return (frozenset(_load_identifier().labels) | _ALIKE.keys()) - {"zxx"}


def detect_text_language(text: str) -> str:
    """Return the code of a text's language, "" if it cannot be told."""
    shown = text[:MOST_CHARACTERS]
    if sum(each.isalpha() for each in shown) < LEAST_LETTERS:
        return ""
    found, confidence = _load_identifier().classify(shown.encode("utf-8", "replace"))
    return "" if confidence < LEAST_CONFIDENCE or found == "zxx" else _ALIKE.get(found, found)


def is_in_languages(text: str, languages: tuple[str, ...]) -> bool | None:
    """Return whether a text is in one of the languages; None if its language cannot be told."""
    found = detect_text_language(text)
    return found in {_ALIKE.get(each, each) for each in languages} if found else None
