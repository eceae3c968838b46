"""The labels that candidates of a target stand after, so that values of other attributes can be told from those of the marks."""

import numpy as np

from extraction.algorithms.learning.corpus import Candidates, Corpus
from extraction.algorithms.learning.page_table import BLANK, TOO_LONG, Bools, Hashes, Ints, hash_text

MAX_IN_DD = 3
"""The largest number of levels between a ``dd`` and a value in it."""


def find_labels_before(corpus: Corpus, nodes: Candidates, marked: Ints, *, several: bool) -> Hashes:
    """Return the hash of each candidate's label, BLANK for none and TOO_LONG for candidates that say nothing.

    marked: the candidates that are marked. If all are in a ``dd``, the labels are those of terms.
    several: whether a page may have several values. The element before a value may then be another value. The first one among its
        siblings is the label of all.
    """
    terms = _find_terms(corpus, nodes)
    if (terms[marked] > TOO_LONG).all():
        return terms
    labels = _find_first_texts(corpus, nodes, marked) if several else _find_texts_before(corpus, nodes, marked)
    return labels if len(np.unique(labels[marked])) == 1 else np.full_like(labels, TOO_LONG)


def _find_terms(corpus: Corpus, nodes: Candidates) -> Hashes:
    """Return the hash of the term (``dt``) that each candidate in a ``dd`` belongs to."""
    elements, rows = corpus.elements, nodes.rows
    is_dd = elements.tag == np.uint64(hash_text("dd"))
    for _ in range(MAX_IN_DD):
        rows = np.where(is_dd[rows], rows, elements.parent[rows])
    terms = np.where(elements.heading[rows] > TOO_LONG, elements.heading[rows], np.uint64(BLANK))
    found: Hashes = np.where(is_dd[rows], terms, np.uint64(TOO_LONG))
    return found


def _find_first_texts(corpus: Corpus, nodes: Candidates, marked: Ints) -> Hashes:
    """Return the hash of the text of the first element among each candidate's siblings, TOO_LONG for candidates that are this element."""
    first = corpus.elements.first[corpus.elements.parent[nodes.rows]]
    found: Hashes = np.where(
        _are_at_place(corpus, nodes, marked) & (first != nodes.rows), corpus.elements.whole[first], np.uint64(TOO_LONG)
    )
    return found


def _find_texts_before(corpus: Corpus, nodes: Candidates, marked: Ints) -> Hashes:
    """Return the hash of the text of the element before each candidate.

    Where nothing stands before the marks in their elements, what stands before the elements counts.
    """
    elements = corpus.elements
    label = elements.whole[elements.before[nodes.rows]]
    if nodes.target.kind == "text":
        inside = elements.whole[corpus.texts.left[nodes.texts]]
        label = inside if (inside[marked] > BLANK).any() else label
    found: Hashes = np.where(_are_at_place(corpus, nodes, marked), label, np.uint64(TOO_LONG))
    return found


def _are_at_place(corpus: Corpus, nodes: Candidates, marked: Ints) -> Bools:
    """Return which candidates are at places like those of the marks. A place is the tags of the element and of the two around it."""
    elements, rows = corpus.elements, nodes.rows
    around = elements.parent[rows]
    places = np.stack([elements.tag[rows], elements.tag[around], elements.tag[elements.parent[around]]], axis=1)
    found: Bools = (places[:, None, :] == np.unique(places[marked], axis=0)[None, :, :]).all(axis=2).any(axis=1)
    return found
