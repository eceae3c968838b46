"""Which page would teach most: what the committee is, that its votes are what its rules give, and how pages are ranked."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.learning.apriori import Example, Learned, LearnedXPath, NotLearned, learn_attribute
from extraction.algorithms.learning.committee import MAX_MEMBERS, Committee, Member, train_committee
from extraction.algorithms.learning.page_selection import (
    MISSING,
    AttributeState,
    Disagreement,
    measure_disagreement,
    rank_pages,
    weigh_members,
)
from tests.algorithms.learning.pages import example, page, values


def offer(price: str, *, label: str = "Price", style: str = "cost", before: str = "") -> str:
    return f"<h1>Thing</h1>{before}<p><b>{label}:</b> <span class={style}>{price}</span></p>"


# The label and the class go together on the first pages; on the last two only one of them is there.
OFFERS = [
    page(offer("1.50")),
    page(offer("2.50")),
    page(offer("3.50", before="<p><b>Was:</b> <span>9.00</span></p>")),
    page(offer("4.50", style="sale")),
    page(offer("5.50", label="Now only")),
]


def committee(*examples: Example, pages=OFFERS, multiple: bool = False) -> Committee:
    found = train_committee(pages, examples, multiple=multiple)
    assert isinstance(found, Committee), found
    return found


def test_the_first_member_is_the_rule_and_every_vote_is_what_its_xpath_gives() -> None:
    marked = example(OFFERS, 0, "//p/span/text()")
    found = committee(marked)
    learned = learn_attribute(OFFERS, [marked])
    assert isinstance(learned, Learned) and found.members[0].alternatives == learned.alternatives
    assert 1 < len(found.members) <= MAX_MEMBERS
    for member in found.members:
        for number, each in enumerate(OFFERS):
            given_there = values(Learned(member.alternatives), each)
            assert member.votes[number] == tuple(dict.fromkeys(given_there))


def test_equivalent_rules_give_what_the_rule_gives_here_and_differ_on_pages_that_were_not_known() -> None:
    found = committee(example(OFFERS, 0, "//p/span/text()"), pages=OFFERS[:3])
    assert found.equivalents and all(each.votes == found.members[0].votes for each in found.equivalents)
    rules = [found.members[0], *found.equivalents]
    assert len({rule.alternatives[0].xpath for rule in rules}) == len(rules)
    for each in OFFERS[3:]:
        assert len({tuple(values(Learned(rule.alternatives), each)) for rule in rules}) > 1


def test_members_all_give_back_what_is_marked_and_no_two_vote_alike() -> None:
    found = committee(example(OFFERS, 0, "//p/span/text()"), example(OFFERS, 1, "//p/span/text()"))
    assert {member.votes[:2] for member in found.members} == {(("1.50",), ("2.50",))}
    assert len({member.votes for member in found.members}) == len(found.members)


def test_a_committee_of_a_union_has_members_that_differ_in_one_part() -> None:
    pages = [page("<p>by <a>Ann</a> and <i>Bob</i></p><i class=n>no</i>"), page("<p>by <a>Cid</a></p><p><a>more</a></p><i class=n>no</i>")]
    found = committee(example(pages, 0, "//p/a/text() | //p/i/text()"), pages=pages, multiple=True)
    assert all(set(member.votes[0]) == {"Ann", "Bob"} for member in found.members)


def test_what_cannot_be_learned_has_no_committee() -> None:
    pages = [page("<p>a</p><p>a</p>")]
    found = train_committee(pages, [example(pages, 0, "//p[1]/text()"), Example(0, ())])
    assert isinstance(found, NotLearned) or found.members
    assert train_committee(pages, [Example(0, ())]) == Committee(())


def test_ruled_out_counts_the_nodes_that_would_come_in_without_a_feature() -> None:
    pages = [page("<p class=a>1</p><p>2</p><p>3</p>"), page("<p class=a>4</p><p>5</p>")]
    best = committee(example(pages, 0, "//p[@class]/text()"), pages=pages).members[0]
    said = dict(zip(best.alternatives[0].features, best.ruled_out[0], strict=True))
    assert next(count for words, count in said.items() if "“a”" in words) == 3


def fixed(total: float, *votes: tuple[str, ...]) -> Member:
    return Member((LearnedXPath("//x", None, 1.0, 0, 1.0, 0.0, ()),), total, votes, ())


def test_the_vote_entropy_is_that_of_the_shares() -> None:
    members = [fixed(1.0, ("a",)), fixed(1.0, ("b",)), fixed(1.0, ("a",))]
    found = measure_disagreement("price", members, [member.votes[0] for member in members])
    assert found.degree == pytest.approx(-(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3)))
    assert found.votes == (("a",), ("b",))


def test_a_dearer_member_counts_less_and_the_same_values_in_another_order_are_no_dispute() -> None:
    assert weigh_members([fixed(1.0), fixed(2.0)]) == pytest.approx([1 / (1 + math.exp(-1)), math.exp(-1) / (1 + math.exp(-1))])
    members = [fixed(1.0, ("a", "b")), fixed(1.0, ("b", "a"))]
    assert measure_disagreement("x", members, [member.votes[0] for member in members]) == Disagreement("x", 0.0, ())


def test_the_page_in_dispute_comes_first_then_what_is_missing_then_what_is_fresh() -> None:
    rules = (fixed(0.0, ("1",), ("2",), (), ("4",)), fixed(0.0, ("1",), ("x",), (), ("4",)))
    ranked = rank_pages({"price": AttributeState(Committee(rules), annotated=frozenset({0}))}, [3, 2, 1], {3: 0.1, 2: 0.0, 1: 0.0})
    assert [advice.page for advice in ranked] == [1, 2, 3]
    assert ranked[0].disagreements[0].attribute == "price" and ranked[0].score == 1.0
    assert ranked[1].missing == ("price",) and ranked[1].score == MISSING
    # Once somebody has said that a page lacks it, a page without a value is as it should be.
    known = {"price": AttributeState(Committee(rules), absent=True, annotated=frozenset({0}))}
    assert [advice.page for advice in rank_pages(known, [3, 2, 1], {3: 0.1})] == [1, 3, 2]


def test_an_attribute_already_said_of_a_page_teaches_nothing_there() -> None:
    rules = (fixed(0.0, ("1",)), fixed(0.0, ("2",)))
    assert rank_pages({"price": AttributeState(Committee(rules), annotated=frozenset({0}))}, [0], {})[0].score == 0.0


def test_without_anything_marked_the_order_stays_and_fresh_weight_decides() -> None:
    assert [advice.page for advice in rank_pages({}, [4, 2, 7], {})] == [4, 2, 7]
    assert [advice.page for advice in rank_pages({}, [4, 2, 7], {7: 0.5})] == [7, 4, 2]


@given(st.lists(st.tuples(st.floats(0, 5), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=8))
def test_the_degree_is_0_exactly_when_all_agree_and_never_over_1(rows) -> None:
    members = [fixed(total, (vote,)) for total, vote in rows]
    found = measure_disagreement("x", members, [member.votes[0] for member in members])
    assert 0 <= found.degree <= 1
    assert (found.degree == 0) == (len({vote for _, vote in rows}) == 1) == (not found.votes)
