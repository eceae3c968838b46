"""Parts of a text: constants around the value where they say it, character classes where they do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import clean
from extraction.algorithms.errors import RuleError
from extraction.algorithms.learning.text_range import TextPart, learn_text_part


def marked(*texts: str) -> list[tuple[str, int, int]]:
    """Texts with the part in [brackets]."""
    return [(text.replace("[", "").replace("]", ""), text.index("["), text.index("]") - 1) for text in texts]


@pytest.mark.parametrize(
    ("texts", "part"),
    [
        (["Published [1999] by Knopf", "Published [2003] by Viking"], TextPart("Published ", " by ")),
        (["by [Jane Doe]", "by [John Roe]"], TextPart("by ", "")),
        (["[12] servings", "[8] servings"], TextPart("", " servings")),
        (["Price: [12.50] €", "Price: [8.00] €"], TextPart("Price: ", " €")),
    ],
)
def test_constant_text_around_the_value(texts: list[str], part: TextPart) -> None:
    assert learn_text_part(marked(*texts)) == part


def test_the_end_of_the_text_can_stand_for_the_suffix() -> None:
    part = learn_text_part(marked("by [Jane Doe] | Photos", "by [John Roe]"))
    assert part is not None
    assert part.pattern
    assert part.apply("by Ann Poe | Photos") == "Ann Poe"


def test_character_classes_where_nothing_is_constant() -> None:
    part = learn_text_part(marked("Knopf [1999] NY", "Viking Press, [2003], London"))
    assert part is not None
    assert part.apply("Oxford University, 1987; UK") == "1987"


def test_of_equally_short_parts_the_one_that_carries_over_wins() -> None:
    others = ["Released in 1999 by A", "Released in 2001 by B"]
    part = learn_text_part(marked("Published in [1999] by A", "Published in [2003] by B"), others=others)
    assert part is not None
    assert [part.apply(text) for text in others] == ["1999", "2001"]


def test_contradicting_marks_have_no_part() -> None:
    assert learn_text_part([("one two", 0, 3), ("one two", 4, 7)]) is None


def test_a_text_without_the_constants_has_no_part() -> None:
    assert TextPart("by ", " |").apply("of Jane |") == ""
    assert TextPart("by ", " |").apply("by Jane") == ""
    assert TextPart("by ").span("by  Jane ") == (4, 8)


def test_patterns_are_checked() -> None:
    with pytest.raises(RuleError, match="not a regular expression"):
        TextPart(pattern="(")
    with pytest.raises(RuleError, match="no group"):
        TextPart(pattern="a+")
    with pytest.raises(RuleError, match="not both"):
        TextPart(prefix="a", pattern="(a)")


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12)), min_size=1, max_size=4))
def test_what_is_learned_gives_exactly_the_marked_parts(rows: list[tuple[str, str, str]]) -> None:
    examples = []
    for before, inner, after in rows:
        text = clean(before + inner + after)
        start = min(len(before), len(text))
        end = min(start + max(1, len(inner)), len(text))
        if text[start:end].strip():
            examples.append((text, start, end))
    part = learn_text_part(examples)
    if part is not None:
        assert [part.apply(text) for text, _, _ in examples] == [text[start:end].strip() for text, start, end in examples]


def test_what_follows_the_last_of_several_words_is_found_from_one_mark() -> None:
    titles = [("Stand by me", "Bob"), ("Emma", "Jane Austen"), ("Day by day", "Ann Lee"), ("Gone by noon by night", "Cy")]
    texts = [f"{title} by {name}" for title, name in titles]
    for marked in (texts[:1], texts[1:2], texts[:2]):
        examples = [(text, text.rindex(" by ") + 4, len(text)) for text in marked]
        part = learn_text_part(examples, others=[text for text in texts if text not in marked])
        assert part is not None
        assert [part.apply(text) for text in texts] == [name for _, name in titles]


@pytest.mark.parametrize("number", range(3))
def test_each_number_of_several_is_found_from_one_mark(number: int) -> None:
    sizes = [(10, 20, 30), (5, 7, 9), (100, 3, 1), (12, 40, 5)]
    texts = [" x ".join(map(str, size)) + " cm" for size in sizes]
    start = texts[0].index(str(sizes[0][number]))
    part = learn_text_part([(texts[0], start, start + 2)], others=texts[1:])
    assert part is not None
    assert [part.apply(text) for text in texts] == [str(size[number]) for size in sizes]


def test_a_text_that_only_some_values_have_before_them_is_left_out() -> None:
    part = learn_text_part([("Color: Red", 7, 10), ("Blue", 0, 4)])
    assert part is not None
    assert [part.apply(text) for text in ("Color: Red", "Blue", "Color: Dark green", "Black")] == ["Red", "Blue", "Dark green", "Black"]
