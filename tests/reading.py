"""What a person reads of a response."""

from typing import Any


def words(answer: Any) -> str:
    """The content of a response with each run of white space as one space, as a browser shows it."""
    return " ".join(answer.content.decode().split())
