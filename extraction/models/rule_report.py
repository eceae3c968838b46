"""The report kept with a rule version: what the learner, a repair or an editor said of it, as values.

`Rule.report` holds `RuleReport.as_json()`. Every version made by learning has all of it; an edited or repaired version has its
predecessor's report with the entries of what changed replaced.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class XPathReport(JsonValue):
    """What the learner said of one XPath; the fields are those of `LearnedXPath`. An XPath that a person wrote has no figures."""

    xpath: str
    precision: float | None = None
    distance: int | None = None
    support: float | None = None
    several: float | None = None
    features: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelearnedReport(JsonValue):
    """How sure a repair is of an attribute: numbers of pages, named as in `Relearned`."""

    found: int = 0
    learned_from: int = 0
    judged: int = 0
    agreeing: int = 0
    returned: int = 0
    stage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReport(JsonValue):
    """What is said of an attribute of a list's rows. relearned: set by a repair."""

    name: str
    alternatives: tuple[XPathReport, ...] = ()
    relearned: RelearnedReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeReport(JsonValue):
    """What is said of one of the page's own attributes.

    edited_by: who wrote its XPath, None where it was learned.
    checked: pages that the XPaths were tried on.
    hits, several: pages with a value, and with several different ones.
    without, several_on: the first snapshots without a value, and with several.
    """

    name: str
    alternatives: tuple[XPathReport, ...] = ()
    relearned: RelearnedReport | None = None
    edited_by: str | None = None
    checked: int = 0
    hits: int = 0
    several: int = 0
    without: tuple[int, ...] = ()
    several_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlikePage(JsonValue):
    """A page on which a list's rule gives another number of rows than the list was offered with."""

    snapshot: int
    rows: int
    given: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferDifference(JsonValue):
    """Where a list's rule gives clearly more or fewer rows than the list was offered with.

    rows, given: rows offered and rows given on the pages compared.
    pages, unlike: pages compared, and those that differ.
    on: the pages that differ most, those first.
    """

    rows: int
    given: int
    pages: int
    unlike: int
    on: tuple[UnlikePage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReport(JsonValue):
    """What is said of a list.

    alternatives: the XPaths of its rows.
    checked, hits: pages tried, and those with rows.
    rows: how many there were in all.
    without: the first snapshots without rows.
    filled: {attribute: rows with a value}.
    offered: None where the rule gives about what the list was offered with.
    """

    name: str
    alternatives: tuple[XPathReport, ...] = ()
    checked: int = 0
    hits: int = 0
    rows: int = 0
    without: tuple[int, ...] = ()
    filled: Mapping[str, int] = field(default_factory=dict)
    attributes: tuple[ColumnReport, ...] = ()
    offered: OfferDifference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPlace(JsonValue):
    """A place that somebody marked."""

    snapshot: int
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttribute(JsonValue):
    """An attribute or a list that could not be learned or found again, and why.

    snapshot, url: the page that shows it, if it is one page.
    places: the marks that do not go together, where that is known.
    """

    name: str
    reason: str = ""
    snapshot: int | None = None
    url: str | None = None
    places: tuple[MarkedPlace, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureEffect(JsonValue):
    """A condition of an XPath, in words, and how many other nodes it rules out."""

    words: str
    rules_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalDifference(JsonValue):
    """A page on which the rule and a rival give different values."""

    snapshot: int
    mine: str
    theirs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival(JsonValue):
    """A rule that fits the marks as well and costs more.

    more: what it costs beyond the rule that was chosen.
    support, several: as in `LearnedXPath`.
    differs: pages of the learning set on which it gives something else; 0 for one that gives the same on all.
    pages: the first of them.
    """

    xpath: str
    features: tuple[str, ...]
    more: float
    support: float
    several: float
    differs: int
    pages: tuple[RivalDifference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OddValue(JsonValue):
    """A value unlike those of the other pages, and why."""

    snapshot: int
    value: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDataReport(JsonValue):
    """How far an attribute's values agree with what the pages say of themselves. different: snapshots that differ."""

    words: str
    agree: int
    compared: int
    different: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(JsonValue):
    """Why an attribute's rule is as it is. features: those of each alternative, its target first."""

    features: tuple[tuple[FeatureEffect, ...], ...] = ()
    rivals: tuple[Rival, ...] = ()
    odd: tuple[OddValue, ...] = ()
    own_data: OwnDataReport | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReusedFrom(JsonValue):
    """The template and the version that a reused rule was made of."""

    template: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleReport(JsonValue):
    """What is said of a rule version.

    pages, checked, unreadable: pages of the cluster, those the rule was tried on, and those that could not be read.
    learning_pages: pages it was learned from.
    explained: {attribute: why its rule is as it is}.
    repaired_from, edited_from: the version that it was made of.
    """

    pages: int | None = None
    checked: int | None = None
    unreadable: int | None = None
    learning_pages: int | None = None
    attributes: tuple[AttributeReport, ...] = ()
    lists: tuple[ListReport, ...] = ()
    failed: tuple[FailedAttribute, ...] = ()
    explained: Mapping[str, Explanation] = field(default_factory=dict)
    repaired_from: int | None = None
    reused_from: ReusedFrom | None = None
    edited_from: int | None = None

    @property
    def relearned(self) -> dict[str, RelearnedReport]:
        """How sure a repair is of each attribute that it relearned, those of lists among them."""
        told = [(each.name, each.relearned) for each in self.attributes]
        told += [(column.name, column.relearned) for each in self.lists for column in each.attributes]
        return {name: relearned for name, relearned in told if relearned}

    @property
    def failures(self) -> dict[str, str]:
        """{attribute or list: why it could not be learned or found again}."""
        return {each.name: each.reason for each in self.failed}
