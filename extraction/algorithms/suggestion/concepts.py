"""What an attribute's name means: its concepts, what pages call them, and what their values look like."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from extraction.algorithms.suggestion import concept_words, concept_words_things
from extraction.algorithms.suggestion.words import Phrase, split_identifier, split_label

NOISE = frozenset(("list", "text", "value", "field", "raw", "full", "html", "string", "item", "info", "all", "main", "of", "the", "in"))
"""Words of attribute names that say nothing of what the attribute is."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that records have.

    form: what its values look like, a key of `proposals.value_forms.FORMS`.
    properties: paths in the pages' own data, the likeliest first.
    phrases: what pages call it.
    """

    name: str
    form: str
    properties: tuple[str, ...]
    phrases: frozenset[Phrase]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an attribute's name means.

    own: the words of the name itself.
    concepts: the concepts that it may mean, the likeliest first; none for an unknown name.
    form: what its values look like.
    properties: paths in the pages' own data, the likeliest first.
    phrases: what pages may call it.
    """

    own: Phrase
    concepts: tuple[Concept, ...]
    form: str
    properties: tuple[str, ...]
    phrases: frozenset[Phrase]


@cache
def list_concepts() -> tuple[Concept, ...]:
    """Return all concepts."""
    things = concept_words_things
    tables = (concept_words.GENERAL, concept_words.WORKS, things.PRODUCTS, things.PEOPLE, things.PLACES, things.OFFERS)
    return tuple(_read_line(line) for table in tables for line in table.strip().splitlines())


def find_meaning(name: str, *, form: str = "text") -> Meaning:
    """Return what an attribute's name means.

    Numbers and words such as "list" are left out if what remains is known. A name that several concepts share means the one whose first
    name it is, or all of them if there is none.

    form: what its values look like if the name is not known.
    """
    words = split_identifier(name)
    said = tuple(word for word in words if word not in NOISE and not word.isdigit()) or words
    for phrase in _list_parts(words, said):
        concepts = _by_phrase().get(phrase, ())
        named = tuple(concept for concept in concepts if split_label(concept.name) == phrase)
        if concepts:
            return _join(words, named or concepts)
    return Meaning(words, (), form, (), frozenset({words}))


def _join(own: Phrase, concepts: tuple[Concept, ...]) -> Meaning:
    properties = dict.fromkeys(path for concept in concepts for path in concept.properties)
    phrases = frozenset[Phrase]().union({own}, *(concept.phrases for concept in concepts))
    return Meaning(own, concepts, concepts[0].form, tuple(properties), phrases)


def find_owners(phrase: Phrase) -> tuple[Concept, ...]:
    """Return the concepts that pages call exactly this."""
    return _by_phrase().get(phrase, ())


def _list_parts(*names: Phrase) -> Iterable[Phrase]:
    """Yield the names and then their parts, the longest first, and of those of one length the last, because it is the head in English."""
    yield from names
    last = names[-1]
    for length in range(len(last) - 1, 0, -1):
        for start in range(len(last) - length, -1, -1):
            yield last[start : start + length]


def _read_line(line: str) -> Concept:
    name, form, properties, words = (part.strip() for part in line.split(" : "))
    phrases = {split_label(word.strip()) for word in (name, *words.split(","))}
    return Concept(name, form, tuple(path.strip() for path in properties.split(",")), frozenset(phrases - {()}))


@cache
def _by_phrase() -> Mapping[Phrase, tuple[Concept, ...]]:
    """Return {name: the concepts that have it}. The one with that name comes first."""
    found: dict[Phrase, list[Concept]] = {}
    for concept in list_concepts():
        for phrase in concept.phrases:
            found.setdefault(phrase, []).append(concept)
    return {phrase: tuple(sorted(rows, key=lambda concept: split_label(concept.name) != phrase)) for phrase, rows in found.items()}
