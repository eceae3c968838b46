"""Folders in memory, and an installation that is emptied, for the tests of imports."""

from collections.abc import Callable, Mapping
from typing import Any

from extraction.models import DeliveryTarget, RecordType, Site
from extraction.services.folders import exporting
from extraction.services.folders.apply_templates import Publisher
from extraction.services.folders.collect_pages import PageChoice
from extraction.services.folders.errors import FolderError
from extraction.services.folders.importing import Imported, import_folder
from extraction.services.folders.planning import CheckedFolder, Options, Plan, plan_import, read_folder
from extraction.services.sites import sites

Files = dict[str, bytes]


class MemoryFolder:
    """A folder that is not on a disk."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.paths = {path: len(data) for path, data in files.items()}

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise FolderError(f"there is no {path}")
        return self.files[path]


def export(site: Site, choice: PageChoice = "marked") -> Files:
    return dict(exporting.list_files(exporting.collect_site(site, choice)))


def check(files: Mapping[str, bytes]) -> CheckedFolder:
    return read_folder(MemoryFolder(files))


def plan(files: Mapping[str, bytes], **options: Any) -> Plan:
    return plan_import(check(files), Options(**options))


def load(files: Mapping[str, bytes], **options: Any) -> Imported:
    return import_folder(check(files), Options(**options), Publisher(None))


def empty() -> None:
    """Delete everything that a folder holds. The stored bytes stay, as another site may share them."""
    DeliveryTarget.objects.all().delete()
    for site in Site.objects.all():
        sites.delete_site(site)
    RecordType.objects.all().delete()


def edit(files: Files, path: str, change: Callable[[str], str]) -> Files:
    """Return the files with one changed as by an editor of texts."""
    changed = change(files[path].decode())
    assert changed != files[path].decode()
    return {**files, path: changed.encode()}
