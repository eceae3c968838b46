"""Items of a list that nobody marked, and rules for several values in one cell."""

from extraction.algorithms.learning.apriori import Example, Learned, NotLearned, learn_attribute
from extraction.algorithms.learning.committee import Committee, train_committee
from extraction.algorithms.learning.page_table import PageTable
from tests.algorithms.learning.pages import example, page, places, values

LISTS = [page(f"<h1>t</h1><ul>{''.join(f'<li>{letter}{n}</li>' for letter in 'ABC')}</ul><p>z</p>") for n in range(6)]


def first_two(pages: list[PageTable], number: int) -> Example:
    return Example(number, tuple(location for location, _ in places(pages[number], "//li")[:2]))


def test_an_item_left_out_on_the_only_marked_page_is_asked_about() -> None:
    learned = learn_attribute(LISTS, [first_two(LISTS, 0)], multiple=True)
    assert isinstance(learned, NotLearned)
    assert "C0" in learned.reason and len(learned.places) == 2


def test_an_item_left_out_on_two_pages_is_meant_to_be() -> None:
    learned = learn_attribute(LISTS, [first_two(LISTS, 0), first_two(LISTS, 1)], multiple=True)
    assert values(learned, LISTS[3]) == ["A3", "B3"]


def test_an_item_that_has_another_name_is_no_item_left_out() -> None:
    pages = [page(f"<ul><li>A{n}</li><li>B{n}</li><li class=more>All</li></ul>") for n in range(4)]
    learned = learn_attribute(pages, [first_two(pages, 0)], multiple=True)
    assert values(learned, pages[2]) == ["A2", "B2"]


def test_the_links_of_a_cell_are_the_values_although_one_marked_cell_has_a_single_link() -> None:
    casts = [["A"], ["B", "C"], ["D"], ["E", "F", "G"]]

    def film(number: int, cast: list[str]) -> str:
        links = ", ".join(f"<a href=/{name}>{name}</a>" for name in cast)
        return f"<table><tr><th>Director</th><td><a>Zed {number}</a></td></tr><tr><th>Actors</th><td>{links}</td></tr></table>"

    pages = [page(film(*each)) for each in enumerate(casts)]
    for marked in ("//tr[2]/td/a", "//tr[2]/td"):
        learned = learn_attribute(pages, [example(pages, 0, marked)], multiple=True)
        assert [values(learned, table) for table in pages] == casts


def test_the_precision_of_a_rule_is_the_share_of_marked_nodes_among_those_it_selects() -> None:
    pages = [page("<ul><li>egg</li><li>salt</li><li>egg</li></ul><p>x</p>"), page("<ul><li>oil</li></ul><p>y</p>")]
    marks = Example(0, tuple(location for location, _ in places(pages[0], "//li")[:2]))
    learned = learn_attribute(pages, [marks], multiple=True)
    assert isinstance(learned, Learned)
    assert [one.precision for one in learned.alternatives] == [1.0]  # a value that stands there twice is marked once


def test_other_places_of_a_value_are_compared_although_they_are_equal_on_the_marked_page() -> None:
    names = ["Red lamp", "Old chair", "Big table", "Oak bed", "Blue sofa"]
    pages = [
        page(f"<div><a>Home</a> <span>{name}</span></div><h1>{name}{'.' if n else ''}</h1><div><b class=n>{name}</b></div>")
        for n, name in enumerate(names)
    ]
    committee = train_committee(pages, [example(pages, 0, "//h1")])
    assert isinstance(committee, Committee)
    assert committee.members[0].votes[1] == ("Old chair.",)
    assert ("Old chair",) in {member.votes[1] for member in committee.rivals}


def test_no_pages_are_an_error_of_ours() -> None:
    learned = learn_attribute([], [])
    assert isinstance(learned, NotLearned) and learned.reason
