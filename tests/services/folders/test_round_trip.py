"""What is exported and imported elsewhere is exported there as the same bytes."""

import pytest

from tests.services import factory
from tests.services.folders import folders, rich_site

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("choice", ["marked", "all"])
def test_a_site_with_everything_comes_back_as_the_same_bytes(choice, sent) -> None:
    before = folders.export(rich_site.shops().site, choice)
    folders.empty()
    done = folders.load(before)
    assert folders.export(done.site, choice) == before
    assert done.notes == ("The delivery Data team is switched off: passwords are not in the files. Enter them and switch it on.",)


def test_an_empty_site_comes_back(sent) -> None:
    before = folders.export(factory.site("Empty"))
    folders.empty()
    assert folders.export(folders.load(before).site) == before


def test_importing_twice_changes_nothing(sent) -> None:
    before = folders.export(rich_site.shops().site)
    assert folders.plan(before).empty
    folders.empty()
    folders.load(before)
    again = folders.plan(before)
    assert again.empty and not again.changes
