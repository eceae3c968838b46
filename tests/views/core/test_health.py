"""What machines ask: is the process alive, can it serve, and how are the runs."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from extraction.models import Run
from extraction.services.core import api_tokens, heartbeats
from tests.services import factory


def test_a_process_that_answers_is_alive_and_ready(db: None) -> None:
    assert Client().get("/healthz").status_code == 200
    ready = Client().get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"ready": True, "problems": {}})
    assert Client().post("/readyz").status_code == 405


def test_without_a_storage_it_is_not_ready_and_tells_strangers_no_details(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> str:
        raise OSError("/secret/path is read-only")

    monkeypatch.setattr(default_storage, "save", fail)
    ready = Client().get("/readyz")
    assert (ready.status_code, ready.json()["problems"]) == (503, {"storage": "OSError"})


def test_metrics_count_runs_and_tell_when_a_site_last_succeeded(person: Any) -> None:
    site = factory.site('Books "new"')
    done = factory.run(site, Run.Kind.EXTRACT, Run.State.DONE)
    factory.run(site, Run.Kind.CRAWL, Run.State.FAILED)
    factory.run(site, Run.Kind.CLUSTER)
    token = api_tokens.create_token(person("viewer"), "prometheus", ["read"])
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {token}"})
    found = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }
    assert found["vertex_runs_unfinished", "cluster", "queued"] == 1
    assert found["vertex_runs_ended_24h", "crawl", "failed"] == found["vertex_runs_ended_24h", "done", "extract"] == 1
    assert done.finished_at
    assert found["vertex_last_success_timestamp_seconds", 'books "new"', "extract"] == pytest.approx(done.finished_at.timestamp())
    assert found["vertex_breakages_open",] == 0


def test_metrics_need_a_token_for_all_sites_that_may_read(person: Any, signed_in: Any) -> None:
    limited = api_tokens.create_token(person("admin"), "limited", ["read"], sites=[])
    other = api_tokens.create_token(person("admin"), "other", ["records"])
    assert [Client().get("/metrics", headers={"Authorization": f"Bearer {each}"}).status_code for each in (limited, other)] == [403, 403]
    assert signed_in("admin").get("/metrics").status_code == 401


def test_metrics_tell_how_fast_a_run_is_and_when_beat_last_ticked(person: Any) -> None:
    now = timezone.now()
    running = factory.run(factory.site(), Run.Kind.CRAWL, Run.State.RUNNING, done=300, summary={"before": 100})
    Run.objects.filter(pk=running.pk).update(started_at=now - timedelta(seconds=100))
    heartbeats.record_tick()
    token = api_tokens.create_token(person("viewer"), "prometheus", ["read"])
    lines = Client().get("/metrics", headers={"Authorization": f"Bearer {token}"}).content.decode().splitlines()
    (speed,) = [float(line.rpartition(" ")[2]) for line in lines if line.startswith("vertex_run_units_per_second{")]
    assert speed == pytest.approx(2.0, rel=0.3), "200 pages since it was resumed"
    (tick,) = [float(line.rpartition(" ")[2]) for line in lines if line.startswith("vertex_last_tick_timestamp_seconds ")]
    assert tick == pytest.approx(now.timestamp(), abs=60)
