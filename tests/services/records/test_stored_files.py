"""Files that were made for a download are found again by what they were made from, and go after a while."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from extraction.models import StoredFile
from extraction.services.records import stored_files

pytestmark = pytest.mark.django_db


def keep(path: Path, place: str, text: str, *, made_from: str = "") -> StoredFile:
    (path / "made").write_text(text)
    return stored_files.store_file(path / "made", place=place, name="books.csv", content_type="text/csv", made_from=made_from)


def test_a_download_goes_on_with_the_file_that_it_began_with(tmp_path: Path) -> None:
    one = keep(tmp_path, "books", "title\nEmma\n")
    assert stored_files.find_to_go_on("books", "") == one == stored_files.find_to_go_on("books", one.etag)
    other = keep(tmp_path, "books", "title\nPersuasion\n")
    assert stored_files.find_to_go_on("books", "") is None, "it could be either"
    assert stored_files.find_to_go_on("books", one.etag) == one and stored_files.find_to_go_on("books", other.etag) == other
    assert stored_files.find_to_go_on("books", '"else"') is None and stored_files.find_to_go_on("tea", "") is None


def test_the_newest_file_made_from_the_same_is_found(tmp_path: Path) -> None:
    keep(tmp_path, "books", "old", made_from="run 1")
    new = keep(tmp_path, "books", "new", made_from="run 1")
    keep(tmp_path, "books", "newest", made_from="run 2")
    assert stored_files.find_same("books", "run 1") == new
    assert stored_files.find_same("books", "run 3") is None


def test_only_so_many_files_of_a_place_are_kept(tmp_path: Path) -> None:
    made = [keep(tmp_path, "books", f"{n}") for n in range(stored_files.KEPT_PER_PLACE + 2)]
    assert set(StoredFile.objects.all()) == set(made[2:])
    assert [default_storage.exists(each.path) for each in made] == [False] * 2 + [True] * stored_files.KEPT_PER_PLACE


def test_old_files_are_deleted_but_for_the_newest_that_can_be_found_again(tmp_path: Path, settings: Any) -> None:
    settings.VERTEX_DOWNLOADS_KEEP_HOURS = 24
    for place, made_from in (("books", "run 1"), ("books", "run 2"), ("tea", "")):
        keep(tmp_path, place, f"{place} {made_from}", made_from=made_from)
    now = timezone.now()
    assert stored_files.tidy_files(now + timedelta(hours=23)) == 0
    assert stored_files.tidy_files(now + timedelta(hours=25)) == 2
    (kept,) = StoredFile.objects.all()
    with stored_files.open_file(kept) as file:
        assert file.read() == b"books run 2"
