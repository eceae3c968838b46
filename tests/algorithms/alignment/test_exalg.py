"""ExAlg finds the template of the paper's running example, and the data of pages made from templates whose tokens are unambiguous."""

import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from extraction.algorithms.alignment.exalg import classes, infer_with_exalg, nesting
from extraction.algorithms.alignment.exalg.nesting import find_position, find_relations
from extraction.algorithms.alignment.exalg.roles import differentiate_roles
from extraction.algorithms.alignment.exalg.template import Child, group_classes
from extraction.algorithms.alignment.exalg.tokens import BEGINNING, END, MAX_TOKENS, read_tokens
from extraction.algorithms.alignment.schema import Optional, Repeated, Row, SchemaField, Tuple, Value
from extraction.algorithms.dom.nodes import Location, elements, value
from extraction.algorithms.dom.parse import parse

Review = tuple[str, str, str]

BOOKS: Sequence[tuple[str, Sequence[Review]]] = (
    ("Databases", [("John", "7", "dry")]),
    ("Data Mining", [("Jeff", "2", "too long"), ("Jane", "6", "useful")]),
    ("Query Optimization", [("John", "8", "a classic")]),
    ("Transactions", []),
)
"""The four pages of the paper's running example; what it leaves out as "…" is written out."""


def page(body: str) -> etree._Element:
    return parse(f"<html><body>{body}</body></html>".encode()).root


def book(name: str, reviews: Sequence[Review]) -> etree._Element:
    rows = (f"<li><b>Reviewer Name</b> {who} <b>Rating</b> {rating} <b>Text</b> {text}</li>" for who, rating, text in reviews)
    return page(f"<b>Book Name</b> {name} <b>Reviews</b><ol>{''.join(rows)}</ol>")


ROOTS = [book(*each) for each in BOOKS]


def said(root_or_rows: Row) -> dict[str, object]:
    """A row with its values as plain texts."""
    return {name: held.text if isinstance(held, Value) else [said(row) for row in held] for name, held in root_or_rows.items()}


def test_the_first_classes_are_those_of_the_paper() -> None:
    stream = read_tokens(ROOTS)
    found = classes.find_classes(stream.roles, stream.bounds, size=3, support=3)
    words = [{stream.names[stream.roles[token]] for token in each.places[:, 0]} for each in found]
    assert {"html", "body", "Book", "Reviews", "ol", "/ol", "/body", "/html"} <= words[0]
    assert {"li", "Reviewer", "Rating", "Text", "/li"} <= words[1]
    assert not {"b", "/b"} & (words[0] | words[1]), "what stands twice on a page has no role of its own yet"
    assert len(found) == 2, "what only one page has is no frequent class"


def test_roles_told_apart_by_position_complete_the_template() -> None:
    stream = read_tokens(ROOTS)
    nests = differentiate_roles(stream, size=3, support=3).nests
    written = [" ".join(stream.names[stream.roles[token]] for token in nest.each.places[:, 0]) for nest in nests]
    assert written == [
        f"{BEGINNING[1]} html body b Book Name /b b Reviews /b ol /ol /body /html {END[1]}",
        "li b Reviewer Name /b b Rating /b b Text /b /li",
    ]
    assert (nests[1].parent, nests[1].position) == (0, 11)


def test_the_schema_and_the_data_are_those_of_the_paper() -> None:
    found = infer_with_exalg(ROOTS)
    reviews = Repeated("B", Tuple((SchemaField("C"), SchemaField("D"), SchemaField("E"))))
    assert found.schema == Tuple((SchemaField("A"), Optional(Tuple((reviews,)))))
    for row, (name, rows) in zip(found.rows, BOOKS, strict=True):
        assert said(row) == {"A": name} | ({"B": [dict(zip("CDE", review, strict=True)) for review in rows]} if rows else {})


def test_values_are_at_the_places_given() -> None:
    nodes = [elements(root) for root in ROOTS]
    for pages in infer_with_exalg(ROOTS).columns().values():
        for number, values in pages.items():
            assert [value(nodes[number], each.place) for each in values] == [each.text for each in values]


def test_words_of_the_template_are_removed_from_values_unless_whole_texts_are_wanted() -> None:
    body = "<p>Price: ${} each</p><p>{} lbs.</p><i>Thank you for your interest in the {} position.</i>"
    roots = [page(body.format(n, n * n, f"{n}{n}")) for n in range(2, 9)]
    first = {name: pages[0][0].text for name, pages in infer_with_exalg(roots, whole=False).columns().items()}
    assert list(first.values()) == ["$2", "4", "22"]
    whole = infer_with_exalg(roots).columns()
    assert [pages[0][0].text for pages in whole.values()] == ["$2 each", "4 lbs.", "22"]
    assert [pages[0][0].place for pages in whole.values()] == [
        Location(2, "text", 1, "", 7, 14),
        Location(3, "text", 1),
        Location(4, "text", 1, "", 35, 37),
    ]


def text_of(field: Value | tuple[Row, ...]) -> str:
    assert isinstance(field, Value)
    return field.text


def test_blocks_in_varying_order_are_rows_of_one_set() -> None:
    """Two kinds of blocks in any order: no order of both is right, so a row is one of each at most."""
    orders = ["ab", "ba", "aab", "bba", "a", "b", "abab", "bab"]
    blocks = {"a": "<p>Alpha one: {}</p>", "b": "<div>Beta two: {}</div>"}
    roots = [page("".join(blocks[c].format(f"{c}{n}{k}") for k, c in enumerate(order))) for n, order in enumerate(orders)]
    ((_, rows),) = infer_with_exalg(roots).tables().items()
    assert [[[text_of(v) for v in row.values()] for row in rows[n]] for n in (0, 1, 6)] == [
        [["a00", "b01"]],
        [["b10"], ["a11"]],
        [["a60", "b61"], ["a62", "b63"]],
    ]


def test_groups_and_sets_are_in_document_order() -> None:
    a, b, c = (Child(number, 0) for number in range(3))
    assert [group.numbers for group in group_classes([[a, b, c], [a, c], [b]])] == [(0,), (1,), (2,)]
    assert [(group.numbers, group.several) for group in group_classes([[a, b, c], [b, a, c]])] == [((0, 1), True), ((2,), False)]
    assert [(group.numbers, group.several, group.always) for group in group_classes([[a, a], [a]])] == [((0,), True, True)]
    assert group_classes([[], []]) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.permutations(range(5)), min_size=2, max_size=4))
def test_the_longest_ordered_part_is_the_longest_of_all(pages: list[list[int]]) -> None:
    """Every subset of the roles is tried. Each role occurs once on each page, in a random order."""
    places = np.array([[100 * number + order.index(role) for number, order in enumerate(pages)] for role in range(5)])
    page_of = np.repeat(np.arange(len(pages)), 100)
    part = next(classes.Ordering(page_of).parts(places, least=1))
    assert (np.diff(part, axis=0) > 0).all()
    best = max(
        sum(bits >> role & 1 for role in range(5))
        for bits in range(32)
        if all(
            len({pages[n].index(one) < pages[n].index(other) for n in range(len(pages))}) == 1
            for one in range(5)
            for other in range(one)
            if bits >> one & bits >> other & 1
        )
    )
    assert len(part) == best


def test_a_class_is_inside_one_position_of_another_or_it_is_not_nested() -> None:
    def made(*rows: Sequence[int]) -> classes.EqClass:
        return classes.EqClass(np.array(rows), 2, False)

    outer = made([0, 100], [10, 110], [20, 120])
    assert find_position(outer, made([11, 13, 111], [12, 14, 112])) == 2
    assert find_position(outer, made([1, 11], [2, 12])) is None, "at two positions"
    assert find_position(outer, made([5, 105], [15, 115])) is None, "across a token"
    assert find_position(outer, made([5, 205], [6, 206])) is None, "one occurrence inside, one outside"
    assert find_position(outer, made([30, 130], [31, 131])) == -1


@st.composite
def some_classes(draw: st.DrawFn) -> list[classes.EqClass]:
    """Classes that share a page of 60 tokens, each with its occurrences one after the other."""
    left = draw(st.permutations(range(60)))
    found = []
    for size in draw(st.lists(st.integers(1, 4), min_size=1, max_size=8)):
        occurrences = draw(st.integers(1, 3))
        taken, left = sorted(left[: size * occurrences]), left[size * occurrences :]
        if len(taken) == size * occurrences:
            found.append(classes.EqClass(np.array(taken).reshape(occurrences, size).T, 2, False))
    return found


@settings(max_examples=300, deadline=None)
@given(some_classes(), st.booleans())
def test_a_class_is_related_to_many_as_to_each_of_them(made: list[classes.EqClass], one_by_one: bool) -> None:
    """The oracle counts tokens pair by pair."""
    if not made:
        return
    *kept, each = made
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "MANY", 0 if one_by_one else 2_000)
        found = find_relations(each, kept)
    positions = [(place_of(other, each), place_of(each, other)) for other in kept]
    wrong = [number for number, (around, inside) in enumerate(positions) if around is None or (around < 0 and inside is None)]
    if wrong:
        assert found is kept[wrong[0]]
        return
    assert isinstance(found, tuple)
    assert found[0] == {number: around for number, (around, _) in enumerate(positions) if around is not None and around >= 0}
    within = {number: inside for number, (around, inside) in enumerate(positions) if around == -1 and inside is not None}
    assert found[1] == {number: inside for number, inside in within.items() if inside >= 0}


def place_of(outer: classes.EqClass, inner: classes.EqClass) -> int | None:
    """Return what `find_position` does, with nothing but counting."""
    spots: set[tuple[int, int] | None] = set()
    for first, last in zip(inner.first.tolist(), inner.last.tolist(), strict=True):
        around = [column for column in outer.places.T.tolist() if column[0] < first < column[-1]]
        if around and last > around[0][-1]:
            return None
        spots.add((sum(token < first for token in around[0]), sum(token < last for token in around[0])) if around else None)
    if spots == {None}:
        return -1
    one = spots.pop()
    return one[0] if one and not spots and one[0] == one[1] else None


TAGS = ("p", "div", "h2", "h3", "pre")
"""Each block has its own, so that no token of it has the path of another's."""

KINDS = ("field", "optional", "set")


class Made:
    """Pages of a template of labelled blocks. columns: what each field holds, {page: values}."""

    def __init__(self, kinds: Sequence[str], seed: int, pages: int = 8) -> None:
        self.rng, self.serial = random.Random(seed), 0
        self.columns: list[dict[int, list[str]]] = [{} for _ in kinds]
        self.roots = [page("".join(self._block(number, at, kind) for at, kind in enumerate(kinds))) for number in range(pages)]

    def _block(self, number: int, at: int, kind: str) -> str:
        # The first pages make sure that a block is frequent, and neither always there nor always of the same number of rows.
        count = {"field": 1, "optional": (1, 0, 1, 1)[number] if number < 4 else self.rng.randrange(2), "set": 0}[kind]
        if kind == "set":
            count = (1, 3, 2, 2)[number] if number < 4 else self.rng.randrange(4)
        tag = TAGS[at]
        return "".join(f"<{tag}>Label{at} Name{at} <b>{self._value(number, at)}</b></{tag}>" for _ in range(count))

    def _value(self, number: int, at: int) -> str:
        self.serial += 1
        words = " ".join(f"v{self.serial}x{k}" for k in range(self.rng.choice((1, 1, 2, 3))))
        self.columns[at].setdefault(number, []).append(words)
        return words


def texts(column: Mapping[int, Sequence[Value]]) -> dict[int, list[str]]:
    return {number: [each.text for each in values] for number, values in column.items()}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5), st.integers(0, 10**6))
def test_the_data_put_into_a_template_is_found_on_its_pages(kinds: list[str], seed: int) -> None:
    made = Made(kinds, seed)
    found = [texts(column) for column in infer_with_exalg(made.roots).columns().values()]
    for wanted in made.columns:
        assert wanted in found
    assert len(found) == len(kinds)


def test_the_order_of_the_pages_makes_no_difference() -> None:
    made = Made(("field", "set", "optional", "field"), 7)
    forward = [texts(column) for column in infer_with_exalg(made.roots).columns().values()]
    backward = [texts(column) for column in infer_with_exalg(made.roots[::-1]).columns().values()]
    assert [{7 - number: values for number, values in column.items()} for column in backward] == forward


def test_fewer_than_two_pages_have_no_structure() -> None:
    assert infer_with_exalg([]).rows == ()
    assert infer_with_exalg(ROOTS[:1]).rows == ({},)


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 1900 + "deep",
        "<p>" + " ".join(f"w{n}" for n in range(30_000)),
        "".join(f"<p>{n % 7} {n % 11} {n % 13}</p>" for n in range(6_000)),
        "",
    ],
    ids=["deep", "words", "repeated", "empty"],
)
def test_hostile_pages_are_read_up_to_the_limits(body: str) -> None:
    rng = random.Random(3)
    mixed = [page(body), page(body), page(" ".join(rng.sample(body.split(" "), len(body.split(" ")))) if len(body) < 10**6 else body)]
    found = infer_with_exalg(mixed)
    assert len(found.rows) == 3
    assert len(read_tokens(mixed).roles) <= 3 * (MAX_TOKENS + 2)
