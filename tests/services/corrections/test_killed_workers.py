"""A worker that is killed, and a person who corrects while a worker writes, lose no correction."""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import connection

from extraction import pipeline
from extraction.models import Cluster, Correction, RecordChange, Run
from extraction.services.core import lost_runs
from extraction.services.records import extract_records
from tests.services.corrections import test_corrections as shops
from tests.services.corrections.test_corrections import ann, correct, publish, record, shop, show, value
from tests.services.records.test_extract_records import extract, url_of_test_database

__all__ = ["ann", "shop"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("where", ["extract_records.apply_corrections", "tracking.track_records"])
def test_a_worker_killed_between_a_record_and_its_correction_loses_nothing(where: str, shop: Cluster, ann: User, sent: list[int]) -> None:
    show(shop)
    show(shop, url="https://shop.example/b")
    extract(shop)
    made = correct(ann, "price", "£8.50")
    publish(shop)  # the next run writes every record again
    run = extract_records.start_extraction(shop)
    code = (
        "import django; django.setup()\n"
        "from extraction import pipeline\n"
        "from tests.services import killed\n"
        f"killed.die('extraction.services.records.{where}', '1')\n"
        f"pipeline.execute_run({run.pk})\n"
    )
    name = str(connection.settings_dict["NAME"])
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "vertex.settings", "VERTEX_DATABASE_URL": url_of_test_database(name)}
    died = subprocess.run([sys.executable, "-c", code], env=environment, cwd=django_settings.BASE_DIR, check=False)
    assert died.returncode == -signal.SIGKILL
    assert (value("price"), shops.state(made)) == (["8.50 GBP"], Correction.State.ACTIVE)
    assert lost_runs.sweep_runs() == 1
    assert pipeline.execute_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.DONE, "")
    assert (value("price"), record().rule.version, shops.state(made)) == (["8.50 GBP"], 2, Correction.State.ACTIVE)
    assert RecordChange.objects.exclude(values={}).count() == 1  # the correction itself, once


@pytest.mark.django_db
def test_a_value_that_is_corrected_while_a_worker_writes_keeps_its_correction(
    shop: Cluster, ann: User, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    show(shop)
    extract(shop)
    publish(shop)
    really = extract_records._write

    def write(*args: Any) -> None:
        if not Correction.objects.exists():
            correct(ann, "price", "£8.50")  # after the worker has read the page and before it writes
        really(*args)

    monkeypatch.setattr(extract_records, "_write", write)
    extract(shop)
    assert (value("price"), record().rule.version) == (["8.50 GBP"], 2)
