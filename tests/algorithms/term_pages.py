"""Pages of a shop with definition lists, in English and German: terms that come and go, in any order, with one ``dd`` or several.

In the layout "spans" the terms are the first of several ``span`` in a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from lxml import etree, html

LABELS = {
    "colour": ("Colours", "Farben"),
    "material": ("Material", "Material"),
    "maker": ("Brand", "Marke"),
    "weight": ("Weight", "Gewicht"),
    "origin": ("Made in", "Herkunft"),
    "care": ("Care", "Pflege"),
    "size": ("Sizes", "Größen"),
}
"""{name: its label in English, in German}"""

WORDS: Mapping[str, Sequence[tuple[str, str]]] = {
    "colour": (("red", "rot"), ("navy blue", "marineblau"), ("olive", "oliv"), ("sand", "sand"), ("white", "weiß")),
    "material": (("oak", "Eiche"), ("brass", "Messing"), ("steel", "Stahl"), ("linen", "Leinen"), ("glass", "Glas"), ("cork", "Kork")),
    "maker": (("Nordholz",) * 2, ("Atelier 9",) * 2, ("Casa Brenner",) * 2, ("Zwick",) * 2),
    "origin": (("Poland", "Polen"), ("Portugal", "Portugal"), ("Denmark", "Dänemark")),
    "care": (("Wipe dry", "Trocken abwischen"), ("Oil yearly", "Jährlich ölen"), ("Hand wash", "Handwäsche")),
    "size": (("S",) * 2, ("M",) * 2, ("L",) * 2, ("XL",) * 2),
}
SHARES = {"colour": 0.8, "material": 0.7, "maker": 0.9, "weight": 0.7, "origin": 0.5, "care": 0.4, "size": 0.5}
"""The share of the pages that have each term."""

MOST = {"colour": 4, "material": 3, "care": 2, "size": 3}
"""The largest number of ``dd`` of a term, if several are possible."""

LAYOUTS = ("one list", "groups", "two lists")
LOOKS = frozenset(("colour", "material", "size"))


@dataclass(frozen=True)
class TermPage:
    """A product. language: 0 for English, 1 for German. shown: {name: values}, without the terms that it lacks."""

    language: int
    shown: Mapping[str, tuple[str, ...]]
    root: etree._Element

    def values(self, name: str) -> list[str]:
        return list(self.shown.get(name, ()))


def make_term_pages(
    count: int, seed: int, *, languages: int = 1, layout: str = "one list", in_order: bool = False, shares: Mapping[str, float] = SHARES
) -> list[TermPage]:
    """Return pages, in English and German by turns if `languages` is 2. in_order: whether the terms always have the same order."""
    return [_make_page(Random(f"{seed} {n}"), n, n % languages, layout, in_order, shares) for n in range(count)]


def _make_page(rng: Random, number: int, language: int, layout: str, in_order: bool, shares: Mapping[str, float]) -> TermPage:
    names = [name for name, share in shares.items() if rng.random() < share]
    if not in_order:
        rng.shuffle(names)
    shown = {name: _choose_values(rng, name, language) for name in names}
    title = f"Thing {number}"
    delivery = f"<p>{('Delivery in', 'Lieferung in')[language]} {rng.randint(1, 9)}</p>"
    body = f"<nav><a>Home</a></nav><main><h1>{title}</h1><p>{rng.randint(5, 99)}.50 €</p>{_write_lists(shown, language, layout)}{delivery}"
    head = f"<html lang={('en', 'de')[language]}><head><title>{title}</title></head>"
    return TermPage(language, shown, html.document_fromstring(f"{head}<body>{body}</main></body></html>"))


def _choose_values(rng: Random, name: str, language: int) -> tuple[str, ...]:
    if name == "weight":
        return (f"{rng.randint(1, 60)}{'.,'[language]}{rng.randint(1, 9)} kg",)
    return tuple(words[language] for words in rng.sample(WORDS[name], rng.randint(1, MOST.get(name, 1))))


def _write_lists(shown: Mapping[str, tuple[str, ...]], language: int, layout: str) -> str:
    term, cell = ("span", "span") if layout == "spans" else ("dt", "dd")
    terms = {
        name: f"<{term}>{LABELS[name][language]}</{term}>" + "".join(f"<{cell}>{value}</{cell}>" for value in values)
        for name, values in shown.items()
    }
    if layout == "one list":
        return f"<dl>{''.join(terms.values())}</dl>"
    if layout in ("groups", "spans"):
        rows = "".join(f"<div>{each}</div>" for each in terms.values())
        return f"<dl>{rows}</dl>" if layout == "groups" else f"<section>{rows}</section>"
    parts = [[text for name, text in terms.items() if (name in LOOKS) == looks] for looks in (True, False)]
    heads = (("Look", "Facts"), ("Aussehen", "Daten"))[language]
    return "".join(f"<h3>{head}</h3><dl>{''.join(part)}</dl>" for head, part in zip(heads, parts, strict=True) if part)
