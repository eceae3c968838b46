"""Where a value of a page's own data is offered on the page, and where it is not."""

import pytest

from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.markup.value_places import locate_value


def find_tag(body: str, value: str, *, head: str = "") -> str | None:
    """The tag of the place that is offered for a value."""
    nodes = elements(parse(f"<html><head>{head}</head><body>{body}</body></html>".encode()).root)
    place = locate_value(nodes, value)
    return None if place is None else str(nodes[place.node].tag)


ARTICLE = "<article><h1>Tea</h1><p>by <b>{}</b></p></article><section {}><p><i>Ann Lee</i> wrote: thanks</p></section>"


@pytest.mark.parametrize("name", ["id=comments", "class='post-comment'", "class=replies", "id=disqus_thread", "id=respond"])
def test_a_name_that_only_a_readers_comment_has_is_not_offered(name: str) -> None:
    assert find_tag(ARTICLE.format("Bob", name), "Ann Lee") is None
    assert find_tag(ARTICLE.format("Ann Lee", name), "Ann Lee") == "b"


def test_a_word_that_only_contains_the_name_of_a_comment_section_is_no_such_section() -> None:
    assert find_tag(ARTICLE.format("Bob", "class=commentary"), "Ann Lee") == "i"


def test_the_source_text_of_a_meta_element_is_not_offered() -> None:
    content = "&lt;p&gt;A &lt;b&gt;good&lt;/b&gt; tea&lt;/p&gt;"
    assert find_tag("<p>x</p>", "<p>A <b>good</b> tea</p>", head=f'<meta name=description content="{content}">') is None
    assert find_tag("<p>x</p>", "A good tea", head='<meta name=description content="A good tea">') == "meta"
