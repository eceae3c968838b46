"""Pages of three kinds of records, written for these tests: labels in several languages and layouts, with decoys around them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from extraction.algorithms.dom.parse import parse

PEOPLE = ("Ada Stone", "Ben Marsh", "Cleo Winter", "Dan Rivers", "Eva Field", "Finn Harper", "Gus Lane", "Hana Okafor")
FIRST, LAST = ("Silent", "Golden", "Hidden", "Broken", "Distant", "Frozen"), ("River", "Garden", "Mirror", "Harbour", "Signal", "Orchard")


@dataclass(frozen=True)
class Film:
    """A film. texts: its fields by attribute."""

    texts: Mapping[str, str]


def film(number: int) -> Film:
    """Film `number`, always the same."""
    dice = random.Random(f"film {number}")
    return Film(
        {
            "title": f"The {dice.choice(FIRST)} {dice.choice(LAST)} {number}",
            "director": dice.choice(PEOPLE[:4]),
            "release_date": f"{dice.randint(1, 28)} {dice.choice(('March', 'June', 'October'))} {dice.randint(1980, 2020)}",
            "running_time": f"{dice.randint(80, 180)} min",
            "genre": dice.choice(("Drama", "Comedy", "Thriller", "Western")),
        }
    )


LABELS: Mapping[str, Mapping[str, str]] = {
    "en": {"director": "Directed by", "release_date": "Release date", "running_time": "Running time", "genre": "Genre"},
    "de": {"director": "Regie", "release_date": "Kinostart", "running_time": "Laufzeit", "genre": "Genre"},
    "fr": {"director": "Réalisateur", "release_date": "Date de sortie", "running_time": "Durée", "genre": "Genre"},
    "es": {"director": "Director", "release_date": "Estreno", "running_time": "Duración", "genre": "Género"},
    "it": {"director": "Regista", "release_date": "Uscita", "running_time": "Durata", "genre": "Genere"},
    "pl": {"director": "Reżyser", "release_date": "Premiera", "running_time": "Czas trwania", "genre": "Gatunek"},
    "ru": {"director": "Режиссёр", "release_date": "Дата выхода", "running_time": "Продолжительность", "genre": "Жанр"},
    "ja": {"director": "監督", "release_date": "公開日", "running_time": "上映時間", "genre": "ジャンル"},
}
"""What films' attributes are called, by language."""

LAYOUTS = ("dl", "table", "paragraphs", "classes")
"""How labels and values are written: definition lists, tables, bold labels in paragraphs, no label but class names."""

CLASSES = {"director": "film-director", "release_date": "releaseDate", "running_time": "film_duration", "genre": "genre"}


def film_page(number: int, language: str = "en", layout: str = "dl") -> str:
    """A page of a film with a menu, advertisements that vary and other films beside it."""
    shown, other, dice = film(number).texts, film(number + 500).texts, random.Random(f"advertisement {number}")
    rows = [(name, label, shown[name]) for name, label in LABELS[language].items()]
    if layout == "dl":
        body = "<dl>" + "".join(f"<dt>{label}</dt><dd>{value}</dd>" for _, label, value in rows) + "</dl>"
    elif layout == "table":
        body = "<table>" + "".join(f"<tr><td>{label}:</td><td>{value}</td></tr>" for _, label, value in rows) + "</table>"
    elif layout == "paragraphs":
        body = "".join(f"<p><b>{label}:</b> {value}</p>" for _, label, value in rows)
    else:
        body = "".join(f"<p class='{CLASSES[name]}'>{value}</p>" for name, _, value in rows)
    return (
        f"<html><head><title>{shown['title']} | Films</title></head><body><ul class='nav'><li>Home</li><li>Films</li></ul>"
        f"<h1>{shown['title']}</h1>{body}<div class='offer'>{dice.choice(PEOPLE[4:])} recommends {dice.randint(2, 99)} shows</div>"
        f"<div class='related'><h3>{other['title']}</h3><span>{other['director']}</span></div><p class='footer'>Imprint</p></body></html>"
    )


def roots(texts: Sequence[str]) -> list[etree._Element]:
    """The trees of pages."""
    return [parse(text.encode()).root for text in texts]


def film_roots(count: int = 8, language: str = "en", layout: str = "dl") -> list[etree._Element]:
    """The trees of the first films."""
    return roots([film_page(number, language, layout) for number in range(count)])
