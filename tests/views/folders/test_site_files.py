"""Sites as files in the dashboard: a download, a difference, and the import that was shown."""

import io
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from extraction.models import Cluster, Decision, Site
from tests.services.folders import folders, rich_site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]


def download(client: Any, pages: str = "marked") -> bytes:
    answer = client.get(reverse("site_files", args=["shops"]) + f"?pages={pages}")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="shops.zip"'
    return b"".join(answer.streaming_content)


def send(client: Any, data: bytes, **fields: Any) -> Any:
    return client.post(reverse("site_files_upload"), {"file": SimpleUploadedFile("shops.zip", data), **fields})


def test_the_download_is_a_zip_file_of_the_site(signed_in: Any) -> None:
    rich_site.shops()
    client = signed_in("editor")
    with zipfile.ZipFile(io.BytesIO(download(client))) as archive:
        assert "templates/1-shop-page-no1/rule.yaml" in archive.namelist()
        few = len(archive.namelist())
    assert download(client) == download(client)
    with zipfile.ZipFile(io.BytesIO(download(client, "all"))) as archive:
        assert len(archive.namelist()) > few


def test_an_upload_shows_the_difference_and_is_imported_when_a_person_says_so(signed_in: Any) -> None:
    rich_site.shops()
    client = signed_in("operator")
    data = download(client)
    folders.empty()
    shown = send(client, data)
    page = shown.content.decode()
    assert "as a new site" in page and "template 1: its rule" in page and not Site.objects.exists()
    done = client.post(reverse("site_files_import"), {"token": shown.context["token"]}, follow=True)
    text = done.content.decode()
    assert "Imported." in text and "is switched off" in text
    assert Decision.objects.get().by_name == "operator"
    assert "Nothing changes." in send(client, data).content.decode()


def test_an_upload_with_a_mistake_shows_its_file_and_line(signed_in: Any) -> None:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr("site.yaml", "format: 1\nnmae: Shops\n")
    answer = send(signed_in("operator"), found.getvalue())
    assert answer.status_code == 400
    assert "site.yaml:2: &#x27;nmae&#x27; is not known here; did you mean &#x27;name&#x27;?" in answer.content.decode()


def test_conflicts_are_shown_and_cannot_be_imported(signed_in: Any) -> None:
    rich_site.shops()
    client = signed_in("operator")
    files = folders.export(Site.objects.get())
    files = folders.edit(files, "templates/4/template.yaml", lambda text: text + "name: Theirs\n")
    Cluster.objects.filter(number=4).update(name="Ours")
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    page = send(client, found.getvalue()).content.decode()
    assert "was changed in the files and here" in page and 'name="token"' not in page
    chosen = send(client, found.getvalue(), prefer="folder")
    client.post(reverse("site_files_import"), {"token": chosen.context["token"]})
    assert Cluster.objects.get(number=4).name == "Theirs"


@pytest.mark.parametrize("token", ["", "forged", "of another person"])
def test_only_the_person_who_saw_the_difference_can_import_it(signed_in: Any, token: str) -> None:
    rich_site.shops()
    data = download(signed_in("operator"))
    folders.empty()
    if token == "of another person":
        token = send(signed_in("operator"), data).context["token"]
    answer = signed_in("admin").post(reverse("site_files_import"), {"token": token}, follow=True)
    assert "can no longer be imported" in answer.content.decode() and not Site.objects.exists()
