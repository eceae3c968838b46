"""The second design, a complete redesign: HTML5, cards and definition lists, with other class names, order and wording."""

from extraction.demo.content import ArticlePage, AuthorPage, BookPage, Card, Frame, InfoPage, Link, ListingPage, Page
from extraction.demo.daily import Review, Slot
from extraction.demo.dice import draw, token
from extraction.demo.markup import LATIN_ONE, NAME, fragment, json_ld, marked, plain
from extraction.demo.words import word

_NAV = (
    ("Fresh in", "Neu", "/"),
    ("Browse", "Stöbern", "/subjects"),
    ("Writers", "Autoren", "/authors"),
    ("Stories", "Journal", "/journal"),
    ("Deutsch", "Deutsch", "/de/"),
    ("Visit", "Besuch", "/contact"),
)


def html(page: Page) -> str:
    """Return the HTML of a page."""
    match page:
        case BookPage():
            return _document(page.frame, "book", _book(page), json_ld(page))
        case AuthorPage():
            return _document(page.frame, "author", _author(page))
        case ListingPage():
            return _document(page.frame, "listing", _listing(page))
        case ArticlePage():
            return _document(page.frame, "article", _article(page))
        case InfoPage():
            return _document(page.frame, "info", _info(page))


def address(_frame: Frame, target: str) -> str:
    """Return the address of a picture as this design writes it: from the root of the site, with a version."""
    return f"{target}?v=2"


def _document(frame: Frame, kind: str, main: str, head: str = "") -> str:
    charset = "iso-8859-1" if frame.path == LATIN_ONE else "utf-8"
    return f"""<!doctype html>
<html lang="{frame.language}" class="no-js">
<head>
<meta charset="{charset}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{NAME} · {plain(frame.title)}</title>
<link rel="icon" href="/img/logo.svg">
<link rel="stylesheet" href="/css/print.css" media="print">
<link rel="stylesheet" href="/css/site.css">
{head}
</head>
<body data-view="{kind}" data-request="{token(12, "request", frame.path, frame.day)}">
<a class="skip" href="#main">Skip to content</a>
{_header(frame)}
{_promo(frame, "top")}
<main class="shell" id="main">
{_trail(frame)}
{main}
{fragment(f"two-{kind}", frame.language)}{_promo(frame, "end")}
</main>
{_footer(frame)}
<script type="module">document.documentElement.classList.remove("no-js"); const made = `<p>${{{draw(900, "t", frame.path)}}}</p>`;</script>
</body>
</html>
"""


def _header(frame: Frame) -> str:
    items = "".join(f'<a href="{href}">{german if frame.language == "de" else english}</a>' for english, german, href in _NAV)
    search = word("search", frame.language)
    return f"""<header class="bar"><div class="bar__in">
<a class="brand" href="/"><img src="{address(frame, "/img/logo.svg")}" alt="" width="30" height="30"><span>{NAME}</span></a>
<nav class="menu" aria-label="Main">{items}</nav>
<form class="find" action="/search" role="search"><input name="q" type="search" placeholder="{search} …" aria-label="{search}"></form>
</div></header>"""


def _trail(frame: Frame) -> str:
    links = "".join(f'<li><a href="{link.href}">{plain(link.text)}</a></li>' for link in frame.crumbs)
    other = f'<li class="other"><a href="{frame.other}" rel="alternate">{word("other", frame.language)}</a></li>'
    return f'<nav aria-label="Breadcrumb"><ol class="trail">{links}{other}</ol></nav>'


def _footer(_frame: Frame) -> str:
    return f"""<footer class="foot"><div class="foot__in">
<div><strong>{NAME}</strong><p>Old books, kindly described. 14 Inkhorn Lane, behind the corn exchange. © 1998–2025</p></div>
<nav aria-label="Help"><a href="/delivery">Delivery</a><a href="/returns">Returns</a><a href="/questions">Questions</a></nav>
<nav aria-label="Shop"><a href="/about">About</a><a href="/privacy">Privacy</a><a href="/contact">Contact</a></nav>
</div></footer>"""


def _promo(frame: Frame, slot: Slot) -> str:
    advert = frame.adverts.get(slot)
    if not advert:
        return ""
    picture = address(frame, f"/img/advert/{advert.number}.png")
    return (
        f'<aside class="promo" data-slot="{slot}"><img src="{picture}" alt="" width="72" height="48" loading="lazy">'
        f'<div><small>{word("advert", frame.language)}</small><a href="{advert.href}"><strong>{plain(advert.title)}</strong></a>'
        f"<span>{plain(advert.text)}</span></div></aside>"
    )


def _book(page: BookPage) -> str:
    frame, language = page.frame, page.frame.language
    cover = f'<img src="{address(frame, page.cover)}" alt="{plain(page.title)}" width="300" height="450">' if page.cover else ""
    chips = "".join(f'<li><a href="{link.href}" rel="tag">{plain(link.text)}</a></li>' for link in page.subjects)
    subtitle = f'<p class="product__sub">{plain(page.subtitle)}</p>' if page.subtitle else ""
    credit = f'<p class="people people--trans">{word("translated", language)} {_people(page.translators)}</p>' if page.translators else ""
    return f"""<article class="product" id="p{page.id}">
<figure class="product__media">{cover or '<span class="nopic">no picture</span>'}</figure>
<div class="product__body">
<ul class="chips">{chips}</ul>
<h1 class="product__title">{plain(page.title)}</h1>
{subtitle}
<p class="people people--authors">{_people(page.authors)}</p>
{credit}
<div class="product__text"><p>{marked(plain(page.blurb))}</p></div>
{_purchase(page)}
{_promo(frame, "side")}
{_facts(page)}
</div>
</article>
{_promo(frame, "middle")}
{_quotes(page)}
{_tiles(page)}"""


def _people(links: tuple[Link, ...]) -> str:
    return " ".join(f'<span class="person"><a href="{link.href}">{plain(link.text)}</a></span>' for link in links)


def _purchase(page: BookPage) -> str:
    language, offer = page.frame.language, page.offer
    was = f'<span class="before">{plain(offer.was)}</span>' if offer.was else ""
    price = f'<div class="purchase__sum"><span class="amount">{plain(offer.price)}</span> {was}</div>' if offer.price else ""
    dot = "dot" if offer.copies else "dot dot--gone"
    go = f'<a class="cta" href="/basket?add={page.id}">{word("basket", language)}</a>'
    ask = f'<a class="cta cta--ghost" href="/contact">{word("ask", language)}</a>'
    return f"""<section class="purchase" aria-label="{word("price2", language)}">
{price}
<div class="purchase__state"><div class="availability"><i class="{dot}"></i><span>{plain(offer.availability)}</span></div>
<div class="place">{word("shelf2", language)} <code>{plain(page.shelf_mark)}</code></div></div>
{go if offer.copies else ask}
</section>"""


def _facts(page: BookPage) -> str:
    """Return the details of a book in the reverse order of the first design."""
    rows = "\n".join(
        f'<div class="fact" data-fact="{key}"><dt>{word(key + "2", page.frame.language)}</dt><dd>{plain(value)}</dd></div>'
        for key, value in reversed(page.specs)
    )
    return f'<dl class="facts">\n{rows}\n</dl>'


def _quotes(page: BookPage) -> str:
    if not page.reviews:
        return ""
    items = "\n".join(_quote(review) for review in page.reviews)
    heading = word("reviews", page.frame.language)
    return f'<section class="block" id="reviews"><h2>{heading}</h2><div class="quotes">\n{items}\n<!--end--></div></section>'


def _quote(review: Review) -> str:
    stars = "★" * review.stars + "☆" * (5 - review.stars)
    return (
        f'<blockquote class="quote"><div class="rating" aria-label="{review.stars}/5">{stars}</div><p>{plain(review.text)}</p>'
        f"<footer><cite>{plain(review.reader)}</cite> <time>{review.date}</time></footer></blockquote>"
    )


def _tiles(page: BookPage) -> str:
    """Return the related books. As in the first design, this is the area with hashed class names."""
    if not page.related:
        return ""
    build = token(7, "build two", page.frame.day // 7)
    tiles = "\n".join(_tile(page.frame, card) for card in page.related[:4])
    return (
        f'<section class="block css-{build}" data-key="{token(8, "rec two", page.frame.path, page.frame.day)}">'
        f'<h2>{word("related", page.frame.language)}</h2><div class="grid css-{token(7, build)}">\n{tiles}\n</div></section>'
    )


def _tile(frame: Frame, card: Card) -> str:
    picture = f'<img src="{address(frame, card.image)}" alt="" loading="lazy">' if card.image else '<span class="blank"></span>'
    cost = plain(card.price or card.availability)
    return (
        f'<div class="tile"><a href="{card.title.href}">{picture}<h3>{plain(card.title.text)}</h3></a>'
        f'<p>{plain(", ".join(card.authors))}</p><p class="cost">{cost}</p></div>'
    )


def _author(page: AuthorPage) -> str:
    author, frame = page.author, page.frame
    portrait = f'<img src="{address(frame, page.portrait)}" alt="{plain(author.name)}" width="220" height="264">' if page.portrait else ""
    trades = " ".join(f'<span class="person">{plain(trade)}</span>' for trade in author.occupations)
    facts = (
        ("from", "From", plain(author.country)),
        ("birth", "Date of birth", plain(author.born)),
        ("birthplace", "Place of birth", plain(author.birthplace)),
        ("death", "Date of death", plain(author.died)),
        ("work", "Known as", trades),
        ("alias", "Pen name", plain(author.pen_name)),
        ("legal", "Born as", plain(author.real_name)),
    )
    items = "\n".join(f'<div class="fact" data-fact="{key}"><dt>{label}</dt><dd>{value}</dd></div>' for key, label, value in facts if value)
    life = "".join(f"<p>{plain(text) if n else marked(plain(text))}</p>" for n, text in enumerate(author.life))
    rows = "\n".join(
        f'<li><a href="{card.title.href}">{plain(card.title.text)}</a><span>{plain(card.price or card.availability)}</span></li>'
        for card in page.books
    )
    return f"""<article class="profile">
<figure>{portrait}</figure>
<div>
<h1>{plain(author.name)}</h1>
<div class="bio">{life}</div>
<dl class="facts">
{items}
</dl>
{_promo(frame, "side")}
</div>
</article>
{_promo(frame, "middle")}
<section class="block"><h2>In the shop now</h2><ul class="roll">
{rows}
</ul></section>"""


def _listing(page: ListingPage) -> str:
    tiles = "\n".join(_tile(page.frame, card) for card in page.cards)
    numbers = page.pages if len(page.pages) > 1 else ()
    pager = "".join(
        f'<span aria-current="page">{p.text}</span>' if int(p.text) == page.page else f'<a href="{p.href}">{p.text}</a>' for p in numbers
    )
    counted = f"{page.total} books" if page.frame.language == "en" else f"{page.total} Bücher"
    return f"""<div class="lead"><h1>{plain(page.heading)}</h1><span>{counted}</span></div>
{_promo(page.frame, "side")}
<div class="grid grid--shelf">
{tiles}
</div>
{_promo(page.frame, "middle")}
<nav class="pages" aria-label="Pages">{pager}</nav>"""


def _article(page: ArticlePage) -> str:
    article = page.article
    body = "\n".join(f"<p>{plain(text)}</p>" for text in article.paragraphs)
    tiles = "\n".join(_tile(page.frame, card) for card in page.books[:4])
    shelf = f'<section class="block"><h2>Mentioned here</h2><div class="grid">{tiles}</div></section>' if tiles else ""
    near = "".join(f'<li><a href="{link.href}">{plain(link.text)}</a></li>' for link in page.neighbours)
    chips = "".join(f"<li><a>{plain(tag)}</a></li>" for tag in article.tags)
    return f"""<article class="reading">
<ul class="chips">{chips}</ul>
<h1>{plain(article.title)}</h1>
<p class="meta">By <span>{plain(article.author)}</span> · <time>{article.date}</time></p>
{body}
{_promo(page.frame, "middle")}
<aside><h2>Read on</h2><ul>{near}</ul></aside>
</article>
{shelf}"""


def _info(page: InfoPage) -> str:
    body = "\n".join(f"<p>{plain(text)}</p>" for text in page.info.paragraphs)
    links = "".join(f'<li><a href="{link.href}">{plain(link.text)}</a></li>' for link in page.links)
    asked = "\n".join(f"<details open><summary>{plain(q)}</summary><p>{plain(a)}</p></details>" for q, a in page.info.questions)
    return f"""<section class="reading">
<h1>{plain(page.info.title)}</h1>
{body}
{f'<ul class="many">{links}</ul>' if links else ""}
{asked}
{_promo(page.frame, "middle")}
</section>"""
