"""The first design: an older site with floats, tables, labels that end in colons, and named entities."""

from collections.abc import Iterable

from extraction.demo import design_one_book
from extraction.demo.content import ArticlePage, AuthorPage, BookPage, Card, Frame, InfoPage, ListingPage, Page
from extraction.demo.daily import Slot
from extraction.demo.dice import draw
from extraction.demo.markup import LATIN_ONE, NAME, fragment, json_ld, marked, named, relative, thumbnail
from extraction.demo.words import word

_NAV = (
    ("New", "Neu", "/"),
    ("Subjects", "Themen", "/subjects"),
    ("Authors", "Autoren", "/authors"),
    ("Journal", "Journal", "/journal"),
    ("Deutsch", "Deutsch", "/de/"),
    ("Find us", "Kontakt", "/contact"),
)

_SIDE = {
    "en": ("The shop", "About us", "Delivery", "Returns", "Opening hours", "Tue–Sat, 10 am – 6 pm"),
    "de": ("Der Laden", "Über uns", "Versand", "Rückgabe", "Öffnungszeiten", "Di–Sa, 10–18 Uhr"),
}


def html(page: Page, *, partial: bool = False) -> str:
    """Return the HTML of a page. partial: whether book pages have the price and stock block of the partial redesign."""
    match page:
        case BookPage():
            return _document(
                page.frame,
                "book",
                design_one_book.body(page, partial=partial, advert=_advert(page.frame, "middle")),
                json_ld(page),
            )
        case AuthorPage():
            return _document(page.frame, "author", _author(page))
        case ListingPage():
            return _document(page.frame, "listing", _listing(page))
        case ArticlePage():
            return _document(page.frame, "article", _article(page))
        case InfoPage():
            return _document(page.frame, "info", _info(page))


def address(frame: Frame, target: str) -> str:
    """Return the address of a file as this design writes it: relative to the page."""
    return relative(frame.path, target)


def _document(frame: Frame, kind: str, main: str, head: str = "") -> str:
    charset = "iso-8859-1" if frame.path == LATIN_ONE else "utf-8"
    return f"""<!DOCTYPE html>
<html lang="{frame.language}">
<head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}">
<title>{named(frame.title)} | {NAME}</title>
<meta name="viewport" content="width=980">
<link rel="stylesheet" href="{address(frame, "/css/print.css")}" media="print">
<link rel="stylesheet" type="text/css" href="{address(frame, "/css/shop.css")}">
<script type="text/javascript">
var shop = shop || []; shop.push(['page', '{kind}', {frame.day}]);
if (1 < 2 && shop.length > 0) {{ document.documentElement.className += " js"; }}
</script>
{head}
</head>
<body class="t-{kind}">
<!-- served by shelf{draw(9, "node", frame.path, frame.day):02} -->
<div id="wrap">
{_header(frame)}
{_advert(frame, "top")}
<div id="crumbs">{_crumbs(frame)}</div>
<div id="content">
<div class="main">
{main}
{fragment(f"one-{kind}", frame.language)}</div>
{_side(frame)}
</div>
{_footer(frame)}
</div>
<script>(function () {{ var t = "<div>" + shop.length + "</div>"; return t; }})();</script>
</body>
</html>
"""


def _header(frame: Frame) -> str:
    items = "".join(f'<li><a href="{href}">{german if frame.language == "de" else english}</a></li>' for english, german, href in _NAV)
    search = word("search", frame.language)
    return f"""<div id="header">
<form action="/search" method="get"><input type="text" name="q" size="18"> <input type="submit" value="{search}"></form>
<a class="logo" href="/"><img src="{address(frame, "/img/logo.svg")}" alt="">{NAME}</a>
<span class="motto">old books, kindly described</span>
<ul id="nav">{items}</ul>
</div>"""


def _crumbs(frame: Frame) -> str:
    links = "".join(f'<a href="{link.href}">{named(link.text)}</a> &raquo; ' for link in frame.crumbs)
    return f"{links}<span>{named(frame.title)}</span>"


def _side(frame: Frame) -> str:
    shop, about, delivery, returns, hours, open_ = _SIDE[frame.language]
    return f"""<div class="side">
<p class="lang"><a href="{frame.other}">{word("other", frame.language)}</a></p>
<h3>{shop}</h3>
<ul><li><a href="/about">{about}</a></li><li><a href="/delivery">{delivery}</a></li><li><a href="/returns">{returns}</a></li></ul>
{_advert(frame, "side")}
<h3>{hours}</h3>
<p>{named(open_)}<br>14 Inkhorn Lane</p>
</div>"""


def _footer(frame: Frame) -> str:
    return f"""{_advert(frame, "end")}
<div id="footer">
<div class="col"><a href="/questions">Questions</a><br><a href="/privacy">Privacy</a></div>
<div class="col">{NAME}, behind the corn exchange<br>Tel. 01632&nbsp;960&nbsp;114</div>
<div class="col">We buy books on Thursdays.<br>Please bring a list.</div>
<div class="small">&copy; 1998&ndash;2025 {NAME}. Facts about old books belong to everybody.</div>
</div>"""


def _advert(frame: Frame, slot: Slot) -> str:
    advert = frame.adverts.get(slot)
    if not advert:
        return ""
    picture = address(frame, f"/img/advert/{advert.number}.png")
    return (
        f'<div class="advert"><a href="{advert.href}"><img src="{picture}" width="96" height="64" alt=""></a>'
        f"<em>{word('advert', frame.language)}</em><b>{named(advert.title)}</b>{named(advert.text)}</div>"
    )


def _author(page: AuthorPage) -> str:
    author, frame = page.author, page.frame
    portrait = f'<img class="portrait" src="{address(frame, page.portrait)}" alt="" width="150" height="180">' if page.portrait else ""
    place = f'<br><span class="place">{named(author.birthplace)}</span>' if author.birthplace else ""
    trades = ", ".join(f'<span class="trade">{named(trade)}</span>' for trade in author.occupations)
    facts = (
        ("real", "Real name:", named(author.real_name)),
        ("pen", "Wrote as:", named(author.pen_name)),
        ("born", "Born:", named(author.born) + place if author.born else ""),
        ("died", "Died:", named(author.died)),
        ("country", "Country:", named(author.country)),
        ("work", "Occupation:", trades),
    )
    items = "\n".join(f'<li class="{css}"><b>{label}</b> {value}</li>' for css, label, value in facts if value)
    rows = "\n".join(
        f'<tr><td><a href="{card.title.href}">{named(card.title.text)}</a></td><td>{named(card.price or card.availability)}</td></tr>'
        for card in page.books
    )
    return f"""<div class="person">
{portrait}
<h1>{named(author.name)}</h1>
<ul class="life">
{items}
</ul>
<div class="story">{_paragraphs(author.life)}</div>
{_advert(frame, "middle")}
<h2>On our shelves</h2>
<table class="titles"><tr><th>Title</th><th>Price</th></tr>
{rows}
</table>
</div>"""


def _listing(page: ListingPage) -> str:
    hits = "\n".join(_hit(page.frame, card) for card in page.cards)
    numbers = page.pages if len(page.pages) > 1 else ()
    pager = " ".join(f"<b>{p.text}</b>" if int(p.text) == page.page else f'<a href="{p.href}">{p.text}</a>' for p in numbers)
    counted = f"{page.total} books" if page.frame.language == "en" else f"{page.total} Bücher"
    return f"""<h1>{named(page.heading)}</h1>
<p class="count">{counted}</p>
<ul class="hits">
{hits}
</ul>
{_advert(page.frame, "middle")}
<div class="pager">{pager}</div>"""


def _hit(frame: Frame, card: Card) -> str:
    cost = f'<p class="cost">{named(card.price)}</p>' if card.price else f'<p class="gone">{named(card.availability)}</p>'
    by = f"{word('by', frame.language)} {named(', '.join(card.authors))}"
    return (
        f'<li class="hit"><a href="{card.title.href}">{thumbnail(frame.path, card.image)}</a>'
        f'<h3><a href="{card.title.href}">{named(card.title.text)}</a></h3><p class="by">{by}</p>{cost}</li>'
    )


def _article(page: ArticlePage) -> str:
    article = page.article
    books = "".join(f'<li><a href="{card.title.href}">{named(card.title.text)}</a></li>' for card in page.books)
    mentioned = f'<div class="mentioned"><h2>Books in this piece</h2><ul>{books}</ul></div>' if books else ""
    near = "".join(f'<li><a href="{link.href}">{named(link.text)}</a></li>' for link in page.neighbours)
    return f"""<div class="story">
<h1>{named(article.title)}</h1>
<p class="dated">{named(article.author)}, {article.date}</p>
{_paragraphs(article.paragraphs)}
</div>
{_advert(page.frame, "middle")}
{mentioned}
<p class="filed">Filed under {named(", ".join(article.tags))}</p>
<h2>More from the journal</h2>
<ul>{near}</ul>"""


def _info(page: InfoPage) -> str:
    links = "".join(f'<li><a href="{link.href}">{named(link.text)}</a></li>' for link in page.links)
    asked = "".join(f"<dt>{named(question)}</dt><dd>{named(answer)}</dd>" for question, answer in page.info.questions)
    return f"""<div class="plain">
<h1>{named(page.info.title)}</h1>
{_paragraphs(page.info.paragraphs)}
{f'<ul class="index">{links}</ul>' if links else ""}
{f'<dl class="faq">{asked}</dl>' if asked else ""}
{_advert(page.frame, "middle")}
</div>"""


def _paragraphs(texts: Iterable[str]) -> str:
    return "\n".join(f"<p>{marked(named(text)) if n == 0 else named(text)}</p>" for n, text in enumerate(texts))
