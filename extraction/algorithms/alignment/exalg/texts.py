"""Finds the texts that are data: words that do not belong to the template (Arasu & Garcia-Molina 2003, section 5, EXVAL).

The paper's values are the rest of a text without the template's words: "220" of "220 lbs.", or "12 Main" of "12 Main Street" if every
address is in some street. For values that a person is to mark, the whole text is better (`whole`): a text node with data is one value,
without a label that ends with a colon before it. The exception is a place where most of the words are the template's ("Thank you for your
interest in the … position.").
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.alignment.exalg.nesting import Nest
from extraction.algorithms.alignment.exalg.tokens import TokenStream
from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.arrays import I64

FRAME = 2.0
"""In a sentence around data, the template has at least so many times as many words as the data. Units and street names have fewer."""

COLONS = (":", "：")


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    """Text nodes that hold data.

    first, stop: the half-open ranges of the tokens of their words.
    whole: for each text node, whether it is one value as a whole.
    """

    first: I64
    stop: I64
    whole: NDArray[np.bool_]


def find_values(stream: TokenStream, nests: Sequence[Nest], context: I64, *, whole: bool) -> Iterator[tuple[int, Value]]:
    """Yield (token at which the value is placed, value) pairs in document order.

    context: of every token, as `nesting.fill_positions` returns it.
    """
    template = np.zeros(len(stream.roles), np.bool_)
    for nest in nests:
        template[nest.each.places.ravel()] = True
    nodes = _nodes(stream, template, context, whole=whole)
    for first, stop, one in zip(nodes.first.tolist(), nodes.stop.tolist(), nodes.whole.tolist(), strict=True):
        if one:
            data = first + int(np.argmin(template[first:stop]))
            begin = next((token + 1 for token in range(data - 1, first - 1, -1) if _says(stream, token).endswith(COLONS)), first)
            yield data, _value(stream, begin, stop)
        else:
            yield from _runs(stream, template, context, first, stop)


def _nodes(stream: TokenStream, template: NDArray[np.bool_], context: I64, *, whole: bool) -> _Nodes:
    words = np.flatnonzero(stream.text > 0)
    new = np.ones(len(words), np.bool_)
    keys = np.stack([stream.page()[words], stream.node[words], stream.text[words]])
    new[1:] = (np.diff(keys, axis=1) != 0).any(axis=0)
    starts = np.flatnonzero(new)
    if not len(starts):
        return _Nodes(words, words, new)
    data = np.add.reduceat(~template[words], starts)
    lengths = np.diff(np.append(starts, len(words)))
    place = np.maximum.reduceat(np.where(template[words], 0, context[words]), starts)
    said, framed = np.bincount(place, data), np.bincount(place, lengths - data)
    one = (framed <= FRAME * said)[place] & whole
    held = data > 0
    return _Nodes(words[starts][held], words[starts][held] + lengths[held], one[held])


def _runs(stream: TokenStream, template: NDArray[np.bool_], context: I64, first: int, stop: int) -> Iterator[tuple[int, Value]]:
    """Yield the stretches of data in a text node."""
    for (is_template, _), run in groupby(range(first, stop), key=lambda token: (bool(template[token]), int(context[token]))):
        if not is_template:
            tokens = list(run)
            yield tokens[0], _value(stream, tokens[0], tokens[-1] + 1)


def _says(stream: TokenStream, token: int) -> str:
    return stream.names[int(stream.roles[token])]


def _value(stream: TokenStream, first: int, stop: int) -> Value:
    return Value(" ".join(_says(stream, token) for token in range(first, stop)), stream.location(first, stop - 1))
