"""A shop's products in one to three languages and six kinds of markup: weights are found or missed, and hardly ever wrong."""

from random import Random

from extraction.algorithms.learning.apriori import Example, learn_attribute
from tests.algorithms.learning.pages import page, places, values

NAMES = (
    ("Weight", "Colour", "Material", "Length", "Maker"),
    ("Gewicht", "Farbe", "Werkstoff", "Länge", "Hersteller"),
    ("Poids", "Couleur", "Matière", "Longueur", "Fabricant"),
)
MARKUPS = {
    "cells": ("<table>", "<tr><td>{}</td><td>{}</td></tr>", "</table>", "//td"),
    "header cells": ("<table>", "<tr><th>{}:</th><td>{}</td></tr>", "</table>", "//td"),
    "terms": ("<dl>", "<dt>{}</dt><dd>{}</dd>", "</dl>", "//dd"),
    "boxes": ("<div class=props>", "<div class=prop><span>{}</span><span>{}</span></div>", "</div>", "//span"),
    "lines": ("<p>", "<b>{}:</b> {}<br>", "</p>", "//p/text()"),
    "items": ("<ul>", "<li>{}: <i>{}</i></li>", "</ul>", "//i"),
}
PAGES, MARKED = 40, 6
SEEDS = range(2)


def make_page(rng: Random, number: int, *, language: int, markup: str) -> tuple[str, str]:
    """(a product's page, its weight, empty if it has none). All marked pages have one advert that few others have."""
    weights = (f"{rng.randint(1, 40)}.{rng.randint(1, 9)} kg", f"{rng.randint(100, 900)} g", f"{rng.randint(1, 9)} kg")
    texts = (rng.choice(weights), rng.choice(("Red", "Blue")), rng.choice(("Ti-6Al-4V", "Oak")), f"{rng.randint(10, 90)} cm", "Abel")
    rows = [(n, text) for n, text in enumerate(texts) if rng.random() < (0.7 if n else 0.85)]
    rng.shuffle(rows)
    start, line, end, _ = MARKUPS[markup]
    advert = "SALE! Everything must go" if number < MARKED else rng.choice(("New this week", "Free shipping over 50", ""))
    facts = "".join(line.format(NAMES[language][n], text) for n, text in rows)
    body = f"<main><p>{advert}</p><h1>Item {number}</h1>{start}{facts}{end}<ul class=related><li>1.2 kg box</li></ul></main>"
    return body, dict(rows).get(0, "")


def count(markup: str, languages: int, seed: int) -> tuple[int, int]:
    """(pages with the right answer, pages with a wrong value) for one shop."""
    rng = Random(f"{markup} {languages} {seed}")
    numbers = [n % languages if n < MARKED else rng.randrange(languages) for n in range(PAGES)]
    made = [make_page(rng, n, language=language, markup=markup) for n, language in enumerate(numbers)]
    pages = [page(body) for body, _ in made]
    marks = [
        Example(n, tuple(at for at, text in places(pages[n], MARKUPS[markup][3]) if weight and text == weight)[:1])
        for n, (_, weight) in enumerate(made[:MARKED])
    ]
    learned = learn_attribute(pages[:34], marks)
    found = [values(learned, table) for table in pages]
    right = sum(given == ([weight] if weight else []) for given, (_, weight) in zip(found, made, strict=True))
    wrong = sum(given not in ([weight], []) for given, (_, weight) in zip(found, made, strict=True))
    return right, wrong


def test_weights_are_found_in_all_languages_and_markups() -> None:
    counts = {(markup, languages, seed): count(markup, languages, seed) for markup in MARKUPS for languages in (1, 2, 3) for seed in SEEDS}
    total = PAGES * len(counts)
    assert sum(wrong for _, wrong in counts.values()) <= 0.01 * total, counts
    assert sum(right for right, _ in counts.values()) >= 0.95 * total, counts
    one = [right for (_, languages, _), (right, _) in counts.items() if languages == 1]
    assert sum(one) >= 0.99 * PAGES * len(one), counts
