"""Several values in one text: marked one by one, learned as one part and what stands between."""

from dataclasses import replace

import pytest

from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.learning import enumeration
from extraction.algorithms.learning.apriori import Example, Learned, NotLearned, learn_attribute
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.text_range import TextPart
from extraction.algorithms.rules import outside
from extraction.algorithms.rules.apply import extract_values, find_attribute_places, read_attribute
from extraction.algorithms.rules.exports import _place
from extraction.algorithms.rules.rule import AttributeRule, RuleDefinition, Selector
from extraction.algorithms.rules.xslt import Stylesheet, write_stylesheet
from tests.algorithms.learning.pages import example, page


def spans(text: str, *values: str) -> tuple[str, list[tuple[int, int]]]:
    found, end = list[tuple[int, int]](), 0
    for value in values:
        start = text.index(value, end)
        end = start + len(value)
        found.append((start, end))
    return text, found


@pytest.mark.parametrize(
    ("marked", "other", "values"),
    [
        ([spans("by Ada, Bob and Cyd", "Ada", "Bob", "Cyd")], "by Eve, Joe, Kim & Lee", ["Eve", "Joe", "Kim", "Lee"]),
        ([spans("by Ada, Bob and Cyd", "Ada", "Bob", "Cyd")], "by Anders, Sandy", ["Anders", "Sandy"]),
        ([spans("Genres: War", "War"), spans("Genres: Drama, Crime", "Drama", "Crime")], "Genres: Sci-Fi", ["Sci-Fi"]),
        ([spans("A, B, and C (eds.)", "A", "B", "C")], "X and Y (eds.)", ["X", "Y"]),
        ([spans("Salt and pepper, flour, and oil", "Salt and pepper", "flour", "oil")], "Rice, gin and tonic", ["Rice", "gin and tonic"]),
        ([spans("a / b", "a", "b")], "c / d / e", ["c", "d", "e"]),
        ([spans("Autoren: Ada und Bob", "Ada", "Bob")], "Autoren: Eve", ["Eve"]),
    ],
)
def test_what_stands_between_the_values_parts_those_of_other_pages(marked: list, other: str, values: list[str]) -> None:
    part = enumeration.learn_enumeration(marked)
    assert part is not None
    assert part.values(other) == values


@pytest.mark.parametrize(
    "marked",
    [
        [spans("Ada, Bob, Cyd, Dan", "Ada", "Cyd")],
        [spans("AdaBob", "Ada", "Bob")],
        [spans("Ada was helped very much by Bob", "Ada", "Bob")],
        [spans("a, b", "a", "b"), spans("c, d", "c, d")],
    ],
)
def test_what_no_separator_gives_is_not_learned(marked: list) -> None:
    assert enumeration.learn_enumeration(marked) is None


def marks(table: PageTable, number: int, xpath: str, *values: str) -> Example:
    whole = example([table], 0, xpath)
    (location,) = whole.locations
    text = "".join(table.nodes[location.node].itertext())
    return Example(number, tuple(replace(location, start=start, end=end) for start, end in spans(text, *values)[1]))


BODY = "<p>by {}</p><p>in {}</p>"


def test_an_enumeration_is_learned_and_runs_everywhere_alike() -> None:
    pages = [page(BODY.format(*words)) for words in (("Ada, Bob and Cyd", "Rome"), ("Eve", "Bonn"), ("Joe & Kim", "Oslo, Norway"))]
    found = learn_attribute(pages, [marks(pages[0], 0, "//p[1]", "Ada", "Bob", "Cyd")], multiple=True)
    assert isinstance(found, Learned), found
    (one,) = found.alternatives
    rule = AttributeRule("by", multiple=True, alternatives=(Selector(one.xpath, one.part),))
    sheet = Stylesheet.compile(write_stylesheet(RuleDefinition((rule,))))
    for table, wanted in zip(pages, (("Ada", "Bob", "Cyd"), ("Eve",), ("Joe", "Kim")), strict=True):
        assert extract_values(sheet, table.root).values["by"] == wanted
        assert read_attribute(rule, table.root) == wanted
        index = {element: n for n, element in enumerate(elements(table.root))}
        assert tuple(text for _, text in find_attribute_places(rule, table.root, index)) == wanted
        text = "".join(table.nodes[[e.tag for e in table.nodes].index("p")].itertext())
        assert tuple(outside._parts(text, _place(rule.alternatives[0]))) == wanted
    assert RuleDefinition.from_json(RuleDefinition((rule,)).as_json()) == RuleDefinition((rule,))


def test_several_values_in_a_text_are_none_of_an_attribute_that_takes_one() -> None:
    pages = [page(BODY.format("Ada, Bob", "Rome"))]
    found = learn_attribute(pages, [marks(pages[0], 0, "//p[1]", "Ada", "Bob")])
    assert found == NotLearned("the page has several marked values, but the attribute allows one", 0)


def test_alternatives_share_the_part_that_all_examples_have() -> None:
    first, second = "<h1>Soup ({})</h1><p>x</p>", "<div><b>Cake ({})</b></div><p>x</p>"
    pages = [page(first.format("2019 edition")), page(second.format("2020 edition")), page(first.format("soup, 2018 edition"))]
    examples = [marks(pages[0], 0, "//h1", "2019"), marks(pages[1], 1, "//b", "2020")]
    found = learn_attribute(pages, examples)
    assert isinstance(found, Learned), found
    assert len(found.alternatives) == 2
    assert {one.part for one in found.alternatives} == {TextPart(prefix=" (", suffix=" edition")}


def test_a_separator_that_stands_everywhere_is_refused() -> None:
    with pytest.raises(Exception, match="cannot part values"):
        TextPart(separator=",*")
