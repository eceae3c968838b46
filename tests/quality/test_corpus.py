"""The committed corpus reaches its floors, and its files equal the output of its writer."""

from statistics import fmean
from typing import Any

import pytest

from tests.corpus import write
from tests.quality import absence, clustering, extraction, mutation, named, redesign, scores
from tests.quality.sites import folders, read_site

CORPUS = write.FOLDER
EXTRACTION = CORPUS / "extraction"

FLOORS = {2: (1.0, 0.0, 0.010), 5: (1.0, 0.0, 0.0)}
"""{annotated pages: (least macro F1, most false extraction, most F1 lost on changed pages)}. Reached once, and only ever made stricter."""


def test_the_committed_corpus_equals_what_the_writer_produces() -> None:
    written = write.files()
    there = {path.relative_to(CORPUS).as_posix(): path.read_text("utf-8") for path in CORPUS.rglob("*") if path.is_file()}
    assert there == written, "run python -m tests.corpus.write"


@pytest.mark.parametrize("annotated", FLOORS)
def test_extraction_reaches_its_floors_on_the_corpus(annotated: int) -> None:
    given: dict[str, Any] = {}
    without: dict[str, Any] = {}
    kept: list[tuple[float, float]] = []
    for folder in folders(EXTRACTION):
        site = read_site(folder)
        rules = extraction.learned(site, annotated)
        given[site.name] = extraction.predict(site, rules)
        without[site.name] = absence.predict(site, rules, annotated)
        kept += mutation.measure(site, rules, annotated).values()
        assert all(extraction.reproduced(site, rules, annotated).values()), site.name
    found = scores.extraction(EXTRACTION, given, annotated_pages=annotated)
    least, invented, lost = FLOORS[annotated]
    assert fmean(found.values()) >= least, {pair: value for pair, value in found.items() if value < 1}
    assert fmean(scores.absence(EXTRACTION, without, annotated_pages=annotated).values()) <= invented, "values are invented"
    assert fmean(before - after for before, after in kept) <= lost, "rules do not survive small changes"


def test_a_redesign_is_caught_and_repaired() -> None:
    folder = CORPUS / "redesign" / "concert-night-hall"
    found = scores.redesign(CORPUS / "redesign", {folder.name: redesign.predict(folder)})
    assert found.breaks == 5
    assert (found.caught, found.false, found.repaired) == (found.breaks, 0, found.breaks)


def test_pages_of_several_templates_are_told_apart() -> None:
    site = clustering.read_labelled(CORPUS / "clustering" / "mixed")
    found = scores.clustering(site.labels, clustering.predict(site))
    assert found["purity"] == 1
    assert found["V"] >= 0.95


def test_attributes_are_proposed_by_their_names_alone() -> None:
    """The records are of kinds that the weights were not fitted on."""
    outcomes = [outcome for folder in scores.sites(EXTRACTION) for outcome in named.run_site(folder, [])[0]]
    found = named.summarise(outcomes)
    assert found["macro F1"] >= 0.6, [each for each in outcomes if each.f1 < named.RIGHT]
    assert found["confident values right"] >= 0.95 and found["confident columns right"] == 1
    assert found["proposed with confidence"] >= 0.15
