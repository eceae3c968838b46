"""Features of what stands above a node at whatever distance (ALGORITHMS 4.1): names, headings and labels of ancestors.

A page that gets a div around a block has other distances, and the same ancestors. So these carry further than the same
conditions at a fixed level, where both select the same nodes.
"""

from collections.abc import Iterator

import numpy as np

from extraction.algorithms.dom.xpath import name_test, same_text
from extraction.algorithms.learning.feature_maker import ANY, FeatureMaker, MaskedFeature, name_words
from extraction.algorithms.learning.page_table import BLANK, PRESENTATION, TOO_LONG, Bools, Hashes, hash_name, hash_text, list_names


def somewhere_under(maker: FeatureMaker) -> Iterator[MaskedFeature]:
    """Names of ancestors, headings and labels before them."""
    yield from _named(maker)
    yield from _labelled(maker)


def _named(maker: FeatureMaker) -> Iterator[MaskedFeature]:
    corpus, seen = maker.corpus, set()
    for level in range(1, len(maker.levels)):
        row = int(maker.levels[level][maker.example])
        tag = maker.tag_of(row)
        for pair in list_names(corpus.element(row)):
            if (tag, pair) in seen or pair[0] in PRESENTATION:
                continue
            seen.add((tag, pair))
            named = corpus.rows_named(hash_name(*pair))
            mask = corpus.under(named[corpus.numbers["tag"][named] == np.uint64(hash_text(tag))], maker.nodes.rows)
            if mask[maker.positives].all():
                kind = f"under-{pair[0]}" if pair[0] in ("id", "class") else "under-name"
                words = f"somewhere in <{tag}> with {name_words(*pair)}"
                yield maker.feature(kind, ANY, tag, name_test(*pair), words, level, of=pair[1]), mask


def _labelled(maker: FeatureMaker) -> Iterator[MaskedFeature]:
    """Headings and labels before any ancestor, as the examples have them at one or another level.

    Not before the element itself: a value that is gone leaves its label alone in a row, and the next row would come after it.
    For the same reason what stands after an element of its own tag does not count: they are two rows.
    """
    corpus, seen = maker.corpus, set[int]()
    tags, before = corpus.numbers["tag"], corpus.rows["before"]
    labels = np.where(tags == tags[before], np.uint64(BLANK), corpus.numbers["whole"][before])
    for level, rows in enumerate(maker.levels[1:], 1):
        row = int(rows[maker.example])
        heading, label = int(corpus.numbers["heading"][row]), int(labels[row])
        if heading > TOO_LONG and heading not in seen:
            seen.add(heading)
            mask = _under(maker, corpus.numbers["heading"], heading)
            if mask[maker.positives].all():
                test, text = maker.heading_test(row)
                kind = maker.heading_kind(row, under="under-")
                yield maker.feature(kind, ANY, "", test, f"somewhere under the heading “{text}”", level + 1, of=text), mask
        if label > TOO_LONG and label not in seen:
            seen.add(label)
            mask = _under(maker, labels, label)
            if mask[maker.positives].all():
                text = maker.text_of(int(before[row]))
                test = f"name(preceding-sibling::*[1]) != name() and {same_text('preceding-sibling::*[1]', text)}"
                yield maker.feature("under-label", ANY, "", test, f"somewhere after “{text}”", level + 1, of=text), mask


def _under(maker: FeatureMaker, column: Hashes, value: int) -> Bools:
    """Candidates whose element has an ancestor with the value in a column of elements."""
    return maker.corpus.under(np.flatnonzero(column == np.uint64(value)).astype(np.int32), maker.nodes.rows)
