"""The catalogues in locale/: their texts, their compiled form, and the texts in the code that belong in them."""

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_javascript
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[2]
LOCALE = ROOT / "locale"
LANGUAGES = tuple(code for code, _ in settings.LANGUAGES if code != "en")
DOMAINS = ("django", "djangojs")

Text = tuple[str, ...]
"""A text, or its forms for one and for several. Where a text has a context, that stands first."""

CALLS = frozenset({"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"})
_STRING = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_IN_TEMPLATE = re.compile(rf"\b(?:n?gettext|pgettext|_)\({_STRING}(?:, {_STRING}(?:, \w+)?)?\)")


def find_catalogue(language: str, domain: str) -> Path:
    """Return the catalogue that people edit."""
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def read_catalogue(language: str, domain: str) -> Catalog:
    """Read a catalogue."""
    with find_catalogue(language, domain).open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def compile_catalogue(language: str, domain: str) -> bytes:
    """Return a catalogue in the form that Django reads. What is not translated is left out, so it is shown in English."""
    compiled, catalogue = io.BytesIO(), read_catalogue(language, domain)
    for message in list(catalogue):
        if message.id and not all(_as_forms(message.string)):
            catalogue.delete(message.id, context=message.context)
    write_mo(compiled, catalogue)
    return compiled.getvalue()


def list_texts(catalogue: Catalog) -> Iterator[tuple[Text, Text]]:
    """Return each text of a catalogue with its translation."""
    for message in catalogue:
        if message.id:
            yield (message.context, *_as_forms(message.id)) if message.context else _as_forms(message.id), _as_forms(message.string)


def find_marked_texts() -> set[Text]:
    """Return the texts that are marked for translation in templates and Python code."""
    found: set[Text] = set()
    for path in [*sorted((ROOT / "templates").rglob("*.html")), *sorted((ROOT / "templates").rglob("*.txt"))]:
        for call in _IN_TEMPLATE.findall(templatize(path.read_text())):
            found |= _find_calls(ast.parse(call))
    for package in ("annotations", "extraction", "vertex"):
        for path in sorted((ROOT / package).rglob("*.py")):
            source = path.read_text()
            if "gettext" in source:
                found |= _find_calls(ast.parse(source))
    return found


def find_script_texts() -> set[Text]:
    """Return the texts that are marked for translation in scripts."""
    found: set[Text] = set()
    for path in sorted((ROOT / "static" / "js").rglob("*.js")):
        with path.open("rb") as file:
            for _, name, texts, _ in extract_javascript(file, {"gettext": None, "ngettext": (1, 2)}, [], {"parse_template_string": True}):
                forms = texts[:2] if name == "ngettext" and isinstance(texts, tuple) else (texts,)
                if all(isinstance(form, str) for form in _flat(forms)):
                    found.add(tuple(_flat(forms))[: 2 if name == "ngettext" else 1])
    return found


def _flat(forms: tuple[object, ...]) -> list[str]:
    return [each for form in forms for each in (form if isinstance(form, tuple) else (form,)) if isinstance(each, str)]


def _find_calls(tree: ast.AST) -> set[Text]:
    found: set[Text] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            forms = node.args[: 2 if node.func.id.startswith(("n", "p")) else 1]
            texts = tuple(form.value for form in forms if isinstance(form, ast.Constant) and isinstance(form.value, str))
            if len(texts) == len(forms):
                found.add(texts)
    return found


def _as_forms(text: object) -> Text:
    return tuple(str(form) for form in text) if isinstance(text, list | tuple) else (str(text),)
