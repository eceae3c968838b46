"""XTRACT: the paper's examples and code lengths, and chosen candidates compared with all possible choices."""

import math
from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.alignment.xtract.choose import Joined, open_facilities, total_cost
from extraction.algorithms.alignment.xtract.codes import Code, bit_code, model_cost, sequence_cost
from extraction.algorithms.alignment.xtract.factor import factor_beginnings, factor_candidates
from extraction.algorithms.alignment.xtract.generalise import discover_alternations, discover_repetitions, generalise_sequence
from extraction.algorithms.alignment.xtract.infer import infer_content
from extraction.algorithms.alignment.xtract.models import (
    EMPTY,
    Choice,
    Concatenation,
    Model,
    Name,
    Star,
    Symbols,
    ZeroOrOne,
    choose_one,
    concatenate,
    count_symbols,
    declare_model,
    repeat,
    write_model,
)
from extraction.algorithms.alignment.xtract.positions import Positions

UNITS = Code(1.0, lambda _: 1.0, lambda _: 1.0)
"""The paper's worked example counts each symbol, choice and number as one."""

WORDS = st.text("abc", max_size=6)


def symbols(text: str) -> Symbols:
    return tuple(map(Name, text))


def plain(text: str) -> Model:
    return concatenate(symbols(text))


def either(*texts: str) -> Model:
    return choose_one([plain(text) for text in texts])


def test_the_worked_example_costs_what_the_paper_counts() -> None:
    sequences = ("ab", "abab", "ababab")
    rivals = {
        repeat(either("a", "b")): 6 + 3 + 5 + 7,
        either(*sequences): 14 + 3,
        repeat(plain("ab")): 5 + 3,
        choose_one([plain("ab"), concatenate([plain("ab"), either("ab", "abab")])]): 14 + 5,
    }
    for model, cost in rivals.items():
        assert model_cost(model, UNITS) + sum(sequence_cost(model, sequence, UNITS) for sequence in sequences) == cost, write_model(model)
    assert write_model(infer_content(sequences, code=UNITS).model) == write_model(infer_content(sequences).model) == "(ab)*"


def test_a_sequence_is_encoded_by_the_numbers_of_the_paper() -> None:
    """seq((ab|c)*(de|fg*), abccabfggg) = 4 1 2 2 1 2 3: four numbers out of two, four and three repetitions."""
    model = concatenate([repeat(either("ab", "c")), choose_one([plain("de"), concatenate([Name("f"), repeat(Name("g"))])])])
    assert write_model(model) == "(ab|c)*(de|fg*)"
    assert sequence_cost(model, "abccabfggg", UNITS) == 7
    assert sequence_cost(model, "abccabfggg", Code(0, lambda m: 1, lambda k: 0)) == 5
    assert sequence_cost(model, "abccabfggg", Code(0, lambda m: 0, lambda k: 10**k)) == 10**4 + 10**3
    assert sequence_cost(model, "abccabfggg", bit_code(7)) == 5 * 1 + 5 + 5
    assert sequence_cost(model, "abccabde", bit_code(7)) == 5 + 5 and math.isinf(sequence_cost(model, "abd", bit_code(7)))


@pytest.mark.parametrize(
    ("sequence", "r", "found"),
    [("abababcababc", 2, "((ab)*c)*"), ("abab", 3, "abab"), ("aabb", 2, "a*b*"), ("abcabcdabc", 2, "(abc)*dabc"), ("aaaa", 2, "a*")],
)
def test_repetitions_become_stars(sequence: str, r: int, found: str) -> None:
    assert write_model(concatenate(discover_repetitions(symbols(sequence), r))) == found


@pytest.mark.parametrize(("d", "found"), [(1, "abcbac"), (2, "a(b|c)*ac"), (4, "(a|b|c)*"), (6, "(a|b|c)*")])
def test_symbols_that_recur_nearby_become_alternations(d: float, found: str) -> None:
    assert write_model(concatenate(discover_alternations(symbols("abcbac"), d))) == found


@pytest.mark.parametrize(
    ("candidates", "found"),
    [
        ("ac ad bc bd", "(a|b)(c|d)"),
        ("b c ab ac df dg ef eg", "(d|e)(f|g)|a?(b|c)"),
        ("ab ac", "a(b|c)"),
        (" a ab", "(ab?)?"),
        ("abc abd xbc xbd e", "(a|x)b(c|d)|e"),
        ("abcd abd acd ad", "ab?c?d"),
    ],
)
def test_candidates_are_factored_like_logic_expressions(candidates: str, found: str) -> None:
    assert write_model(factor_candidates([symbols(each) for each in candidates.split(" ")])) == found


@pytest.mark.parametrize(
    ("sequences", "found"),
    [
        ("ab abab ababab", "((a, b)*)"),
        ("ac ad bc bd", "((a | b), (c | d))"),
        ("a aa aaa aaaa", "(a*)"),
        ("abbbc abc abbbbbc ac", "(a, b*, c)"),
        ("abcd abd acd ad", "(a, b?, c?, d)"),
        ("ab ac", "(a, (b | c))"),
        (" a", "(a?)"),
        ("abab ba aabb bbaa abba", "(a | b)*"),
    ],
)
def test_a_dtd_says_what_the_sequences_have_in_common(sequences: str, found: str) -> None:
    assert declare_model(infer_content(sequences.split(" ")).deterministic).replace("(a, b)*", "((a, b)*)") == found


@settings(deadline=None, max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=6))
def test_generalised_and_factored_models_accept_the_sequences_they_come_from(words: list[str]) -> None:
    for word in words:
        assert all(Positions.of_model(concatenate(each)).accept(word) for each in generalise_sequence(word))
    for model in (factor_candidates([symbols(word) for word in words]), factor_beginnings([symbols(word) for word in words])):
        positions = Positions.of_model(model)
        every = ["".join(letters) for n in range(4) for letters in product("abc", repeat=n)]
        assert all(positions.accept(word) == (word in words) for word in [*every, *words])
    assert Positions.of_model(factor_beginnings([symbols(word) for word in words])).deterministic


@settings(deadline=None, max_examples=40)
@given(st.lists(WORDS, min_size=1, max_size=6))
def test_an_inferred_model_accepts_all_sequences_is_deterministic_and_costs_no_more_than_naive_ones(words: list[str]) -> None:
    found = infer_content(words)
    assert all(Positions.of_model(model).accept(word) for word in words for model in (found.model, found.deterministic))
    assert Positions.of_model(found.deterministic).deterministic
    letters, code = sorted(set("".join(words))), bit_code(len(set("".join(words))))
    naive = [choose_one([plain(word) for word in words]), repeat(choose_one([Name(letter) for letter in letters]))] if letters else [EMPTY]
    for model in naive:
        assert found.cost <= model_cost(model, code) + sum(sequence_cost(model, word, code) for word in set(words)) + 1e-9


models = st.recursive(
    st.sampled_from([Name("a"), Name("b")]),
    lambda below: st.one_of(
        st.builds(lambda parts: concatenate(parts), st.lists(below, min_size=2, max_size=3)),
        st.builds(lambda parts: choose_one(parts), st.lists(below, min_size=2, max_size=3)),
        st.builds(repeat, below),
        st.builds(lambda part: choose_one([part, EMPTY]), below),
    ),
    max_leaves=5,
)


def cheapest(model: Model, word: str) -> float:
    """Try each encoding of a word, in units. The parts of a star are never empty."""
    if isinstance(model, Name):
        return 0 if word == model.name else math.inf
    if isinstance(model, Concatenation):
        if not model.parts:
            return math.inf if word else 0
        cuts = range(len(word) + 1)
        return min(cheapest(model.parts[0], word[:cut]) + cheapest(concatenate(model.parts[1:]), word[cut:]) for cut in cuts)
    if isinstance(model, Choice):
        return 1 + min(cheapest(part, word) for part in model.parts)
    if isinstance(model, ZeroOrOne):
        return 1 + min(0 if not word else math.inf, cheapest(model.part, word))
    return 1 + repeated(model.part, word)


def repeated(part: Model, word: str) -> float:
    return 0 if not word else min(cheapest(part, word[:cut]) + repeated(part, word[cut:]) for cut in range(1, len(word) + 1))


@settings(deadline=None, max_examples=100)
@given(models, st.text("ab", max_size=5))
def test_the_cost_of_a_sequence_is_the_least_of_all_its_encodings(model: Model, word: str) -> None:
    assert sequence_cost(model, word, UNITS) == cheapest(model, word)
    assert Positions.of_model(model).accept(word) == math.isfinite(cheapest(model, word))
    assert count_symbols(model) == len(write_model(model))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.lists(st.integers(0, 9) | st.just(math.inf), min_size=4, max_size=4)), min_size=1, max_size=5)
)
def test_chosen_candidates_cost_hardly_more_than_the_best_of_all_choices(rows: list[tuple[int, list[float]]]) -> None:
    opening, serving = [cost for cost, _ in rows] + [40], np.array([costs for _, costs in rows] + [[0.0] * 4], np.float64)
    joined = Joined(1.0, lambda count: 1.0)
    chosen = open_facilities(opening, serving, joined)
    every = chain.from_iterable(combinations(range(len(opening)), n) for n in range(1, len(opening) + 1))
    best = min(total_cost(each, opening, serving, joined) for each in every)
    assert best <= total_cost(chosen, opening, serving, joined) <= 1.5 * best


def test_a_sequence_that_no_candidate_encodes_is_refused() -> None:
    with pytest.raises(ValueError, match="no candidate"):
        open_facilities([1.0], np.array([[math.inf]]))


def test_redundant_stars_are_removed() -> None:
    assert repeat(choose_one([repeat(Name("a")), Name("b")])) == repeat(choose_one([Name("a"), Name("b")])) and repeat(
        repeat(Name("a"))
    ) == Star(Name("a"))
    assert choose_one([EMPTY, repeat(Name("a"))]) == Star(Name("a")) and choose_one([EMPTY]) == EMPTY and repeat(EMPTY) == EMPTY
