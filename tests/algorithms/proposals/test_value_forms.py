"""Known forms match values of many countries and not what stands beside them."""

import time

import pytest

from extraction.algorithms.proposals.value_forms import FORMS, match_form
from extraction.algorithms.suggestion.concepts import list_concepts

MATCHES = {
    "price": ["$9,970", "€ 12,50", "12,50 €", "CHF 30.–", "1 299 zł", "Price: $19.99", "¥3,000", "£5 - £7"],
    "date": ["11-23-2010", "May 25, 2010", "25. Mai 2010", "2010-05-25", "25 de mayo de 2010", "2010年5月25日", "12/6/2010", "2008"],
    "phone": ["(505) 266-0550", "907/279-7311", "+49 30 1234567", "Tel.: 01 42 34 56 78", "03-1234-5678"],
    "isbn": ["978-0307269997", "9781602600157", "0-306-40615-2", "080442957X"],
    "duration": ["90 min", "1 h 30 min", "1 Std. 20 Minuten", "2 hours", "45 minutes", "Total: 1 hr 5 mins"],
    "weight": ["205 lbs.", "93 kg", "205 lb (93 kg)"],
    "length": ["6-5", "6 ft 5 in (1.96 m)", "1.96 m", "6'5\"", "196 cm"],
    "fuel_economy": ["27 City / 36 Hwy", "27 mpg city / 36 mpg hwy", "5,4 l/100 km"],
    "url": ["www.acu.edu", "http://www.adelphi.edu", "https://example.com/a?b=c"],
    "email": ["info@example.com"],
    "yield": ["6 servings", "Serves 4 people", "für 4 Personen", "12 cookies"],
    "engine": ["1.6L I4, 16 valves, 110 hp", "V6", "2.0 Turbo"],
    "content_rating": ["Rated R for violence.", "PG-13", "FSK 12"],
    "rating": ["4.5", "4,5 von 5", "8/10", "4 out of 5 stars"],
}
DIFFERS = {
    "price": ["4.5", "Add to cart", "May 2010", "12 reviews"],
    "date": ["Add to cart", "4.5", "12 reviews", "$9,970"],
    "phone": ["2010", "$9,970", "Call us", "6-5"],
    "isbn": ["12345", "(505) 266-0550", "May 25, 2010"],
    "duration": ["2010", "6 servings", "Home"],
    "weight": ["6-5", "2010", "kg"],
    "yield": ["Home", "Ingredients"],
    "email": ["www.acu.edu", "info at example"],
    "url": ["Home page", "4.5", "Add to cart"],
}


@pytest.mark.parametrize(("form", "text"), [(form, text) for form, many in MATCHES.items() for text in many])
def test_values_match_their_form(form: str, text: str) -> None:
    assert match_form(form, text)


@pytest.mark.parametrize(("form", "text"), [(form, text) for form, many in DIFFERS.items() for text in many])
def test_other_texts_do_not(form: str, text: str) -> None:
    assert not match_form(form, text)


def test_every_concept_has_a_form() -> None:
    assert {concept.form for concept in list_concepts()} <= FORMS.keys()


@pytest.mark.parametrize("form", FORMS)
def test_hostile_texts_are_matched_in_no_time(form: str) -> None:
    started = time.process_time()
    for text in (
        "1" * 5_000,
        "1 " * 2_400,
        "a " * 2_400,
        "1 h " * 1_200,
        "(" * 5_000,
        "a-" * 2_000,
        "1.1," * 1_200,
        "a@" * 2_000,
        "x" * 6_000,
    ):
        match_form(form, text)
    assert time.process_time() - started < 0.5
