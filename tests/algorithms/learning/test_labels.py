"""What a rule may lean on: labels of the template, in each of its languages, and nothing that only the marked pages have."""

from random import Random

import numpy as np
import pytest

from extraction.algorithms.learning.apriori import Example, Learned, NotLearned, learn_attribute
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.label_trust import measure_strangeness
from extraction.algorithms.learning.page_table import PageTable
from tests.algorithms.learning.pages import example, page, places, values

ENGLISH = ("Weight", "Colour", "Material", "Length", "Maker")
GERMAN = ("Gewicht", "Farbe", "Werkstoff", "Länge", "Hersteller")
ADVERT = "SALE! Everything must go until Sunday"


def mark_text(pages: list[PageTable], number: int, text: str, xpath: str = "//td | //dd | //li") -> Example:
    return Example(number, (next(location for location, shown in places(pages[number], xpath) if shown == text),))


def shop_page(rng: Random, number: int, *, german: bool, advert: bool) -> tuple[str, str]:
    """(a product's page, its weight): a table of properties that come and go and change places."""
    weight = rng.choice((f"{rng.randint(1, 40)}.{rng.randint(1, 9)} kg", f"{rng.randint(100, 900)} g"))
    others = (rng.choice(("Red", "Blue")), rng.choice(("Ti-6Al-4V", "Steel")), f"{rng.randint(10, 90)} cm", rng.choice(("Abel", "Cito")))
    rows = [(0, weight), *((n, text) for n, text in enumerate(others, 1) if rng.random() < 0.7)]
    rng.shuffle(rows)
    names = GERMAN if german else ENGLISH
    table = "".join(f"<tr><td>{names[n]}</td><td>{text}</td></tr>" for n, text in rows)
    line = ADVERT if advert else rng.choice(("New this week", "Free shipping over 50", ""))
    return f"<main>{f'<p>{line}</p>' if line else ''}<h1>Item {number}</h1><p>Thing {number}</p><table>{table}</table></main>", weight


@pytest.mark.parametrize("seed", range(5))
def test_a_shop_in_two_languages_gets_an_alternative_for_each_label(seed: int) -> None:
    rng = Random(seed)
    made = [shop_page(rng, n, german=n % 2 == 0 if n < 6 else rng.random() < 0.5, advert=n < 6) for n in range(46)]
    pages = [page(body) for body, _ in made]
    learned = learn_attribute(pages[:36], [mark_text(pages, n, made[n][1]) for n in range(6)])
    assert [values(learned, table) for table in pages] == [[weight] for _, weight in made]
    assert isinstance(learned, Learned)
    text = " ".join(one.xpath for one in learned.alternatives)
    assert ADVERT.split()[0] not in text and "Ti-6Al-4V" not in text
    assert all(one.support > 0 and not one.doubt for one in learned.alternatives)


@pytest.mark.parametrize("seed", range(5))
def test_a_term_is_found_wherever_its_row_stands_in_a_definition_list(seed: int) -> None:
    """On all marked pages it is the first term of the head; elsewhere it is not, and the body has such lists, too."""
    rng = Random(seed)

    def terms(*, first: bool) -> list[tuple[str, str]]:
        others = [("See also:", f"Thing{rng.randint(1, 9)}"), ("Type:", f"T{rng.randint(1, 5)}"), ("Known:", f"K{rng.randint(1, 9)}, L")]
        before = [] if first else rng.sample(others, rng.randint(0, 2))
        return [*before, ("Since:", f"1.{rng.randint(0, 9)}"), *rng.sample(others, rng.randint(0, 1))]

    def write(rows: list[tuple[str, str]]) -> str:
        return f"<dl>{''.join(f'<dt>{term}</dt><dd>{text}</dd>' for term, text in rows)}</dl>"

    heads = [terms(first=n < 3) for n in range(40)]
    members = ["".join(f"<li><h4>m</h4>{write(terms(first=False))}</li>" for _ in range(rng.randint(1, 4))) for _ in heads]
    pages = [
        page(f"<h2>Class {n}</h2><div class=description>{write(head)}</div><div class=details><ul>{inner}</ul></div>")
        for n, (head, inner) in enumerate(zip(heads, members, strict=True))
    ]
    learned = learn_attribute(pages[:33], [example(pages, n, "(//dd)[1]") for n in range(3)])
    assert [values(learned, table) for table in pages] == [[dict(head)["Since:"]] for head in heads]


def test_a_text_of_the_marked_pages_only_is_refused_with_its_words() -> None:
    shuffled = [["Oak", "Red", "Wool"], ["Elm", "Wool", "Red"], ["Ash", "Tin", "Blue"], ["Fir", "Yew", "Pink"], ["Box", "Ivy", "Grey"]]
    pages = [page(f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>") for items in shuffled]
    learned = learn_attribute(pages, [mark_text(pages, 0, "Red"), mark_text(pages, 1, "Elm")])
    assert isinstance(learned, NotLearned)
    assert "no other page has" in learned.reason and "Wool" in learned.reason


def test_an_alternative_that_no_other_page_supports_is_doubted() -> None:
    first = "<p>Town: <b>Ulm</b></p><p>Fax: <b>1</b></p>"
    bodies = [first, "<div><i>Home</i> <em>Bern</em></div>", *(first.replace("Ulm", town) for town in ("Jena", "Faro", "Brno"))]
    pages = [page(body) for body in bodies]
    learned = learn_attribute(pages, [example(pages, 0, "//p[1]/b"), example(pages, 1, "//em")])
    assert isinstance(learned, Learned)
    doubts = {one.support: one.doubt for one in learned.alternatives}
    assert doubts[1.0] == "" and doubts[0.0]


def test_a_name_with_the_pages_own_number_is_never_part_of_a_rule() -> None:
    def post(number: int) -> str:
        related = f"<div id=related-{number + 7}><p><span>other {number}</span></p></div>"
        return f"<article id=post-{number} class='post post-{number}'><p>intro</p><p><span>value {number}</span></p></article>{related}"

    pages = [page(post(n)) for n in range(1200, 1206)]
    for known in (pages, pages[:1]):
        learned = learn_attribute(known, [example(pages, 0, "//article//span")])
        assert [values(learned, table) for table in pages] == [[f"value {n}"] for n in range(1200, 1206)]
        assert isinstance(learned, Learned)
        assert "1200" not in learned.alternatives[0].xpath


def test_the_label_of_the_next_value_is_no_value() -> None:
    def facts(serves: str, minutes: str, *, names: bool) -> str:
        label, text = (" class=label", " class=value") if names else ("", "")
        shown = f"<span{text}>{serves}</span>" if serves else ""
        return f"<div><span{label}>Serves</span> {shown} <span{label}>Minutes</span> <span{text}>{minutes}</span></div>"

    for names in (True, False):
        pages = [page(facts(str(n), str(n * 10), names=names)) for n in range(1, 8)]
        learned = learn_attribute(pages, [example(pages, 0, "//span[2]"), example(pages, 1, "//span[2]")])
        assert [values(learned, table) for table in pages] == [[str(n)] for n in range(1, 8)]
        assert values(learned, page(facts("", "30", names=names))) == []


def test_a_label_right_before_the_value_counts_more_than_its_place() -> None:
    def job(*facts: tuple[str, str]) -> str:
        lines = "<br>".join(f"<strong>{label}:</strong> {text}" for label, text in facts)
        return f"<div class=facts>{lines}</div><div class=similar><strong>Location:</strong> Elsewhere</div>"

    pages = [page(job(("Company", f"C{n}"), ("Location", f"L{n}"), ("Posted", f"{n}.1."))) for n in range(4)]
    pages += [page(job(("Company", "D"), ("Remote", "yes"), ("Location", "M"))), page(job(("Company", "E"), ("Remote", "yes")))]
    learned = learn_attribute(pages, [example(pages, n, "//div[@class='facts']/strong[2]/following-sibling::text()[1]") for n in (0, 1)])
    assert [values(learned, table) for table in pages] == [["L0"], ["L1"], ["L2"], ["L3"], ["M"], []]


def test_a_list_is_what_stands_under_its_heading() -> None:
    """Where the marked page has steps as paragraphs and others have them as list items in a box of the same class."""
    rng = Random(3)

    def recipe(number: int) -> tuple[str, list[str]]:
        items = [f"{rng.randint(1, 500)} g {rng.choice(('salt', 'flour'))} {n}" for n in range(3 + number % 3)]
        steps = [f"Stir the {rng.choice(('pot', 'pan'))} for {n} minutes." for n in range(2, 5)]
        written = "".join(f"<p>{step}</p>" for step in steps) if number == 0 else f"<ol>{''.join(f'<li>{s}</li>' for s in steps)}</ol>"
        listed = "".join(f"<li>{item}</li>" for item in items)
        box = f"<div class='box'><h2>Ingredients</h2><ul>{listed}</ul></div><div class='box'><h2>Method</h2>{written}</div>"
        return f"<h1>R{number}</h1>{box}", items

    made = [recipe(n) for n in range(8)]
    pages = [page(body) for body, _ in made]
    learned = learn_attribute(pages, [example(pages, 0, "//ul/li")], multiple=True)
    assert [values(learned, table) for table in pages] == [items for _, items in made]


def test_strangeness_falls_with_the_pages_that_have_a_text() -> None:
    pages = [page(f"<p>{'Label' if n < share else 'other'} </p><b>x</b>") for share in (8,) for n in range(20)]
    corpus = Corpus(pages)

    def strange(text: str, *, in_label_place: bool = False) -> float:
        return measure_strangeness(corpus, text, np.arange(20) == 0, in_label_place=in_label_place)

    assert strange("x") == strange("Label") == 0.0
    assert strange("Nowhere") > 0.9
    assert strange("Nowhere", in_label_place=True) == strange("Nowhere:") == strange("Nowhere") / 2
    corpus.values = frozenset(["Label"])
    assert strange("Label") == 1.0
