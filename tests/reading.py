"""The text of a response as a person reads it."""

from typing import Any


def words(answer: Any) -> str:
    """The content of a response with each run of white space as one space, as a browser shows it."""
    return " ".join(answer.content.decode().split())
