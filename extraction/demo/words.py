"""Labels, dates, prices and numbers in each language."""

from datetime import date

from extraction.demo.data import Language

NBSP = "\u00a0"

_MONTHS: dict[Language, tuple[str, ...]] = {
    "en": (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    "de": (
        "Januar", "Februar", "März", "April", "Mai", "Juni",
        "Juli", "August", "September", "Oktober", "November", "Dezember",
    ),
}  # fmt: skip

_WORDS: dict[str, tuple[str, str]] = {
    "home": ("Home", "Startseite"),
    "by": ("by", "von"),
    "and": ("and", "und"),
    "translated": ("Translated by", "Übersetzt von"),
    "price": ("Our price:", "Unser Preis:"),
    "price2": ("Price today", "Preis heute"),
    "shelf": ("Shelf mark:", "Standort:"),
    "shelf2": ("Find it at", "Im Laden unter"),
    "published": ("First published:", "Erstveröffentlichung:"),
    "published2": ("Publication year", "Erschienen"),
    "publisher": ("First publisher:", "Erstverlag:"),
    "publisher2": ("Originally from", "Zuerst bei"),
    "language": ("Original language:", "Originalsprache:"),
    "language2": ("Written in", "Geschrieben auf"),
    "pages": ("Pages:", "Seiten:"),
    "pages2": ("Length in pages", "Umfang in Seiten"),
    "ean": ("EAN-13:", "EAN-13:"),
    "ean2": ("EAN", "EAN"),
    "binding": ("Binding:", "Einband:"),
    "binding2": ("Bound in", "Gebunden in"),
    "illustrated": ("Illustrated:", "Illustriert:"),
    "illustrated2": ("With pictures", "Mit Bildern"),
    "catalogued": ("Catalogued:", "Aufgenommen:"),
    "catalogued2": ("On our shelves since", "Im Regal seit"),
    "details": ("About this copy", "Über dieses Exemplar"),
    "about": ("About the book", "Über das Buch"),
    "subjects": ("Subjects:", "Themen:"),
    "reviews": ("What our readers say", "Was unsere Leser sagen"),
    "related": ("Readers also looked at", "Andere sahen sich auch an"),
    "basket": ("Put in basket", "In den Korb"),
    "ask": ("Ask us to look for another copy", "Lassen Sie uns ein anderes Exemplar suchen"),
    "other": ("Auf Deutsch", "In English"),
    "delivery": ("plus postage", "zzgl. Versand"),
    "yes": ("Yes", "Ja"),
    "no": ("No", "Nein"),
    "next": ("Next", "Weiter"),
    "back": ("Previous", "Zurück"),
    "search": ("Search", "Suchen"),
    "advert": ("From the shop", "Aus dem Laden"),
    "none": ("No reviews yet. Be the first.", "Noch keine Besprechung."),
}

BINDINGS = (("cloth", "Leinen"), ("half leather", "Halbleder"), ("paper boards", "Pappband"), ("full calf", "Kalbleder"))


def word(key: str, language: Language) -> str:
    """Return the shop's word for a key. Keys that end in 2 have the wording of the second design."""
    english, german = _WORDS[key]
    return english if language == "en" else german


def date_in_words(day: date, language: Language) -> str:
    """Return a date such as ``3 March 2025`` or ``3. März 2025``."""
    month = _MONTHS[language][day.month - 1]
    return f"{day.day} {month} {day.year}" if language == "en" else f"{day.day}. {month} {day.year}"


def price(cents: int, language: Language) -> str:
    """Return a price such as ``£1,240.50`` or ``1.240,50 €``, the latter with a non-breaking space."""
    amount = f"{cents / 100:,.2f}"
    return f"£{amount}" if language == "en" else f"{_continental(amount)}{NBSP}€"


def number(value: int, language: Language) -> str:
    """Return a number such as ``1,296`` or ``1.296``."""
    return f"{value:,}" if language == "en" else _continental(f"{value:,}")


def copies(count: int, language: Language) -> str:
    """Return the stock line, which says how many copies there are."""
    if count == 0:
        return "Out of stock" if language == "en" else "Vergriffen"
    if count == 1:
        return "Last copy" if language == "en" else "Letztes Exemplar"
    return f"In stock: {count} copies" if language == "en" else f"Auf Lager: {count} Exemplare"


def _continental(amount: str) -> str:
    return amount.translate(str.maketrans(",.", ".,"))
