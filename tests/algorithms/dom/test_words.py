"""Words are whole in every script, however their marks are encoded."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.dom.words import count_words, is_unspaced, split_words

MARKED = {
    "Hindi": "हिन्दी भारत में बोली जाने वाली एक भाषा है",
    "Tamil": "தமிழ் மொழி தமிழர்களின் தாய்மொழி ஆகும்",
    "Bengali": "বাংলা একটি ভাষা",
    "Telugu": "తెలుగు ఒక భాష",
    "Persian": "من می\u200cخواهم کتاب\u200cها را بخوانم",
    "Vietnamese": "Tiếng Việt là ngôn ngữ",
    "Amharic": "አማርኛ ቋንቋ ነው",
    "Urdu": "اردو ایک زبان ہے",
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_where_spaces_separate_words_they_are_the_words(text: str, form: str) -> None:
    words = split_words(unicodedata.normalize(form, text))  # type: ignore[arg-type]
    assert words == [unicodedata.normalize("NFC", word) for word in text.lower().split()]
    assert count_words(text) == len(words)


@pytest.mark.parametrize(
    ("written", "plain"), [("كِتَابٌ جَدِيدٌ", "كتاب جديد"), ("كتـــاب", "كتاب"), ("שָׁלוֹם עוֹלָם", "שלום עולם"), ("wonder\u00adful", "wonderful")]
)
def test_optional_points_make_no_other_word(written: str, plain: str) -> None:
    assert split_words(written) == split_words(plain) == plain.split()


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        ("東京都庁", ["東京", "京都", "都庁"], 2),
        ("ラーメン", ["ラー", "ーメ", "メン"], 2),
        ("水", ["水"], 1),
        ("서울시 강남구", ["서울", "울시", "강남", "남구"], 2),
        ("กำลัง", ["กำลั", "ลัง"], 2),
        ("iPhone手机 15", ["iphone", "手机", "15"], 3),
        ("日本、中国。", ["日本", "中国"], 2),
    ],
)
def test_where_nothing_separates_words_neighbouring_characters_stand_for_them(text: str, words: list[str], count: int) -> None:
    assert (split_words(text), count_words(text)) == (words, count)


def test_signs_alone_are_no_words() -> None:
    assert split_words("❤️ – ★ … \u0301 _ \u200d") == [] and count_words("— •") == 0


@given(st.text())
def test_no_letter_or_digit_is_lost_and_no_word_is_empty(text: str) -> None:
    words = split_words(text)
    assert all(words) and (count_words(text) == 0) == (not words)
    kept = set("".join(words))
    plain = unicodedata.normalize("NFC", re.sub("[\u0640\u00ad]", "", text.lower()))
    assert all(letter in kept for letter in plain if letter.isalnum())
    assert not any(is_unspaced(word) for word in words if word.isascii())
