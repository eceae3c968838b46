"""Finds an attribute on pages in a language of which no page is marked (docs/algorithms.md#rule-learning).

A rule that asks for the label "Artist" finds nothing on the pages of the other language. They have the same template with other labels, so
one of these stands for "Artist", and an alternative for it is added. If the pages say which language they are in, it is the label that is
paired with "Artist" when the labels of both languages are aligned (`label_pairs`).

Otherwise it must be the only label whose values look like those after "Artist". Where the rule finds something, other labels stand at such
places, too. A page counts as one of another language only if it has none of them: a page that merely lacks the attribute has some. The
labels of every alternative count, because the marks may show both languages already.

The alternative is a guess, and its doubt says so. It must not select anything on a marked page.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from extraction.algorithms.dom.page_language import primary_language
from extraction.algorithms.learning.feature_maker import TEXT, RuleFeature, is_label_feature
from extraction.algorithms.learning.label_pairs import LabelledPages, find_partner
from extraction.algorithms.learning.page_table import MAX_LABEL, TOO_LONG, Hashes
from extraction.algorithms.learning.solution import Solution
from extraction.algorithms.learning.solver import Solver
from extraction.algorithms.learning.strong_features import find_features
from extraction.algorithms.learning.text_forms import join_conditions, list_conditions

MIN_VALUES = 4
"""The smallest number of different values that show what a value looks like."""

MIN_PAGES = 2
"""The smallest number of pages that must have the other label."""

MAX_VALUES = 200
"""The largest number of values that are looked at."""

MAX_PLACES, MAX_LABELS = 3_000, 60
"""The largest number of places whose labels are aligned, and of labels. With more they are no labels but content."""

COLUMN_KINDS = ("label", "heading", "title")
"""Kinds of labels that can have another text elsewhere."""


def translate_label(solver: Solver, solution: Solution, alternatives: Sequence[Solution]) -> Solution | None:
    """Return the solution for the pages of another language, None where there are none or where no single label fits.

    solution: one that asks for a label. The returned one has no marks of its own.
    alternatives: all solutions of the rule. Pages on which one of them selects something are in a language that is known.
    """
    number = next((n for n, each in enumerate(solution.chosen.features) if is_label_feature(each) and each.kind in COLUMN_KINDS), None)
    if number is None or solver.multiple or solution.target.kind == "attribute":
        return None
    feature = solution.chosen.features[number]
    labels, pages = _read_labels(solver, solution, feature), solution.nodes.page
    wider = solution.select_without(number) & (labels > TOO_LONG)
    known = np.unique(np.concatenate([each.nodes.page[each.selected] for each in (solution, *alternatives)]))
    if spoken := _split_by_language(solver, set(known.tolist())):
        here, there = (np.flatnonzero(wider & np.isin(pages, chosen)) for chosen in spoken)
        label = _choose_aligned(solver, solution, labels, here, there)
        return None if label is None else _make_solution(solver, solution, number, there[labels[there] == label])
    usual = set(labels[wider & np.isin(pages, known)].tolist())
    others = wider & ~np.isin(pages, known) & ~solver.annotated[pages]
    strangers = [page for page in np.unique(pages[others]).tolist() if usual.isdisjoint(labels[others & (pages == page)].tolist())]
    places = np.flatnonzero(others & np.isin(pages, strangers))
    label = _choose_label(solver, solution, labels, places) if len(strangers) >= MIN_PAGES else None
    return None if label is None else _make_solution(solver, solution, number, places[labels[places] == label])


def _split_by_language(solver: Solver, known: set[int]) -> tuple[list[int], list[int]] | None:
    """Return the pages in the languages of the known pages and those in the one other language; None if pages do not say so."""
    spoken = [primary_language(page.root) for page in solver.corpus.pages]
    ours = {spoken[page] for page in known}
    if "" in ours or len(set(spoken) - ours - {""}) != 1:
        return None
    here = [page for page, language in enumerate(spoken) if language in ours]
    return here, [page for page, language in enumerate(spoken) if language and language not in ours]


def _choose_aligned(solver: Solver, solution: Solution, labels: Hashes, here: NDArray[np.intp], there: NDArray[np.intp]) -> int | None:
    """Return the label of the other language that the alignment pairs with the solution's, None if none is sure.

    here, there: the places with labels on pages of the known language and of the other one.
    """
    own = np.unique(labels[solution.selected])
    mine, theirs = (_read_rows(solver, solution, labels, places) for places in (here, there))
    return find_partner(int(own[0]), mine, theirs) if len(own) == 1 else None


def _read_rows(solver: Solver, solution: Solution, labels: Hashes, places: NDArray[np.intp]) -> LabelledPages:
    """Return the labels of the given candidates that several pages have once each, and whose values differ."""
    rows: dict[int, list[int]] = defaultdict(list)
    values: dict[int, list[str]] = defaultdict(list)
    for place in places[:MAX_PLACES].tolist():
        rows[int(solution.nodes.page[place])].append(int(labels[place]))
        values[int(labels[place])].append(solver.read_value(solution.nodes, place))
    twice = {label for row in rows.values() for label in set(row) if row.count(label) > 1}
    kept = {label: texts for label, texts in values.items() if label not in twice and len(texts) >= MIN_PAGES and len(set(texts)) > 1}
    return LabelledPages([[label for label in row if label in kept] for row in rows.values()], kept if len(kept) <= MAX_LABELS else {})


def _read_labels(solver: Solver, solution: Solution, feature: RuleFeature) -> Hashes:
    """The label of each candidate where the feature looks for one, 0 where it has none."""
    elements, texts, rows = solver.corpus.elements, solver.corpus.texts, solution.nodes.rows
    if feature.level == TEXT:
        labels: Hashes = elements.whole[texts.left[solution.nodes.texts]]
        return labels
    for _ in range(feature.level):
        rows = elements.parent[rows]
    return elements.heading[rows] if feature.kind in ("heading", "title") else elements.whole[elements.before[rows]]


def _choose_label(solver: Solver, solution: Solution, labels: Hashes, places: np.ndarray) -> int | None:
    """The one label whose values all have the form of the known ones, once on each of its pages."""
    known = [solver.read_value(solution.nodes, int(n)) for n in np.flatnonzero(solution.selected)[:MAX_VALUES]]
    if len(set(known)) < MIN_VALUES or not all(0 < len(text) <= MAX_LABEL for text in known):
        return None
    form = join_conditions(list_conditions(known))
    by_label: dict[int, list[int]] = defaultdict(list)
    for place in places.tolist():
        by_label[int(labels[place])].append(place)
    fitting = []
    for label, mine in by_label.items():
        pages = [int(solution.nodes.page[place]) for place in mine]
        texts = [solver.read_value(solution.nodes, place) for place in mine]
        if len(set(pages)) >= MIN_PAGES and len(set(texts)) > 1 and all(map(form.holds, texts)):
            fitting.append(label if len(set(pages)) == len(pages) else 0)
    return fitting[0] if len(fitting) == 1 and fitting[0] else None


def _make_solution(solver: Solver, solution: Solution, number: int, places: np.ndarray) -> Solution | None:
    """The solution with the label of the given candidates instead of its own."""
    old = solution.chosen.features[number]
    found = find_features(solver.corpus, solution.nodes, places.astype(np.int32), cost=solver.cost)
    same = [row for row in found if (row[0].kind, row[0].level, row[0].tag) == (old.kind, old.level, old.tag)]
    if not same:
        return None
    new, mask = min(same, key=lambda row: (row[0].cost, row[0].words))
    doubt = f"no page with this label is marked; its values only look like those of the rule that asks for a value {old.words}"
    features = (*solution.chosen.features[:number], new, *solution.chosen.features[number + 1 :])
    masks = (*solution.masks[:number], mask, *solution.masks[number + 1 :])
    selected = solution.select_without(number) & mask
    if solver.annotated[solution.nodes.page[selected]].any():
        return None
    others = ~solver.annotated
    support = len(np.unique(solution.nodes.page[selected])) / max(int(others.sum()), 1)
    chosen = replace(solution.chosen, features=features, support=support)
    return replace(solution, marks=(), chosen=chosen, masks=masks, selected=selected, doubt=doubt)
