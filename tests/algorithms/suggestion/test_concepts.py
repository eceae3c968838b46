"""Names of attributes are understood, in code and in several languages; unknown ones keep their own words."""

import pytest

from extraction.algorithms.suggestion.concepts import find_meaning, find_owners, list_concepts
from extraction.algorithms.suggestion.words import split_identifier, split_label


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("price", "price"),
        ("datePosted", "date posted"),
        ("date_posted", "date posted"),
        ("isbn_13", "isbn"),
        ("mpaa_rating", "content rating"),
        ("instructions_list", "instructions"),
        ("book_title", "title"),
        ("movieDirector", "director"),
        ("Preis", "price"),
        ("réalisateur", "director"),
        ("stars", "stars"),
    ],
)
def test_names_mean_a_concept(name: str, concept: str) -> None:
    assert find_meaning(name).concepts[0].name == concept


def test_an_unknown_name_is_looked_for_by_its_own_words() -> None:
    meaning = find_meaning("frobnication_index", form="number")
    assert meaning.concepts == () and meaning.form == "number"
    assert meaning.phrases == {("frobnication", "index")}


def test_every_concept_is_called_by_its_own_name() -> None:
    for concept in list_concepts():
        assert split_label(concept.name) in concept.phrases
        assert concept in find_owners(split_label(concept.name))


def test_no_concept_is_there_twice() -> None:
    names = [concept.name for concept in list_concepts()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("text", "words"),
    [("Réalisateurs:", ("realisateur",)), ("Author(s)", ("author",)), ("Größe", ("grosse",)), ("公開日", ("公開日",)), ("—", ())],
)
def test_labels_are_compared_without_case_accents_and_plural(text: str, words: tuple[str, ...]) -> None:
    assert split_label(text) == split_label(text.upper()) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [("datePosted", ("date", "posted")), ("job-title2", ("job", "title", "2")), ("ISBNCode", ("isbn", "code")), ("", ()), ("_", ())],
)
def test_names_in_code_are_split_where_their_parts_begin(name: str, words: tuple[str, ...]) -> None:
    assert split_identifier(name) == words
