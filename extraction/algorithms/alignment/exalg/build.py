"""Builds the schema and the rows from a template's contents (Arasu & Garcia-Molina 2003, section 5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from extraction.algorithms.alignment.exalg.template import Child, ClassGroup, Contents, Item, Position, group_classes
from extraction.algorithms.alignment.schema import Optional, Repeated, Row, SchemaField, Structure, Tuple, Value, column_name

Part = SchemaField | Optional | Repeated
Held = dict[str, "Value | tuple[Row, ...]"]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place for texts.

    name: the name of its field, "" if there is never a text.
    set_name: the name of the set of texts, if there can be several.
    """

    name: str = ""
    set_name: str = ""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan by which a position's items become parts of the schema.

    before: the slot ahead of each group.
    rest: the slot after the last group.
    after: the slot inside a group's rows.
    """

    groups: tuple[ClassGroup, ...]
    before: tuple[_Slot, ...]
    after: tuple[_Slot, ...]
    set_names: tuple[str, ...]
    rest: _Slot


class StructureBuilder:
    """Writes the schema of a template class by class, and then what each page holds."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.names = (column_name(number) for number in count())
        self.plans: dict[Position, _Plan] = {}

    def structure(self, pages: int) -> Structure:
        """Return the schema and a row for each page."""
        roots = [number for number, nest in enumerate(self.contents.nests) if nest.parent < 0 and nest.each.root]
        parts = tuple(part for number in roots for part in self._class(number))
        rows: list[Row] = []
        for page in range(pages):
            held: Held = {}
            for number in roots:
                self._read_class(Child(number, page), held)
            rows.append(held)
        return Structure(Tuple(parts), tuple(rows))

    def _class(self, number: int) -> Iterator[Part]:
        for position in range(1, self.contents.nests[number].each.size):
            if (number, position) in self.contents.items:
                yield from self._position((number, position))

    def _position(self, position: Position) -> Iterator[Part]:
        rows = self.contents.of(position)
        found = group_classes(rows)
        split = [_split(row, found) for row in rows]
        before, after, sets = [], [], []
        for at, group in enumerate(found):
            slot, parts = self._slot([each.before[at] for each in split])
            before.append(slot)
            yield from parts
            name = next(self.names) if group.several else ""
            sets.append(name)
            inside = [part for number in group.numbers for part in self._member(number, alone=len(group.numbers) == 1)]
            slot, parts = self._slot([texts for each in split for texts in each.after[at]])
            after.append(slot)
            inside += parts
            if inside and group.several:
                inside = [Repeated(name, Tuple(tuple(inside)))]
            if inside and not group.always:
                inside = [Optional(Tuple(tuple(inside)))]
            yield from inside
        rest, parts = self._slot([each.rest for each in split])
        self.plans[position] = _Plan(tuple(found), tuple(before), tuple(after), tuple(sets), rest)
        yield from parts

    def _member(self, number: int, *, alone: bool) -> Iterator[Part]:
        parts = tuple(self._class(number))
        if alone or not parts:
            yield from parts
        else:
            yield Optional(Tuple(parts))

    def _slot(self, texts: Sequence[Sequence[Value]]) -> tuple[_Slot, list[Part]]:
        most = max(map(len, texts), default=0)
        if not most:
            return _Slot(), []
        if most == 1:
            one = SchemaField(next(self.names))
            return _Slot(one.name), [one if all(texts) else Optional(Tuple((one,)))]
        name, one = next(self.names), SchemaField(next(self.names))
        many = Repeated(name, Tuple((one,)))
        return _Slot(one.name, name), [many if all(texts) else Optional(Tuple((many,)))]

    def _read_class(self, child: Child, held: Held) -> None:
        for position in range(1, self.contents.nests[child.number].each.size):
            plan = self.plans.get((child.number, position))
            items = self.contents.items.get((child.number, position), {}).get(child.occurrence)
            if plan is not None and items:
                self._read_position(plan, items, held)

    def _read_position(self, plan: _Plan, items: Sequence[Item], held: Held) -> None:
        split = _split(items, plan.groups)
        for at, group in enumerate(plan.groups):
            _store_texts(plan.before[at], split.before[at], held)
            rows: list[Row] = []
            for members, texts in zip(split.rows[at], split.after[at], strict=True):
                row: Held = {} if group.several else held
                for member in members:
                    self._read_class(member, row)
                _store_texts(plan.after[at], texts, row)
                rows.append(row)
            if group.several and any(rows):
                held[plan.set_names[at]] = tuple(rows)
        _store_texts(plan.rest, split.rest, held)


def _store_texts(slot: _Slot, texts: Sequence[Value], held: Held) -> None:
    if texts and slot.set_name:
        held[slot.set_name] = tuple({slot.name: text} for text in texts)
    elif texts:
        held[slot.name] = texts[0]


@dataclass(slots=True)
class _Split:
    """The items of one occurrence of a position.

    before: for each group, the texts before it.
    rows: for each group, its rows, which are occurrences of classes.
    after: for each group, the texts after each row.
    rest: the texts after the last group.
    """

    before: list[list[Value]] = field(default_factory=list)
    rows: list[list[list[Child]]] = field(default_factory=list)
    after: list[list[list[Value]]] = field(default_factory=list)
    rest: list[Value] = field(default_factory=list)


def _split(items: Sequence[Item], found: Sequence[ClassGroup]) -> _Split:
    """Split items by groups. A text goes to the row of the set before it, or else to the texts before the next group that occurs."""
    split = _Split([[] for _ in found], [[] for _ in found], [[] for _ in found])
    place = {number: at for at, group in enumerate(found) for number in group.numbers}
    waiting: list[Value] = []
    current, last = -1, -1
    for item in items:
        if isinstance(item, Value):
            if current >= 0 and found[current].several:
                split.after[current][-1].append(item)
            else:
                waiting.append(item)
            continue
        at = place[item.number]
        rank = found[at].numbers.index(item.number)
        if at != current:
            split.before[at] += waiting
            waiting = []
        if at != current or rank <= last:
            split.rows[at].append([])
            split.after[at].append([])
        split.rows[at][-1].append(item)
        current, last = at, rank
    split.rest = waiting
    return split
