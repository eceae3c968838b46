"""What language a page is in: its own word first, then its address."""

import pytest

from extraction.algorithms.dom.page_language import detect_language, primary_language
from extraction.algorithms.dom.parse import parse


@pytest.mark.parametrize(
    ("head", "url", "expected"),
    [
        ('<html lang="de">', "", "de"),
        ('<html lang="pt-BR">', "https://shop.example/", "pt-BR"),
        ('<html xml:lang="fr">', "", "fr"),
        ('<html><meta http-equiv="Content-Language" content="it">', "", "it"),
        ('<html><meta property="og:locale" content="en_GB">', "", "en-GB"),
        ('<html lang="en">', "https://www.shop.co.uk/a", "en-GB"),
        ('<html lang="en-US">', "https://www.shop.co.uk/a", "en-GB"),
        ('<html lang="en">', "https://www.shop.com/a", "en"),
        ('<html lang="en">', "https://www.shop.de/en/a", "en"),
        ('<html lang="">', "https://www.laden.de/a", "de"),
        ("<html>", "https://www.laden.at:8080/a?b=.fr", "de-AT"),
        ('<html lang="{{ language }}">', "https://www.boutique.fr/", "fr"),
        ("<html>", "https://start-up.io/", None),
        ("<html>", "https://boutique.ch/", None),
        ("<html>", "page-7.html", None),
        ("<html>", "http://[bad", None),
        ("<html>", "", None),
    ],
)
def test_a_page_says_its_language_or_its_address_does(head: str, url: str, expected: str | None) -> None:
    assert detect_language(parse(f"{head}<body><p>text</p></body></html>".encode()).root, url) == expected


@pytest.mark.parametrize(
    ("head", "expected"), [('<html lang="de-AT">', "de"), ('<html lang="pt_BR">', "pt"), ('<html lang="EN">', "en"), ("<html>", "")]
)
def test_a_primary_language_has_no_country(head: str, expected: str) -> None:
    assert primary_language(parse(f"{head}<body><p>text</p></body></html>".encode()).root) == expected
