"""Doubts about values on pages that nobody looked at: a group of pages without values, with one value, or with values of another form."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.learning.page_groups import PageFacts, PageGroup, group_pages
from extraction.algorithms.learning.value_doubts import ValueDoubt, find_empty_languages, find_value_doubts

ENGLISH, GERMAN = range(10), range(10, 20)
TITLES = {page: [f"Lamp {'abcdefghijklmnopqrst'[page] * 6}"] for page in range(20)}


def shop() -> dict[int, PageFacts]:
    facts = {page: PageFacts(f"https://shop.example/en/lamp/{page}?utm_source={page}", "en") for page in ENGLISH}
    return facts | {page: PageFacts(f"https://shop.example/de/lampe/{page}", "de-AT") for page in GERMAN}


def kinds(found: Sequence[ValueDoubt]) -> list[str]:
    return [each.kind for each in found]


def test_the_languages_of_a_shop_are_groups_and_are_named_once() -> None:
    found = group_pages(shop())
    assert [(group.name, sorted(group.pages)) for group in found] == [
        ("in the language de", list(GERMAN)),
        ("in the language en", list(ENGLISH)),
    ]


def test_sections_and_parameters_divide_pages_whose_language_is_not_known() -> None:
    pages = {page: PageFacts(f"https://shop.example/shop/{'toys' if page % 2 else 'books'}/{page}") for page in range(20)}
    assert [group.name for group in group_pages(pages)] == ["under /…/books/", "under /…/toys/"]
    pages = {page: PageFacts(f"https://shop.example/item?id={page}&lang={'de' if page % 2 else 'en'}") for page in range(20)}
    assert [group.name for group in group_pages(pages)] == ["with lang=de", "with lang=en"]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_pages_are_no_groups(count: int) -> None:
    assert group_pages({page: PageFacts(f"https://shop.example/{page}/", "en") for page in range(count)}) == ()


def test_pages_with_a_number_each_are_no_groups() -> None:
    assert group_pages({page: PageFacts(f"https://shop.example/{page}/lamp.html") for page in range(50)}) == ()


def test_values_missing_in_one_language_are_in_doubt_until_a_person_says_so() -> None:
    values = {page: titles if page in ENGLISH else [] for page, titles in TITLES.items()}
    (doubt,) = find_value_doubts(values, group_pages(shop()))
    assert (doubt.kind, doubt.count, doubt.pages) == ("missing", 10, tuple(GERMAN))
    assert doubt.words == "no value on 10 of 10 pages in the language de, and on 0 of 10 other pages"
    assert find_value_doubts(values, group_pages(shop()), said=[12]) == []


def test_a_value_that_some_pages_lack_is_in_doubt_in_a_language_that_lacks_it_everywhere() -> None:
    values = {page: titles if page in ENGLISH and page % 5 < 3 else [] for page, titles in TITLES.items()}
    (doubt,) = find_value_doubts(values, group_pages(shop()))
    assert doubt.words == "no value on 10 of 10 pages in the language de, and on 4 of 10 other pages"
    (doubt,) = find_value_doubts(values, group_pages(shop()), said=[3, 12])
    assert (doubt.count, 12 in doubt.pages) == (9, False)  # one page may lack it by chance
    assert find_value_doubts(values, group_pages(shop()), said=[11, 12, 13, 14]) == []


def test_a_value_that_is_rare_everywhere_may_be_absent_from_a_language() -> None:
    values = {page: titles if page in ENGLISH and page % 5 == 0 else [] for page, titles in TITLES.items()}
    assert find_value_doubts(values, group_pages(shop())) == []


def test_a_rare_value_marked_in_one_language_is_in_doubt_once_enough_pages_of_the_other_lack_it() -> None:
    """One of nine English pages says how to care for the product. No German page with its label for that was marked."""

    def find(german: int) -> list[ValueDoubt]:
        facts = {page: PageFacts(f"https://shop.example/en/{page}", "en") for page in range(90)}
        facts |= {page: PageFacts(f"https://shop.example/de/{page}", "de") for page in range(90, 90 + german)}
        return find_value_doubts({page: ["wipe dry"] if page < 90 and page % 9 == 0 else [] for page in facts}, group_pages(facts))

    assert [each.words for each in find(90)] == ["no value on 90 of 90 pages in the language de, and on 80 of 90 other pages"]
    assert find(20) == [], "so few may lack it by chance"


def test_one_text_on_all_pages_of_a_language_is_in_doubt() -> None:
    values = {page: titles if page in ENGLISH else ["Lieferzeit"] for page, titles in TITLES.items()}
    assert kinds(find_value_doubts(values, group_pages(shop()))) == ["constant"]


def test_values_of_another_form_in_one_language_are_in_doubt() -> None:
    values = {page: titles if page in ENGLISH else [f"4{page}00{page}"] for page, titles in TITLES.items()}
    found = find_value_doubts(values, group_pages(shop()))
    assert "form" in kinds(found)
    assert "more digits" in " ".join(each.words for each in found)


def test_values_that_cannot_be_read_are_in_doubt_where_nobody_marked_them() -> None:
    values = TITLES | {3: ["on request"], 4: ["on request"]}
    (doubt,) = find_value_doubts(values, (), unread={"on request"}, said={4})
    assert (doubt.kind, doubt.pages) == ("unread", (3,))


def test_one_value_unlike_the_others_is_in_doubt_where_nobody_marked_it() -> None:
    values = TITLES | {3: ["Lamp " * 100]}
    assert kinds(find_value_doubts(values, ())) == ["unlike"]
    assert find_value_doubts(values, (), said={3}) == []


@given(st.dictionaries(st.integers(0, 30), st.lists(st.text(max_size=5), max_size=2)), st.sets(st.integers(0, 30)))
def test_every_doubt_names_pages_of_the_column_that_nobody_spoke_about(values: dict[int, list[str]], said: set[int]) -> None:
    groups = (PageGroup("even", frozenset(range(0, 31, 2))), PageGroup("odd", frozenset(range(1, 31, 2))))
    for doubt in find_value_doubts(values, groups, said=said):
        assert set(doubt.pages) <= set(values) - said
        assert 0 < len(doubt.pages) <= doubt.count <= len(values)


def test_equal_values_everywhere_and_rare_values_are_not_in_doubt() -> None:
    assert find_value_doubts({page: ["yes"] for page in range(20)}, group_pages(shop())) == []
    assert find_value_doubts({page: ["rare"] if page == 3 else [] for page in range(20)}, group_pages(shop())) == []


@pytest.mark.parametrize(
    ("rare", "told", "doubted"), [(5, 3, True), (5, 25, True), (5, 26, False), (45, 2, True), (45, 3, False), (20, 6, False)]
)
def test_a_rare_value_needs_more_pages_without_it_until_a_language_counts_as_empty(rare: int, told: int, doubted: bool) -> None:
    """5 of 45 English pages have a value, so 25 German ones without it may be chance; with 20 of 45, six are enough."""
    values = {page: ["hand wash"] if page < rare else [] for page in range(90)}
    groups = [PageGroup("in the language de", frozenset(range(45, 90))), PageGroup("in the language en", frozenset(range(45)))]
    found = find_empty_languages(values, groups, said=set(range(45, 45 + told)), besides=[])
    assert kinds(found) == (["missing"] if doubted else [])
