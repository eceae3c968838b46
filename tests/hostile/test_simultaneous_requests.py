"""Two requests that store the same thing at the same moment: the later one is answered in words, as if it had come after the other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from extraction.models import ApiScope, Monitor, RecordType, RefreshSchedule, SiteFetching, Team
from extraction.services.core import api_tokens
from tests.views.core.test_audit_changes import CHANGES, send
from tests.views.world import World, make


@pytest.fixture
def world(db: None, sent: list[int]) -> World:
    return make()


def come_first(monkeypatch: pytest.MonkeyPatch, model: Any) -> list[int]:
    """Let the first row fail as if another request had stored it just before. Return a list with an entry for each try."""
    save, calls = model.save_base, list[int]()

    def save_later(row: Any, *args: Any, **options: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise IntegrityError("UNIQUE constraint failed")  # what the database says
        save(row, *args, **options)

    monkeypatch.setattr(model, "save_base", save_later)
    return calls


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("team_new", Team),
        ("record_type_new", RecordType),
        ("site_monitor", Monitor),
        ("site_fetching", SiteFetching),
        ("site_refresh_schedule", RefreshSchedule),
        ("cluster_refresh_schedule", RefreshSchedule),
    ],
)
def test_a_change_that_another_request_was_in_the_way_of_is_made_after_it(
    signed_in: Callable[[str], Client], world: World, monkeypatch: pytest.MonkeyPatch, name: str, model: Any
) -> None:
    prepared = CHANGES[name][0](world)
    calls = come_first(monkeypatch, model)
    assert send(signed_in("admin"), world, name, prepared).status_code == 302
    assert len(calls) == 2


def test_a_name_that_was_taken_meanwhile_is_refused_in_words(
    signed_in: Callable[[str], Client], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from extraction.services.core import teams

    create = teams.create_team

    def create_second(name: str) -> Team:
        create(name)
        return create(name)

    monkeypatch.setattr(teams, "create_team", create_second)
    answer = signed_in("admin").post(reverse("team_new"), {"name": "Films"})
    assert answer.status_code == 400 and Team.objects.filter(name="Films").count() == 1
    token = api_tokens.create_token(User.objects.get(username="admin"), "test", list(ApiScope))
    program = Client(headers={"Authorization": f"Bearer {token}"})
    answer = program.post("/api/v1/teams", {"name": "Music"}, content_type="application/json")
    assert answer.status_code == 422 and Team.objects.filter(name="Music").count() == 1


def test_what_fails_twice_is_an_error(signed_in: Callable[[str], Client], world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise IntegrityError("CHECK constraint failed")

    monkeypatch.setattr(Team, "save_base", fail)
    client = signed_in("admin")
    with pytest.raises(IntegrityError):
        client.post(reverse("team_new"), {"name": "Films"})
