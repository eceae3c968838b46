"""A page's steps: what counts as structure, and that it is kept and given back."""

import pytest

from extraction.algorithms.clustering.page_steps import PageSteps, collect_steps
from extraction.algorithms.dom.parse import parse


def steps(html: str) -> set[int]:
    return set(collect_steps(parse(html.encode()).root).steps.tolist())


def test_text_attributes_and_repetition_do_not_count() -> None:
    one = steps('<body><ul><li><a href="/1">One</a></li></ul>')
    assert one == steps('<body><ul><li><a href="/2" id=x>Two</a></li><li><a>Three</a></li></ul>')


def test_classes_count_token_by_token() -> None:
    one, both, other = steps("<p class='a'>"), steps("<p class='b  a'>"), steps("<p class='c'>")
    assert one < both
    assert len(both - one) == 1
    assert len(one & other) == len(one) - 1


def test_a_list_in_a_list_is_the_list() -> None:
    nested = steps("<body><ul><li>1<ul><li>2</ul></ul>")
    assert nested == steps("<body><ul><li>1<ul><li>2<ul><li>3<ul><li>4</ul></ul></ul></ul>")
    assert len(nested - steps("<body><ul><li>1</ul>")) == 1
    assert steps("<body><div><div>1</div></div>") != steps("<body><div><div><div>1</div></div></div>")


@pytest.mark.parametrize(("outer", "inner"), [("ul", "ol"), ("ol", "ul")])
def test_a_list_of_another_kind_in_a_list_is_one_of_its_own(outer: str, inner: str) -> None:
    """Its list, its items, and the list below that, which is then in two of the same."""
    nested = steps(f"<body><{outer}><li>1<{inner}><li>2</li></{inner}></li></{outer}>")
    assert len(nested - steps(f"<body><{outer}><li>1</li></{outer}>")) == 2


def test_what_is_drawn_does_not_count() -> None:
    assert steps("<body><svg><path d='M0'/></svg>") == steps("<body><svg><g><circle r=1 /></g></svg>")


def test_every_step_but_the_root_hangs_on_a_step_of_the_page() -> None:
    found = collect_steps(parse(b"<body class='x y'><table><tr><td class=c>1</table><ul><li><ul><li class=d>2</ul></ul>").root)
    assert sorted(found.steps.tolist()) == found.steps.tolist()
    assert list(found.parents).count(0) == 1
    assert set(found.parents.tolist()) - {0} <= set(found.steps.tolist())


def test_stored_steps_come_back() -> None:
    found = collect_steps(parse(b"<p class=a>1<b>2").root)
    again = PageSteps.from_bytes(found.to_bytes())
    assert (again.steps.tolist(), again.parents.tolist()) == (found.steps.tolist(), found.parents.tolist())
    for broken in (b"", found.to_bytes()[:-3], b"steps/0\n" + found.to_bytes()[8:]):
        with pytest.raises(ValueError, match="not stored by the scheme"):
            PageSteps.from_bytes(broken)


def test_a_page_nested_two_thousand_deep_has_its_steps() -> None:
    assert len(steps("<body>" + "<div>" * 2000)) > 1500
