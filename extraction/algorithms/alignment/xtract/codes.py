"""The costs of a model and of a sequence encoded by it (Garofalakis et al. 2000, section 3, MDL).

The theory is the model: each of its symbols costs log2(|Σ| + 6) bits, for the names Σ and the signs ``| * + ? ( )``. The data is each
sequence as encoded by the model: the part taken of each choice, and the number of repetitions of each star:

    seq((ab|c)*(de|fg*), abccabfggg)  =  4 1 2 2 1 2 3

A choice between m parts costs log2 m bits, rounded up. A number k costs what Elias' gamma code needs for k + 1. This is the paper's code
(the number of digits in unary, then the digits), changed so that it covers 0. An optional part is a choice between two. If a sequence has
several encodings, the cheapest counts. Cost: positions times parts of the model, and their square below a star, up to `MAX_STEPS`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.xtract.models import Choice, Concatenation, Model, Name, Star, ZeroOrOne, count_symbols
from extraction.algorithms.alignment.xtract.positions import Positions

SIGNS = 6

MAX_STEPS = 5_000
"""The largest number of steps for one sequence and one model. Ambiguous stars on long sequences take more, and such a model is not a good
one."""

MAX_ALL_STEPS = 300_000
"""The largest number of steps for a whole document type, which take some five seconds. Real ones need a hundredth. Hostile ones get wide
models for what is left."""

Ends = dict[int, float]
"""{position in the sequence: the least cost of reaching it}"""


@dataclass(frozen=True, slots=True)
class Code:
    """The costs.

    symbol: the cost of one symbol of a model.
    chosen: the cost of choosing one of m parts.
    counted: the cost of a number of repetitions.
    """

    symbol: float
    chosen: Callable[[int], float]
    counted: Callable[[int], float]


def bit_code(alphabet: int) -> Code:
    """Return the code for models over an alphabet of this many names."""
    return Code(math.log2(alphabet + SIGNS), lambda m: float((m - 1).bit_length()), lambda k: 2.0 * (k + 1).bit_length() - 1)


def model_cost(model: Model, code: Code) -> float:
    """Return the cost of the model itself."""
    return count_symbols(model) * code.symbol


@dataclass(slots=True)
class StepBudget:
    """Steps that may still be taken for all sequences and models of a document type."""

    left: int = MAX_ALL_STEPS


def sequence_cost(
    model: Model, sequence: Sequence[str], code: Code, *, positions: Positions | None = None, budget: StepBudget | None = None
) -> float:
    """Return the cost of a sequence encoded by a model. It is infinite if the model does not accept it or encoding takes too many steps.

    positions: those of the model, if known. They show quickly that a model does not accept the sequence, which is the usual case.
    """
    if not (positions or Positions.of_model(model)).accept(sequence):
        return math.inf
    if isinstance(model, Name) or (isinstance(model, Concatenation) and all(isinstance(part, Name) for part in model.parts)):
        return 0.0  # there is only one way
    return _SequenceCoder(sequence, code, budget or StepBudget()).ends(model, 0).get(len(sequence), math.inf)


class _SequenceCoder:
    def __init__(self, sequence: Sequence[str], code: Code, budget: StepBudget) -> None:
        self._sequence, self._code, self._budget = sequence, code, budget
        self._known: dict[tuple[int, int], Ends] = {}
        self._kept: list[Model] = []  # ids are of living objects only
        self._left = MAX_STEPS

    def ends(self, model: Model, start: int) -> Ends:
        key = id(model), start
        if key not in self._known:
            self._left -= 1
            self._budget.left -= 1
            self._kept.append(model)
            self._known[key] = self._find(model, start)
        return self._known[key]

    def _find(self, model: Model, start: int) -> Ends:
        if isinstance(model, Name):
            return {start + 1: 0.0} if start < len(self._sequence) and self._sequence[start] == model.name else {}
        if isinstance(model, Concatenation):
            return self._row(model, start)
        if isinstance(model, Star):
            return self._star(model, start)
        parts, chosen = (model.parts, len(model.parts)) if isinstance(model, Choice) else ((model.part,), 2)
        found: Ends = {start: self._code.chosen(2)} if isinstance(model, ZeroOrOne) else {}
        for part in parts:
            _cheaper(found, self.ends(part, start), self._code.chosen(chosen))
        return found

    def _row(self, model: Concatenation, start: int) -> Ends:
        found: Ends = {start: 0.0}
        for part in model.parts:
            found = self._step(part, found)
        return found

    def _star(self, model: Star, start: int) -> Ends:
        found: Ends = {start: self._code.counted(0)}
        here: Ends = {start: 0.0}
        for times in range(1, len(self._sequence) - start + 1):
            here = {end: cost for end, cost in self._step(model.part, here).items() if end > start}
            if not here:
                break
            _cheaper(found, here, self._code.counted(times))
        return found

    def _step(self, part: Model, places: Ends) -> Ends:
        """Return all positions after one more part; none once too many steps were taken."""
        self._left -= len(places)
        self._budget.left -= len(places)
        found: Ends = {}
        if self._left > 0 and self._budget.left > 0:
            for place, cost in places.items():
                _cheaper(found, self.ends(part, place), cost)
        return found


def _cheaper(found: Ends, more: Ends, cost: float) -> None:
    for end, further in more.items():
        if cost + further < found.get(end, math.inf):
            found[end] = cost + further
