"""Guessed types: what all values can be read as, and text in doubt."""

import pytest

from extraction.algorithms.rules.guess import guess_type


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["$9.50", "$1,200.00"], "price"),
        (["12,90 €", "8 €"], "price"),
        (["12", "1,204", "0.5"], "number"),
        (["May 5, 2010", "12 June 2011"], "date"),
        (["2010-05-12", "2011-06-01"], "date"),
        (["1998", "2004"], "date"),
        (["https://a.example/1", "http://b.example"], "url"),
        (["The River", "The Sea"], "text"),
        (["12", "twelve"], "text"),
        (["0012", "0450"], "text"),
        (["9780000010001", "4006381333931"], "text"),
        (["40170725", "96385074"], "text"),
        (["21500000", "103000000", "8900000"], "number"),
        (["21,500,000", "10,300,000"], "number"),
        (["21500000"], "number"),
        (["(325) 674-2650", "(952) 851-0066"], "text"),
        (["9780000010001", "978000001000X"], "text"),
        (["$9.50 and much more text after it", "$3"], "text"),
        ([], "text"),
    ],
)
def test_a_type_is_guessed(texts: list[str], kind: str) -> None:
    assert guess_type(texts) == kind
