"""Uploads are refused before their bytes are read, unless an editor sends them."""

from typing import Any

import pytest
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.test import Client
from django.urls import reverse

from tests.views.world import World

BOUNDARY = "frontier"
HEAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'.encode()


class Endless:
    """A body that fails the test when a byte of it is read."""

    def read(self, *_: int) -> bytes:
        raise AssertionError("the body was read")

    readline = read


def send(client: Client, path: str, length: str) -> Any:
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    extra: dict[str, Any] = {"wsgi.input": Endless(), "CONTENT_LENGTH": length, "CONTENT_TYPE": kind}
    return client.generic("POST", path, b"", kind, **extra)


@pytest.mark.parametrize("length", ["1048577", "9" * 12, "9" * 30, "-1", "x"])
@pytest.mark.parametrize("role", [None, "viewer"])
@pytest.mark.django_db
def test_an_upload_by_anybody_else_is_not_read(client: Client, signed_in: Any, world: World, role: str | None, length: str) -> None:
    sender = signed_in(role) if role else client
    for path in (reverse("login"), reverse("site_import", args=[world.site.slug]), "/nowhere/", "/admin/login/"):
        assert send(sender, path, length).status_code == 403, path


def test_an_upload_above_the_limit_is_not_read(signed_in: Any, world: World, settings: Any) -> None:
    settings.VERTEX_UPLOAD_MAX_BYTES = 10_000_000
    answer = send(signed_in("editor"), reverse("site_import", args=[world.site.slug]), "12000000")
    assert answer.status_code == 413 and b"10,000,000 bytes" in answer.content


def test_a_large_form_of_anybody_is_not_written_to_disk(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", lambda *_: written.append(1))
    body = HEAD + b"x" * 2_000_000 + f"\r\n--{BOUNDARY}--\r\n".encode()
    assert client.post(reverse("login"), body, content_type=f"multipart/form-data; boundary={BOUNDARY}").status_code == 403
    assert not written
