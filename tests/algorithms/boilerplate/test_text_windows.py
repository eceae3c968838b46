"""The text-based detector of Gibson, Punera & Tomkins: windows, divisor, frequency, marking in one scan."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.boilerplate.text_windows import learn_text_template
from extraction.algorithms.dom.nodes import clean

TEXTS = st.lists(st.text("ab ", max_size=12), max_size=5)


def brute(texts: list[str], window: int, frequency: int) -> set[str]:
    """Fragments on at least so many pages, as strings."""
    seen: Counter[str] = Counter()
    for text in map(clean, texts):
        seen.update({text[n : n + window] for n in range(len(text) - window + 1)})
    return {fragment for fragment, count in seen.items() if count >= frequency}


@given(TEXTS, st.integers(1, 4), st.integers(2, 3))
def test_with_divisor_zero_the_result_equals_counting_all_substrings(texts: list[str], window: int, frequency: int) -> None:
    template, known = learn_text_template(texts, window=window, frequency=frequency), brute(texts, window, frequency)
    assert len(template.hashes) == len(known)
    for text in texts:
        marked = {n for start, end in template.mark(text) for n in range(start, end)}
        plain = clean(text)
        assert marked == {n for at in range(len(plain) - window + 1) if plain[at : at + window] in known for n in range(at, at + window)}


@given(TEXTS, st.integers(2, 5))
def test_a_divisor_keeps_some_of_the_fragments_and_the_same_on_all_pages(texts: list[str], divisor: int) -> None:
    everything = learn_text_template(texts, window=2, frequency=2)
    some = learn_text_template(texts, window=2, frequency=2, divisor=divisor)
    assert some.hashes.tolist() == [value for value in everything.hashes.tolist() if value % divisor == 0]


def test_a_divisor_keeps_about_its_share() -> None:
    text = " ".join(str(n * n) for n in range(4000))
    kept, everything = (len(learn_text_template([text, text], divisor=divisor).hashes) for divisor in (8, 0))
    assert kept == pytest.approx(everything / 8, rel=0.1)


def test_template_text_is_marked_on_a_page_that_was_never_seen() -> None:
    header, footer = "Home News Contact Search this site for anything", "Copyright the company, all rights reserved. Terms"
    pages = [f"{header} article {n} {'wxyz'[n] * 60} {footer}" for n in range(4)]
    template = learn_text_template(pages[:3], window=16)
    marked = [pages[3][start:end] for start, end in template.mark(pages[3])]
    assert [header in marked[0], footer in marked[-1], "zzz" in "".join(marked)] == [True, True, False]
    assert template.fraction(pages[3]) == pytest.approx(len("".join(marked)) / len(pages[3]))


def test_overlapping_fragments_are_joined_and_a_fragment_counts_once_for_each_page() -> None:
    template = learn_text_template(["abcabc x", "abcabc y"], window=3)
    assert template.mark("--abcabc--") == [(2, 8)]
    assert len(learn_text_template(["abab", "zz"], window=2, frequency=2).hashes) == 0


def test_the_same_sample_of_pages_is_read_each_time() -> None:
    pages = [f"{n % 7} fragment {n % 5} of text" for n in range(50)]
    one, other, seed = (learn_text_template(pages, window=8, pages=10, frequency=2, seed=s) for s in (1, 1, 2))
    assert np.array_equal(one.hashes, other.hashes) and not np.array_equal(one.hashes, seed.hashes)


@pytest.mark.parametrize("wrong", [{"window": 0}, {"divisor": -1}, {"frequency": 1}])
def test_meaningless_parameters_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="needed"):
        learn_text_template(["a"], **wrong)


def test_empty_short_and_unusual_texts_are_handled() -> None:
    template = learn_text_template(["", "\ud800\U0010ffff" * 20, "\ud800\U0010ffff" * 20, "a"], window=8, frequency=2)
    assert template.mark("") == [] and template.fraction("") == 0.0
    assert template.mark("\ud800\U0010ffff" * 5) == [(0, 10)]
    assert learn_text_template([]).mark("x" * 100) == []
