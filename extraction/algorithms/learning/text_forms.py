"""The form of a text: its signs, digits, words and length, as conditions of an XPath (docs/algorithms.md#rule-learning).

Where neither names nor labels tell a value from its neighbours, its form often does: only one item of a list has an "@". A small
language of conditions describes forms. The form of several values consists of all conditions that each of them meets, so it is their
least general generalisation. It can be written in XPath 1.0, which has no regular expressions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from extraction.algorithms.dom.xpath import cleaned, quote
from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.page_table import MAX_LABEL, TOO_LONG, Bools

DIGITS = "0123456789"

MAX_UNIT = 6
"""The largest number of characters of a word after a number that may be its unit."""

MIN_EXTRA = 20
"""The smallest number of characters by which a value may be longer than the longest known one, however short that is."""


@dataclass(frozen=True, slots=True)
class TextCondition:
    """A condition on a text.

    test: its XPath.
    words: the condition for people.
    holds: the same in Python, of a cleaned text that is not empty.
    sign: the sign that it asks for, if it asks for one.
    """

    test: str
    words: str
    holds: Callable[[str], bool]
    sign: str = ""


def find_form(corpus: Corpus, nodes: Candidates, texts: Sequence[str]) -> tuple[TextCondition, Bools] | None:
    """Return the form of some texts and the candidates that have it; None if it is no narrower than their length, or a text is too long.

    The form keeps those conditions that all the texts meet and that exclude some candidate, the most telling first. It also keeps all
    signs that several texts have in common.
    """
    if nodes.target.kind == "attribute" or not texts or max(map(len, texts)) > MAX_LABEL:
        return None
    length, *others = list_conditions(texts)
    short, which = read_short_texts(corpus, nodes)
    left = np.array([length.holds(text) for text in short], np.bool_)
    masks = {condition: np.array([condition.holds(text) for text in short], np.bool_) for condition in others}
    chosen = []
    while masks:
        best = min(masks, key=lambda condition: (int((left & masks[condition]).sum()), int(masks[condition].sum()), condition.words))
        kept = left & masks[best]
        if kept.sum() == left.sum():
            break
        chosen.append(best)
        left = kept & masks.pop(best)
    signs = [condition for condition in masks if condition.sign] if chosen and len(set(texts)) > 1 else []
    if not chosen:
        return None
    mask: Bools = np.append(left, False)[which]
    return join_conditions([*chosen, *signs, length]), mask


def list_conditions(texts: Sequence[str]) -> list[TextCondition]:
    """The conditions that all the texts meet: first the one on their length, then those on their signs, digits and words."""
    text = cleaned(".")
    longest = min(max(2 * max(map(len, texts)), max(map(len, texts)) + MIN_EXTRA), MAX_LABEL)
    first, last = f"substring({text}, 1, 1)", f"substring({text}, string-length({text}), 1)"
    conditions = [
        TextCondition(f"contains({quote(DIGITS)}, {first})", "beginning with a digit", lambda value: value[:1] in DIGITS),
        TextCondition(f"not(contains({quote(DIGITS)}, {first}))", "not beginning with a digit", lambda value: value[:1] not in DIGITS),
        TextCondition(f"contains({quote(DIGITS)}, {last})", "ending with a digit", lambda value: value[-1:] in DIGITS),
        TextCondition(f"not(contains({quote(DIGITS)}, {last}))", "not ending with a digit", lambda value: value[-1:] not in DIGITS),
        TextCondition(f"translate({text}, {quote(DIGITS)}, '') != {text}", "with digits", _has_digits),
        TextCondition(f"translate({text}, {quote(DIGITS)}, '') = {text}", "without digits", lambda value: not _has_digits(value)),
        *_word_conditions(texts),
        *_sign_conditions(texts),
    ]
    within = TextCondition(f"string-length({text}) <= {longest}", f"of at most {longest} characters", lambda value: len(value) <= longest)
    return [within, *(condition for condition in conditions if all(map(condition.holds, texts)))]


def join_conditions(conditions: Sequence[TextCondition]) -> TextCondition:
    """All of the conditions as one."""
    test = " and ".join(condition.test for condition in conditions)
    words = ", ".join(condition.words for condition in conditions)
    return TextCondition(test, words, lambda value: all(condition.holds(value) for condition in conditions))


def _has_sign(sign: str, value: str) -> bool:
    return sign in value


def _has_digits(value: str) -> bool:
    return any(character in DIGITS for character in value)


def _word_conditions(texts: Sequence[str]) -> list[TextCondition]:
    """Conditions on the number of words, and on a unit after a number."""
    text = cleaned(".")
    found = [
        TextCondition(f"not(contains({text}, ' '))", "of one word", lambda value: " " not in value),
        TextCondition(f"contains({text}, ' ')", "of several words", lambda value: " " in value),
    ]
    spaces = texts[0].count(" ")
    if spaces > 1:
        test = f"string-length(translate({text}, ' ', '')) = string-length({text}) - {spaces}"
        found.append(TextCondition(test, f"of {spaces + 1} words", lambda value: value.count(" ") == spaces))
    unit = texts[0].rsplit(" ", 1)[-1]
    if len(unit) < len(texts[0]) and len(unit) <= MAX_UNIT and not _has_digits(unit) and all(map(_has_digits, texts)):
        ending = f" {unit}"
        test = f"substring({text}, string-length({text}) - {len(ending) - 1}) = {quote(ending)}"
        found.append(TextCondition(test, f"ending with “{unit}”", lambda value: value.endswith(ending)))
    return found


def _sign_conditions(texts: Sequence[str]) -> list[TextCondition]:
    """Conditions on the signs that all texts have, and on having no letters."""
    text = cleaned(".")
    signs = sorted({character for character in texts[0] if not character.isalnum() and character != " "})
    found = [TextCondition(f"contains(., {quote(sign)})", f"with “{sign}”", partial(_has_sign, sign), sign) for sign in signs]
    if not any(character.isalpha() for value in texts for character in value):
        known = "".join(sorted({*DIGITS, " ", *(character for value in texts for character in value)}))
        test = f"translate({text}, {quote(known)}, '') = ''"
        found.append(TextCondition(test, "of digits and signs only", lambda value: all(character in known for character in value)))
    return found


def read_short_texts(corpus: Corpus, nodes: Candidates) -> tuple[list[str], np.ndarray]:
    """The different texts of the candidates that are no longer than a label, and which of them each candidate has, -1 for none."""
    if nodes.target not in corpus.short_texts:
        is_text = nodes.target.kind == "text"
        hashes = corpus.texts.text[nodes.texts] if is_text else corpus.elements.whole[nodes.rows]
        different, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        numbers, texts = np.full(len(different), -1), list[str]()
        for number, (value, place) in enumerate(zip(different.tolist(), first.tolist(), strict=True)):
            text = corpus.read_condition_text(nodes, place) if value > TOO_LONG else ""
            if 0 < len(text) <= MAX_LABEL:
                numbers[number] = len(texts)
                texts.append(text)
        corpus.short_texts[nodes.target] = texts, numbers[inverse]
    return corpus.short_texts[nodes.target]
