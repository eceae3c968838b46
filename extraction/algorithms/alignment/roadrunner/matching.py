"""ACME: align, collapse under mismatch, extract (Crescenzi et al. 2001, section 4; docs/algorithms.md#roadrunner).

    wrapper = Matching().merge(wrapper, page)

The wrapper is made general enough to accept the page. Both are trees of tags, so the sequences between a start tag and its end tag are
aligned one by one, and the result is always well formed. Two strings that differ are a field. At any other mismatch the following is tried,
in this order:

1. An iterator (`squares`). The token before the mismatch is the last delimiter. The tokens from the mismatch to the next occurrence of that
   delimiter, on either side, are the square. It is matched backwards with the tokens before.
2. An optional part. The mismatching token of each side is sought further on in the other, the nearest occurrence first.
3. Both at once: optional parts on both sides, up to the nearest two tokens that match. The paper does not have this. Without it, two pages
   with different optional blocks at one place do not align.
4. The last resort: both remainders are optional, up to the end of the enclosing element.

If 1 and 2 align less than half of the tokens of two elements with equal labels, the elements are a mismatch themselves, which is solved at
a higher level. Only if that fails too, 3 and 4 are allowed inside them: first if half of the tokens are aligned, and then in any case.
These are the three *ways* to align: STRICT, BOTH and ANYHOW. The outcome for two elements and a way is computed once. Within a sequence,
the alternatives are searched depth first. A pair of positions is entered once, and a sequence is given up after `RETURNS` returns to an
earlier choice.

Cost: a step for each two elements compared and for each alternative, at most `MAX_STEPS` for a page. Only elements within elements, and
rows within rows `NESTED` deep, are processed by recursion.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from extraction.algorithms.alignment.roadrunner import optionals
from extraction.algorithms.alignment.roadrunner.partial_alignment import ANYHOW, BOTH, STRICT, AlignedPair, Alignment, skip_to
from extraction.algorithms.alignment.roadrunner.squares import find_iterators
from extraction.algorithms.alignment.roadrunner.wrapper import (
    Element,
    Maybe,
    Node,
    Nodes,
    Pcdata,
    Plus,
    Text,
    count_required,
    count_tokens,
    stack_nodes,
)
from extraction.algorithms.errors import AlignmentError

RETURNS = 50
"""The largest number of returns to an earlier choice within one sequence."""

ROW_RETURNS = 5
"""The same within a row that is no element, or in an optional part."""

NESTED = 4
"""The largest number of rows and optional parts within each other in one sequence, with no element around the inner ones."""

DEEP = 80
"""The largest number of sequences within each other that are aligned (elements, rows, optional parts), with some seven calls each. Deeper
ones do not match."""

PER_TOKEN = 3
"""The largest number of steps for each token of two elements, apart from the steps of elements in them. With more, the elements count as no
match. With 20, just as many fields are found, in five times the time."""

MAX_STEPS = 100_000
"""The largest number of steps for one page, which take some two seconds. After that, what is left is aligned by the last resort at once."""


@dataclass(slots=True)
class Matching:
    """One merge of a wrapper and a page.

    last_resort: whether the last resort is allowed.
    most: the number of steps allowed.
    steps: steps taken so far.
    resorts: last resorts that the merge took.
    stuck: the labels on the path down to the innermost element that could not be aligned.
    nested, squares: the number of parts and of squares around the current sequences, within their element.
    limit: the number of steps after which that element is given up.
    deep: the number of all sequences around the current ones.
    """

    last_resort: bool = True
    most: int = MAX_STEPS
    steps: int = 0
    nested: int = 0
    squares: int = 0
    deep: int = 0
    limit: int = MAX_STEPS
    resorts: int = 0
    stuck: list[str] = field(default_factory=list)
    _known: dict[tuple[Node, Node, int], AlignedPair | None] = field(default_factory=dict)
    _trail: list[str] = field(default_factory=list)

    def merge(self, wrapper: Element, page: Element) -> Element:
        """Return a wrapper for everything that both accept. Raises AlignmentError if there is none."""
        for way in (STRICT, BOTH, ANYHOW):
            pair = self.pair(wrapper, page, way)
            if pair is not None:
                self.resorts = pair.resorts
                assert isinstance(pair.node, Element)  # noqa: S101 - two elements give one; the checker does not see it
                return pair.node
        place = "/".join(self.stuck) or wrapper.label
        raise AlignmentError(f"in {place} there are different parts at one place, and neither is found further on")

    def pair(self, one: Node, two: Node, way: int) -> AlignedPair | None:
        """Return two strings or elements merged into one, None if they do not match."""
        if not isinstance(one, Element) or not isinstance(two, Element):
            return _strings(one, two)
        if one.label != two.label:
            return None
        key = one, two, way
        if key not in self._known:
            self._step()
            self._trail.append(one.label)
            kept = self.nested, self.squares, self.limit
            self.nested, self.squares, self.limit = 0, 0, min(self.most, self.steps + PER_TOKEN * (one.size + two.size))
            self._known[key] = self._elements(one, two, way)
            self.nested, self.squares, self.limit = kept
            self._trail.pop()
        return self._known[key]

    def _elements(self, one: Element, two: Element, way: int) -> AlignedPair | None:
        if self.deep >= DEEP:
            return None
        self.deep += 1
        found = self.align(one.children, 0, two.children, 0, way, whole=True)
        self.deep -= 1
        if found is None or (way < ANYHOW and not found.met(one.required, two.size)):
            return None
        return AlignedPair(Element(one.label, found.nodes()), found.fresh, found.lost, found.resorts)

    def align(self, ones: Sequence[Node], i: int, twos: Sequence[Node], j: int, way: int, *, whole: bool = False) -> Alignment | None:
        """Align two sequences from the given positions. The first is aligned to its end. The second is too if `whole` is set, and otherwise
        as far as needed."""
        choices: list[Iterator[Alignment]] = [iter((Alignment(None, i, j),))]
        seen: set[tuple[int, int]] = set()
        furthest = Alignment(None, i, j)
        returns = 0
        while choices and returns <= (RETURNS if whole else ROW_RETURNS):
            found = next(choices[-1], None)
            if found is None:
                choices.pop()
                returns += 1
                continue
            self._step()
            found = self._along(ones, twos, found)
            if found.i == len(ones) and (found.j == len(twos) or not whole):
                return found
            if (found.i, found.j) in seen:
                continue
            seen.add((found.i, found.j))
            if found.i + found.j > furthest.i + furthest.j:
                furthest = found
            choices.append(self._alternatives(ones, twos, found, way, whole))
        if len(self._trail) > len(self.stuck) and whole:
            self.stuck = list(self._trail)
        if way > STRICT and whole and self.last_resort:
            return skip_to(ones, len(ones), twos, len(twos), furthest)._replace(resorts=furthest.resorts + 1)
        return None

    def _along(self, ones: Sequence[Node], twos: Sequence[Node], at: Alignment) -> Alignment:
        """Go on as long as there is no mismatch and no choice."""
        while at.i < len(ones) and at.j < len(twos):
            if isinstance(ones[at.i], Maybe) or isinstance(twos[at.j], Maybe):
                return at
            further = self.together(ones, twos, at, STRICT)
            if further is None:
                return at
            at = further
        return at

    def _alternatives(self, ones: Sequence[Node], twos: Sequence[Node], at: Alignment, way: int, whole: bool) -> Iterator[Alignment]:
        """Yield the ways on from a mismatch or a choice, the best first."""
        inside = at.i < len(ones) and at.j < len(twos)
        if self.steps > self.limit:
            anyhow = self.together(ones, twos, at, way) if inside and way == ANYHOW else None
            if anyhow is not None:
                yield anyhow
            return
        if any(isinstance(node, Maybe) for node in (*ones[at.i : at.i + 1], *twos[at.j : at.j + 1])):
            yield from optionals.try_known_optionals(self, ones, twos, at)
            return
        yield from find_iterators(self, at, ones, twos)
        yield from optionals.find_on_one_side(self, ones, twos, at, whole=whole)
        if inside and way > STRICT:
            yield from optionals.find_weaker_matches(self, ones, twos, at)

    def together(self, ones: Sequence[Node], twos: Sequence[Node], at: Alignment, way: int) -> Alignment | None:
        """Return the alignment continued by merging the nodes at both positions, None if they do not match."""
        one, two = ones[at.i], twos[at.j]
        if isinstance(one, Maybe | Plus):
            return self._parts(one, two, at) if type(one) is type(two) else self._part(one, twos, at)
        if isinstance(two, Maybe | Plus):
            found = self._part(two, ones, at.swapped())
            return found and found.swapped()
        pair = self.pair(one, two, way)
        return pair and at.further((pair.node,), Alignment(None, at.i + 1, at.j + 1, pair.fresh, pair.lost, pair.resorts))

    def _parts(self, one: Maybe | Plus, two: Node, at: Alignment) -> Alignment | None:
        """Align two optional parts, or two repeated ones."""
        assert isinstance(two, Maybe | Plus)  # noqa: S101 - of the type of `one`; the checker does not see it
        found = self._within(one.part, two.part, 0, whole=True)
        if found is None or not found.met(count_required(one.part), count_tokens(two.part)):
            return None
        return at.further((type(one)(found.nodes()),), found._replace(i=at.i + 1, j=at.j + 1))

    def _part(self, one: Maybe | Plus, twos: Sequence[Node], at: Alignment) -> Alignment | None:
        """Align an optional or repeated part with the nodes of the second sequence."""
        found = self.rows(one.part, twos, at.j) if isinstance(one, Plus) else self._once(one.part, twos, at.j)
        if found is None or found.j == at.j:
            return None
        return at.further((type(one)(found.nodes()),), found._replace(i=at.i + 1))

    def _once(self, part: Nodes, twos: Sequence[Node], j: int) -> Alignment | None:
        """Align an optional part that is present. If nodes repeat at its end, they are an iterator of their own."""
        found = self._row(part, twos, j)
        while found is not None:
            more = next(find_iterators(self, found, part, twos), None)
            if more is None:
                return found
            found = more
        return None

    def rows(self, part: Nodes, twos: Sequence[Node], j: int) -> Alignment:
        """Align as many rows of a repeated part as there are from j on. The nodes of the result are the part, generalised to fit all rows.

        If there are no rows, the result stays at j.
        """
        found = Alignment(stack_nodes(part), len(part), j)
        while found.j < len(twos):
            row = self._row(found.nodes(), twos, found.j)
            if row is None:
                break
            found = row._replace(fresh=found.fresh + row.fresh, lost=found.lost + row.lost)
        return found

    def _row(self, part: Nodes, twos: Sequence[Node], j: int) -> Alignment | None:
        found = self._within(part, twos, j, whole=False)
        if found is None or found.j == j or not found.met(count_required(part), count_tokens(twos[j : found.j])):
            return None
        return found

    def _within(self, part: Nodes, twos: Sequence[Node], j: int, *, whole: bool) -> Alignment | None:
        """Align a part of a sequence with a part of another."""
        if self.nested >= NESTED or self.deep >= DEEP:
            return None
        self.nested, self.deep = self.nested + 1, self.deep + 1
        found = self.align(part, 0, twos, j, STRICT, whole=whole)
        self.nested, self.deep = self.nested - 1, self.deep - 1
        return found

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self.most and not self.last_resort:
            raise AlignmentError(f"more than {self.most:,} steps are needed; near {'/'.join(self._trail)}")


def _strings(one: Node, two: Node) -> AlignedPair | None:
    if not isinstance(one, Text | Pcdata) or not isinstance(two, Text | Pcdata):
        return None
    if isinstance(one, Text) and isinstance(two, Text) and one.text == two.text:
        return AlignedPair(one)
    if (isinstance(one, Text) and one.fixed) or (isinstance(two, Text) and two.fixed):
        return None
    return AlignedPair(Pcdata())
