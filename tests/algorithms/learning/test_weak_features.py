"""Labels by their stem, values by what they look like, and places like the clicked one: what keeps a neighbour's value out."""

from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.xpath import XPath
from extraction.algorithms.learning.apriori import Learned, learn_attribute
from extraction.algorithms.learning.weak_features import MIN_VALUES, find_telling_feature
from tests.algorithms.learning.pages import etree, example, page, values


def test_a_label_in_the_plural_is_the_same_label() -> None:
    def film(label: str, name: str) -> str:
        return f"<p><b>Writer:</b> <a>W</a></p><p><b>{label}</b> <a>{name}</a></p>"

    pages = [
        page(film(label, name))
        for label, name in [("Director:", "Ann"), ("Directors:", "Bob"), ("Director(s)", "Cid"), ("Directory:", "no")]
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//p[2]/a")])
    assert [values(learned, p) for p in pages] == [["Ann"], ["Bob"], ["Cid"], []]


def test_a_label_after_the_value_may_be_followed_by_a_comma() -> None:
    def people(*roles: str) -> str:
        return f"<p>by {', '.join(f'<a>{name}</a> ({role})' for name, role in zip('ABC', roles, strict=False))}</p><p><a>x</a> (Buy)</p>"

    pages = [page(people(*roles)) for roles in (["Reader", "Author"], ["Author", "Reader"], ["Editor", "Author"], ["Reader"])]
    learned = learn_attribute(pages, [example(pages, 0, "//p[1]/a[2]"), example(pages, 1, "//p[1]/a[1]")])
    assert [values(learned, p) for p in pages] == [["B"], ["A"], ["B"], []]


KINDS = ["Private", "Public", "Proprietary"]


def test_where_a_rule_only_counts_a_page_without_the_value_gives_nothing() -> None:
    def school(*facts: str) -> str:
        return f"<h3>Type</h3><ul>{''.join(f'<li>{fact}</li>' for fact in facts)}</ul>"

    pages = [page(school(KINDS[n % 3], f"{n} year college", f"Liberal arts {n}")) for n in range(MIN_VALUES + 1)]
    pages.append(page(school("4 year college", "Liberal arts")))
    learned = learn_attribute(pages[:-1], [example(pages, n, "//li[1]/text()") for n in (0, 1)])
    assert [values(learned, p) for p in pages] == [*([KINDS[n % 3]] for n in range(MIN_VALUES + 1)), []]
    assert isinstance(learned, Learned)
    assert learned.alternatives[0].features[-1].startswith(("of one word", "one of"))


def test_an_attribute_of_few_values_is_one_of_them() -> None:
    kinds = ["Private", "Public"] * 5
    neighbours = ["University", "College", "Coed", "Institute"] * 3
    weak = find_telling_feature(kinds, neighbours)
    assert weak is not None
    assert weak.words == "one of “Private”, “Public”"
    assert [weak.holds(text) for text in ("Public", "College")] == [True, False]
    assert find_telling_feature([*kinds, "Proprietary"], neighbours) is None  # a value seen once: others may come


def test_few_values_and_neighbours_alike_tell_nothing() -> None:
    assert find_telling_feature(["a"] * (MIN_VALUES - 1), ["x y"] * 20) is None
    assert find_telling_feature(["a"] * MIN_VALUES, ["b", "c"] * 20) is None
    assert find_telling_feature(["a"] * MIN_VALUES, []) is None


@given(
    st.lists(st.text("ab 1é", min_size=1).map(lambda text: " ".join(text.split())).filter(bool), min_size=MIN_VALUES, max_size=12),
    st.text("ab 1é"),
)
def test_a_weak_condition_means_the_same_in_xpath(known: list[str], other: str) -> None:
    weak = find_telling_feature(known, ["1 2 3 " * 50, "x"] * 20)
    if weak is not None:
        text = " ".join(other.split())
        element = etree.fromstring(f"<p>{other}</p>")
        assert bool(XPath(f"self::p[{weak.test}]").select(element)) == weak.holds(text)


def test_learned_from_is_the_place_whose_values_stand_where_the_clicked_one_stands() -> None:
    def recipe(heading: str, text: str, name: str) -> str:
        return f"<h1>{heading}</h1><p>{text}</p><h2 class=name>{name}</h2>"

    pages = [
        page(recipe("Soup", "A <strong>Soup</strong> for <strong>winter</strong>", "Soup")),
        page(recipe("Pie, easy and crisp", "An <strong>easy</strong> <strong>Pie</strong>", "Pie")),
        page(recipe("The best cake", "The <strong>best</strong> <strong>Cake</strong>", "Cake")),
    ]
    learned = learn_attribute(pages, [example(pages, 0, "//strong[1]/text()")])
    assert [values(learned, p) for p in pages] == [["Soup"], ["Pie"], ["Cake"]]
