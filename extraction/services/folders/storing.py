"""Folders on disk and zip files: read with limits, written as a whole.

What is read may come from anywhere. Only plain files whose names cannot lead elsewhere are read, within limits on number and size; links
are refused. What is written replaces the files of the site and leaves all others alone, such as those of git.
"""

import io
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from django.utils.translation import gettext

from extraction.services.core.percent import write_number
from extraction.services.folders import layout
from extraction.services.folders.errors import FolderError, Where

MAX_FILES = 200_000
MAX_FILE_BYTES = 64 * 1024**2
MAX_BYTES = 4 * 1024**3
"""The limits of a folder: number of files, size of one, size of all."""

FREE_EXPANSION_BYTES = 64 * 1024**2
MAX_EXPANSION = 200
"""A zip file may unpack to the first, or to so many times its own size. Pages of one template compress some thirty times."""

PIECE_BYTES = 1024 * 1024

FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of all files in a zip file, so that equal files give an equal zip file."""

HIDDEN = frozenset({".git", ".hg", ".svn", ".github", ".idea", ".vscode"})
"""Folders that are not looked into."""


class FolderReader(Protocol):
    """A folder that can be read."""

    @property
    def paths(self) -> Mapping[str, int]:
        """{path: size in bytes} of its files."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises FolderError."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written. removed: files of the site that it no longer has."""

    files: int
    size_bytes: int
    removed: int


class DiskFolder:
    """A folder on this machine."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise FolderError(gettext("there is no folder %(folder)s") % {"folder": root})
        self._root = root
        self.paths = dict(_check(self._walk(root, "")))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises FolderError."""
        try:
            handle = os.open(self._root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(handle, "rb") as file:
                return _read_bounded(file, path)
        except OSError as error:
            raise FolderError(gettext("it cannot be read: %(error)s") % {"error": error.strerror or error}, Where(path)) from error

    def _walk(self, folder: Path, prefix: str) -> Iterator[tuple[str, int]]:
        try:
            entries = sorted(os.scandir(folder), key=lambda each: each.name)
        except OSError as error:
            reason = gettext("the folder cannot be read: %(error)s") % {"error": error.strerror or error}
            raise FolderError(reason, Where(prefix or str(folder))) from error
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if entry.name in HIDDEN:
                continue
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                yield from self._walk(Path(entry.path), f"{path}/")
            elif stat.S_ISREG(found.st_mode):
                yield path, found.st_size
            elif stat.S_ISLNK(found.st_mode):
                raise FolderError(gettext("it is a symbolic link; links are not followed"), Where(path))
            else:
                raise FolderError(gettext("it is not a plain file"), Where(path))


class ZipFolder:
    """A zip file. The files of the site may be in one folder of it."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if len(infos) > MAX_FILES:
            reason = gettext("the zip file has %(files)s files; at most %(most)s are read")
            raise FolderError(reason % {"files": write_number(len(infos)), "most": write_number(MAX_FILES)})
        for info in infos:
            _check_zip_entry(info)
        packed, unpacked = sum(info.compress_size for info in infos), sum(info.file_size for info in infos)
        if unpacked > max(FREE_EXPANSION_BYTES, packed * MAX_EXPANSION):
            reason = gettext("the zip file unpacks to %(size)s bytes, more than %(most)s times its size")
            raise FolderError(reason % {"size": write_number(unpacked), "most": MAX_EXPANSION})
        prefix = _find_prefix([info.filename for info in infos])
        self._names = {info.filename[len(prefix) :]: info for info in infos if info.filename.startswith(prefix)}
        if len(self._names) != len(infos):
            raise FolderError(gettext("the zip file has a file twice, or files beside the folder of the site"))
        self.paths = dict(_check((path, info.file_size) for path, info in self._names.items()))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises FolderError."""
        try:
            with self._archive.open(self._names[path]) as file:
                return _read_bounded(file, path)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
            raise FolderError(gettext("it cannot be unpacked: %(error)s") % {"error": error}, Where(path)) from error


@contextmanager
def open_zip(file: IO[bytes]) -> Iterator[ZipFolder]:
    """Open a zip file as a folder. Raises FolderError."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError) as error:
        raise FolderError(gettext("the file is not a zip file: %(error)s") % {"error": error}) from error
    with archive:
        yield ZipFolder(archive)


def write_folder(root: Path, files: Iterable[tuple[str, bytes]], *, slug: str) -> Written:
    """Write the files of a site into a folder, and remove those that it no longer has. Other files stay. Raises FolderError.

    A folder that holds something else, or another site, is refused.
    """
    before = _find_ours(root, slug)
    size_bytes, names = 0, set[str]()
    try:
        for path, data in files:
            names.add(path)
            size_bytes += len(data)
            _write_file(root / path, data)
        gone = sorted(before - names)
        for path in gone:
            (root / path).unlink(missing_ok=True)
            _remove_empty(root, (root / path).parent)
    except OSError as error:
        values = {"folder": error.filename or root, "error": error.strerror or error}
        raise FolderError(gettext("%(folder)s cannot be written: %(error)s") % values) from error
    return Written(len(names), size_bytes, len(gone))


def write_zip(target: IO[bytes], files: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of a site as a zip file. Equal files give equal bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            info = zipfile.ZipInfo(path, FIRST_DATE)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, data)


def _check(files: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield (path, size) of files within the limits. Raises FolderError."""
    total = 0
    for number, (path, size) in enumerate(files, 1):
        total += size
        if number > MAX_FILES:
            reason = gettext("the folder has more than %(most)s files")
            raise FolderError(reason % {"most": write_number(MAX_FILES)})
        if size > MAX_FILE_BYTES:
            reason = gettext("it has %(size)s bytes; at most %(most)s are read")
            raise FolderError(reason % {"size": write_number(size), "most": write_number(MAX_FILE_BYTES)}, Where(path))
        if total > MAX_BYTES:
            raise FolderError(gettext("the folder has more than %(most)s bytes") % {"most": write_number(MAX_BYTES)})
        yield path, size


def _check_zip_entry(info: zipfile.ZipInfo) -> None:
    parts = PurePosixPath(info.filename).parts
    if info.filename.startswith("/") or "\\" in info.filename or "\x00" in info.filename or ".." in parts or not parts or ":" in parts[0]:
        reason = gettext("the zip file has a file whose name leads out of it: %(name)s")
        raise FolderError(reason % {"name": repr(info.filename[:200])})
    if stat.S_ISLNK(info.external_attr >> 16):
        raise FolderError(gettext("it is a symbolic link; links are not followed"), Where(info.filename))
    if info.flag_bits & 1:
        raise FolderError(gettext("it is encrypted"), Where(info.filename))


def _find_prefix(names: list[str]) -> str:
    """Return the folder in a zip file that has `site.yaml`, "" for the top."""
    if layout.SITE in names:
        return ""
    found = [name for name in names if name.count("/") == 1 and name.endswith(f"/{layout.SITE}")]
    return found[0].removesuffix(layout.SITE) if len(found) == 1 else ""


def _read_bounded(file: IO[bytes], path: str) -> bytes:
    data = io.BytesIO()
    while piece := file.read(PIECE_BYTES):
        data.write(piece)
        if data.tell() > MAX_FILE_BYTES:
            raise FolderError(gettext("it has more than %(most)s bytes") % {"most": write_number(MAX_FILE_BYTES)}, Where(path))
    return data.getvalue()


def _find_ours(root: Path, slug: str) -> set[str]:
    """Return the files of the site that a folder has already. Raises FolderError if it has something else."""
    if not root.exists():
        return set()
    if not root.is_dir():
        raise FolderError(gettext("%(path)s is not a folder") % {"path": root})
    present = {each.name for each in root.iterdir()} - HIDDEN
    if not present:
        return set()
    if layout.SITE not in present:
        reason = gettext("%(folder)s is not empty and has no %(file)s, so nothing was written. Choose an empty or a new folder")
        raise FolderError(reason % {"folder": root, "file": layout.SITE})
    folder = DiskFolder(root)
    known = layout.read_site_slug(folder.read(layout.SITE))
    if known != slug:
        reason = gettext("%(folder)s holds the site “%(site)s”, so nothing was written")
        raise FolderError(reason % {"folder": root, "site": known})
    return {path for path in folder.paths if layout.is_ours(path)}


def _write_file(path: Path, data: bytes) -> None:
    """Write a file under another name, which it then takes. A file with the same bytes stays."""
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.new")
    half.write_bytes(data)
    half.replace(path)


def _remove_empty(root: Path, folder: Path) -> None:
    while folder != root and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


@contextmanager
def open_folder(path: Path) -> Iterator[FolderReader]:
    """Open a folder or a zip file of it. Raises FolderError."""
    if path.is_dir():
        yield DiskFolder(path)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        values = {"path": path, "error": error.strerror or error}
        raise FolderError(gettext("%(path)s cannot be read: %(error)s") % values) from error
    with file, open_zip(file) as folder:
        yield folder
