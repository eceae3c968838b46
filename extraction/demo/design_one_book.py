"""The book page of the first design, with the price and stock block before and after the partial redesign."""

from extraction.demo.content import BookPage, Frame, Link
from extraction.demo.daily import Review
from extraction.demo.dice import token
from extraction.demo.markup import marked, named, relative, thumbnail
from extraction.demo.words import word

PARTIAL_ATTRIBUTES = ("availability", "price", "shelf_mark")
"""The attributes of a book in the price and stock block, which the partial redesign moves."""


def body(page: BookPage, *, partial: bool, advert: str) -> str:
    """Return the main part of a book's page.

    page: the content.
    partial: whether to use the block of the partial redesign.
    advert: HTML for the middle of the page; may be empty.
    """
    frame, language = page.frame, page.frame.language
    cover = relative(frame.path, page.cover) if page.cover else ""
    picture = f'<div class="cover"><img src="{cover}" alt="{named(page.title)}" width="200" height="300"></div>' if cover else ""
    subtitle = f' <span class="subtitle">{named(page.subtitle)}</span>' if page.subtitle else ""
    credits = f'<p class="credits">{word("translated", language)} {_people(page.translators, frame)}</p>' if page.translators else ""
    tags = "".join(f'<li><a href="{link.href}">{named(link.text)}</a></li>' for link in page.subjects)
    offer = _panel(page) if partial else _box(page)
    return f"""<div class="item{"" if cover else " nocover"}" id="book-{page.id}">
{picture}
<h1>{named(page.title)}{subtitle}</h1>
<p class="byline">{word("by", language)} {_people(page.authors, frame)}</p>
{credits}
{offer}
<ul class="tags"><b>{word("subjects", language)}</b> {tags}</ul>
<h2>{word("about", language)}</h2>
<div class="blurb"><p>{marked(named(page.blurb))}</p></div>
{advert}
<h2>{word("details", language)}</h2>
{_specs(page)}
{_reviews(page)}
{_also(page)}
</div>"""


def _people(links: tuple[Link, ...], frame: Frame) -> str:
    names = [f'<a class="name" href="{link.href}">{named(link.text)}</a>' for link in links]
    return f" {word('and', frame.language)} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _specs(page: BookPage) -> str:
    """Return the table of details. Each row has its own class, except the row of the EAN, which has only a label."""
    rows = []
    for key, value in page.specs:
        css = "" if key == "ean" else f' class="spec spec-{key}"'
        rows.append(f"<tr{css}><th>{word(key, page.frame.language)}</th><td>{named(value)}</td></tr>")
    return '<table class="specs" cellspacing="0">\n' + "\n".join(rows) + "\n</table>"


def _reviews(page: BookPage) -> str:
    items = "\n".join(_review(page, n, review) for n, review in enumerate(page.reviews))
    body = items or f'<p class="empty">{word("none", page.frame.language)}</p>'
    return f'<div class="reviews"><h2>{word("reviews", page.frame.language)}</h2>\n{body}\n<!--end--></div>'


def _review(page: BookPage, place: int, review: Review) -> str:
    stars = "★" * review.stars + "☆" * (5 - review.stars)
    return (
        f'<div class="review" id="r{page.id}-{len(page.reviews) - place}"><p class="meta"><b>{named(review.reader)}</b>, '
        f'<span class="on">{review.date}</span> <span class="stars" title="{review.stars}/5">{_stars(stars)}</span></p>'
        f"<p>{named(review.text)}</p></div>"
    )


def _stars(stars: str) -> str:
    return stars.replace("★", "&#9733;").replace("☆", "&#9734;")


def _also(page: BookPage) -> str:
    """Return the related books, the only area with hashed class names. They change with every build; the id differs on every page."""
    if not page.related:
        return ""
    build = token(6, "build", page.frame.day // 7)
    hashed = f"card_{token(5, 'card', build)}"
    cards = "".join(
        f'<li class="{hashed}"><a href="{card.title.href}">{thumbnail(page.frame.path, card.image)}{named(card.title.text)}</a></li>'
        for card in page.related
    )
    return (
        f'<div class="w_{build}" id="rec-{token(8, "rec", page.frame.path, page.frame.day)}">'
        f'<h2>{word("related", page.frame.language)}</h2><ul class="also l_{token(4, build)}">{cards}</ul></div>'
    )


def _box(page: BookPage) -> str:
    """Return the block before the partial redesign: paragraphs with the values as text after a label."""
    language, offer = page.frame.language, page.offer
    was = f' <del class="was">{named(offer.was)}</del>' if offer.was else ""
    price = f'<p class="price"><b>{word("price", language)}</b> {named(offer.price)}{was} <small>{word("delivery", language)}</small></p>'
    action, button = ("/basket", word("basket", language)) if offer.copies else ("/contact", word("ask", language))
    return f"""<div class="buybox" id="offer-{page.id}">
{price if offer.price else ""}
<p class="stock {"in" if offer.copies else "out"}">{named(offer.availability)}</p>
<p class="shelf"><b>{word("shelf", language)}</b> {named(page.shelf_mark)}</p>
<form action="{action}" method="post"><input type="hidden" name="id" value="{page.id}"><button>{button}</button></form>
</div>"""


def _panel(page: BookPage) -> str:
    """Return the block after the partial redesign: a panel with a definition list, and a link as the button."""
    language, offer = page.frame.language, page.offer
    was = f'<dd><s class="before">{named(offer.was)}</s></dd>' if offer.was else ""
    price = f'<dt>{word("price2", language)}</dt><dd><strong class="amount">{named(offer.price)}</strong></dd>{was}' if offer.price else ""
    go = (f"/basket?add={page.id}", word("basket", language)) if offer.copies else ("/contact", word("ask", language))
    return f"""<section class="panel" data-offer="{page.id}">
<h3 class="panel-title"><span>{named(offer.availability)}</span></h3>
<dl class="panel-facts">{price}<dt>{word("shelf2", language)}</dt><dd><code>{named(page.shelf_mark)}</code></dd></dl>
<div class="panel-go"><a class="go" href="{go[0]}">{go[1]}</a></div>
</section>"""
