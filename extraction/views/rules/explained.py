"""Why a rule is as it is, as its page shows it: the stored ids of pages become pages that can be opened."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from extraction.models import Snapshot

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
class Rival:
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
    rivals: tuple[Rival, ...]
    odd: tuple[Place, ...]
    own_data: OwnData | None


def explain_attributes(report: Mapping[str, Any]) -> dict[str, Explained]:
    """{attribute: why} of a rule's report. Rules that were learned before reasons were stored have none."""
    kept = report.get("explained", {})
    pages = Snapshot.objects.select_related("page").in_bulk({pk for each in kept.values() for pk in _ids(each)})
    return {name: _one(each, pages) for name, each in kept.items()}


def find_conflicts(report: Mapping[str, Any]) -> dict[str, tuple[Place, ...]]:
    """{attribute that could not be learned: the labelled places that contradict each other}."""
    failed = {each["name"]: each.get("places", []) for each in report.get("failed", [])}
    pages = Snapshot.objects.select_related("page").in_bulk({place["snapshot"] for each in failed.values() for place in each})
    return {
        name: tuple(Place(pages[row["snapshot"]], show=json.dumps(row["location"])) for row in each if row["snapshot"] in pages)
        for name, each in failed.items()
    }


def _ids(each: Mapping[str, Any]) -> Iterable[int]:
    yield from (row["snapshot"] for row in each["odd"])
    yield from (row["snapshot"] for rival in each["rivals"] for row in rival["pages"])
    yield from (each["own_data"] or {}).get("different", [])


def _one(each: Mapping[str, Any], pages: Pages) -> Explained:
    own = each["own_data"]
    return Explained(
        features=tuple(
            tuple(ExplainedFeature(row["words"], row["rules_out"] if number else None) for number, row in enumerate(rows))
            for rows in each["features"]
        ),
        rivals=tuple(_rival(row, pages) for row in each["rivals"]),
        odd=tuple(Place(pages[row["snapshot"]], row["value"], row["reason"]) for row in each["odd"] if row["snapshot"] in pages),
        own_data=own
        and OwnData(own["words"], own["agree"], own["compared"], tuple(Place(pages[pk]) for pk in own["different"] if pk in pages)),
    )


def _rival(row: Mapping[str, Any], pages: Pages) -> Rival:
    places = tuple(Place(pages[each["snapshot"]], each["mine"], each["theirs"]) for each in row["pages"] if each["snapshot"] in pages)
    return Rival(row["xpath"], tuple(row["features"]), row["more"], row["support"], row["several"], row["differs"], places)
