"""The books and texts of the demo shop as frozen values, read from the TOML files in ``data/``."""

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
    """A book.

    year: the year of first publication.
    language: the English name of the original language.
    subjects: keys of `subjects()`.
    """

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
    """An author with a page. Dates are in words. A string is empty if the fact is unknown or does not apply."""

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
    """An article of the journal. books: the ids of the books that it mentions."""

    slug: str
    title: str
    author: str
    date: str
    tags: tuple[str, ...]
    books: tuple[int, ...]
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Info:
    """A text about the shop. kind: which list follows the text. questions: (question, answer) pairs."""

    slug: str
    title: str
    kind: Literal["text", "authors", "subjects", "journal"]
    paragraphs: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]


@cache
def books() -> tuple[Book, ...]:
    """Return all books in the order of their ids."""
    return tuple(_book(row) for row in _rows("books")["book"])


@cache
def authors() -> tuple[Author, ...]:
    """Return the authors who have a page, in the order of the file."""
    return tuple(Author(**_tuples(row)) for row in _rows("authors")["author"])


@cache
def articles() -> tuple[Article, ...]:
    """Return the articles of the journal, oldest first."""
    return tuple(Article(**_tuples(row)) for row in _rows("articles")["article"])


@cache
def infos() -> tuple[Info, ...]:
    """Return the texts about the shop."""
    return tuple(
        Info(**{**_tuples(row), "questions": tuple((question, answer) for question, answer in row["questions"])})
        for row in _rows("info")["page"]
    )


@cache
def subjects() -> dict[str, dict[Language, str]]:
    """Return {key: {language: name}} in the order of the file."""
    return {key: {"en": english, "de": german} for key, (english, german) in _rows("subjects")["subjects"].items()}


def daily() -> dict[str, Any]:
    """Return the readers, their reviews and the adverts as in the file, with the keys readers, said and advert."""
    return _rows("daily")


def language_name(english: str, language: Language) -> str:
    """Return the name of a language in the language of the page."""
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
