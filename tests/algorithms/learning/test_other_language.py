"""Pages in a language of which no page is marked: found where only one label fits, doubted, and never guessed where a value is missing."""

from random import Random

import pytest

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.apriori import Example, Learned, learn_attribute
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table
from tests.algorithms.learning.pages import example, page, values
from tests.fixtures import two_language_shop as shop

LABELS = {"maker": ("Artist", "Künstler"), "place": ("Found in", "Fundort"), "number": ("Inventory", "Inventar"), "size": ("Size", "Maße")}
NAMES = ("Ada Grün", "Ivo Moreau", "Rosa Novák", "Elif Jansen", "Noor Ferrari", "Kaja Haddad")
TOWNS = ("Brno", "Delft", "Faro", "Jena", "Oulu", "Porto")


def make_objects(seed: int, *, pages: int = 12) -> list[tuple[dict[str, str], PageTable]]:
    """(values, page) of objects in a museum; each third page is in German, the first two are not."""
    rng, made = Random(seed), []
    for number in range(pages):
        shown = {
            "maker": rng.choice(NAMES),
            "place": rng.choice(TOWNS),
            "number": f"{rng.randint(1850, 2020)}/{rng.randint(1, 400)}",
            "size": f"{rng.randint(5, 90)} × {rng.randint(5, 90)} cm",
        }
        names = [name for name in shown if name != "size" or rng.random() < 0.5]
        rng.shuffle(names)
        german = number % 3 == 2
        parts = "".join(f"<section><h4>{LABELS[name][german]}</h4><p>{shown[name]}</p></section>" for name in names)
        made.append((shown, page(f"<h2>Object {number}</h2>{parts}")))
    return made


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["maker", "place", "number"])
def test_values_under_the_labels_of_the_other_language_are_found_and_doubted(name: str, seed: int) -> None:
    made = make_objects(seed)
    tables = [table for _, table in made]
    learned = learn_attribute(tables, [example(tables, n, f"//section[h4='{LABELS[name][0]}']/p") for n in (0, 1)])
    assert isinstance(learned, Learned)
    for shown, table in made:
        assert values(learned, table) in ([shown[name]], [])  # nothing is better than a wrong value
    found = sum(bool(values(learned, table)) for table in tables)
    assert found == len(tables) if len(learned.alternatives) > 1 else found == 8
    assert [bool(one.doubt) for one in learned.alternatives] == [False, True][: len(learned.alternatives)]


def test_most_attributes_are_found_in_the_other_language() -> None:
    both = 0
    for seed in range(4):
        tables = [table for _, table in make_objects(seed)]
        for name in ("maker", "place", "number"):
            learned = learn_attribute(tables, [example(tables, n, f"//section[h4='{LABELS[name][0]}']/p") for n in (0, 1)])
            both += isinstance(learned, Learned) and len(learned.alternatives) == 2
    assert both >= 10


def test_a_page_that_lacks_the_value_gets_no_value_of_another_label() -> None:
    """Pages without a weight have a shipping weight, which looks the same, and other labels that all pages share."""
    rng, bodies, truth = Random(1), [], []
    for number in range(14):
        weight = f"{rng.randint(1, 9)}.{rng.randint(1, 9)} kg"
        label = "Weight" if number < 9 else "Shipping weight"
        rows = [(label, weight), ("Colour", rng.choice(("red", "blue"))), ("Maker", rng.choice(("Abel", "Cito")))]
        rng.shuffle(rows)
        bodies.append(page(f"<dl>{''.join(f'<dt>{term}</dt><dd>{text}</dd>' for term, text in rows)}</dl>"))
        truth.append([weight] if number < 9 else [])
    learned = learn_attribute(bodies, [example(bodies, n, "//dd[preceding-sibling::*[1] = 'Weight']") for n in (0, 1)])
    assert [values(learned, table) for table in bodies] == truth


def flat_object(seed: int, number: int, *, wrapped: bool = False) -> PageTable:
    """An object whose headings and values are siblings; every other page is in German. wrapped: each value is in a div of its own."""
    rng = Random(f"{seed} {number}")
    shown = {"maker": rng.choice(NAMES), "place": rng.choice(TOWNS), "number": f"{rng.randint(1850, 2020)}/{rng.randint(1, 400)}"}
    names = sorted(shown, key=lambda name: rng.random())
    start, end = ("<div>", "</div>") if wrapped else ("", "")
    return page("".join(f"<h4>{LABELS[name][number % 2]}</h4>{start}<p>{shown[name]}</p>{end}" for name in names))


@pytest.mark.parametrize("seed", range(3))
def test_a_label_that_is_marked_is_not_added_again_as_one_of_another_language(seed: int) -> None:
    tables = [flat_object(seed, number) for number in range(12)]
    marks = [example(tables, n, f"//p[preceding-sibling::*[1] = '{LABELS['number'][n % 2]}']") for n in range(4)]
    learned = learn_attribute(tables, marks)
    assert isinstance(learned, Learned)
    xpaths = [one.xpath for one in learned.alternatives]
    assert len(set(xpaths)) == len(xpaths) and not any(one.doubt for one in learned.alternatives)


@pytest.mark.parametrize("seed", range(3))
def test_a_value_known_by_its_looks_is_found_under_its_heading_though_a_block_is_put_around_it(seed: int) -> None:
    tables = [flat_object(seed, number) for number in range(12)]
    marks = [example(tables, n, f"//p[preceding-sibling::*[1] = '{LABELS['number'][n % 2]}']") for n in range(4)]
    learned = learn_attribute(tables, marks)
    assert isinstance(learned, Learned)
    for number in range(20, 30):
        found = values(learned, flat_object(seed, number, wrapped=True))
        assert found == values(learned, flat_object(seed, number)) and "/" in found[0]


@pytest.mark.parametrize("language", shop.LANGUAGES)
def test_an_attribute_with_a_translated_label_is_learned_from_pages_that_have_it_and_pages_that_lack_it(language: str) -> None:
    """Its rule is guarded by what stands beside the marked values, and under the translated label nothing is marked."""
    pages, products = shop.build_pages(), [each for each in shop.list_products(language) if each.kind == "chairs"]
    others = [each for other in shop.LANGUAGES for each in shop.list_products(other) if each not in products]
    tables = [read_page_table(parse(pages[each.path].encode()).root) for each in (*products, *others)]
    xpath = f"//tr[th='{shop.WORDS[language]['material']}']/td/text()"
    marks = [example(tables, n, xpath) if each.material else Example(n, ()) for n, each in enumerate(products[:6])]
    learned = learn_attribute(tables, marks)
    for each, table in zip((*products, *others), tables, strict=True):
        assert values(learned, table) in ([each.material] if each.material else [], []), each


def test_a_label_of_the_other_language_is_not_guessed_for_pages_marked_as_lacking_the_value() -> None:
    """Most German pages lack a colour, and the names of makers look like colours. Colours are marked in both languages."""
    colours, makers = ("Sand", "Rust", "Ink", "Moss", "Slate"), ("Nordlys", "Fenwick", "Brume", "Marlow", "Holm")
    shown_on = [(german, n, n == 1 if german else n % 4 > 0) for german in (False, True) for n in range(12)]
    rows = [(german, colours[n % 5] if shown else "", makers[(n * 3) % 5]) for german, n, shown in shown_on]
    tables: list[PageTable] = []
    for german, colour, maker in rows:
        shown = [("Hersteller" if german else "Maker", maker), ("Farbe" if german else "Colour", colour)]
        order = shown if len(tables) % 2 else shown[::-1]
        cells = "".join(f"<tr><th>{label}</th><td>{text}</td></tr>" for label, text in order if text)
        tables.append(page(f"<h1>Lamp</h1><table>{cells}</table>"))
    marked = [(n, "//tr[th='Colour']/td") for n in (1, 2, 3)] + [(13, "//tr[th='Farbe']/td")]
    absent = [Example(12, ()), Example(0, ())]
    learned = learn_attribute(tables, [*(example(tables, *each) for each in marked), *absent])
    assert isinstance(learned, Learned)
    assert [values(learned, table) for table in tables] == [[colour] if colour else [] for _, colour, _ in rows]
