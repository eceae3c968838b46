"""A folder of this machine, below one of the folders that the administrator allows."""

import os
import shutil
from pathlib import Path
from typing import IO

from django.conf import settings
from django.utils.translation import gettext

from extraction.services.deliveries.senders.files import Beat, ReadyFile, WatchedFile, name_part
from extraction.services.deliveries.senders.reach import DeliveryError, describe_os_error


class FolderSender:
    """Writes files into a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = confine_path(folder)

    def put_file(self, file: ReadyFile, beat: Beat) -> None:
        """Write the file beside its place and rename it. Raises DeliveryError."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            folder = confine_path(str(self._folder))  # a link may have been put there in the meantime
            part = folder / name_part(file.name)
            with file.path.open("rb") as source, _open_new(part) as copy:
                shutil.copyfileobj(WatchedFile(source, beat), copy, 1024 * 1024)
                copy.flush()
                os.fsync(copy.fileno())
            part.replace(folder / file.name)
        except OSError as error:
            raise DeliveryError(
                gettext("%(folder)s cannot be written: %(error)s") % {"folder": self._folder / file.name, "error": describe_os_error(error)}
            ) from error

    def remove_file(self, name: str) -> None:
        """Remove a file. Raises DeliveryError."""
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise DeliveryError(
                gettext("%(folder)s cannot be removed: %(error)s") % {"folder": self._folder / name, "error": describe_os_error(error)}
            ) from error


def _open_new(part: Path) -> IO[bytes]:
    """Open a file for writing that is no link: a delivery that was killed may have left one, and nobody else may put a link there."""
    part.unlink(missing_ok=True)
    return os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644), "wb")


def list_roots() -> list[Path]:
    """Return the folders below which targets may be."""
    return [Path(each).expanduser().resolve() for each in settings.VERTEX_DELIVERY_DIRS]


def confine_path(text: str) -> Path:
    """Return the path that a person wrote, without links. A relative path is below the first allowed folder.

    Raises DeliveryError if it is not below an allowed folder.
    """
    roots = list_roots()
    if not roots:
        raise DeliveryError(gettext("No folder is allowed. An administrator can name some in VERTEX_DELIVERY_DIRS."), again=False)
    if "\0" in text:
        raise DeliveryError(gettext("A path cannot have a null character."), again=False)
    path = (roots[0] / Path(text)).resolve()
    if not any(path == root or root in path.parents for root in roots):
        allowed = ", ".join(str(root) for root in roots)
        raise DeliveryError(
            gettext(
                "%(path)s is not below a folder that is allowed: %(allowed)s. An administrator can allow others in VERTEX_DELIVERY_DIRS."
            )
            % {"path": path, "allowed": allowed},
            again=False,
        )
    return path
