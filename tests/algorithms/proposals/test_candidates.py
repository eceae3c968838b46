"""Candidates hold every value that stands at a regular place, each set of values once."""

from extraction.algorithms.dom.nodes import elements, value
from extraction.algorithms.proposals.candidates import Candidate, list_candidates, read_template_pages
from extraction.algorithms.proposals.surroundings import Surroundings
from tests.algorithms.proposals.pages import film, film_roots, roots


def by_values(candidates: list[Candidate]) -> dict[tuple[tuple[int, tuple[str, ...]], ...], Candidate]:
    return {each.values: each for each in candidates}


def test_every_field_is_a_candidate_once() -> None:
    candidates = list_candidates(read_template_pages(film_roots(6)))
    found = by_values(candidates)
    assert len(found) == len(candidates)
    for name in film(0).texts:
        assert tuple((number, (film(number).texts[name],)) for number in range(6)) in found


def test_the_whole_text_of_an_element_is_a_candidate_and_so_is_a_constant() -> None:
    pages = roots([f"<li class='step'>Mix <a>egg {n}</a> well</li><p class='by'>Ann</p>" for n in range(3)])
    found = by_values(list_candidates(read_template_pages(pages)))
    assert tuple((n, (f"Mix egg {n} well",)) for n in range(3)) in found
    assert tuple((n, ("Ann",)) for n in range(3)) in found


def test_places_give_the_values_back() -> None:
    pages = film_roots(4)
    for candidate in list_candidates(read_template_pages(pages)):
        for page, texts in candidate.values:
            nodes = elements(pages[page])
            assert tuple(value(nodes, found.unit.place) for found in candidate.group[page]) == texts


def test_headers_of_columns_are_read_and_a_table_without_headers_has_none() -> None:
    html = (
        "<table><tr><th>Height</th><th>Weight</th></tr><tr><td>6-{n}</td><td>20{n} lbs</td></tr></table>"
        "<table><tr><td>x{n}</td></tr></table>"
    )
    pages = read_template_pages(roots([html.format(n=n) for n in range(3)]))
    views = {each.values[0][1][0]: Surroundings(pages).view(each) for each in list_candidates(pages)}
    assert views["200 lbs"].spots[0][0].header == ("weight",)
    assert views["x0"].spots[0][0].header == ()


def test_pages_with_nothing_have_no_candidates() -> None:
    assert list_candidates(read_template_pages(roots(["<html></html>", "<p></p>"]))) == []
