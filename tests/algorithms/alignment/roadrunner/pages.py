"""Pages of the papers' bookstore, and shorthands."""

from collections.abc import Mapping
from typing import Any

from extraction.algorithms.alignment.roadrunner.infer import Inference, infer_wrapper
from extraction.algorithms.alignment.schema import Row, Value
from extraction.algorithms.dom.parse import parse

SMITH = "<html>Books of:<b>John Smith</b><ul><li><i>Title:</i>DB Primer</li><li><i>Title:</i>Comp. Sys.</li></ul></html>"
JONES = (
    "<html>Books of:<b>Paul Jones</b><img src='/jones.png'/><ul><li><i>Title:</i>XML at Work</li><li><i>Title:</i>HTML Scripts</li>"
    "<li><i>Title:</i>Javascript</li></ul></html>"
)
"""The two pages of the matching example (Crescenzi et al. 2001, figure 4)."""


def authors_page(author: str, books: Mapping[str, tuple[str, tuple[tuple[str, str, str], ...]]]) -> str:
    """A page of the nested example (001, figure 1): an author's books, of each a description and its editions with year and price."""
    rows = ""
    for title, (description, editions) in books.items():
        lines = "".join(
            f"<tr><td>{edition}</td>{f'<td class=year>{year}</td>' if year else ''}<td>Our Price:</td><td>{price}</td></tr>"
            for edition, year, price in editions
        )
        rows += f"<div class=book><h3>{title}</h3><p>Book Description: <q>{description}</q></p><table>{lines}</table></div>"
    return f"<html><body><h1>CSbooks.com</h1><p>You searched for books by</p><h2>{author}</h2>{rows}</body></html>"


JOHN = authors_page(
    "John Smith",
    {
        "Database Primer": (
            "This book introduces the reader to the theory of databases",
            (("First Edition, Paperback", "1998", "$20"), ("Second Edition, Hard Cover", "2000", "$30")),
        ),
        "Computer Systems": ("An undergraduate level introduction", (("First Edition, Paperback", "1995", "$40"),)),
    },
)
PAUL = authors_page(
    "Paul Jones",
    {
        "XML at Work": ("A comprehensive description of XML", (("First Edition, Paperback", "1999", "$30"),)),
        "HTML and Scripts": (
            "A nice HTML handbook",
            (("First Edition, Paperback", "", "$30"), ("Second Edition, Hard Cover", "1999", "$45")),
        ),
        "JavaScripts": ("A must in every webmaster's bookshelf", (("First Edition, Hard Cover", "2000", "$50"),)),
    },
)


def inferred(*pages: str, last_resort: bool = True) -> Inference:
    """The wrapper that RoadRunner infers from pages."""
    return infer_wrapper([parse(page.encode()).root for page in pages], last_resort=last_resort)


def inside(found: Inference) -> str:
    """The wrapper in one line, without html and body, and without names."""
    line = " ".join(part.strip() for part in found.wrapper.printed(names=False).splitlines())
    return line.removeprefix("<html> <body> ").removesuffix(" </body> </html>").removesuffix("</body> </html>")


def plain(row: Row) -> dict[str, Any]:
    """A row with its values as plain texts."""
    return {name: held.text if isinstance(held, Value) else [plain(each) for each in held] for name, held in row.items()}
