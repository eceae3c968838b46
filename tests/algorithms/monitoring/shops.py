"""Pages of a small shop in an old and a new design, for the tests of monitoring and relearning."""

from extraction.algorithms.dom.parse import parse
from extraction.algorithms.learning.page_table import PageTable
from extraction.algorithms.learning.table_reader import read_page_table

BOOKS = [
    (f"The {word} Book", f"{10 + n}.90", word)
    for n, word in enumerate(["red", "blue", "green", "amber", "black", "white", "coral", "ivory"])
]


def page(html: str) -> PageTable:
    return read_page_table(parse(html.encode()).root)


def old(title: str, price: str, word: str) -> PageTable:
    return page(
        f"<html><body><ul><li>Home</li><li>{title}</li></ul><h1 class='t'>{title}</h1><p class='price'>{price} EUR</p>"
        f"<p class='ship'>Ships in 2 days</p><p class='tag'>{word}</p></body></html>"
    )


def new(title: str, price: str, word: str) -> PageTable:
    """Title and price moved; the old price's class now holds the shipping note."""
    return page(
        f"<html><body><nav><a>Home</a><a>{title}</a></nav><main><div class='head'><h2>{title}</h2></div>"
        f"<p class='price'>Ships in 2 days</p><b class='cost'>{price} EUR</b><p class='tag'>{word}</p></main></body></html>"
    )
