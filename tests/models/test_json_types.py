"""Values of JSON columns are read back as they were written, and JSON of another shape is refused with the key."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.models import Edit
from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.json_values import JsonShapeError, JsonValue
from extraction.models import Check, Clustering, Label, MergeProposal, Record, Rule, Run
from extraction.models.check_findings import AttributeFinding, CheckedPage, CheckEvidence
from extraction.models.kept_template import KeptTemplate
from extraction.models.marked_places import places_as_json, read_marked_places
from extraction.models.merge_evidence import MergeEvidence
from extraction.models.record_values import RecordValue, read_rows, read_values, rows_as_json, values_as_json
from extraction.models.rule_report import AttributeReport, Explanation, FailedAttribute, ListReport, RuleReport, XPathReport
from extraction.models.run_values import EXTRACT, RunParameters, RunSummary

KINDS: list[type[JsonValue]] = [
    AttributeFinding,
    AttributeReport,
    CheckEvidence,
    CheckedPage,
    Explanation,
    FailedAttribute,
    KeptTemplate,
    ListReport,
    MergeEvidence,
    RuleReport,
    RunParameters,
    RunSummary,
]

PLACES = st.builds(Location, st.integers(0, 99), st.just("text"), st.integers(1, 9))

TEXT = st.text(max_size=8)

st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
st.register_type_strategy(Location, PLACES)

RECORD_VALUES = st.builds(RecordValue, TEXT, st.none() | TEXT, TEXT)

VALUES = st.dictionaries(TEXT, st.lists(RECORD_VALUES, max_size=3), max_size=3)


def stored(data: Any) -> Any:
    """Return a value as it is read back from a column."""
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_is_read_back_as_it_was_written(kind: type[JsonValue]) -> None:
    @settings(max_examples=40)
    @given(st.from_type(kind))
    def comes_back(value: JsonValue) -> None:
        assert kind.from_json(stored(value.as_json())) == value

    comes_back()


@given(VALUES, st.dictionaries(TEXT, st.lists(VALUES, max_size=3), max_size=3))
def test_the_values_of_a_record_are_read_back(values: dict[str, Any], rows: dict[str, Any]) -> None:
    record = Record(values=stored(values_as_json(values)), rows=stored(rows_as_json(rows)))
    assert (record.read_values(), record.read_rows()) == (values, rows)


@given(st.none() | st.lists(PLACES, max_size=4).map(tuple))
def test_the_marked_places_of_an_attribute_are_read_back(said: tuple[Location, ...] | None) -> None:
    edit = Edit(before=stored(places_as_json(said)), after=[])
    assert (edit.read_before(), edit.read_after()) == (said, ())


def test_a_column_that_is_empty_is_an_empty_value() -> None:
    assert Rule(report={}).read_report() == RuleReport()
    assert (Run().read_parameters(), Run().read_summary()) == (RunParameters(), RunSummary())
    assert (Check().read_attributes(), Check().read_pages(), Check().read_evidence()) == ({}, (), ())
    assert (Record().read_values(), Record().read_rows()) == ({}, {})
    assert Clustering().read_templates() == ()
    assert Label(location=None).read_location() is None


def test_unset_values_are_not_stored() -> None:
    assert RunParameters().as_json() == {}
    assert RunParameters(mode=EXTRACT, rules=(3,)).as_json() == {"mode": "extract", "rules": [3]}
    assert RunParameters(method="").as_json() == {"method": ""}, "masked shingles, whatever the site's method is"
    assert XPathReport(xpath="//h1").as_json() == {"xpath": "//h1"}
    assert MergeEvidence(pages=8, complete=8).as_json() == {"pages": 8, "complete": 8}


def test_a_page_that_did_not_answer_is_stored_as_null() -> None:
    page = CheckedPage(url="https://x.example/", outcome="timeout", old=1, new=None)
    assert page.as_json() == {"url": "https://x.example/", "outcome": "timeout", "old": 1, "new": None}


def test_a_report_without_lists_and_explanations_is_read() -> None:
    old = {"attributes": [{"name": "title", "alternatives": [{"xpath": "//h1", "precision": 1}], "hits": 3, "checked": 4}]}
    report = RuleReport.from_json(old)
    assert (report.attributes[0].hits, report.lists, report.explained) == (3, (), {})
    assert report.attributes[0].alternatives[0].precision == 1.0


def test_keys_of_another_release_are_ignored() -> None:
    assert RunSummary.from_json({"pages": 3, "telepathy": True}) == RunSummary(pages=3)


def test_a_report_names_what_was_relearned_and_what_failed() -> None:
    relearned = {"found": 9, "learned_from": 3, "judged": 6, "agreeing": 5, "returned": 0, "stage": "exact"}
    column = {"name": "isbn", "relearned": relearned}
    report = RuleReport.from_json(
        {
            "attributes": [{"name": "title", "relearned": relearned}, {"name": "price"}],
            "lists": [{"name": "editions", "attributes": [column]}],
            "failed": [{"name": "cover", "reason": "gone"}],
        }
    )
    assert {name: each.judged for name, each in report.relearned.items()} == {"title": 6, "isbn": 6}
    assert report.failures == {"cover": "gone"}


@pytest.mark.parametrize(
    ("read", "named"),
    [
        (lambda: Rule(report=[]).read_report(), "RuleReport must be an object"),  # type: ignore[misc]  # the wrong shape is what is tested
        (lambda: Rule(report={"attributes": {"title": 1}}).read_report(), "attributes must be list"),
        (lambda: Rule(report={"attributes": [{"hits": 1}]}).read_report(), "attributes lacks name"),
        (lambda: Rule(report={"checked": True}).read_report(), "checked must be int"),
        (lambda: Run(parameters={"rules": ["1"]}).read_parameters(), "rules must be int"),
        (lambda: Run(summary={"outcomes": {"ok": "many"}}).read_summary(), "outcomes.ok must be int"),
        (lambda: Check(attributes={"title": "null"}).read_attributes(), "attributes.title must be an object"),
        (lambda: Check(pages=[{"url": "x"}]).read_pages(), "pages lacks outcome, old"),
        (lambda: Check(evidence="none").read_evidence(), "evidence must be list"),  # type: ignore[misc]  # the wrong shape is what is tested
        (lambda: MergeProposal(evidence={"pages": "8"}).read_evidence(), "pages must be int"),
        (lambda: Clustering(templates=[{"id": "one"}]).read_templates(), "id must be int"),
        (lambda: Record(values={"title": [{"value": "x"}]}).read_values(), "an object with a raw text"),
        (lambda: Record(values=["title"]).read_values(), "lists by attribute"),  # type: ignore[misc]  # the wrong shape is what is tested
        (lambda: Record(rows={"offers": {}}).read_rows(), "lists by name"),
        (lambda: Label(location={"node": -1}).read_location(), "not a location"),
        (lambda: Edit(before=[{"node": "1"}]).read_before(), "not a location"),
        (lambda: Edit(after={}).read_after(), "must be a list"),  # type: ignore[misc]  # the wrong shape is what is tested
        (lambda: FailedAttribute.from_json({"name": "a", "places": [{"snapshot": 1, "location": {}}]}), "location is no Location"),
    ],
)
def test_json_of_another_shape_is_refused_with_the_key(read: Callable[[], object], named: str) -> None:
    with pytest.raises(JsonShapeError, match=named):
        read()


@pytest.mark.parametrize("read", [read_values, read_rows, read_marked_places])
@pytest.mark.parametrize("data", [None, 3, "text", [3], {"a": 1}, {"a": [1]}])
def test_no_other_json_is_taken_for_a_value(read: Callable[[Any], object], data: object) -> None:
    with pytest.raises(JsonShapeError):
        read(data)
