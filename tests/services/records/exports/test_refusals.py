"""What an export refuses before it writes anything, and what it says of what it cannot hold."""

from dataclasses import replace

import pytest

from extraction.algorithms.records.choice import ExportChoice
from extraction.models import Cluster
from extraction.services.records.exports import describe, export_records
from extraction.services.records.exports.export_records import ExportError, plan_export
from extraction.services.records.exports.formats import FORMATS
from extraction.services.records.exports.scopes import find_template_scope
from tests.services import factory
from tests.services.records.test_extract_records import extract, live

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(sent: list[int]) -> Cluster:
    shop = factory.shop(3)
    live(shop)
    extract(shop)
    return shop


def test_a_choice_that_gives_no_file_is_refused(shop: Cluster) -> None:
    scope = find_template_scope(shop)
    with pytest.raises(ExportError, match=r"has no list “reviews”\."):
        plan_export(scope, ExportChoice(columns=("title",), list="reviews"), FORMATS["csv"])
    with pytest.raises(ExportError, match=r"^Choose at least one column\.$"):
        plan_export(scope, ExportChoice(columns=("colour",)), FORMATS["csv"])
    narrow = replace(FORMATS["csv"], max_columns=1)
    with pytest.raises(ExportError, match=r"can hold 1 columns; these are 2\. Choose fewer"):
        plan_export(scope, ExportChoice(columns=("title", "price")), narrow)
    with pytest.raises(TypeError, match="is no text"):
        export_records.stream_export(plan_export(scope, ExportChoice(columns=("title",)), FORMATS["parquet"]))


def test_columns_that_had_to_be_renamed_and_values_that_do_not_fit_are_said(shop: Cluster) -> None:
    export = plan_export(find_template_scope(shop), ExportChoice(columns=("title", "price")), FORMATS["csv"])
    (title, price, *_) = export.columns
    renamed = replace(export, columns=(title, replace(price, name="price_2", source="price", part="value")))
    assert "Columns with another name, because names must differ: price is price_2." in describe.describe_losses(renamed)
    renamed.tally.misfits["price"] += 2
    assert any(
        each.startswith("Values that the type of their column cannot hold are written") for each in describe.describe_losses(renamed)
    )
    joined = replace(renamed, scope=replace(renamed.scope, line="a joined record"))
    assert describe._describe_line(joined) == "Each line is a joined record."
    assert describe._describe_line(renamed) == "Each line is a page."
