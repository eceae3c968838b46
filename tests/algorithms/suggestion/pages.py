"""Pages of a bookshop, written: labels, lists, a heading, an optional field, navigation, an address in parts."""

import random

from lxml import etree

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.suggestion.suggest import SuggestedColumn

PUBLISHERS = ("Harbour Press", "North Wind Books", "Meadow & Sons")
NAMES = ("Ada Stone", "Ben Marsh", "Cleo Winter", "Dan Rivers", "Eva Field", "Finn Harper", "Gus Lane")


def html(number: int) -> str:
    """Book `number`."""
    dice = random.Random(number)
    title = f"The {dice.choice(('Silent', 'Golden', 'Hidden', 'Broken'))} {dice.choice(('River', 'Garden', 'Mirror'))} {number}"
    authors = dice.sample(NAMES, 1 + number % 3)
    links = ", ".join(f'<a href="/by/{name}">{name}</a>' for name in authors)
    pages = f"<tr><th>Pages</th><td>{dice.randint(90, 900)}</td></tr>" if number % 3 else ""
    return (
        f"<html><head><title>{title} - Bookshop</title></head><body><div class='nav'><a>Home</a> <a>Books</a> <a>Help</a></div>"
        f"<div class='product'><h1 class='name'>{title}</h1><p class='by'>Authors: {links}</p>"
        f"<p class='cost'><b>Price:</b> <span class='amount'>${number}.50</span></p>"
        f"<table><tr><th>Publisher</th><td>{dice.choice(PUBLISHERS)}</td></tr>{pages}<tr><th>Language</th><td>English</td></tr>"
        f"<tr><th>ISBN</th><td>97800000{10000 + number}</td></tr></table>"
        f"<p class='blurb'>A story of {dice.choice(NAMES)} and <em>{dice.choice(NAMES)}</em>, told in {number + 3} chapters.</p></div>"
        "<div class='footer'>All rights reserved. <a>Imprint</a></div></body></html>"
    )


def roots(count: int = 10) -> list[etree._Element]:
    """The trees of the first `count` books."""
    return [parse(html(number).encode()).root for number in range(count)]


def texts(column: SuggestedColumn) -> dict[int, list[str]]:
    """{number of the page: values}"""
    return {page: [each.text for each in row] for page, row in column.values.items()}
