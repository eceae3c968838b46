"""The structure of a template's pages on the command line: what a method finds, or why it cannot."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from extraction.algorithms.alignment.methods import METHODS
from extraction.models import Cluster
from tests.services import factory, lists

pytestmark = pytest.mark.django_db


@pytest.fixture
def shops() -> Cluster:
    return lists.shops()


def told(method: str) -> str:
    out = StringIO()
    call_command("structure", "Shops", "1", "--method", method, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("method", METHODS)
def test_each_method_prints_the_schema_and_the_data_of_its_fields(shops: Cluster, method: str) -> None:
    lines = told(method).splitlines()
    assert lines[0].startswith(f"{method} on 6 pages in ")
    place, offers = next((place, line) for place, line in enumerate(lines) if " set of " in line and " on 6 pages, each:" in line)
    depth = len(offers) - len(offers.lstrip())
    assert lines[place + 1].startswith(" " * (depth + 2)) and " > " in "".join(lines[place + 1 : place + 3]), (
        "its fields stand below it, with their paths"
    )
    assert any(" | Tea " in line for line in lines) and max(map(len, lines)) < 250


def test_a_template_of_one_page_has_nothing_to_compare(shops: Cluster) -> None:
    alone = factory.cluster(shops.site, number=2)
    factory.snapshot(shops.site, "https://shops.example/alone", lists.html(1), cluster=alone)
    with pytest.raises(CommandError, match="1 readable sample page; a comparison needs at least two"):
        call_command("structure", "Shops", "2", stdout=StringIO())
