"""Fits the weights of proposals: ``python -m tests.quality.named_fit DATA … > extraction/algorithms/proposals/weights.py``.

DATA are folders as for `tests.quality.named`. Fitted is a conditional logit model: for each attribute the columns of its site compete with
each other and with "none of them", and the columns that hold the attribute (F1 of at least 0.8 and within 0.03 of the best) should win. The
verticals count alike whatever their number of sites (`EVENED`). Weights are pulled towards `PRIOR`, which was set by hand and decides for
evidence that these pages hardly have, and they keep their sign. Needs SciPy, which datasketch brings. On standard error: how well weights
fitted on the other verticals, or for verticals of many sites on other sites, choose.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.optimize import minimize

from extraction.algorithms.proposals.candidates import Candidate, list_candidates, read_template_pages
from extraction.algorithms.proposals.evidence import KINDS
from extraction.algorithms.proposals.propose import list_sought, measure_all, share_probability
from extraction.algorithms.proposals.surroundings import Surroundings
from tests.quality.named import Examples, learn_forms, list_attributes, read_examples, read_site
from tests.quality.scores import f1, sites

PRIOR: Mapping[str, float] = {
    "label": 4, "label far": 0.5, "label part": 1.5, "second label": 1, "heading above": 1, "column header": 2.5, "prefix": 2.5,
    "begins with": 0.5, "own name": 2, "own name part": 1, "name around": 1.5, "property": 1.5, "foreign label": -0.5, "foreign name": -0.3,
    "is a label": -0.7, "page data": 3.5, "page data part": 1, "page data differs": -1.2, "form": 3, "vague form": 0.7, "not the form": -2,
    "title of the page": 1.5, "top heading": 0.7, "heading": 0.7, "titled though no name": -0.3, "subject heading": 0.7,
    "common word": -1.2, "in parts": -0.8, "first of several": -1.5, "several though one": -1.5, "one though several": -1.6,
    "constant": -1.5, "aside": -0.8, "coverage": 3, "long": -1.2, "position": -1, "holds its label": -0.7, "element": -0.7,
    "learned form": 2, "known values": 1.5, "learned form differs": -2, "not a value seen": -0.5,
}  # fmt: skip
"""Weights set by hand."""

PULL = 0.006
"""How strongly weights are pulled towards `PRIOR`, per squared difference. From 0.001 to 0.01 the choices are about the same."""

EVENED = 0.6
"""An attribute counts 1 / n ** EVENED, where n is the number of attributes of all sites of its vertical."""

FEWEST, WITHIN = 0.8, 0.03
"""F1 from which a column holds an attribute, and how far from the best it may be."""

MANY_SITES, FOLDS = 20, 5
"""Sites from which on a vertical is divided into folds by site instead of being left out as a whole."""

MOST_PAGES = 12
"""Pages of a site that are read."""

MOST_SITES = 40
"""Sites of a vertical that are read, evenly over all."""


@dataclass(frozen=True)
class Choice:
    """An attribute of a site. evidence: rows of `KINDS`, one a column; scores: the columns' F1; right: which columns hold it."""

    site: str
    attribute: str
    evidence: np.ndarray
    scores: np.ndarray
    right: np.ndarray
    weight: float = 1.0

    @property
    def vertical(self) -> str:
        """What the records are."""
        return self.site.split("-")[0]


def read_choices(folders: Sequence[Path], examples: Sequence[Examples]) -> list[Choice]:
    """The choices of all sites; of those with examples only attributes that other sites have, too."""
    found = []
    for folder in folders:
        site = read_site(folder, most=MOST_PAGES)
        pages = read_template_pages(site.roots)
        columns = list_candidates(pages)
        surroundings = Surroundings(pages)
        views = [surroundings.view(each) for each in columns]
        forms = learn_forms(site, examples)
        attributes = [each for each in list_attributes(site, forms) if not examples or each.form is not None]
        for each, sought in zip(attributes, list_sought(attributes, site.items), strict=True):
            truth = {page: values for page, values in site.truth[each.name].items() if page in site.pages and values}
            if truth and columns:
                scores = _score(columns, site.pages, truth)
                right = scores >= max(FEWEST, float(scores.max()) - WITHIN)
                found.append(Choice(site.name, each.name, measure_all(columns, views, sought), scores, right))
    counts = Counter(each.vertical for each in found)
    return [Choice(e.site, e.attribute, e.evidence, e.scores, e.right, counts[e.vertical] ** -EVENED) for e in found]


def _score(columns: Sequence[Candidate], pages: Sequence[str], truth: Mapping[str, Sequence[str]]) -> np.ndarray:
    return np.array([f1(truth, {pages[page]: row for page, row in each.values}) for each in columns])


def choose_folders(folders: Sequence[Path]) -> list[Path]:
    """At most `MOST_SITES` sites of each vertical."""
    verticals: dict[str, list[Path]] = {}
    for folder in folders:
        verticals.setdefault(folder.name.split("-")[0], []).append(folder)
    return [folder for rows in verticals.values() for folder in rows[:: -(-len(rows) // MOST_SITES)]]


def fit(choices: Sequence[Choice]) -> tuple[np.ndarray, float]:
    """(weights of `KINDS`, score of none)."""
    prior = np.array([PRIOR[kind] for kind in KINDS])
    total = sum(each.weight for each in choices)

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        lost, slope = 0.0, np.zeros_like(parameters)
        for each in choices:
            shares = share_probability(each.evidence @ parameters[:-1], float(parameters[-1]))
            shares = np.append(shares, 1 - shares.sum())
            right = np.append(each.right, not each.right.any())
            sure = max(float(shares[right].sum()), 1e-12)
            wrong = shares - np.where(right, shares, 0) / sure
            lost -= each.weight * float(np.log(sure))
            slope[:-1] += each.weight * (wrong[:-1] @ each.evidence)
            slope[-1] += each.weight * wrong[-1]
        apart = parameters[:-1] - prior
        slope /= total
        slope[:-1] += 2 * PULL * apart
        return lost / total + PULL * float(apart @ apart), slope

    bounds = [(0, None) if PRIOR[kind] > 0 else (None, 0) for kind in KINDS]
    result = minimize(loss, np.append(prior, 6.0), jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)], options={"maxiter": 200})
    return result.x[:-1], float(result.x[-1])


def describe(name: str, choices: Sequence[Choice]) -> str:
    """How well weights that were fitted without an attribute's vertical or site choose for it."""
    lines = []
    verticals = sorted({each.vertical for each in choices})
    rows: list[tuple[str, float, float]] = []
    for vertical in verticals:
        own = sorted({each.site for each in choices if each.vertical == vertical})
        folds = [set(own)]
        if len(own) >= MANY_SITES:
            random.Random(0).shuffle(own)
            folds = [set(own[at::FOLDS]) for at in range(FOLDS)]
        for fold in folds:
            weights, none = fit([each for each in choices if each.site not in fold])
            for each in (each for each in choices if each.site in fold):
                shares = share_probability(each.evidence @ weights, none)
                best = int(np.argmax(shares))
                rows.append((vertical, float(each.scores[best]), float(shares[best])))
        mine = [score for each, score, _ in rows if each == vertical]
        lines.append(f"{name} {vertical}: mean F1 {fmean(mine):.3f} of {len(mine)}")
    for least in (0.5, 0.7, 0.8, 0.9):
        sure = [score for _, score, share in rows if share >= least]
        if sure:
            lines.append(f"{name} from {least}: {len(sure)} of {len(rows)}, right {fmean(score >= FEWEST for score in sure):.3f}")
    return "\n".join(lines)


def write(name: str, note: str, weights: np.ndarray) -> str:
    """A mapping of the module of weights."""
    rows = "".join(f'    "{kind}": {weight + 0.0:.2f},\n' for kind, weight in zip(KINDS, weights, strict=True))
    return f'{name}: Mapping[str, float] = {{\n{rows}}}\n"""{note}"""\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--without-test", action="store_true", help="only fit")
    options = parser.parse_args()
    folders = choose_folders([folder for data in options.data for folder in sites(data)])
    parts, nones = [], []
    for name, note, examples in (
        ("WEIGHTS", "Weights of the kinds of evidence where only names and types are known.", []),
        ("WEIGHTS_WITH_FORM", "Weights where values of other sites are known.", [read_examples(folder) for folder in folders]),
    ):
        choices = read_choices(folders, examples)
        if not options.without_test:
            print(describe(name, choices), file=sys.stderr, flush=True)
        weights, none = fit(choices)
        parts.append(write(name, note, weights))
        nones.append(none)
    print(HEADER.format(none=nones[0], with_form=nones[1]) + "\n" + "\n".join(parts), end="")


HEADER = '''"""How much each kind of evidence counts, as ``python -m tests.quality.named_fit`` fitted it."""

from collections.abc import Mapping

CONFIDENT = 0.85
"""Confidence from which a proposal is made with confidence (docs/quality.md says what was right from there on)."""

NONE, NONE_WITH_FORM = {none:.2f}, {with_form:.2f}
"""Scores of "none of the columns", by which a proposal's confidence falls if nothing speaks for its column."""
'''


if __name__ == "__main__":
    main()
