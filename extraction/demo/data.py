"""What the demo shop sells and says, read from the TOML files beside this module, as frozen values."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Language = Literal["en", "de"]


@dataclass(frozen=True, slots=True)
class Edition:
    """What differs between the English and the German page of a book."""

    title: str
    blurb: str
    subtitle: str = ""
    translators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """A book. year: of first publication. language: the original's, in English. subjects: keys of `subjects()`."""

    id: int
    authors: tuple[str, ...]
    year: int
    language: str
    pages: int
    subjects: tuple[str, ...]
    editions: dict[Language, Edition]
    publisher: str = ""


@dataclass(frozen=True, slots=True)
class Author:
    """An author with a page. Dates in words; an empty string is what nobody knows or what does not apply."""

    name: str
    country: str
    occupations: tuple[str, ...]
    life: tuple[str, ...]
    born: str = ""
    died: str = ""
    birthplace: str = ""
    real_name: str = ""
    pen_name: str = ""


@dataclass(frozen=True, slots=True)
class Article:
    """A page of the journal. books: ids of the books it speaks of."""

    slug: str
    title: str
    author: str
    date: str
    tags: tuple[str, ...]
    books: tuple[int, ...]
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Info:
    """A page about the shop. kind: what follows the text. questions: (question, answer)."""

    slug: str
    title: str
    kind: Literal["text", "authors", "subjects", "journal"]
    paragraphs: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]


@cache
def books() -> tuple[Book, ...]:
    """All books, in the order of their ids."""
    return tuple(_book(row) for row in _rows("books")["book"])


@cache
def authors() -> tuple[Author, ...]:
    """The authors who have a page, as the file lists them."""
    return tuple(Author(**_tuples(row)) for row in _rows("authors")["author"])


@cache
def articles() -> tuple[Article, ...]:
    """The journal, oldest first."""
    return tuple(Article(**_tuples(row)) for row in _rows("articles")["article"])


@cache
def infos() -> tuple[Info, ...]:
    """The pages about the shop."""
    return tuple(
        Info(**{**_tuples(row), "questions": tuple((question, answer) for question, answer in row["questions"])})
        for row in _rows("info")["page"]
    )


@cache
def subjects() -> dict[str, dict[Language, str]]:
    """{key: its name in each language}, in the order of the shelves."""
    return {key: {"en": english, "de": german} for key, (english, german) in _rows("subjects")["subjects"].items()}


def daily() -> dict[str, Any]:
    """What readers say and the shop advertises, as the file has it: readers, said, advert."""
    return _rows("daily")


def language_name(english: str, language: Language) -> str:
    """The name of a language in the language of the page."""
    return english if language == "en" else str(_rows("subjects")["languages"][english])


def _book(row: dict[str, Any]) -> Book:
    german = row.get("de")
    editions: dict[Language, Edition] = {"en": _edition(row)}
    if german:
        editions["de"] = _edition(german)
    shared = {key: value for key, value in _tuples(row).items() if key not in {"de", "title", "subtitle", "blurb", "translators"}}
    return Book(editions=editions, **shared)


def _edition(row: dict[str, Any]) -> Edition:
    return Edition(row["title"], row["blurb"], row.get("subtitle", ""), tuple(row.get("translators", ())))


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


@cache
def _rows(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "data" / f"{name}.toml").read_text(encoding="utf-8"))
