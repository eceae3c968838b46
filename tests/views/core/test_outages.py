"""A full disk or a database that is away is told to the person in words, with an answer that says that trying again may help."""

import errno
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.db import InterfaceError, OperationalError
from django.urls import reverse

from extraction.models import Run
from tests.services import factory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OperationalError("database is locked"), "The database is locked"),
        (OperationalError("database or disk is full"), "The disk is full"),
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full"),
        (InterfaceError("connection already closed"), "The database did not answer"),
    ],
)
def test_a_screen_says_which_part_of_the_machine_failed(
    signed_in: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    client = signed_in("viewer")
    client.raise_request_exception = False
    monkeypatch.setattr("extraction.views.sites.sites.render", fail)
    answer = client.get(reverse("sites"))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert said in answer.content.decode() and "Nothing was changed" in answer.content.decode()


def test_an_error_of_ours_is_no_outage(signed_in: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in("viewer")
    client.raise_request_exception = False
    monkeypatch.setattr("extraction.views.sites.sites.render", lambda *_: 1 / 0)
    answer = client.get(reverse("sites"))
    assert answer.status_code == 500 and b"Something went wrong" in answer.content


def test_an_upload_onto_a_full_disk_starts_nothing_and_says_so(signed_in: Any, monkeypatch: pytest.MonkeyPatch, sent: list[int]) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    client, site = signed_in("editor"), factory.site()
    client.raise_request_exception = False
    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", fail)
    answer = client.post(
        reverse("site_import", args=[site.slug]),
        {"file": SimpleUploadedFile("a.zip", b"PK" * 100), "archive": SimpleUploadedFile("a.zip", b"PK")},
    )
    assert answer.status_code == 503 and b"The disk is full" in answer.content
    assert not Run.objects.exists()
