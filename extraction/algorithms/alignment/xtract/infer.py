"""Infers the content model of an element from the sequences of its children (Garofalakis et al. 2000)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from extraction.algorithms.alignment.xtract import choose, codes
from extraction.algorithms.alignment.xtract.codes import Code, StepBudget
from extraction.algorithms.alignment.xtract.factor import factor_beginnings, factor_candidates, factor_subsets
from extraction.algorithms.alignment.xtract.generalise import generalise_sequence
from extraction.algorithms.alignment.xtract.models import EMPTY, Concatenation, Model, Name, Symbols, choose_one, concatenate, repeat
from extraction.algorithms.alignment.xtract.positions import Positions

MAX_SEQUENCES = 40
"""Different sequences of an element that the model is made from, the most frequent first. The model has to accept the others too."""

MAX_LENGTH = 100
"""Children of one element that are looked at: the first and the last ones of longer sequences. The model has to accept the others too."""

MAX_CANDIDATES = 300

Sequences = Iterable[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Content:
    """What was found for an element.

    model: XTRACT's model, of least cost.
    deterministic: the model for a DTD. It is the same if XML allows that.
    cost: the cost of the model and of the sequences encoded by it.
    widened: whether the model had to allow any order of any children, because something was left out.
    """

    model: Model
    deterministic: Model
    cost: float
    widened: bool = False


def infer_content(sequences: Sequences, *, code: Code | None = None, budget: StepBudget | None = None) -> Content:
    """Return the content model of an element by the sequences of its children's names.

    code: the costs; by default those of the paper, in bits.
    budget: shared by the elements of a document type. Once it is spent, an element's model allows its children in any order.
    """
    counts = Counter(tuple(sequence) for sequence in sequences)
    if not counts or set(counts) == {()}:
        return Content(EMPTY, EMPTY, 0.0)
    names = sorted({name for sequence in counts for name in sequence})
    frequent = [sequence for sequence, _ in sorted(counts.items(), key=lambda each: (-each[1], len(each[0]), each[0]))]
    sample = list(dict.fromkeys(_shortened(sequence) for sequence in frequent))[:MAX_SEQUENCES]
    anything = repeat(choose_one([Name(name) for name in names]))
    budget = budget or StepBudget()
    if budget.left <= 0:
        return Content(anything, anything, math.inf, widened=True)
    budget.left -= sum(len(sequence) ** 2 for sequence in sample) // 10  # the steps that generalising them takes
    found = _ModelSearch(sample, code or codes.bit_code(len(names)), anything, budget).best()
    positions = Positions.of_model(found.deterministic)
    if all(positions.accept(sequence) for sequence in counts):
        return found
    return Content(found.model, anything, found.cost, widened=True)


def _shortened(sequence: tuple[str, ...]) -> tuple[str, ...]:
    half = MAX_LENGTH // 2
    return sequence if len(sequence) <= MAX_LENGTH else (*sequence[:half], *sequence[-half:])


class _ModelSearch:
    """Candidates for some sequences, what they cost, and the best of them.

    anything: the model of any order of any children.
    """

    def __init__(self, sequences: Sequence[tuple[str, ...]], code: Code, anything: Model, budget: StepBudget) -> None:
        self._sequences, self._code, self._anything, self._budget = sequences, code, anything, budget
        self._costs_of: dict[Model, list[float]] = {}

    def best(self) -> Content:
        self._costs(self._anything)  # first, while there is budget: it has everything
        symbols = list(dict.fromkeys(each for sequence in self._sequences for each in generalise_sequence(sequence)))
        symbols = sorted(symbols, key=len)[:MAX_CANDIDATES]
        plain = [tuple(map(Name, sequence)) for sequence in self._sequences]
        candidates = list(dict.fromkeys((*plain, *symbols)))
        covers = {each: frozenset(np.flatnonzero(np.isfinite(self._costs(concatenate(each)))).tolist()) for each in candidates}
        models = list(dict.fromkeys((*map(concatenate, candidates), *factor_subsets(candidates, covers))))
        models = [model for model in models if np.isfinite(self._costs(model)).any()]
        opening = [codes.model_cost(model, self._code) for model in models]
        joined = choose.Joined(self._code.symbol, self._code.chosen)
        found = [models[each] for each in choose.open_facilities(opening, np.array([self._costs(model) for model in models]), joined)]
        parts: list[Symbols] = [each.parts if isinstance(each, Concatenation) else (each,) for each in found]
        plain = [tuple(map(Name, sequence)) for sequence in self._sequences]
        complete = list(
            dict.fromkeys(
                (
                    choose_one(found),
                    factor_candidates(parts),
                    factor_candidates(plain),
                    factor_beginnings(parts),
                    factor_beginnings(plain),
                    *models,
                    self._anything,
                )
            )
        )
        able = sorted((each for each in complete if math.isfinite(self._total(each))), key=lambda each: (self._total(each), repr(each)))
        allowed = next((each for each in able if Positions.of_model(each).deterministic), None)
        if allowed is None:  # encoding the sequences by any candidate takes too many steps
            return Content(self._anything, self._anything, math.inf, widened=True)
        return Content(able[0], allowed, self._total(able[0]))

    def _total(self, model: Model) -> float:
        return codes.model_cost(model, self._code) + sum(self._costs(model))

    def _costs(self, model: Model) -> list[float]:
        if model not in self._costs_of:
            positions = Positions.of_model(model)
            self._costs_of[model] = [
                codes.sequence_cost(model, sequence, self._code, positions=positions, budget=self._budget) for sequence in self._sequences
            ]
        return self._costs_of[model]
