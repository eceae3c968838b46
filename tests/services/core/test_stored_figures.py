"""The figures of a run can be read again, those of earlier releases, too."""

import importlib

import pytest
from django.apps import apps

from extraction.models import Run
from extraction.models.run_values import RunSummary
from extraction.services.core import runs
from tests.services import factory

pytestmark = pytest.mark.django_db


def test_figures_that_could_not_be_read_again_are_not_stored(sent: list[int]) -> None:
    run = factory.run(factory.site(), Run.Kind.REUSE)
    with pytest.raises(ValueError, match="reused must be int, not False"):
        runs.execute_run(run.pk, {Run.Kind.REUSE: lambda *_: RunSummary(templates=1, reused=False)})
    run.refresh_from_db()
    assert run.summary == {}


def test_true_and_false_of_earlier_releases_become_numbers() -> None:
    site = factory.site()
    old = factory.run(site, Run.Kind.REUSE, Run.State.DONE, summary={"templates": 2, "reused": False, "live": True})
    new = factory.run(site, Run.Kind.REUSE, Run.State.DONE, summary={"templates": 2, "reused": 2})
    importlib.import_module("extraction.migrations.0038_numbers_of_reuse").write_numbers(apps, None)
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.read_summary().reused, old.read_summary().live, new.read_summary().reused) == (0, 1, 2)
