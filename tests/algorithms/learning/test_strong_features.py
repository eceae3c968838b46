"""Features as arrays and as XPath mean the same, on whatever tree."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import Kind, Location
from extraction.algorithms.learning.corpus import Corpus, NodeTarget
from extraction.algorithms.learning.costs import CALIBRATED
from extraction.algorithms.learning.feature_maker import RuleFeature
from extraction.algorithms.learning.paths import write_xpath
from extraction.algorithms.learning.strong_features import find_features
from tests.algorithms.learning.pages import page, same_nodes, trees


def located(corpus: Corpus, target: NodeTarget, mask: np.ndarray, number: int) -> set[Location]:
    nodes, found = corpus.find_candidates(target), set()
    for place in np.flatnonzero(mask & (nodes.page == number)):
        nth = int(corpus.texts.nth[nodes.texts[place]]) if target.kind == "text" else 0
        found.add(Location(int(nodes.rows[place] - corpus.offsets[number]), target.kind, nth, target.attribute))
    return found


def made(corpus: Corpus, target: NodeTarget, place: int) -> list[tuple[RuleFeature, np.ndarray]]:
    nodes = corpus.find_candidates(target)
    return find_features(corpus, nodes, np.array([place], np.int32), cost=CALIBRATED)


@settings(max_examples=300, deadline=None)
@given(st.lists(trees(), min_size=1, max_size=3), st.data())
def test_the_xpath_selects_exactly_what_the_feature_set_selects(bodies: list[str], data: st.DataObject) -> None:
    pages = [page(body) for body in bodies]
    corpus = Corpus(pages)
    tags = sorted({str(e.tag) for p in pages for e in p.nodes})
    kinds: list[Kind] = ["text", "element", "attribute"]
    kind = data.draw(st.sampled_from(kinds))
    target = NodeTarget(kind, data.draw(st.sampled_from(tags)), "class" if kind == "attribute" else "")
    nodes = corpus.find_candidates(target)
    if not len(nodes.rows):
        return
    found = made(corpus, target, data.draw(st.integers(0, len(nodes.rows) - 1)))
    chosen = data.draw(st.lists(st.sampled_from(found), max_size=4, unique_by=lambda row: row[0].words + row[0].test)) if found else []
    mask = np.ones(len(nodes.rows), np.bool_)
    for _, feature_mask in chosen:
        mask &= feature_mask
    xpath = write_xpath(target, [feature for feature, _ in chosen])
    for number, one in enumerate(pages):
        assert same_nodes(one, xpath) == located(corpus, target, mask, number), xpath


def words_of(body: str, target: NodeTarget, place: int = 0) -> set[str]:
    return {feature.words for feature, _ in made(Corpus([page(body)]), target, place)}


def test_labels_before_a_value_are_features() -> None:
    assert "after “ISBN:”" in words_of("<ul><li><b>ISBN:</b> 978</li></ul>", NodeTarget("text", "li"))
    assert "after “ISBN”" in words_of("<dl><dt>ISBN</dt><dd>978</dd></dl>", NodeTarget("text", "dd"))
    assert "after the text “ISBN:”, 0 up" in words_of("<p>ISBN: <b>978</b></p>", NodeTarget("text", "b"))
    assert "after the text “ISBN:”" in words_of("<p>ISBN:<br>978</p>", NodeTarget("text", "p"), 1)


def test_table_headers_are_features() -> None:
    cells = "<table><tr><th>Rank</th><th>Country</th></tr><tr><td>1</td><td>Chad</td></tr></table>"
    assert "in the column “Country”" in words_of(cells, NodeTarget("text", "td"), 1)
    assert "in <tr> that begins with “1”" in words_of(cells, NodeTarget("text", "td"), 1)


def test_the_nearest_heading_above_is_a_feature() -> None:
    body = "<h2>Steps</h2><p>x</p><h3>Ingredients</h3><p>y</p><ul><li>egg</li></ul>"
    assert "under the heading “Ingredients”" in words_of(body, NodeTarget("text", "li"))
    assert "under the heading “Steps”" not in words_of(body, NodeTarget("text", "li"))


def test_names_are_own_and_ancestors() -> None:
    words = words_of('<div id="main"><p class="a b"><i itemprop="x">1</i></p></div>', NodeTarget("text", "i"))
    assert {"<i> with itemprop “x”", "1 up <p> with class “a”", "1 up <p> with class “b”", "somewhere in <div> with id “main”"} <= words
