"""An administrator downloads everything that a person entered, and nothing else."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import models

from extraction.models import AlertChannel, DeliveryTarget, Label, ReaderToken, Site
from extraction.services.core import entered
from tests.views import world as worlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(sent: list[int]) -> worlds.World:
    return worlds.make()


@pytest.fixture
def ann(world: worlds.World) -> User:
    """Somebody who entered one thing of each kind that the world has."""
    ann = User.objects.create_user("ann", email="ann@example.org", password="a secret of ann")
    for kind in entered.KINDS:
        rows = apps.get_model(kind.model)._default_manager
        if first := rows.order_by("pk").first():
            rows.filter(pk=first.pk).update(**{kind.person: ann})
    return ann


def read(data: bytes) -> dict[str, list[dict[str, Any]]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: [json.loads(line) for line in archive.read(name).decode().splitlines()] for name in archive.namelist()}


def download(client: Any, person: User) -> dict[str, list[dict[str, Any]]]:
    answer = client.get(f"/settings/people/{person.pk}/entered/")
    assert answer.status_code == 200
    assert f'filename="{person.get_username()}.zip"' in answer["Content-Disposition"]
    return read(b"".join(answer.streaming_content))


def find_links() -> set[tuple[str, str]]:
    """Return every link of a model to a person."""
    return {
        (model._meta.label, field.name)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and field.related_model is User
    }


def test_every_link_to_a_person_is_in_the_file_or_left_out_for_a_reason() -> None:
    taken = [(kind.model, kind.person) for kind in entered.KINDS]
    assert len(set(taken)) == len(taken)
    assert set(taken) | set(entered.LEFT_OUT) == find_links()
    assert not set(taken) & set(entered.LEFT_OUT)


def test_one_of_each_kind_is_there(signed_in: Any, ann: User) -> None:
    files = download(signed_in("admin"), ann)
    for kind in entered.KINDS:
        expected = apps.get_model(kind.model)._default_manager.filter(**{kind.person: ann}).count()
        assert len(files[f"{kind.file}.jsonl"]) == expected, kind.file
    assert sum(map(len, files.values())) > 15
    assert files["person.json"][0]["email"] == "ann@example.org"


def test_a_marked_value_says_where_it_was_marked(signed_in: Any, ann: User) -> None:
    label = Label.objects.select_related("snapshot__page", "attribute").get(created_by=ann)
    row = download(signed_in("admin"), ann)["marked-values.jsonl"][0]
    assert (row["site"], row["page"]) == (label.cluster.site.name, label.snapshot.page.url)
    assert (row["attribute"], row["value"]) == (label.attribute.name, label.value)


def test_nothing_of_others_is_there(signed_in: Any, ann: User) -> None:
    bo = User.objects.create_user("bo")
    files = download(signed_in("admin"), bo)
    assert {name for name, rows in files.items() if rows} == {"person.json"}


def test_no_secret_is_there(signed_in: Any, ann: User) -> None:
    AlertChannel.objects.filter(created_by=ann).update(url="https://hooks.example/secret-of-a-channel")
    DeliveryTarget.objects.filter(created_by=ann).update(place="s3://secret-place", secret="sealed-secret")
    ReaderToken.objects.filter(created_by=ann).update(digest="d1ge57")
    text = json.dumps(download(signed_in("admin"), ann))
    for secret in ("secret-of-a-channel", "secret-place", "sealed-secret", "d1ge57", ann.password):
        assert secret not in text


@pytest.mark.parametrize("role", ["viewer", "editor", "operator"])
def test_only_administrators_have_it(signed_in: Any, ann: User, role: str) -> None:
    assert signed_in(role).get(f"/settings/people/{ann.pk}/entered/").status_code == 403


def test_the_command_writes_the_same(signed_in: Any, ann: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("export_person", "ann", to=tmp_path / "ann.zip")
    assert "entries of ann." in capsys.readouterr().out
    here, there = read((tmp_path / "ann.zip").read_bytes()), download(signed_in("admin"), ann)
    assert here.keys() == there.keys()
    assert here["marked-values.jsonl"] == there["marked-values.jsonl"] != []


def test_the_command_says_that_there_is_nobody(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is nobody called cy"):
        call_command("export_person", "cy", to=tmp_path / "cy.zip")
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_named(ann: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"missing.*No such file"):
        call_command("export_person", "ann", to=tmp_path / "missing" / "ann.zip")


def test_what_was_deleted_from_the_dashboard_is_gone_from_the_file(signed_in: Any, ann: User) -> None:
    Site.objects.all().delete()
    files = download(signed_in("admin"), ann)
    assert not files["marked-values.jsonl"]
