"""An attribute with several values after labels in two languages: all values are found in both, however few the marked pages show."""

from random import Random

import pytest

from extraction.algorithms.learning.apriori import Learned, learn_attribute
from extraction.algorithms.learning.page_table import PageTable
from tests.algorithms.learning.pages import example, page, values

LABELS = {
    "material": ("Materials", "Material"),
    "maker": ("Brand", "Marke"),
    "weight": ("Weight", "Gewicht"),
    "origin": ("Made in", "Herkunft"),
}
MATERIALS = ("Oak", "Brass", "Steel", "Linen", "Glass", "Cork", "Beech")
ROWS = {
    "spans": ("<div>{rows}</div>", "<div><span>{label}</span>{cells}</div>", "<span>{value}</span>"),
    "named spans": ("<div>{rows}</div>", "<div><span class=l>{label}</span>{cells}</div>", "<span class=v>{value}</span>"),
    "definitions": ("<dl>{rows}</dl>", "<dt>{label}</dt>{cells}", "<dd>{value}</dd>"),
    "table": ("<table>{rows}</table>", "<tr><th>{label}</th><td>{cells}</td></tr>", "<a href=/m>{value}</a> "),
}


def make_pages(kind: str, counts: list[int], seed: int) -> list[tuple[list[str], PageTable]]:
    """(materials, page) of products, in English and German by turns. counts: how many materials each has."""
    rng, made = Random(f"{kind} {seed}"), []
    whole, row, cell = ROWS[kind]
    for number, count in enumerate(counts):
        shown = {
            "material": rng.sample(MATERIALS, count),
            "maker": [rng.choice(("Nordholz", "Atelier 9", "Casa Brenner"))],
            "weight": [f"{rng.randint(1, 60)} kg"],
            "origin": [rng.choice(("Poland", "Portugal", "Denmark"))],
        }
        names = [name for name in shown if name == "material" or rng.random() < 0.7]
        rng.shuffle(names)
        cells = {name: "".join(cell.format(value=value) for value in shown[name]) for name in names}
        rows = "".join(row.format(label=LABELS[name][number % 2], cells=cells[name]) for name in names)
        made.append((shown["material"], page(f"<main><h1>Thing {number}</h1><p>In stock</p>{whole.format(rows=rows)}<p>Prices</p></main>")))
    return made


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("several", ["the first language", "the second language"])
@pytest.mark.parametrize("kind", ROWS)
def test_all_values_are_found_in_a_language_whose_marked_pages_have_one_each(kind: str, several: str, seed: int) -> None:
    marked = [2, 1, 3, 1] if several == "the first language" else [1, 2, 1, 3]
    made = make_pages(kind, [*marked, *[1, 2, 3, 3, 2, 1] * 3], seed)
    tables = [table for _, table in made]
    xpaths = [" | ".join(f"//*[text()='{value}']" for value in shown) for shown, _ in made]
    learned = learn_attribute(tables, [example(tables, n, xpaths[n]) for n in range(4)], multiple=True)
    assert isinstance(learned, Learned)
    assert [values(learned, table) for table in tables] == [shown for shown, _ in made]


@pytest.mark.parametrize("marked", [[2, 1], [1, 2], [2, 3], [3, 1]])
@pytest.mark.parametrize("seed", range(3))
def test_all_dd_of_a_term_are_found_from_two_pages(marked: list[int], seed: int) -> None:
    """Pages of one language. A ``dd`` belongs to the nearest ``dt`` before it, however many stand between."""
    made = make_pages("definitions", [each for count in (*marked, *[1, 2, 3, 4] * 3) for each in (count, 1)], seed)[::2]
    tables = [table for _, table in made]
    xpaths = [" | ".join(f"//*[text()='{value}']" for value in shown) for shown, _ in made]
    learned = learn_attribute(tables, [example(tables, n, xpaths[n]) for n in range(2)], multiple=True)
    assert isinstance(learned, Learned)
    assert [values(learned, table) for table in tables] == [shown for shown, _ in made]


def test_a_term_with_one_dd_gives_one_value_where_another_has_two() -> None:
    made = make_pages("definitions", [1, 1, 1, 2, 1, 2, 1, 1], 5)
    tables = [table for _, table in made]
    learned = learn_attribute(tables, [example(tables, n, f"//*[text()='{made[n][0][0]}']") for n in (0, 2)], multiple=False)
    assert isinstance(learned, Learned)
    assert "preceding-sibling::*[1]" in str(learned.alternatives[0].xpath)
