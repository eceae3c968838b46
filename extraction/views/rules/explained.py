"""Why a rule is as it is, as its page shows it: the stored ids of pages become pages that can be opened."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from extraction.models import Snapshot, rule_report
from extraction.models.rule_report import Explanation, OwnDataReport, RuleReport

Pages = Mapping[int, Snapshot]


@dataclass(frozen=True, slots=True)
class Place:
    """A page to open, at a place where one is known; `show` is the place for the workbench's address."""

    snapshot: Snapshot
    text: str = ""
    other: str = ""
    show: str = ""


@dataclass(frozen=True, slots=True)
class ExplainedFeature:
    """What a rule asks for and how many other nodes that rules out; None for what is no condition of its own."""

    words: str
    rules_out: int | None


@dataclass(frozen=True, slots=True)
class ShownRival:
    """A rule that fits as well. more: what it costs beyond. differs: pages of those learned from where it gives something else;
    pages: some of them, `text` what the rule gives and `other` what this one would."""

    xpath: str
    features: tuple[str, ...]
    more: float
    support: float
    several: float
    differs: int
    pages: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class OwnData:
    """How far the values agree with what the pages say of themselves."""

    words: str
    agree: int
    compared: int
    different: tuple[Place, ...]

    @property
    def differing(self) -> int:
        return self.compared - self.agree


@dataclass(frozen=True, slots=True)
class Explained:
    """Why one attribute's rule is as it is, and which of its values to look at."""

    features: tuple[tuple[ExplainedFeature, ...], ...]
    rivals: tuple[ShownRival, ...]
    odd: tuple[Place, ...]
    own_data: OwnData | None


def explain_attributes(report: RuleReport) -> dict[str, Explained]:
    """Return {attribute: why} of a rule's report. Rules that were learned before reasons were stored have none."""
    kept = report.explained
    pages = Snapshot.objects.select_related("page").in_bulk({pk for each in kept.values() for pk in _list_snapshots(each)})
    return {name: _show_explanation(each, pages) for name, each in kept.items()}


def find_conflicts(report: RuleReport) -> dict[str, tuple[Place, ...]]:
    """Return {attribute that could not be learned: the labelled places that contradict each other}."""
    failed = {each.name: each.places or () for each in report.failed}
    pages = Snapshot.objects.select_related("page").in_bulk({place.snapshot for each in failed.values() for place in each})
    return {
        name: tuple(Place(pages[place.snapshot], show=json.dumps(place.location.as_json())) for place in each if place.snapshot in pages)
        for name, each in failed.items()
    }


def _list_snapshots(why: Explanation) -> Iterable[int]:
    yield from (each.snapshot for each in why.odd)
    yield from (each.snapshot for rival in why.rivals for each in rival.pages)
    yield from why.own_data.different if why.own_data else ()


def _show_explanation(why: Explanation, pages: Pages) -> Explained:
    return Explained(
        features=tuple(
            tuple(ExplainedFeature(each.words, each.rules_out if number else None) for number, each in enumerate(features))
            for features in why.features
        ),
        rivals=tuple(_show_rival(each, pages) for each in why.rivals),
        odd=tuple(Place(pages[each.snapshot], each.value, each.reason) for each in why.odd if each.snapshot in pages),
        own_data=_show_own_data(why.own_data, pages) if why.own_data else None,
    )


def _show_own_data(report: OwnDataReport, pages: Pages) -> OwnData:
    return OwnData(report.words, report.agree, report.compared, tuple(Place(pages[pk]) for pk in report.different if pk in pages))


def _show_rival(report: rule_report.Rival, pages: Pages) -> ShownRival:
    places = tuple(Place(pages[each.snapshot], each.mine, each.theirs) for each in report.pages if each.snapshot in pages)
    return ShownRival(report.xpath, report.features, report.more, report.support, report.several, report.differs, places)
