"""The content of each page of the demo site as words and links. Both designs have the same content and differ only in markup."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from extraction.demo import data, words
from extraction.demo.daily import Advert, DailyOffer, Review, Slot, adverts, date_of, offer, reviews
from extraction.demo.data import Article, Author, Book, Info, Language
from extraction.demo.dice import draw, shuffled

_UMLAUTS = str.maketrans({"ß": "ss", "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})

LISTED = 8
"""The largest number of books on one page of a listing."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a path of the site."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page has.

    path: the path with the query.
    crumbs: the links from the home page to the page.
    other: the path of the page in the other language, or of the home page in that language.
    """

    path: str
    language: Language
    title: str
    crumbs: tuple[Link, ...]
    adverts: dict[Slot, Advert]
    day: int
    other: str


@dataclass(frozen=True, slots=True)
class Card:
    """A book as it is shown in lists and next to other books. image: a path; empty for none."""

    title: Link
    authors: tuple[str, ...]
    price: str
    availability: str
    image: str


@dataclass(frozen=True, slots=True)
class BookPage:
    """The page of a book.

    specs: (key of the label, value) in order, without unknown values.
    cover: a path; empty for none.
    """

    frame: Frame
    id: int
    title: str
    subtitle: str
    authors: tuple[Link, ...]
    translators: tuple[Link, ...]
    offer: DailyOffer
    shelf_mark: str
    specs: tuple[tuple[str, str], ...]
    subjects: tuple[Link, ...]
    cover: str
    blurb: str
    reviews: tuple[Review, ...]
    related: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class AuthorPage:
    """The page of an author. portrait: a path; empty for none."""

    frame: Frame
    author: Author
    portrait: str
    books: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class ListingPage:
    """A page of a listing. page: its number, from 1. pages: the links to all pages of the listing."""

    frame: Frame
    heading: str
    total: int
    cards: tuple[Card, ...]
    page: int
    pages: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """A page of the journal. neighbours: links to the next newer and the next older article, where there is one."""

    frame: Frame
    article: Article
    books: tuple[Card, ...]
    neighbours: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class InfoPage:
    """A page about the shop. links: a list that some of these pages have."""

    frame: Frame
    info: Info
    links: tuple[Link, ...]


Page = BookPage | AuthorPage | ListingPage | ArticlePage | InfoPage


def site(*, day: int) -> Iterator[Page]:
    """Yield all pages in a fixed order."""
    for language in ("en", "de"):
        yield from (book_page(book, language, day) for book in data.books() if language in book.editions)
    yield from (_author_page(author, day) for author in data.authors())
    yield from _listings(day)
    yield from (_article_page(article, day) for article in data.articles())
    yield from (_info_page(info, day) for info in data.infos())


def book_page(book: Book, language: Language, day: int) -> BookPage:
    """Return the page of a book in one of its languages."""
    edition = book.editions[language]
    path = _book_path(book, language)
    shelf = _subject(book.subjects[0], language)
    others = [lang for lang in book.editions if lang != language]
    return BookPage(
        frame=_frame(path, edition.title, language, day, (shelf,), _book_path(book, others[0]) if others else ""),
        id=book.id,
        title=edition.title,
        subtitle=edition.subtitle,
        authors=tuple(_person(name) for name in book.authors),
        translators=tuple(_person(name) for name in edition.translators),
        offer=offer(book, language=language, day=day),
        shelf_mark=f"{'ABCDEFGHJKLMNPQR'[draw(16, 'bay', book.id)]} {1 + draw(14, 'shelf', book.id)}/{1 + draw(40, 'place', book.id)}",
        specs=tuple(_specs(book, language)),
        subjects=tuple(_subject(key, language) for key in book.subjects),
        cover=_cover(book, language),
        blurb=edition.blurb,
        reviews=tuple(reviews(book, language=language, day=day)),
        related=tuple(_card(other, language, day) for other in _related(book, language, day)),
    )


def slug(text: str) -> str:
    """Return a text as part of a path: ``Charlotte Brontë`` becomes ``charlotte-bronte``."""
    plain = unicodedata.normalize("NFKD", text.translate(_UMLAUTS)).encode("ascii", "ignore").decode().lower().replace("'", "")
    return "-".join("".join(c if c.isalnum() else " " for c in plain).split())


def _specs(book: Book, language: Language) -> Iterator[tuple[str, str]]:
    yield "published", str(book.year)
    if book.publisher:
        yield "publisher", book.publisher
    yield "language", data.language_name(book.language, language)
    if draw(9, "pages", book.id, language):
        yield "pages", words.number(book.pages, language)
    if draw(3, "binding", book.id, language):
        yield "binding", words.BINDINGS[draw(4, "bound in", book.id, language)][language == "de"]
    yield "ean", _ean(book, language)
    if draw(4, "illustrated", book.id, language):
        yield "illustrated", words.word("no" if draw(3, "pictures", book.id, language) else "yes", language)
    yield "catalogued", date_of(-20 - draw(900, "catalogued", book.id, language), language)


def _ean(book: Book, language: Language) -> str:
    """Return a 13-digit number with its check digit from the range that EAN reserves for use within one shop (21…)."""
    digits = f"21{book.id:05}{draw(100_000, 'ean', book.id, language):05}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


def _related(book: Book, language: Language, day: int) -> list[Book]:
    if draw(9, "nothing near", book.id, language) == 0:
        return []
    near = [b for b in data.books() if b.id != book.id and language in b.editions and set(b.subjects) & set(book.subjects)]
    chosen = shuffled([b.id for b in near], "related", book.id, language, day // 3)[: 2 + draw(4, "how many", book.id, language)]
    return [b for b in near if b.id in chosen]


def _card(book: Book, language: Language, day: int) -> Card:
    now = offer(book, language=language, day=day)
    title = Link(book.editions[language].title, _book_path(book, language))
    return Card(title, book.authors, now.price, now.availability, _cover(book, language))


def _cover(book: Book, language: Language) -> str:
    if draw(12, "no cover", book.id) == 0:
        return ""
    return f"/img/cover/{book.id}{'' if language == 'en' else '-de'}.svg"


def _author_page(author: Author, day: int) -> AuthorPage:
    path = f"/author/{slug(author.name)}"
    own = [book for book in data.books() if author.name in book.authors]
    return AuthorPage(
        frame=_frame(path, author.name, "en", day, (Link("Authors A to Z", "/authors"),)),
        author=author,
        portrait=f"/img/author/{slug(author.name)}.svg" if draw(6, "portrait", author.name) else "",
        books=tuple(_card(book, "en", day) for book in own),
    )


def _listings(day: int) -> Iterator[ListingPage]:
    newest = sorted(data.books(), key=lambda book: draw(1000, "arrived", book.id, (day + book.id) // 5))
    yield from _listing("/", "New on the shelves", newest[:LISTED], "en", day)
    for key, names in data.subjects().items():
        found = [book for book in data.books() if key in book.subjects]
        yield from _listing(f"/subject/{key}", names["en"], found, "en", day)
    german = [book for book in data.books() if "de" in book.editions]
    yield from _listing("/de/", "Bücher auf Deutsch", german, "de", day)


def _listing(path: str, heading: str, found: list[Book], language: Language, day: int) -> Iterator[ListingPage]:
    starts = range(0, len(found), LISTED)
    links = tuple(Link(str(n), path if n == 1 else f"{path}?page={n}") for n in range(1, len(starts) + 1))
    for start, link in zip(starts, links, strict=True):
        frame = _frame(link.href, heading, language, day, ())
        cards = tuple(_card(book, language, day) for book in found[start : start + LISTED])
        yield ListingPage(frame, heading, len(found), cards, int(link.text), links)


def _article_page(article: Article, day: int) -> ArticlePage:
    journal = data.articles()
    place = journal.index(article)
    near = [journal[n] for n in (place + 1, place - 1) if 0 <= n < len(journal)]
    mentioned = tuple(_card(book, "en", day) for book in data.books() if book.id in article.books)
    frame = _frame(f"/journal/{article.slug}", article.title, "en", day, (Link("The journal", "/journal"),))
    return ArticlePage(frame, article, mentioned, tuple(Link(other.title, f"/journal/{other.slug}") for other in near))


def _info_page(info: Info, day: int) -> InfoPage:
    links: dict[str, list[Link]] = {
        "text": [],
        "authors": sorted((_person(a.name) for a in data.authors()), key=lambda link: link.text.split()[-1]),
        "subjects": [_subject(key, "en") for key in data.subjects()],
        "journal": [Link(article.title, f"/journal/{article.slug}") for article in reversed(data.articles())],
    }
    return InfoPage(_frame(f"/{info.slug}", info.title, "en", day, ()), info, tuple(links[info.kind]))


def _frame(path: str, title: str, language: Language, day: int, between: tuple[Link, ...], other: str = "") -> Frame:
    home = Link(words.word("home", language), "/" if language == "en" else "/de/")
    other = other or ("/de/" if language == "en" else "/")
    return Frame(path, language, title, (home, *between), adverts(path, language=language, day=day), day, other)


def _book_path(book: Book, language: Language) -> str:
    return f"{'/book' if language == 'en' else '/de/buch'}/{book.id}/{slug(book.editions[language].title)}"


def _person(name: str) -> Link:
    known = any(author.name == name for author in data.authors())
    return Link(name, f"/author/{slug(name)}" if known else f"/search?q={slug(name)}")


def _subject(key: str, language: Language) -> Link:
    return Link(data.subjects()[key][language], f"/subject/{key}")
