"""What a change of attributes means for programs that read the records."""

from dataclasses import replace

import pytest

from extraction.models import RecordType
from extraction.services.schema import versions
from extraction.services.schema.versions import SchemaAttribute, compare_attributes
from tests.services import factory

TITLE, PRICE = SchemaAttribute(1, "title", "text"), SchemaAttribute(2, "price", "price", multiple=True)


@pytest.mark.parametrize(
    ("after", "said", "breaking"),
    [
        ([TITLE, PRICE], [], []),
        ([PRICE, TITLE], ["The columns have another order."], []),
        ([TITLE, PRICE, SchemaAttribute(None, "isbn", "text")], ["isbn is new."], []),
        ([replace(TITLE, mandatory=True), PRICE], ["title is now mandatory."], []),
        ([TITLE], [], ["price is removed."]),
        ([TITLE, SchemaAttribute(None, "price", "price", multiple=True)], ["price is new."], ["price is removed."]),
        ([replace(TITLE, name="name"), PRICE], [], ["title is called name."]),
        ([replace(TITLE, type="number"), PRICE], [], ["title changes its type from Text to Number."]),
        ([TITLE, replace(PRICE, multiple=False)], [], ["price is now a single value, no list."]),
        ([TITLE, replace(PRICE, list="offers")], [], ["price moves from the page to offers."]),
    ],
)
def test_what_breaks_readers_is_told_from_what_does_not(after: list[SchemaAttribute], said: list[str], breaking: list[str]) -> None:
    found = compare_attributes([TITLE, PRICE], after)
    assert [each.text for each in found if not each.breaking] == said
    assert [each.text for each in found if each.breaking] == breaking


def test_a_version_is_counted_up_only_when_something_changed(db: None) -> None:
    kind: RecordType = factory.record_type()
    versions.follow_changes(kind)
    assert not kind.versions.exists(), "nobody has read the schema yet"
    assert (versions.record_version(kind).number, versions.record_version(kind).number) == (1, 1)
    kind.attributes.filter(name="title").update(name="name")
    versions.follow_changes(kind)
    newest = versions.record_version(kind)
    assert (newest.number, newest.breaking) == (2, ["title is called name."])
