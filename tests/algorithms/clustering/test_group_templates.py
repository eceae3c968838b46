"""The template paths of groups of pages, in words."""

from extraction.algorithms.clustering.group_templates import find_group_templates
from extraction.algorithms.dom.parse import parse

BODIES = {
    "a1": "<h1>Tech</h1><p>one</p><i>x</i>",
    "a2": "<h1>Tech</h1><p>two</p><i>x</i>",
    "a3": "<h1>Tech</h1><p>three</p>",
    "b1": "<h2>World</h2><ul><li>News</li></ul>",
    "b2": "<h2>World</h2><ul><li>News</li></ul>",
}


def read(name: str) -> object:
    return parse(f"<html><body><nav>Home</nav>{BODIES[name]}</body></html>".encode()).root


def test_a_template_is_what_more_than_half_of_a_groups_pages_have_in_words() -> None:
    found = find_group_templates([["a1", "a2", "a3"], ["b1", "b2"]], read)  # type: ignore[arg-type]
    assert found.templates == (
        ("html/body/h1", "html/body/h1/#Tech", "html/body/p"),  # i is on fewer pages than most paths of its pages: not essential
        ("html/body/h2", "html/body/h2/#World", "html/body/ul", "html/body/ul/li", "html/body/ul/li/#News"),
    )
    assert found.frame == ("html", "html/body", "html/body/nav", "html/body/nav/#Home")


def test_the_order_of_pages_and_groups_changes_no_template() -> None:
    one = find_group_templates([["a1", "a2", "a3"], ["b1", "b2"]], read)  # type: ignore[arg-type]
    other = find_group_templates([["b2", "b1"], ["a3", "a1", "a2"]], read)  # type: ignore[arg-type]
    assert other.templates == one.templates[::-1] and other.frame == one.frame


def test_no_groups_have_no_templates_and_no_path_is_in_a_template_and_in_the_frame() -> None:
    assert find_group_templates([], read).templates == ()  # type: ignore[arg-type]
    for groups in ([["a1"]], [["a1", "a2", "a3"]], [["a1", "b1"], ["a2"]]):
        found = find_group_templates(groups, read)  # type: ignore[arg-type]
        assert not {path for template in found.templates for path in template} & set(found.frame)


def test_what_most_but_not_nearly_all_pages_have_is_not_in_the_frame() -> None:
    """The i is on two of five pages, the ul on two, the h1 on three: none of them on nine of ten."""
    found = find_group_templates([["a1", "a2"], ["a3"], ["b1", "b2"]], read)  # type: ignore[arg-type]
    assert found.frame == ("html", "html/body", "html/body/nav", "html/body/nav/#Home")
    alone = find_group_templates([["a1", "b1"]], read)  # type: ignore[arg-type]
    assert not any("h1" in path or "h2" in path for path in alone.frame)
