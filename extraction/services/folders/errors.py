"""What is wrong with a folder, with the file and the line."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a folder. line: from 1; 0 if the whole file is meant."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Where()


class FolderError(Exception):
    """A folder cannot be read or imported. The message names the place and says why, without a full stop."""

    def __init__(self, reason: str, where: Where = NOWHERE) -> None:
        reason = reason.removesuffix(".")
        super().__init__(f"{where}: {reason}" if where.file else reason)
        self.reason, self.where = reason, where
