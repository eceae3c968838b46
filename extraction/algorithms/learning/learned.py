"""What the learner is given of an attribute, and what it returns."""

from dataclasses import dataclass

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.learning.text_range import TextPart


@dataclass(frozen=True, slots=True)
class Example:
    """What was marked on one page. page: its index in `pages`. locations: the marked places; () means that the page has no such value."""

    page: int
    locations: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class LearnedXPath:
    """One XPath of a rule and what is known about it.

    precision: the share of the nodes it selects on annotated pages that are marked.
    distance: the largest distance among its features.
    support: the share of unannotated pages where it selects something.
    several: for a single value, the share of unannotated pages where it selects more than one node.
    features: the conditions it tests, in words.
    doubt: why it may be wrong on other pages, in words; empty where nothing speaks against it.
    """

    xpath: str
    part: TextPart | None
    precision: float
    distance: int
    support: float
    several: float
    features: tuple[str, ...]
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Learned:
    """The alternatives in order; each page uses the first that selects something on it. Empty when no page has a value."""

    alternatives: tuple[LearnedXPath, ...]


@dataclass(frozen=True, slots=True)
class NotLearned:
    """Why there is no rule.

    reason: the explanation, in words.
    page: the index in `pages` of the page that shows the problem, if a single page does.
    places: (page, place) of the nodes in conflict, where they are known: two marks, or a mark and a node that cannot be told from it.
    """

    reason: str
    page: int | None = None
    places: tuple[tuple[int, Location], ...] = ()
