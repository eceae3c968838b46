"""Attributes are found by names alone, in several languages and layouts; what is uncertain is not proposed with confidence."""

import os
import random
import subprocess
import sys

import pytest
from lxml import etree

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.markup.items import Item
from extraction.algorithms.proposals.learned_forms import learn_form
from extraction.algorithms.proposals.propose import Proposal, SoughtAttribute, propose_values
from tests.algorithms.proposals.pages import LABELS, LAYOUTS, PEOPLE, film, film_page, film_roots, roots

FILM = [
    SoughtAttribute("title"),
    SoughtAttribute("director"),
    SoughtAttribute("release_date", "date"),
    SoughtAttribute("running_time"),
    SoughtAttribute("genre"),
]


def texts(proposal: Proposal) -> dict[int, list[str]]:
    return {page: [each.text for each in row] for page, row in proposal.values.items()}


def propose(pages: list[etree._Element], *sought: SoughtAttribute) -> dict[str, Proposal]:
    return {each.name: each for each in propose_values(pages, sought or FILM)}


@pytest.mark.parametrize("layout", LAYOUTS[:3])
@pytest.mark.parametrize("language", LABELS)
def test_labels_of_several_languages_and_layouts_are_known(language: str, layout: str) -> None:
    found = propose(film_roots(8, language, layout))
    for name in ("title", *LABELS[language]):
        assert texts(found[name]) == {number: [film(number).texts[name]] for number in range(8)}, name


def test_class_names_are_read_where_there_are_no_labels() -> None:
    found = propose(film_roots(layout="classes"))
    right = [name for name in found if texts(found[name]) == {number: [film(number).texts[name]] for number in range(8)}]
    assert right == ["title", "director", "release_date", "running_time", "genre"]


def test_the_places_are_those_of_the_texts() -> None:
    pages = film_roots()
    for proposal in propose(pages).values():
        for page, row in proposal.values.items():
            assert [value(elements(pages[page]), each.place) for each in row] == [each.text for each in row]


def test_reasons_name_the_label_as_the_pages_write_it() -> None:
    found = propose(film_roots(language="de", layout="table"))
    assert found["director"].reasons[0] == "the label “Regie:” stands before it on 8 of 8 pages"
    assert any("page’s title on 8 of 8 pages" in reason for reason in found["title"].reasons)


def test_what_is_not_on_the_pages_is_not_proposed_with_confidence() -> None:
    absent = [SoughtAttribute(name) for name in ("isbn", "salary", "cuisine", "engine", "phone", "composer", "frobnication_index")]
    found = propose(film_roots(), *FILM, *absent)
    assert [each.name for each in absent if found[each.name].confident] == []


def test_confidence_falls_with_the_evidence() -> None:
    labelled, bare = film_roots(), roots([film_page(n).replace("<dt>Directed by</dt>", "<dt>Xq</dt>") for n in range(8)])
    assert propose(labelled)["director"].confidence > 2 * propose(bare)["director"].confidence


def test_confidences_are_probabilities() -> None:
    for proposal in propose(film_roots()).values():
        assert 0 <= proposal.confidence <= 1


def item(number: int, **more: str) -> list[Item]:
    shown = {"name": film(number).texts["title"], **more}
    return [Item("JSON-LD", "Movie", {key: (text,) for key, text in shown.items()})]


def test_the_pages_own_data_finds_what_no_label_names() -> None:
    pages = roots([film_page(n).replace("<dt>Directed by</dt>", "<dt>Xq</dt>") for n in range(8)])
    data = [item(number, director=film(number).texts["director"]) for number in range(8)]
    (found,) = propose_values(pages, [SoughtAttribute("director")], items=data)
    assert texts(found) == {number: [film(number).texts["director"]] for number in range(8)}
    assert "the page’s own data has the same value on 8 of 8 pages" in found.reasons


def test_nothing_is_confident_that_the_pages_own_data_contradicts() -> None:
    data = [item(number, director="Somebody Else") for number in range(8)]
    (found,) = propose_values(film_roots(), [SoughtAttribute("director")], items=data)
    assert not found.agrees_with_data and not found.confident


def test_values_of_other_sites_tell_one_name_from_another() -> None:
    """Two unlabelled lines of the same look: only the values known from elsewhere say which is the team."""
    teams = ("Harbour Hawks", "River Wolves", "Meadow Foxes")
    dice = random.Random(0)
    rows = [(dice.choice(teams), dice.choice(PEOPLE)) for _ in range(8)]
    pages = roots(
        [f"<body><h1>Player {n}</h1><p>{coach}</p><p>{team}</p><i>{n * 7} fans</i></body>" for n, (team, coach) in enumerate(rows)]
    )
    form = learn_form([["Harbour Hawks", "River Wolves"], ["Meadow Foxes"]], [*PEOPLE, "Player 4", "14 fans", "Home"])
    assert form is not None
    (found,) = propose_values(pages, [SoughtAttribute("team", form=form)])
    assert texts(found) == {number: [team] for number, (team, _) in enumerate(rows)}


def test_a_list_is_taken_whole_even_if_a_row_is_on_every_page() -> None:
    things = ("200 g flour", "3 eggs", "1 cup milk", "2 tbsp oil", "½ cup sugar", "1 tsp yeast")
    rows = [["1 tsp salt", *random.Random(n).sample(things, 3 + n)] for n in range(3)]
    pages = roots(
        [
            f"<title>Cake {n}</title><h1>Cake {n}</h1><h2>Ingredients</h2><ul>{''.join(f'<li>{row}</li>' for row in many)}</ul>"
            "<h2>Method</h2><p>Mix it.</p>"
            for n, many in enumerate(rows)
        ]
    )
    (found,) = propose_values(pages, [SoughtAttribute("ingredients", multiple=True)])
    assert texts(found) == dict(enumerate(rows))


def test_values_that_cannot_be_read_as_the_type_are_not_taken() -> None:
    pages = roots([f"<body><h1>Thing {n}</h1><p>Price: </p><p>on request {n}</p><p>Price</p><b>${n + 3}.50</b></body>" for n in range(6)])
    (found,) = propose_values(pages, [SoughtAttribute("price", "price")])
    assert texts(found) == {n: [f"${n + 3}.50"] for n in range(6)}


@pytest.mark.parametrize("pages", [[], ["<p>Director: A</p>"], ["<html></html>"] * 2, ["<p></p>"] * 3, ["<p>same</p>"] * 3])
def test_nothing_is_proposed_with_confidence_from_too_little(pages: list[str]) -> None:
    for proposal in propose(roots(pages)).values():
        assert not proposal.confident


def test_very_deep_and_very_wide_pages_are_read() -> None:
    deep = ["<div>" * 150 + f"<b>Director:</b> <i>{PEOPLE[n]}</i>" for n in range(3)]
    assert texts(propose(roots(deep), SoughtAttribute("director"))["director"]) == {n: [PEOPLE[n]] for n in range(3)}
    wide = [f"<h1>Page {n}</h1>" + "".join(f"<p>text {n} {at}</p>" for at in range(2_000)) for n in range(3)]
    assert not propose(roots(wide), SoughtAttribute("director"))["director"].confident


def test_the_order_of_the_pages_makes_no_difference() -> None:
    pages = [film_page(number) for number in range(6)]
    forwards, backwards = propose(roots(pages)), propose(roots(pages[::-1]))
    for name, found in forwards.items():
        assert {5 - page: row for page, row in texts(backwards[name]).items()} == texts(found)
        assert backwards[name].confidence == pytest.approx(found.confidence)


def test_proposals_do_not_depend_on_the_hash_seed() -> None:
    script = (
        "from tests.algorithms.proposals.test_propose import *\n"
        "for layout in LAYOUTS:\n"
        "    for each in propose_values(film_roots(5, 'en', layout), FILM): print(each.name, each.confidence, each.reasons, texts(each))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1 and len(printed.pop().splitlines()) == 20
