"""Numbers that are longer than Python reads (4,300 digits) are answered like other numbers that nothing has."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from extraction.forms.joins import JoinForm
from extraction.models import StoredFile
from extraction.services.records import stored_files
from extraction.views.records import resuming

LONG = "9" * 5_000


def test_every_number_from_outside_is_read_up_to_a_length() -> None:
    unbounded = []
    for folder in ("extraction/views", "extraction/forms", "extraction/api", "annotations"):
        for path in Path(settings.BASE_DIR, folder).rglob("*.py"):
            lines = path.read_text().splitlines()
            for before, line in zip(["", *lines], lines, strict=False):
                if re.search(r"is(?:decimal|digit)\(\)", line) and "int(" in line and "len(" not in before + line:
                    unbounded.append(f"{path}: {line.strip()}")
    assert unbounded == []


@pytest.mark.parametrize("part", [f"bytes={LONG}-", f"bytes=-{LONG}", f"bytes=0-{LONG}"])
def test_a_part_of_a_file(db: None, tmp_path: Path, part: str) -> None:
    path = tmp_path / "records"
    path.write_bytes(b"title\n")
    file = stored_files.store_file(path, place="here", name="records.csv", content_type="text/csv")
    answer: HttpResponseBase = resuming.send_stored(_ask(part, file), file, same=True)
    assert answer.status_code in (200, 206, 416)


def test_an_attribute_of_a_join() -> None:
    assert JoinForm({f"side-{LONG}": "listing"}).read_plan().turned == frozenset()


def _ask(part: str, file: StoredFile) -> HttpRequest:
    return RequestFactory().get("/", headers={"Range": part, "If-Range": f'"{file.etag}"'})
