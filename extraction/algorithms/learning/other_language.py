"""Finds an attribute on pages in a language of which no page is marked (docs/algorithms.md#rule-learning).

A rule that asks for the label "Artist" finds nothing on the pages of the other language. They have the same template with other labels, so
the values after one of these labels look like those after "Artist". An alternative for that label is added if it is the only one whose
values do. Where the rule finds something, other labels stand at such places, too. A page counts as one of another language only if it
has none of them: a page that merely lacks the attribute has some. The labels of every alternative count, because the marks may show both
languages already. The alternative is a guess, and its doubt says so. It must not select anything on a marked page.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from extraction.algorithms.learning.feature_maker import TEXT, RuleFeature, is_label_feature
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
    usual = set(labels[wider & np.isin(pages, known)].tolist())
    others = wider & ~np.isin(pages, known) & ~solver.annotated[pages]
    strangers = [page for page in np.unique(pages[others]).tolist() if usual.isdisjoint(labels[others & (pages == page)].tolist())]
    places = np.flatnonzero(others & np.isin(pages, strangers))
    label = _choose_label(solver, solution, labels, places) if len(strangers) >= MIN_PAGES else None
    return None if label is None else _make_solution(solver, solution, number, places[labels[places] == label])


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
