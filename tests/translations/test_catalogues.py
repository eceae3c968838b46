"""German and French are complete, and what is compiled is what is written. After a change: `make messages`."""

import re
from itertools import product

import pytest
from babel.messages.mofile import read_mo

from tests.translations.catalogues import (
    DOMAINS,
    LANGUAGES,
    Text,
    find_catalogue,
    find_marked_texts,
    find_script_texts,
    list_texts,
    read_catalogue,
)

each_catalogue = pytest.mark.parametrize(("language", "domain"), list(product(LANGUAGES, DOMAINS)))
PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|\{\w*\}")
HTML_TAG = re.compile(r"</?\w+|&\w+;")


@each_catalogue
def test_every_text_is_translated(language: str, domain: str) -> None:
    catalogue = read_catalogue(language, domain)
    assert [text for text, translation in list_texts(catalogue) if not all(translation)] == []
    assert [message.id for message in catalogue if message.id and message.fuzzy] == []


@each_catalogue
def test_a_translation_has_the_placeholders_and_tags_of_its_text(language: str, domain: str) -> None:
    wrong = []
    for text, translation in list_texts(read_catalogue(language, domain)):
        whole, count_of_one = text[-1], len(text) > 1
        for number, form in enumerate(translation):
            has, wants = set(PLACEHOLDER.findall(form)), set(PLACEHOLDER.findall(whole))
            if has - wants or (wants - has and not (count_of_one and number == 0)):
                wrong.append((text, form))
            if sorted(HTML_TAG.findall(form)) != sorted(HTML_TAG.findall(text[min(number, len(text) - 1)])):
                wrong.append((text, form))
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_catalogue_has_the_texts_of_the_code_and_no_others(language: str, domain: str) -> None:
    found = find_marked_texts() if domain == "django" else find_script_texts()
    known = {text for text, _ in list_texts(read_catalogue(language, domain))}
    of_one = {(text[0],) for text in known if len(text) > 1}  # gettext finds the first form of a text with two, too
    assert found - known - of_one == set()
    assert known - found == set()


@each_catalogue
def test_the_compiled_catalogue_is_current(language: str, domain: str) -> None:
    with find_catalogue(language, domain).with_suffix(".mo").open("rb") as file:
        compiled = dict(list_texts(read_mo(file)))
    assert compiled == dict(list_texts(read_catalogue(language, domain)))


def test_the_texts_of_the_code_are_found() -> None:
    found: set[Text] = find_marked_texts()
    assert ("Your account",) in found
    assert ("%(count)s page stays without a template.", "%(count)s pages stay without a template.") in found
