"""What changes from day to day while the template stays the same: prices, stock, reviews and adverts.

Day 0 is `FIRST_DAY`. As in a real shop, most things stay the same from one day to the next.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from extraction.demo import words
from extraction.demo.data import Book, Language, daily
from extraction.demo.dice import draw, shuffled

FIRST_DAY = date(2025, 7, 28)
MOST_REVIEWS = 9

Slot = Literal["top", "middle", "side", "end"]
SLOTS: tuple[Slot, ...] = ("top", "middle", "side", "end")


@dataclass(frozen=True, slots=True)
class DailyOffer:
    """The price and stock of a book.

    price: the price as shown; empty if the book is out of stock.
    was: the earlier price as shown; empty if there is none.
    copies: how many copies there are.
    availability: the stock line.
    """

    price: str
    was: str
    copies: int
    availability: str


@dataclass(frozen=True, slots=True)
class Review:
    """A review by a reader. date: in words. stars: 1 to 5."""

    reader: str
    date: str
    stars: int
    text: str


@dataclass(frozen=True, slots=True)
class Advert:
    """An advert of the shop. number: the number of its picture. href: a path of the site."""

    number: int
    title: str
    text: str
    href: str


def offer(book: Book, *, language: Language, day: int) -> DailyOffer:
    """Return the price and stock of a book on a day."""
    copies = _copies(book, language, day)
    cents = _cents(book, language, day)
    reduced = draw(5, "reduced", book.id, language, day // 11) == 0
    return DailyOffer(
        price=words.price(cents, language) if copies else "",
        was=words.price(cents * 5 // 4 // 5 * 5, language) if copies and reduced else "",
        copies=copies,
        availability=words.copies(copies, language),
    )


def reviews(book: Book, *, language: Language, day: int) -> list[Review]:
    """Return the newest reviews of a book on a day, newest first, at most `MOST_REVIEWS`."""
    ages = [-7 * n - draw(30, "age", book.id, language, n) for n in range(draw(10, "reviews", book.id, language))]
    ages += [d for d in range(1, day + 1) if draw(20, "new review", book.id, language, d) == 0]
    said = shuffled(daily()["said"][language], "said", book.id)
    readers = shuffled(daily()["readers"], "readers", book.id, language)
    written = [_review(book, language, age, readers[n % len(readers)], said[n % len(said)]) for n, age in enumerate(sorted(ages))]
    return written[::-1][:MOST_REVIEWS]


def adverts(path: str, *, language: Language, day: int) -> dict[Slot, Advert]:
    """Return the adverts on a page on a day: none to two, in varying places."""
    slots = shuffled(SLOTS, "slots", path, day)[: (0, 0, 0, 0, 1, 1, 1, 2)[draw(8, "adverts", path, day)]]
    chosen = shuffled(range(len(daily()["advert"])), "which", path, day)
    return {slot: _advert(number, language) for slot, number in zip(slots, chosen, strict=False)}


def date_of(day: int, language: Language) -> str:
    """Return the date of a day in words."""
    return words.date_in_words(FIRST_DAY + timedelta(days=day), language)


def _cents(book: Book, language: Language, day: int) -> int:
    changes = sum(draw(14, "price change", book.id, d) == 0 for d in range(1, day + 1))
    pence = 400 + 50 * draw(70, "price", book.id) + (45 if draw(2, "pence", book.id) else 0)
    if draw(16, "rare", book.id) == 0:
        pence *= 40
    pence = pence * (90 + draw(25, "changed", book.id, changes)) // 100 // 5 * 5 if changes else pence
    return pence if language == "en" else pence * 118 // 100 // 5 * 5


def _copies(book: Book, language: Language, day: int) -> int:
    deliveries = sum(draw(9, "stock change", book.id, language, d) == 0 for d in range(1, day + 1))
    if draw(9, "stock", book.id, language, deliveries) == 0:
        return 0
    return 1 + draw(5, "copies", book.id, language, deliveries)


def _review(book: Book, language: Language, age: int, reader: str, text: str) -> Review:
    key = (book.id, language, age)
    stars = 5 - min(draw(7, "stars", *key) // 2, draw(5, "mood", *key))
    return Review(reader, date_of(age, language), stars, text)


def _advert(number: int, language: Language) -> Advert:
    row = daily()["advert"][number]
    title, text = row[language]
    return Advert(number, title, text, row["href"])
