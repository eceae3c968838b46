"""The Spark session, and files on any path that Hadoop reads: hdfs, s3a, gs, abfs, file."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from vertex_spark.errors import SparkJobError
from vertex_spark.found_files import FoundFile

WHOLE_FILE_BYTES = 1 << 40
"""Files are packed into tasks up to this size, and each counts as so large, so a task gets exactly one whole file."""

BATCH_ROWS = 256
"""Rows per Arrow batch from the JVM to Python: pages, or pieces of a WARC file. 256 pages of 100 kB take 25 MB."""

PASSTHROUGH = "org.apache.hadoop.io.compress.PassthroughCodec"
PASSTHROUGH_KEYS = ("io.compress.passthrough.extension", "org.apache.hadoop.shaded.io.compress.passthrough.extension")
"""The option that names the ending. The client libraries that come with Spark have it under the second name."""

SETTINGS: Mapping[str, str] = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH_ROWS),
    "spark.sql.files.maxPartitionBytes": str(WHOLE_FILE_BYTES),
    "spark.sql.files.openCostInBytes": str(WHOLE_FILE_BYTES),
    "spark.sql.adaptive.coalescePartitions.enabled": "true",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""What the jobs rely on. Anything else is set by `--conf`, spark-submit or spark-defaults.conf."""


def open_session(name: str, *, master: str | None = None, conf: Sequence[str] = ()) -> SparkSession:
    """Return a session, the running one if there is one.

    master: as `spark-submit --master`; None to take it from the environment, which is one machine by default.
    conf: further settings as KEY=VALUE.
    """
    builder: Any = SparkSession.builder.appName(name)
    if master:
        builder = builder.master(master)
    for each in conf:
        key, equals, value = each.partition("=")
        if not equals:
            raise SparkJobError(f"--conf needs KEY=VALUE, not {each!r}")
        builder = builder.config(key, value)
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    session: SparkSession = builder.getOrCreate()
    for key, value in SETTINGS.items():
        if not key.startswith(("spark.hadoop.", "spark.ui.")):
            session.conf.set(key, value)
    return session


def keep_packed(session: SparkSession, ending: str) -> None:
    """Give files with an ending such as ".gz" to our reader as they are. Hadoop would unpack them, and fail where one is damaged."""
    session.conf.set("io.compression.codecs", PASSTHROUGH)
    for key in PASSTHROUGH_KEYS:
        session.conf.set(key, ending)


class Files:
    """Files by their paths, from the driver. Raises SparkJobError with what Hadoop said."""

    def __init__(self, session: SparkSession) -> None:
        self._jvm: Any = session._jvm
        self._conf = session._jsc.hadoopConfiguration()

    def find(self, pattern: str) -> list[FoundFile]:
        """Return the files that a path, folder or glob pattern names, by path. Names that begin with "_" or "." are left out."""
        path = self._path(pattern)
        found = self._call(pattern, lambda: self._system(path).globStatus(path))
        files: list[FoundFile] = []
        for status in found or ():
            files += self._walk(status.getPath()) if status.isDirectory() else [FoundFile(status.getPath().toString())]
        return sorted(files, key=lambda each: each.path)

    def name_file(self, name: str) -> FoundFile:
        """Return a file by its path without looking whether it is there."""
        path = self._path(name)
        return FoundFile(str(self._call(name, lambda: self._system(path).makeQualified(path).toString())))

    def list_names(self, folder: str) -> list[str]:
        """Return the names of what is in a folder, in their order; none if there is no such folder."""
        path = self._path(folder)
        if not self.exists(folder):
            return []
        return sorted(str(each.getPath().getName()) for each in self._call(folder, lambda: self._system(path).listStatus(path)))

    def exists(self, name: str) -> bool:
        """Whether there is a file or folder."""
        path = self._path(name)
        return bool(self._call(name, lambda: self._system(path).exists(path)))

    def delete(self, name: str) -> None:
        """Delete a file or a whole folder, if it is there."""
        path = self._path(name)
        self._call(name, lambda: self._system(path).delete(path, True))

    def rename(self, name: str, to: str) -> None:
        """Give a file another name; what has that name goes. Folders on the way are made."""
        source, target = self._path(name), self._path(to)
        system = self._system(source)
        self._call(to, lambda: system.mkdirs(target.getParent()))
        self.delete(to)
        if not self._call(to, lambda: system.rename(source, target)):
            raise SparkJobError(f"{name} cannot be renamed to {to}")

    def read(self, name: str) -> bytes:
        """Return the bytes of a file that fits into memory."""
        path = self._path(name)

        def take() -> bytes:
            stream = self._system(path).open(path)
            try:
                return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()

        return bytes(self._call(name, take))

    def read_lines(self, name: str) -> list[str]:
        """Return the lines of a text file, plain or packed with gzip, without blank ones."""
        data = self.read(name)
        text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        return [line.strip() for line in text.decode().splitlines() if line.strip()]

    def write(self, name: str, data: bytes) -> None:
        """Write a small file aside and give it its name once it is complete."""
        aside = f"{name.rpartition('/')[0]}/.{name.rpartition('/')[2]}.part"
        path = self._path(aside)

        def put() -> None:
            stream = self._system(path).create(path, True)
            try:
                stream.write(bytearray(data))
            finally:
                stream.close()

        self._call(name, put)
        self.rename(aside, name)

    def write_json(self, name: str, value: object) -> None:
        """Write a value as JSON."""
        self.write(name, json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n")

    def _walk(self, folder: Any) -> Iterator[FoundFile]:
        for status in self._call(str(folder), lambda: self._system(folder).listStatus(folder)):
            path = status.getPath()
            if str(path.getName()).startswith(("_", ".")):
                continue
            if status.isDirectory():
                yield from self._walk(path)
            else:
                yield FoundFile(path.toString())

    def _path(self, name: str) -> Any:
        return self._call(name, lambda: self._jvm.org.apache.hadoop.fs.Path(name))

    def _system(self, path: Any) -> Any:
        return path.getFileSystem(self._conf)

    def _call(self, name: str, function: Any) -> Any:
        try:
            return function()
        except SparkJobError:
            raise
        except Exception as error:
            java = getattr(error, "java_exception", None)
            raise SparkJobError(f"{name}: {java.toString() if java is not None else error}") from error
