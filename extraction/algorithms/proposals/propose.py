"""Fills a record type's attributes on pages of one template on which nothing is marked, from the attributes' names and types.

    propose_values([page.root for page in pages], [SoughtAttribute("director"), SoughtAttribute("price", "price")])

Every column that could hold a value (`candidates`) is scored for every attribute by the weighted sum of the evidence (`evidence`,
`weights`). The scores and that of "none of them" become probabilities (a conditional logit model), and those of columns with nearly the
same values are added up: their sum is the confidence. A proposal is never a value by itself: an editor accepts it, and then it becomes
marks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.markup.items import Item
from extraction.algorithms.proposals.candidates import Candidate, TemplatePages, list_candidates, read_template_pages
from extraction.algorithms.proposals.evidence import KINDS, Sought, measure_evidence, read_page_data
from extraction.algorithms.proposals.learned_forms import LearnedForm
from extraction.algorithms.proposals.reasons import find_reasons
from extraction.algorithms.proposals.surroundings import Surroundings, View
from extraction.algorithms.proposals.weights import CONFIDENT, NONE, NONE_WITH_FORM, WEIGHTS, WEIGHTS_WITH_FORM
from extraction.algorithms.suggestion.concepts import Meaning, find_meaning
from extraction.algorithms.values.column import fits_type
from extraction.algorithms.values.read import read_value
from extraction.algorithms.values.reading import ValueType

SAME = 0.8
"""Least F1 of the values of two columns that count as one."""

FAINT = 0.08
"""Confidence below which nothing is proposed at all."""

TAKEN = 1.0
"""What a column's score loses if an attribute that is surer of it has it: two attributes rarely share a column, but may."""

SURE = 0.4
"""Confidence from which a column counts as taken."""

UNREAD = 4.0
"""What a column's score loses if none of its values can be read as the attribute's type."""

AGREES = 0.955
"""Least agreement with the pages' own data. Two pages reach 0.95 if one of them has the headline of an article for the name of a
recipe, and so do values that differ in capitals."""

READ_COLUMNS, READ_VALUES = 12, 6
"""Best columns whose values are read as the attribute's type, and how many values: dates take milliseconds each."""


@dataclass(frozen=True, slots=True)
class SoughtAttribute:
    """An attribute of a record type.

    multiple: whether it takes several values, None where nobody said.
    form: what its values look like on other sites, None where there are none.
    """

    name: str
    type: ValueType = "text"
    multiple: bool | None = None
    form: LearnedForm | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """What is proposed for an attribute.

    confidence: estimated probability that the values are right, from 0 to 1.
    values: {number of the page: its values in document order}, without pages that have none; empty if nothing is proposed.
    reasons: what speaks for it, in words, the strongest reason first.
    agrees_with_data: False if the pages' own data gives the attribute other values.
    """

    name: str
    confidence: float
    values: Mapping[int, tuple[Value, ...]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    agrees_with_data: bool = True

    @property
    def confident(self) -> bool:
        """Whether it is likely enough to be accepted without looking at others."""
        return bool(self.values) and self.agrees_with_data and self.confidence >= CONFIDENT


def propose_values(
    roots: Sequence[etree._Element], attributes: Sequence[SoughtAttribute], *, items: Sequence[Sequence[Item]] = ()
) -> list[Proposal]:
    """Return a proposal for each attribute, in their order. Fewer than two pages give none.

    roots: pages of one template.
    items: what each page says about itself for machines; empty where nothing was read.
    """
    if len(roots) < 2:
        return [Proposal(each.name, 0.0) for each in attributes]
    pages = read_template_pages(roots)
    candidates = list_candidates(pages)
    if not candidates:
        return [Proposal(each.name, 0.0) for each in attributes]
    return _Chooser(pages, candidates, attributes, items).choose()


class _Chooser:
    """Chooses a column for each attribute, the surest first."""

    def __init__(
        self, pages: TemplatePages, candidates: Sequence[Candidate], attributes: Sequence[SoughtAttribute], items: Sequence[Sequence[Item]]
    ) -> None:
        self.pages, self.candidates, self.attributes = pages, candidates, attributes
        self.surroundings = Surroundings(pages)
        self.views = [self.surroundings.view(each) for each in candidates]
        self.sought = list_sought(attributes, items)
        self.evidence = [measure_all(candidates, self.views, each) for each in self.sought]
        self.scores = [self._score(at) for at in range(len(attributes))]
        self.none = [NONE if each.form is None else NONE_WITH_FORM for each in attributes]

    def choose(self) -> list[Proposal]:
        """Return the proposals."""
        waiting, found = set(range(len(self.attributes))), dict[int, Proposal]()
        while waiting:
            shares = {at: share_probability(self.scores[at], self.none[at]) for at in waiting}
            at = min(waiting, key=lambda each: (-float(shares[each].max()), each))
            best = int(np.argmax(shares[at]))
            alike = [number for number in self._near(at, best) if _are_alike(self.candidates[number], self.candidates[best])]
            confidence = float(shares[at][alike].sum())
            found[at] = self._proposal(at, best, confidence)
            waiting.remove(at)
            if confidence >= SURE:
                for other in waiting:
                    self.scores[other][alike] -= TAKEN
        return [found[at] for at in range(len(self.attributes))]

    def _near(self, at: int, best: int) -> list[int]:
        """Return the columns whose score is not hopeless beside that of the best."""
        return [int(number) for number in np.flatnonzero(self.scores[at] > self.scores[at][best] - 6.0)]

    def _score(self, at: int) -> np.ndarray:
        """Return the score of each column for an attribute."""
        attribute = self.attributes[at]
        weights = WEIGHTS if attribute.form is None else WEIGHTS_WITH_FORM
        scores: np.ndarray = self.evidence[at] @ np.array([weights[kind] for kind in KINDS])
        if attribute.type not in ("text", "image"):
            for number in np.argsort(-scores, kind="stable")[:READ_COLUMNS]:
                scores[number] -= UNREAD * (1 - share_read(self.views[int(number)].texts, attribute.type))
        return scores

    def _proposal(self, at: int, best: int, confidence: float) -> Proposal:
        attribute = self.attributes[at]
        if confidence < FAINT or attribute.type == "image":
            return Proposal(attribute.name, confidence)
        candidate, evidence = self.candidates[best], dict(zip(KINDS, self.evidence[at][best], strict=True))
        values = {page: tuple(Value(found.unit.text, found.unit.place) for found in row) for page, row in sorted(candidate.group.items())}
        weights = WEIGHTS if attribute.form is None else WEIGHTS_WITH_FORM
        reasons = find_reasons(evidence, weights, self.views[best], self.sought[at], len(self.pages.roots), self.surroundings.written)
        told = any(each.weight == 1 for row in self.sought[at].data.values() for each in row)
        return Proposal(attribute.name, confidence, values, reasons, not told or evidence["page data"] >= AGREES)


def list_sought(attributes: Sequence[SoughtAttribute], items: Sequence[Sequence[Item]]) -> list[Sought]:
    """Return what is sought for each attribute, with what the pages' own data says about it."""
    meanings = [find_typed_meaning(each.name, each.type) for each in attributes]
    data = [read_page_data(meanings, each) for each in items]
    return [
        Sought(meaning, each.multiple, {page: row[at] for page, row in enumerate(data)}, each.form)
        for at, (meaning, each) in enumerate(zip(meanings, attributes, strict=True))
    ]


def find_typed_meaning(name: str, kind: ValueType) -> Meaning:
    """Return what an attribute means. The type says what values look like if the name does not."""
    return find_meaning(
        name, form={"price": "price", "date": "date", "number": "number", "url": "url", "boolean": "boolean"}.get(kind, "text")
    )


def measure_all(candidates: Sequence[Candidate], views: Sequence[View], sought: Sought) -> np.ndarray:
    """Return the evidence of all candidates for an attribute, as rows of `KINDS`."""
    return np.array([measure_evidence(each, view, sought) for each, view in zip(candidates, views, strict=True)])


def share_probability(scores: np.ndarray, none: float) -> np.ndarray:
    """Return the probability of each column. The rest up to 1 is the probability that it is none of them.

    none: the score of "none of them".
    """
    highest = max(float(scores.max()), none)
    weights = np.exp(scores - highest)
    shares: np.ndarray = weights / (weights.sum() + np.exp(none - highest))
    return shares


def share_read(texts: Sequence[str], kind: ValueType) -> float:
    """Return the share of texts that can be read as a type, of the first different ones."""
    some = list(dict.fromkeys(texts))[:READ_VALUES]
    return sum(_is_readable(text, kind) for text in some) / len(some)


def _is_readable(text: str, kind: ValueType) -> bool:
    if kind in ("url", "image"):
        return read_value(text, kind, base_url="https://site.example/").value is not None
    return fits_type(text, kind)


def _are_alike(one: Candidate, other: Candidate) -> bool:
    """Return whether two columns have nearly the same values page by page."""
    mine = {(page, value) for page, row in one.values for value in row}
    theirs = {(page, value) for page, row in other.values for value in row}
    return 2 * len(mine & theirs) >= SAME * (len(mine) + len(theirs))
