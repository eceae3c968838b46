"""InfoDiscoverer: blocks, features, entropies, threshold (Lin & Ho 2002)."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.boilerplate import entropy
from extraction.algorithms.boilerplate.blocks import Block, split_blocks
from extraction.algorithms.boilerplate.words import LONGEST_WORD, extract_features
from extraction.algorithms.dom.nodes import elements
from extraction.algorithms.dom.parse import parse

FEATURES = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 4), max_size=4)
PAGES = st.lists(st.lists(FEATURES, max_size=4), max_size=5)


def blocks_of(html: str, language: str = "en") -> dict[str, Block]:
    nodes = elements(parse(html.encode()).root)
    return {nodes[block.node].get("id") or str(nodes[block.node].tag): block for block in split_blocks(nodes, language=language)}


def names(html: str, language: str = "en") -> dict[str, set[str]]:
    return {name: set(block.features) for name, block in blocks_of(html, language).items()}


def test_the_papers_figure_two_gives_each_table_its_own_strings() -> None:
    page = """<table id=cb1><tr><td><table id=cb2><tr><td>s1</table><td>s2<table id=cb3><tr><td>s3</table>
    <tr><td><table id=cb4><tr><td>s4</table>s5<td><table id=cb5><tr><td>s6</table></table>"""
    assert names(page) == {"cb1": {"s2", "s5"}, "cb2": {"s1"}, "cb3": {"s3"}, "cb4": {"s4"}, "cb5": {"s6"}}


def test_the_papers_figure_three_gives_one_to_what_both_pages_have_and_zero_to_the_articles() -> None:
    common = [["F1"], ["F2", "F3"], ["F4", "F5"]]
    pages = [[*map(Counter, common), Counter(article), Counter(["F6"])] for article in (["F7", "F8"], ["F9", "F10"])]
    found = entropy.discover_informative(pages)
    assert found.features == pytest.approx({f"F{n}": float(n <= 6) for n in range(1, 11)})
    assert [[found.informative(page, block) for block in range(5)] for page in (0, 1)] == [[False, False, False, True, False]] * 2


def test_the_title_is_a_block_of_its_own_and_scripts_are_not_blocks() -> None:
    page = "<title>Kettle</title><body><script>var hidden</script><p>loose<nav id=n>menu<select><option>chosen</select></nav>"
    assert names(page) == {"title": {"kettl"}, "html": {"loos"}, "n": {"menu"}}


def test_words_are_stemmed_by_language_and_stop_words_are_left_out() -> None:
    assert set(extract_features("The connections of a connected thing", language="en-GB")) == {"connect", "thing"}
    assert set(extract_features("die Häuser und das Haus", language="de")) == {"haus"}
    assert set(extract_features("the houses", language="xx")) == {"the", "houses"}
    assert extract_features("1999, 24.5 kg") == Counter(["1999", "24", "5", "kg"])


def test_in_languages_without_spaces_neighbouring_characters_are_features() -> None:
    assert extract_features("東京都庁 Tokyo", language="ja") == Counter(["東京", "京都", "都庁", "tokyo"])
    assert extract_features("水", language="zh") == Counter(["水"])
    assert extract_features("서울시", language="ko") == Counter(["서울", "울시"])


def test_words_with_combining_marks_are_whole_features() -> None:
    assert set(extract_features("हिन्दी भाषा", language="xx")) == {"हिन्दी", "भाषा"}
    assert set(extract_features("தமிழ் மொழி", language="xx")) == {"தமிழ்", "மொழி"}
    assert extract_features("ภาษาไทย", language="th") == Counter(["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"])
    assert extract_features("كِتَابٌ كتاب", language="xx") == Counter({"كتاب": 2})


def test_the_threshold_passes_a_flat_stretch_if_more_features_lie_above() -> None:
    # A unique title at 0, values that two of four pages share at 0.5, a template at 1.
    pages = [[{f"title{n}": 1}, {f"value{n // 2}": 1}, {"menu": 1, "home": 1}] for n in range(4)]
    found = entropy.discover_informative(pages)
    assert found.blocks[0] == pytest.approx((0.0, 0.5, 1.0))
    assert found.threshold == pytest.approx(0.5)


def test_a_single_page_has_nothing_redundant_and_no_pages_give_no_result() -> None:
    found = entropy.discover_informative([[{"a": 3}, {"b": 1}]])
    assert found.informative(0, 0) and found.informative(0, 1)
    assert entropy.discover_informative([]).blocks == ()


def test_a_block_without_features_is_redundant() -> None:
    found = entropy.discover_informative([[{}, {"a": 1}], [{}, {"b": 1}]])
    assert found.blocks[0] == (1.0, 0.0) and not found.informative(0, 0)


@given(PAGES)
def test_entropies_are_the_papers_formula_written_out(pages: list[list[dict[str, int]]]) -> None:
    found = entropy.discover_informative(pages)
    for feature, value in found.features.items():
        weights = [sum(block.get(feature, 0) for block in page) for page in pages]
        shares = [weight / sum(weights) for weight in weights if weight]
        expected = -sum(share * math.log(share, len(pages)) for share in shares) if len(pages) > 1 else 0.0
        assert value == pytest.approx(expected, abs=1e-9) and 0 <= value <= 1
    for page, values in zip(pages, found.blocks, strict=True):
        for block, value in zip(page, values, strict=True):
            assert value == pytest.approx(sum(map(found.features.__getitem__, block)) / len(block) if block else 1.0)


@given(PAGES)
def test_the_threshold_is_the_lowest_that_includes_as_many_features_as_the_last(pages: list[list[dict[str, int]]]) -> None:
    found = entropy.discover_informative(pages)

    def taken(limit: float) -> set[tuple[int, str]]:
        return {
            (number, feature)
            for number, page in enumerate(pages)
            for block, value in zip(page, found.blocks[number], strict=True)
            if value <= limit
            for feature in block
        }

    steps = [step / entropy.STEPS for step in range(entropy.STEPS)]
    assert found.threshold == min(step for step in steps if taken(step) == taken(steps[-1]))


@given(PAGES, st.randoms(use_true_random=False))
def test_the_order_of_pages_does_not_matter(pages: list[list[dict[str, int]]], draw: object) -> None:
    order = list(range(len(pages)))
    draw.shuffle(order)  # type: ignore[attr-defined]
    one, other = entropy.discover_informative(pages), entropy.discover_informative([pages[n] for n in order])
    assert one.threshold == other.threshold
    for place, n in enumerate(order):
        assert other.blocks[place] == pytest.approx(one.blocks[n])


@pytest.mark.parametrize(
    "html",
    ["<div>" * 3000 + "deep", "<p>" + "x" * 500_000, "<p>\ud800 \U0010ffff \x00 &#xD800;", "<table>" * 200, "<title><title>a", "<b></b>"],
    ids=["deep", "long", "odd characters", "tables", "titles", "empty"],
)
def test_hostile_pages_give_blocks_whose_text_is_counted_once(html: str) -> None:
    nodes = elements(parse(html.encode("utf-8", "replace")).root)
    found = split_blocks(nodes)
    held = [node for block in found for node in block.nodes]
    assert len(held) == len(set(held))
    assert all(len(feature) <= LONGEST_WORD for block in found for feature in block.features)
