"""Zip files that people upload: kept between the dry run and the import, which is a later request."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext

from extraction.models import Site
from extraction.services.folders import exporting, storing
from extraction.services.folders.collect_pages import PageChoice
from extraction.services.folders.errors import FolderError
from extraction.services.folders.planning import CheckedFolder, read_folder
from extraction.services.intake.import_pages import UPLOADS


def keep_upload(file: File[bytes]) -> str:
    """Store an upload and return its name. It is deleted after a day, as uploads without a run are."""
    file.seek(0)
    return default_storage.save(f"{UPLOADS}/{uuid.uuid4().hex}", file)


def drop_upload(name: str) -> None:
    """Delete an upload."""
    default_storage.delete(name)


@contextmanager
def open_upload(name: str) -> Iterator[CheckedFolder]:
    """Read an upload that was kept. Raises FolderError."""
    if not default_storage.exists(name):
        raise FolderError(gettext("the uploaded file is no longer there; upload it again"))
    with default_storage.open(name, "rb") as stored, read_zip(stored) as folder:
        yield folder


@contextmanager
def read_zip(file: IO[bytes]) -> Iterator[CheckedFolder]:
    """Read a zip file with the files of a site, and check it. Raises FolderError."""
    with storing.open_zip(file) as folder:
        yield read_folder(folder)


def make_zip(site: Site, choice: PageChoice) -> IO[bytes]:
    """Return a temporary file with the files of a site. Raises FileNotFoundError if the storage has lost a content."""
    target = TemporaryFile()  # noqa: SIM115 - the answer closes it
    try:
        storing.write_zip(target, exporting.list_files(exporting.collect_site(site, choice)))
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target
