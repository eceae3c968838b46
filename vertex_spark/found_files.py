"""Input files by their paths, and the keys by which the output names them."""

import hashlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

_LOCAL = re.compile(r"^file:/+")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file. path: with its scheme, as Hadoop writes it."""

    path: str

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def key(self) -> str:
        """A short name that no other path has."""
        return make_key(self.path)


def make_key(path: str) -> str:
    """Return the key of a file's path. It does not matter how many slashes follow "file:"."""
    return hashlib.sha256(_LOCAL.sub("file:/", path).encode()).hexdigest()[:16]


def read_spark_path(text: str) -> str:
    """Return the path that Spark names for a row, in which some characters are written as in URLs."""
    return unquote(text)


def find_ending(name: str) -> str:
    """Return the last ending of a file's name, such as ".gz"; empty if it has none."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and stem else ""


def group_by_ending(files: Sequence[FoundFile]) -> list[list[FoundFile]]:
    """Return the files in groups of one ending."""
    keyed = sorted(files, key=lambda each: (find_ending(each.name), each.path))
    return [list(group) for _, group in itertools.groupby(keyed, key=lambda each: find_ending(each.name))]
