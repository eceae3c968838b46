"""Exports say which values of a line a person corrected, who, and when."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from extraction.algorithms.records.choice import ExportChoice
from extraction.algorithms.records.columns import list_page_columns
from extraction.algorithms.records.correction_cells import describe_corrections
from extraction.algorithms.records.record_origins import CorrectionMark, Origin
from extraction.models import Cluster, Correction, Record
from extraction.services.records.exports import describe, export_records, scopes
from extraction.services.records.exports.export_records import Export, ExportError
from extraction.services.records.exports.formats import FORMATS
from tests.services.corrections.test_corrections import ann, correct, shop, show
from tests.services.records.exports.readers import READERS
from tests.services.records.test_extract_records import extract

__all__ = ["ann", "shop"]

pytestmark = pytest.mark.django_db

ABOUT = ("corrected", "corrected_by", "corrected_at")


def write(cluster: Cluster, path: Path, name: str = "jsonl", list_name: str = "", about: tuple[str, ...] = ABOUT) -> Export:
    scope = scopes.find_template_scope(cluster)
    names = tuple(each.name for each in scope.attributes[list_name])
    export = export_records.plan_export(scope, ExportChoice(columns=names, about=about, list=list_name), FORMATS[name])
    export_records.write_export(export, path)
    return export


def read(cluster: Cluster, path: Path, **options: Any) -> dict[str, list[Any]]:
    write(cluster, path, **options)
    return READERS[options.get("name", "jsonl")](path)


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_page_says_what_was_corrected_by_whom_and_when(shop: Cluster, ann: User, tmp_path: Path, name: str) -> None:
    show(shop, ("A", "7"), price=None)
    show(shop, url="https://shop.example/b")
    extract(shop)
    correct(ann, "title", "EMMA")
    made = correct(User.objects.create_user("bo"), "price", "£8.50")
    correct(ann, "cost", "8", row=0)  # a value of a row, which the page's line does not have
    assert made.kind == Correction.Kind.FILLED
    found = read(shop, tmp_path / "x", name=name)
    days = {each.attribute.name: f"{each.at.astimezone(UTC):%Y-%m-%d}" for each in Correction.objects.select_related("attribute")}
    assert set(found["corrected"][0].split("; ")) == {f"title by ann, {days['title']}", f"price filled in by bo, {days['price']}"}
    assert found["corrected_by"][0] == "ann; bo"
    at = found["corrected_at"][0]
    at = datetime.fromisoformat(at) if isinstance(at, str) else at
    assert abs((at.replace(tzinfo=UTC) - made.at).total_seconds()) < 0.002, "the last of them"
    assert [found[each][1] or None for each in ABOUT] == [None] * 3, "nobody corrected the other page"


def test_a_row_has_its_own_corrections_and_those_of_its_page(shop: Cluster, ann: User, tmp_path: Path) -> None:
    show(shop, ("A", "7"), ("B", "9"))
    extract(shop)
    correct(ann, "cost", "8", row=1)
    correct(User.objects.create_user("bo"), "cost", row=0)  # rejected
    day = f"{Correction.objects.latest('pk').at.astimezone(UTC):%Y-%m-%d}"
    found = read(shop, tmp_path / "x", list_name="offers")
    assert found["cost"] == [None, "8"]
    assert found["corrected"] == [f"cost rejected by bo, {day}", f"cost by ann, {day}"]
    correct(ann, "title", "EMMA")
    found = read(shop, tmp_path / "y", list_name="offers")
    assert found["corrected"] == [f"cost rejected by bo, {day}; title by ann, {day}", f"cost by ann, {day}; title by ann, {day}"]
    assert found["corrected_by"] == ["ann; bo", "ann"]


def test_a_value_of_the_page_that_its_row_hides_is_not_in_the_line() -> None:
    first, last = (CorrectionMark(n, "corrected", "ada", f"2026-11-2{n}T23:30:00-02:00") for n in (7, 8))
    marks = [Origin("price", "", None, (), (), last), Origin("price", "offers", 1, (), (), first), Origin("title", "", None, (), (), first)]
    cells = [describe_corrections(marks, "offers", row, own=frozenset({"price"}))["corrected"] for row in (0, 1)]
    assert cells == ["title by ada, 2026-11-28", "price by ada, 2026-11-28; title by ada, 2026-11-28"], "days in UTC"
    assert describe_corrections(marks, "offers", 1, own=frozenset())["corrected"] == cells[1], "a row's rejected value is the row's"
    assert describe_corrections(marks)["corrected_at"] == datetime(2026, 11, 29, 1, 30, tzinfo=UTC)


def test_the_columns_change_no_other_cell_and_are_described(shop: Cluster, ann: User, tmp_path: Path) -> None:
    show(shop)
    extract(shop)
    correct(ann, "price", "£8.50")
    with_marks = write(shop, tmp_path / "x", about=("state", *ABOUT))
    write(shop, tmp_path / "y", about=("state",))
    (said,), (plain,) = ([json.loads(line) for line in (tmp_path / name).read_text().splitlines()] for name in ("x", "y"))
    assert {key: cell for key, cell in said.items() if key not in ABOUT} == plain
    properties = json.loads(describe.write_json_schema(with_marks))["properties"]
    assert (properties["corrected"]["type"], properties["corrected_at"]["format"]) == (["string", "null"], "date-time")
    assert "| corrected\\_by | – | the people who corrected values of the line" in describe.write_dictionary(with_marks)


def test_records_that_do_not_keep_who_corrected_them_refuse_the_columns(shop: Cluster) -> None:
    scope = scopes.ExportScope("Joined", Record.objects.none(), {"": ()}, frozenset(), read=lambda _: iter(()))
    with pytest.raises(
        ExportError, match=r"Joined: only the records of a template or a record type can say this\. Leave out corrected_by\."
    ):
        export_records.plan_export(scope, ExportChoice(columns=("source_url",), about=("corrected_by",)), FORMATS["csv"])
    assert not set(ABOUT) & set(list_page_columns(rows=True, sites=True, kept=scope.knows_corrections))
