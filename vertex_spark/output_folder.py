"""The folder that a job writes: its tables, and the manifest by which a job that was stopped goes on.

    OUTPUT/books.3/part-….parquet      records of template 3 of the site with the slug "books"
    OUTPUT/books.3.1/…                 the rows of the first list of its pages
    OUTPUT/failures/…
    OUTPUT/_manifest/KEY.json          an input file that is done: what it gave
    OUTPUT/_job.json                   what the job does; a job that does something else is refused
    OUTPUT/_staging/                   files of input files that are not done; nobody reads them
    OUTPUT/_SUCCESS, _summary.json     all is done

Names of files hold the key of their input file. A file is moved from the staging folder to its table, and its input file's entry is written
last. Files of a table without an entry come from a job that was stopped in between; `clean` deletes them before the job goes on. So each
input file counts once, whenever a job is stopped.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vertex_spark.errors import SparkJobError
from vertex_spark.found_files import FoundFile
from vertex_spark.hadoop import Files

MANIFEST, STAGING = "_manifest", "_staging"


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """A job's folder. path: without a slash at its end. ending: of the files of its tables, such as ".csv"."""

    files: Files
    path: str
    ending: str

    def begin(self, job: Mapping[str, Any]) -> None:
        """Make the folder, or go on in it. Raises SparkJobError if it holds the output of another job, or anything else."""
        name = f"{self.path}/_job.json"
        if not self.files.exists(name):
            if self.files.list_names(self.path):
                raise SparkJobError(f"{self.path} is not empty, and no job of vertex-spark wrote it. Choose another folder.")
            self.files.write_json(name, job)
            return
        held = json.loads(self.files.read(name))
        changed = sorted(key for key in {*held, *job} if held.get(key) != job.get(key))
        if changed:
            raise SparkJobError(
                f"{self.path} holds the output of a job with another {' and '.join(changed)}. Choose another folder, or delete this one."
            )

    def find_done(self) -> set[str]:
        """Return the keys of the input files that are done."""
        return {name.removesuffix(".json") for name in self.files.list_names(f"{self.path}/{MANIFEST}") if name.endswith(".json")}

    def clean(self, done: set[str]) -> int:
        """Delete what a stopped job left: the staging folder, and files of input files that are not done. Return how many files."""
        self.files.delete(f"{self.path}/{STAGING}")
        stale = [
            f"{self.path}/{table}/{name}"
            for table in self.files.list_names(self.path)
            if not table.startswith(("_", "."))
            for name in self.files.list_names(f"{self.path}/{table}")
            if name.endswith(self.ending) and name.removesuffix(self.ending).split("-")[1] not in done
        ]
        for name in stale:
            self.files.delete(name)
        return len(stale)

    def settle(self, sources: Sequence[FoundFile], counts_table: str, end: bytes) -> list[dict[str, Any]]:
        """Move the files of input files from the staging folder to their tables, and write their entries. Return the entries.

        counts_table: the table whose file is the entry. end: the last bytes of every staged file.
        """
        entries = []
        for source in sources:
            staged = f"{self.path}/{STAGING}/source={source.key}"
            entry: dict[str, Any] = {"source": source.path, "pages": 0, "outcomes": {}, "note": "the file gave nothing"}
            for table in self.files.list_names(staged):
                for part in self.files.list_names(f"{staged}/{table}"):
                    for name in self.files.list_names(f"{staged}/{table}/{part}"):
                        found = f"{staged}/{table}/{part}/{name}"
                        if table == f"table={counts_table}":
                            entry = json.loads(self.files.read(found).removesuffix(end))
                        else:
                            self._move(found, table.partition("=")[2], source.key, int(part.partition("=")[2]))
            self.files.write_json(f"{self.path}/{MANIFEST}/{source.key}.json", entry)
            entries.append(entry)
        self.files.delete(f"{self.path}/{STAGING}")
        return entries

    def read_entries(self, keys: Iterable[str]) -> list[dict[str, Any]]:
        """Return the entries of input files that are done."""
        return [json.loads(self.files.read(f"{self.path}/{MANIFEST}/{key}.json")) for key in sorted(keys)]

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write that all input files are done."""
        self.files.write_json(f"{self.path}/_summary.json", summary)
        self.files.write(f"{self.path}/_SUCCESS", b"")

    def _move(self, found: str, table: str, key: str, part: int) -> None:
        self.files.rename(found, f"{self.path}/{table}/part-{key}-{part:04}{self.ending}")
