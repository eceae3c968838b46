"""The archive of a backup: a tar file whose last members are the sums of all others and the manifest.

Its members are written and read one after another, so that memory does not grow with their number. After `tar -xf`, the command
`sha256sum -c SHA256SUMS` checks them without Vertex.
"""

import hashlib
import json
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from extraction.services.core.runs import JobError

SUMS = "SHA256SUMS"

MANIFEST = "manifest.json"

FORMAT = 1
"""The version of the archive's layout. `restore` refuses others."""

CHUNK_BYTES = 1024**2


class BackupError(JobError):
    """A backup cannot be made or restored; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an archive says of itself.

    vertex: the version that made it. database: sqlite or postgresql. migrations: those that were applied, as "app.name".
    rows: {table: number of rows}. files, file_bytes: what the storage had. sums_sha256: the digest of SHA256SUMS.
    secret_key: a fingerprint of the secret key, which tells whether another installation has the same.
    """

    vertex: str
    made_at: str
    database: str
    migrations: tuple[str, ...]
    rows: dict[str, int]
    files: int
    file_bytes: int
    secret_key: str
    sums_sha256: str = ""
    format: int = FORMAT

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Return the manifest of a text. Raises BackupError."""
        try:
            values = json.loads(text)
            if values["format"] != FORMAT:
                raise BackupError(f"The archive has format {values['format']}; this version of Vertex reads format {FORMAT}.")
            return cls(**values | {"migrations": tuple(values["migrations"])})
        except (ValueError, TypeError, KeyError) as error:
            raise BackupError(f"{MANIFEST} is damaged: {error}") from error


class ArchiveWriter:
    """Writes members, then the sums and the manifest."""

    def __init__(self, file: IO[bytes]) -> None:
        self._tar = tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115 - closed by close()
        self._sums: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the same

    def add(self, name: str, source: IO[bytes], size_bytes: int) -> None:
        """Add the first `size_bytes` of a file. Raises OSError if it has fewer."""
        self._sums.write(write_sum(self._add(name, source, size_bytes), name))

    def finish(self, manifest: dict[str, Any]) -> None:
        """Add the sums and the manifest."""
        size_bytes = self._sums.tell()
        self._sums.seek(0)
        manifest = manifest | {"sums_sha256": self._add(SUMS, self._sums, size_bytes)}
        with TemporaryFile() as file:
            file.write(json.dumps(manifest, indent=1).encode())
            size_bytes = file.tell()
            file.seek(0)
            self._add(MANIFEST, file, size_bytes)
        self._tar.close()

    def close(self) -> None:
        """Close the temporary file."""
        self._sums.close()

    def _add(self, name: str, source: IO[bytes], size_bytes: int) -> str:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size_bytes, 0o600, int(time.time())
        reader = _HashingReader(source)
        self._tar.addfile(info, reader)
        self._tar.members.clear()  # type: ignore[attr-defined]  # it would keep every member
        return reader.digest.hexdigest()


class _HashingReader:
    """Reads a file and digests what was read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self.digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(size)
        self.digest.update(data)
        return data


def write_sum(sha256: str, name: str) -> bytes:
    """Return the line of a member in SHA256SUMS."""
    return f"{sha256}  {name}\n".encode()


def read_members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name, file) of the members in their order. A file must be read before the next member. Raises BackupError."""
    name = ""
    try:
        with tarfile.open(path, "r:") as tar:
            while (info := tar.next()) is not None:
                tar.members.clear()  # type: ignore[attr-defined]
                name = info.name
                file = tar.extractfile(info)
                if file is None:
                    raise BackupError(f"{name} is not a file. No backup has such a member.")
                yield name, file
    except (tarfile.TarError, EOFError, OSError) as error:
        raise BackupError(f"{path.name} cannot be read {f'after {name}' if name else 'as a tar file'}: {error}") from error


def verify_archive(path: Path) -> Manifest:
    """Read the whole archive, compare all sums, and return its manifest. Raises BackupError, which names the first damaged member."""
    manifest, name = None, "its beginning"
    with TemporaryFile() as found, TemporaryFile() as written:
        sums_sha256 = ""
        try:
            for name, file in read_members(path):
                if name == MANIFEST:
                    manifest = Manifest.from_json(file.read())
                elif name == SUMS:
                    sums_sha256 = _digest(file, copy=written)
                else:
                    found.write(write_sum(_digest(file), name))
        except tarfile.TarError as error:
            raise BackupError(f"{path.name} is not complete: it ends in {name}.") from error
        if manifest is None:
            raise BackupError(f"{path.name} is not complete: it ends after {name}, or what follows is damaged.")
        if sums_sha256 != manifest.sums_sha256:
            raise BackupError(f"{SUMS} is damaged.")
        _compare_sums(found, written)
    return manifest


def describe_manifest(manifest: Manifest) -> dict[str, Any]:
    """Return the manifest as JSON has it."""
    return asdict(manifest)


def _digest(file: IO[bytes], *, copy: IO[bytes] | None = None) -> str:
    digest = hashlib.sha256()
    while data := file.read(CHUNK_BYTES):
        digest.update(data)
        if copy is not None:
            copy.write(data)
    return digest.hexdigest()


def _compare_sums(found: IO[bytes], written: IO[bytes]) -> None:
    found.seek(0)
    written.seek(0)
    while True:
        ours, theirs = found.readline(), written.readline()
        if ours == theirs:
            if not ours:
                return
            continue
        (_, _, is_here), (_, _, expected) = (line.decode(errors="replace").rstrip("\n").partition("  ") for line in (ours, theirs))
        if is_here == expected:
            raise BackupError(f"{expected} is damaged: its sha256 is not that of {SUMS}.")
        if not expected:
            raise BackupError(f"{is_here} is not in {SUMS}.")
        raise BackupError(f"{expected} is missing" + (f"; {is_here} is in its place." if is_here else "."))


@contextmanager
def replace_when_done(path: Path) -> Iterator[IO[bytes]]:
    """A new file that only its owner can read. It gets its name when all is written, so that half an archive never has it."""
    half = path.with_name(f".{path.name}.part")
    half.unlink(missing_ok=True)
    half.touch(mode=0o600)
    try:
        with half.open("wb") as file:
            yield file
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
