"""Pages generated from a known wrapper: the inferred wrapper accepts them all and returns their data."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.alignment.roadrunner.data import WrapperMismatch, WrapperReader
from extraction.algorithms.alignment.roadrunner.infer import infer_wrapper
from extraction.algorithms.alignment.roadrunner.matching import Matching
from extraction.algorithms.alignment.roadrunner.wrapper import Element, Maybe, Node, Nodes, Pcdata, Plus, Text, required
from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.parse import parse

strings = st.sampled_from("xyz").map(Text)


def elements_of(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    parts = st.lists(below, min_size=1, max_size=3).map(tuple)
    element = st.builds(Element, st.sampled_from("abc"), st.lists(below, max_size=3).map(tuple))
    return element | parts.map(Maybe) | parts.filter(lambda part: required(part) > 0).map(Plus)


wrappers = st.lists(st.recursive(strings | st.just(Pcdata()), elements_of, max_leaves=6), max_size=4).map(tuple)


def instance(nodes: Sequence[Node], chance: random.Random) -> list[Node]:
    """A page that a wrapper accepts."""
    made: list[Node] = []
    for node in nodes:
        if isinstance(node, Element):
            made.append(Element(node.label, tuple(instance(node.children, chance)), 0))
        elif isinstance(node, Maybe | Plus):
            for _ in range(chance.randint(0, 1) if isinstance(node, Maybe) else chance.randint(1, 3)):
                made += instance(node.part, chance)
        else:
            made.append(Text(node.text if isinstance(node, Text) else chance.choice("xyzw"), place=Location(0)))
    return made


@given(one=wrappers, two=wrappers, chance=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_a_merged_wrapper_accepts_the_pages_of_both(one: Nodes, two: Nodes, chance: random.Random) -> None:
    merged = Matching().merge(Element("r", one), Element("r", two))
    for side in (one, two):
        for _ in range(3):
            page = Element("r", tuple(instance(side, chance)), 0)
            assert not isinstance(WrapperReader().read(merged, page), WrapperMismatch)


kinds = st.recursive(
    st.just("field"),
    lambda below: st.tuples(st.sampled_from(["element", "optional", "rows"]), st.lists(below, min_size=1, max_size=3)),
    max_leaves=7,
)


def html(kind: object, tags: "count[int]", values: "count[int]", rows: int, there: bool, data: dict[int, list[str]]) -> str:
    """A page of a template in which no two elements have the same tag, so that only one alignment is right.

    An optional part stands beside more that is on every page: elements that hardly meet are no match. data: {tag: its values}.
    """
    tag = next(tags)
    if not isinstance(kind, tuple):
        data.setdefault(tag, []).append(f"v{next(values)}")
        return f"<t{tag}>{data[tag][-1]}</t{tag}>"
    name, below = kind
    first = next(tags)
    made = ""
    for _ in range(rows if name == "rows" else int(there or name == "element")):
        within = count(first + 1)
        made += f"<t{first}>" + "".join(html(each, within, values, rows, there, data) for each in below) + f"</t{first}>"
    for _ in range(len(str(below)) + 2):
        next(tags)
    same = "<k></k>" * (len(str(below)) if name == "optional" else 0)
    return f"<t{tag}>{same}{made}</t{tag}>"


@given(kind=kinds)
@settings(max_examples=30, deadline=None)
def test_the_data_that_pages_were_made_from_is_found_again(kind: object) -> None:
    values: count[int] = count()
    pages, truth = [], []
    for rows, there in ((2, True), (1, False), (3, True), (2, False)):
        data: dict[int, list[str]] = {}
        pages.append(f"<html><body>{html(kind, count(), values, rows, there, data)}</body></html>")
        truth.append(data)
    found = infer_wrapper([parse(page.encode()).root for page in pages])
    columns = [{page: [each.text for each in row] for page, row in column.items()} for column in found.structure.columns().values()]
    assert found.resorts == 0
    for tag in truth[0]:
        wanted = {page: data[tag] for page, data in enumerate(truth) if tag in data}
        assert wanted in columns


def test_a_page_is_read_the_same_by_its_own_wrapper() -> None:
    page = Element("r", (Text("x", place=Location(0)), Element("a", (), 1)), 0)
    assert WrapperReader().read(replace_place(page), page) == {}


def replace_place(page: Element) -> Element:
    """The page as a wrapper, without places."""
    return Element(page.label, tuple(replace(node, place=None) if isinstance(node, Text) else node for node in page.children))
