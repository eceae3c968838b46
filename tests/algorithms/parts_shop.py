"""Pages of a shop for parts in English and German: each has a few of six rows, always in the same order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from lxml import etree, html

LABELS = {
    "en": ("Finish", "Material", "Colour", "Socket", "Weight", "Warranty"),
    "de": ("Oberfläche", "Material", "Farbe", "Fassung", "Gewicht", "Garantie"),
}
NAMES = ("finish", "material", "colour", "socket", "weight", "warranty")
WORDS = {
    "finish": (("brushed", "gebürstet"), ("matt black", "mattschwarz"), ("polished", "poliert")),
    "material": (("steel", "Stahl"), ("glass", "Glas"), ("leather", "Leder"), ("nylon", "Nylon")),
    "colour": (("red", "rot"), ("navy", "marine"), ("olive", "oliv")),
    "warranty": (("2 years", "2 Jahre"), ("3 years", "3 Jahre"), ("5 years", "5 Jahre")),
}
SOCKETS, WEIGHTS = ("GU10", "E14", "E27", "G9"), ("350 g", "1.5 kg", "80 g", "2.4 kg")

Markup = Callable[[list[tuple[str, str]]], str]


def write_spans(rows: list[tuple[str, str]]) -> str:
    return "<div>" + "".join(f'<div class="row"><span>{label}</span><span>{value}</span></div>' for label, value in rows) + "</div>"


def write_terms(rows: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in rows) + "</dl>"


def write_items(rows: list[tuple[str, str]]) -> str:
    return "<ul>" + "".join(f"<li><b>{label}:</b> {value}</li>" for label, value in rows) + "</ul>"


MARKUPS: Mapping[str, Markup] = {"spans": write_spans, "terms": write_terms, "items": write_items}


@dataclass(frozen=True)
class Part:
    """A product in one language. shown: {name: values}, without the rows that it lacks."""

    number: int
    language: str
    shown: Mapping[str, tuple[str, ...]]

    def values(self, name: str) -> list[str]:
        return list(self.shown.get(name, ()))

    def write(self, markup: Markup) -> etree._Element:
        rows = [
            (label, ", ".join(f"<em>{text}</em>" for text in self.shown[name]) if name == "material" else self.shown[name][0])
            for name, label in zip(NAMES, LABELS[self.language], strict=True)
            if name in self.shown
        ]
        title = f"Part {self.number} {self.language}"
        price = f"€{20 + 7 * self.number}.50" if self.language == "en" else f"{20 + 7 * self.number},50 €"
        body = f"<h1>{title}</h1><div><span>{price}</span></div>{markup(rows)}"
        return html.document_fromstring(f"<html lang={self.language}><title>{title}</title><body>{body}</body></html>")


def list_parts(count: int, *, with_socket: float = 0.3) -> list[Part]:
    """Return parts, each in both languages. with_socket: the share that has a socket."""
    return [_make_part(number, language, with_socket) for number in range(count) for language in LABELS]


def _make_part(number: int, language: str, with_socket: float) -> Part:
    rng, german = Random(1000 + number), language == "de"
    shares = {"finish": 0.6, "material": 0.8, "colour": 0.5, "socket": with_socket, "weight": 0.75, "warranty": 0.5}
    shown: dict[str, tuple[str, ...]] = {}
    for name, share in shares.items():
        has, choice = rng.random() < share, number + rng.randrange(12)
        if name == "socket":
            values: tuple[str, ...] = (SOCKETS[choice % 4],)
        elif name == "weight":
            values = (WEIGHTS[choice % 4].replace(".", "," if german else "."),)
        else:
            count = 1 + choice % 2 if name == "material" else 1
            words = WORDS[name]
            values = tuple(words[(choice + step) % len(words)][german] for step in range(count))
        if has:
            shown[name] = values
    return Part(number, language, shown)
