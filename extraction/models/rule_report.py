"""The report of a rule version: what the learner, a repair or an editor said about it, as values.

`Rule.report` holds `RuleReport.as_json()`. The report of a learned version is complete. An edited or repaired version has the
report of its predecessor, in which the entries of what changed are replaced.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class XPathReport(JsonValue):
    """The learner's figures for one XPath; the fields are those of `LearnedXPath`. An XPath that a person wrote has no figures."""

    xpath: str
    precision: float | None = None
    distance: int | None = None
    support: float | None = None
    several: float | None = None
    features: tuple[str, ...] | None = None
    doubt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelearnedReport(JsonValue):
    """How certain a repair is about an attribute: numbers of pages, named as in `Relearned`."""

    found: int = 0
    learned_from: int = 0
    judged: int = 0
    agreeing: int = 0
    returned: int = 0
    stage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReport(JsonValue):
    """The report on an attribute of a list's rows.

    relearned: set by a repair.
    """

    name: str
    alternatives: tuple[XPathReport, ...] = ()
    relearned: RelearnedReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeReport(JsonValue):
    """The report on one of the page's own attributes.

    edited_by: who wrote its XPath, None if it was learned.
    checked: number of pages that the XPaths were tried on.
    hits, several: number of pages with a value, and with several different ones.
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
    """A page on which a list's rule gives a different number of rows than the list was offered with."""

    snapshot: int
    rows: int
    given: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferDifference(JsonValue):
    """A clear difference between the rows that a list's rule gives and the rows of the offer from which the list was made.

    rows, given: number of rows offered and given on the pages compared.
    pages, unlike: number of pages compared, and of those that differ.
    on: the pages that differ most, in that order.
    """

    rows: int
    given: int
    pages: int
    unlike: int
    on: tuple[UnlikePage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReport(JsonValue):
    """The report on a list.

    alternatives: the XPaths of its rows.
    checked, hits: number of pages tried, and of those with rows.
    rows: number of rows in all.
    without: the first snapshots without rows.
    filled: {attribute: number of rows with a value}.
    offered: None if the rule gives about as many rows as the list was offered with.
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
    """A place that a person marked."""

    snapshot: int
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttribute(JsonValue):
    """An attribute or a list that could not be learned or found again, and the reason.

    snapshot, url: the page that shows the problem, if it is a single page.
    places: the marks that contradict each other, if they are known.
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
    """A rule that fits the marks equally well but costs more.

    more: its cost minus that of the chosen rule.
    support, several: as in `LearnedXPath`.
    differs: number of pages of the learning set on which it gives something else; 0 if it gives the same on all.
    pages: the first of these pages.
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
    """A value that is unlike those of the other pages, and the reason."""

    snapshot: int
    value: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDataReport(JsonValue):
    """How far an attribute's values agree with the embedded data of the pages.

    different: snapshots that differ.
    """

    words: str
    agree: int
    compared: int
    different: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(JsonValue):
    """Why an attribute's rule is as it is.

    features: the features of each alternative, those of its target first.
    """

    features: tuple[tuple[FeatureEffect, ...], ...] = ()
    rivals: tuple[Rival, ...] = ()
    odd: tuple[OddValue, ...] = ()
    own_data: OwnDataReport | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtReport(JsonValue):
    """A reason to look at some values of an attribute before the rule is published, see `ValueDoubt`.

    attribute: also that of a list.
    count: number of pages; pages: the first snapshots.
    """

    attribute: str
    kind: str
    words: str
    count: int = 0
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReport(JsonValue):
    """How many of the checked pages of a group have a value.

    name: which pages, such as "in the language de".
    hits: {attribute: number of pages with a value}, also for attributes of lists.
    without: {attribute: a snapshot of the group that has no value}; attributes that all pages have are missing.
    """

    name: str
    checked: int
    hits: Mapping[str, int] = field(default_factory=dict)
    without: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReusedFrom(JsonValue):
    """The template and the version that a reused rule was made from."""

    template: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleReport(JsonValue):
    """The report on a rule version.

    pages, checked, unreadable: number of pages of the cluster, of those the rule was tried on, and of those that could not be
        read.
    learning_pages: number of pages it was learned from.
    explained: {attribute: why its rule is as it is}.
    repaired_from, edited_from: the version that it was made from.
    doubts: what to look at before it is published.
    groups: how much it finds in groups of the pages, such as languages.
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
    doubts: tuple[DoubtReport, ...] = ()
    groups: tuple[GroupReport, ...] = ()

    @property
    def relearned(self) -> dict[str, RelearnedReport]:
        """{attribute: how certain a repair is about it} for each relearned attribute, including those of lists."""
        reports = [(each.name, each.relearned) for each in self.attributes]
        reports += [(column.name, column.relearned) for each in self.lists for column in each.attributes]
        return {name: relearned for name, relearned in reports if relearned}

    @property
    def failures(self) -> dict[str, str]:
        """{attribute or list: why it could not be learned or found again}."""
        return {each.name: each.reason for each in self.failed}
