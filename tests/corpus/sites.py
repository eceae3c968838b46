"""The made-up sites of the corpus. Each writes one page from a number; what differs between pages is drawn from the site's own seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tests.corpus.marks import mark as m

FIRST = [
    "Ada",
    "Bruno",
    "Chiara",
    "Deniz",
    "Elif",
    "Farid",
    "Greta",
    "Hana",
    "Ivo",
    "Jonas",
    "Kaja",
    "Lucía",
    "Mirko",
    "Noor",
    "Olga",
    "Pál",
    "Quirin",
    "Rosa",
    "Søren",
    "Tereza",
]
LAST = [
    "Abela",
    "Brandt",
    "Çelik",
    "Dvořák",
    "Eriksson",
    "Ferrari",
    "Grün",
    "Haddad",
    "Ilić",
    "Jansen",
    "Kovács",
    "Lindqvist",
    "Moreau",
    "Novák",
    "O’Brien",
    "Papadopoulos",
]
TOWNS = [
    "Aalen",
    "Brno",
    "Córdoba",
    "Delft",
    "Évora",
    "Faro",
    "Ghent",
    "Haugesund",
    "Ioannina",
    "Jena",
    "Kraków",
    "Łódź",
    "Malmö",
    "Nîmes",
    "Oulu",
    "Porto",
]
WORDS = [
    "light",
    "harbour",
    "winter",
    "garden",
    "river",
    "paper",
    "window",
    "morning",
    "stone",
    "silver",
    "orchard",
    "letter",
    "bridge",
    "summer",
    "market",
    "valley",
    "copper",
    "lantern",
    "meadow",
    "thunder",
    "island",
    "feather",
    "mirror",
    "candle",
    "forest",
    "ribbon",
    "anchor",
    "saddle",
    "pepper",
    "walnut",
    "velvet",
    "compass",
]


def person(rng: Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def title(rng: Random, words: int = 3) -> str:
    return " ".join(rng.sample(WORDS, words)).capitalize()


def sentence(rng: Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(6, 14))).capitalize() + "."


def paragraphs(rng: Random, least: int, most: int) -> str:
    return "".join(f"<p>{' '.join(sentence(rng) for _ in range(rng.randint(2, 4)))}</p>\n" for _ in range(rng.randint(least, most)))


def concert(number: int, rng: Random) -> str:
    """Definition list whose optional terms come and go; a list of performers; other concerts beside it."""
    rows = [("Doors", f"{rng.randint(17, 20)}:30"), ("Venue", m("venue", f"{rng.choice(TOWNS)} Hall")), ("Date", m("date", day(rng)))]
    if rng.random() < 0.6:
        rows.insert(rng.randrange(3), ("Support", person(rng)))
    if rng.random() < 0.4:
        rows.append(("Age", f"{rng.choice((6, 12, 16))}+"))
    rows.append(("Tickets", m("price", f"€ {rng.randint(12, 80)}.{rng.choice(('00', '50'))}")))
    terms = "\n".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    acts = "".join(f"<li>{m('performers', person(rng))}</li>" for _ in range(rng.randint(1, 4)))
    others = "".join(f"<li><a href='/c/{rng.randint(1, 99)}'>{title(rng)}</a> <small>{day(rng)}</small></li>" for _ in range(4))
    return f"""<header class="top"><a href="/">Night Hall</a><nav><a href="/program">Program</a> <a href="/about">About</a></nav></header>
<main class="event"><h1>{m("title", title(rng))}</h1>
<dl class="facts">{terms}</dl>
<section><h2>On stage</h2><ul class="acts">{acts}</ul></section>
<section class="text">{paragraphs(rng, 1, 3)}</section></main>
<aside><h3>Also this month</h3><ul>{others}</ul></aside><footer>Night Hall, Dock 4 · <a href="/imprint">Imprint</a></footer>"""


def day(rng: Random) -> str:
    months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
    return f"{rng.randint(1, 28)} {rng.choice(months)} 20{rng.randint(24, 27)}"


def tool(number: int, rng: Random) -> str:
    """Layout of tables, as pages had it in 2005: labels in bold in the first cell, rows that come and go, related goods with prices."""
    rows = [("Weight", m("weight", f"{rng.randint(1, 40) / 10} kg")), ("Colour", rng.choice(("Red", "Blue", "Green", "Black")))]
    if rng.random() < 0.5:
        rows.append(("Length", f"{rng.randint(10, 90)} cm"))
    if rng.random() < 0.5:
        rows.insert(0, ("Guarantee", f"{rng.randint(1, 5)} years"))
    rows.append(("Order no.", m("sku", f"T-{rng.randint(1000, 9999)}")))
    table = "".join(f"<tr><td bgcolor=#eeeeee><b>{name}</b></td><td>{value}</td></tr>\n" for name, value in rows)
    others = "".join(
        f"<tr><td><a href=tool{n}.html>{title(rng, 2)}</a></td><td align=right>{rng.randint(5, 99)}.90</td></tr>" for n in range(3)
    )
    cents = rng.choice(("00", "50", "90"))
    sale = "<font color=red>Now on sale!</font><br>" if rng.random() < 0.3 else ""
    return f"""<table width=760 align=center><tr><td colspan=2><a href=index.html><img src=logo.gif></a> Hammer &amp; Son, tools since 1921</td></tr>
<tr><td width=160 valign=top><a href=saws.html>Saws</a><br><a href=drills.html>Drills</a><br><a href=planes.html>Planes</a></td>
<td valign=top><font size=5>{m("name", title(rng, 2))}</font><br>{sale}by <a href=maker.html>{m("maker", rng.choice(LAST) + " Works")}</a>
<p>{sentence(rng)}<p>Our price: <b>{m("price", f"{rng.randint(9, 250)}.{cents}")}</b> EUR
<table border=1 cellpadding=3>
{table}</table>
<p><i>Others also bought</i><table>{others}</table></td></tr></table>"""


def recipe(number: int, rng: Random) -> str:
    """Generated class names; ingredients in groups that some pages have; steps as paragraphs; comments with names below."""
    made = rng.choice(("a8f3k2", "b91xq0", "zz81m4"))
    groups = [""] if rng.random() < 0.6 else ["For the dough", "For the filling"]
    ingredients = "".join(
        (f"<h4>{group}</h4>" if group else "")
        + f"<ul class='css-{made} ingredients'>"
        + "".join(f"<li>{m('ingredients', f'{rng.randint(1, 900)} g {rng.choice(WORDS)}')}</li>" for _ in range(rng.randint(2, 4)))
        + "</ul>"
        for group in groups
    )
    steps = "".join(f"<p class='step'>{m('steps', sentence(rng))}</p>" for _ in range(rng.randint(2, 5)))
    comments = "".join(f"<div class='comment'><b>{person(rng)}</b><p>{sentence(rng)}</p></div>" for _ in range(rng.randint(0, 4)))
    return f"""<div id="app"><div class="css-{made}-head"><a href="/">Kettle &amp; Spoon</a></div>
<article class="recipe css-{made}"><h1 class="css-{made}-h">{m("title", title(rng))}</h1>
<div class="byline"><span>Recipe by</span> <a rel="author" href="/cooks/{number}">{m("author", person(rng))}</a></div>
<div class="meta"><span class="label">Serves</span> <span class="value">{m("serves", str(rng.randint(2, 12)))}</span>
<span class="label">Minutes</span> <span class="value">{rng.randint(10, 90)}</span></div>
<h2>Ingredients</h2>{ingredients}<h2>Method</h2><div class="method">{steps}</div></article>
<section class="comments"><h2>Comments</h2>{comments}</section></div>"""


def job(number: int, rng: Random) -> str:
    """Labels in the running text of a block; a box of similar jobs of the same shape."""

    def card(name: str, company: str, town: str) -> str:
        return f"<h3>{name}</h3><div><strong>Company:</strong> {company}<br><strong>Location:</strong> {town}</div>"

    similar = "".join(f"<div class='job'>{card(title(rng, 2), rng.choice(LAST) + ' Ltd', rng.choice(TOWNS))}</div>" for _ in range(3))
    remote = "<br><strong>Remote:</strong> possible" if rng.random() < 0.5 else ""
    salary = f"<br><strong>Salary:</strong> {m('salary', f'{rng.randint(30, 90)},000 a year')}" if rng.random() < 0.8 else ""
    return f"""<div class="bar"><a href="/">Workbank</a> <form><input name=q></form></div>
<div class="job main"><h1>{m("title", title(rng, 2))}</h1>
<div class="facts"><strong>Company:</strong> {m("company", rng.choice(LAST) + " " + rng.choice(("Ltd", "GmbH", "s.r.o.", "AB")))}{remote}<br>
<strong>Location:</strong> {m("location", rng.choice(TOWNS))}{salary}<br><strong>Posted:</strong> {m("posted", f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.2025")}</div>
<div class="text">{paragraphs(rng, 2, 4)}</div><a class="apply" href="/apply/{number}">Apply</a></div>
<div class="similar"><h2>Similar jobs</h2>{similar}</div>"""


def museum(number: int, rng: Random) -> str:
    """Two languages of labels, values in other scripts, headings above their values."""
    labels = {"maker": ("Artist", "Künstler"), "place": ("Found in", "Fundort"), "inventory": ("Inventory", "Inventar")}
    words = ("花瓶", "στήλη", "икона", "Krug", "amphora", "كأس", "ナイフ", "relief")
    german = number % 3 == 2
    blocks = [
        f"<section><h4>{labels['maker'][german]}</h4><p>{m('maker', person(rng))}</p></section>",
        f"<section><h4>{labels['place'][german]}</h4><p>{m('place', rng.choice(TOWNS))}</p></section>",
    ]
    if rng.random() < 0.5:
        blocks.insert(
            rng.randrange(3),
            f"<section><h4>{'Maße' if german else 'Size'}</h4><p>{rng.randint(5, 90)} × {rng.randint(5, 90)} cm</p></section>",
        )
    blocks.append(
        f"<section><h4>{labels['inventory'][german]}</h4><p>{m('inventory', f'{rng.randint(1850, 2020)}/{rng.randint(1, 400)}')}</p></section>"
    )
    return f"""<div class="lang"><a href="?l=en">English</a> <a href="?l=de">Deutsch</a></div>
<div class="object"><h2 class="name">{m("name", rng.choice(words) + " " + str(rng.randint(2, 99)))}</h2>
<figure><img src="/o/{number}.jpg" alt=""><figcaption>{sentence(rng)}</figcaption></figure>
{"".join(blocks)}{paragraphs(rng, 0, 2)}</div><footer>{"Öffnungszeiten" if german else "Opening hours"}: 10–18</footer>"""


def concert_redesigned(number: int, rng: Random) -> str:
    """`concert` in another design: the same values from the same seed, in a table instead of a list of terms."""
    text = concert(number, rng)
    text = text.replace('<dl class="facts">', '<table class="info"><tbody>').replace("</dl>", "</tbody></table>")
    text = text.replace("<dt>", "<tr><th>").replace("</dt><dd>", "</th><td>").replace("</dd>", "</td></tr>")
    text = (
        text.replace("<h1>", '<div class="headline"><span>')
        .replace("</h1>", "</span></div>")
        .replace('<ul class="acts">', '<ol class="lineup">')
    )
    return text.replace('</ul></section>\n<section class="text">', '</ol></section>\n<section class="text">').replace(
        'class="event"', 'class="show"'
    )


@dataclass(frozen=True, slots=True)
class CorpusSite:
    """A site: its name, how a page is written, how many there are, the title of all of them."""

    name: str
    write: Callable[[int, Random], str]
    pages: int
    title: str

    def page(self, number: int) -> str:
        """One page, marked."""
        body = self.write(number, Random(f"{self.name} {number}"))
        return f"<!DOCTYPE html>\n<html><head><meta charset=utf-8><title>{self.title}</title></head>\n<body>{body}</body></html>\n"


EXTRACTION: Sequence[CorpusSite] = (
    CorpusSite("concert-night-hall", concert, 9, "Night Hall"),
    CorpusSite("job-workbank", job, 9, "Workbank"),
    CorpusSite("museum-objects", museum, 9, "Objects"),
    CorpusSite("recipe-kettle", recipe, 9, "Kettle & Spoon"),
    CorpusSite("tool-hammer", tool, 9, "Hammer & Son"),
)
REDESIGN = (
    CorpusSite("concert-night-hall", concert, 9, "Night Hall"),
    CorpusSite("concert-night-hall", concert_redesigned, 9, "Night Hall"),
)
