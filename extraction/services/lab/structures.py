"""Find the structure of a template's sample pages with one of several methods."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from django.utils.text import Truncator
from django.utils.translation import gettext, ngettext
from lxml import etree

from extraction.algorithms.alignment.methods import METHODS
from extraction.algorithms.alignment.node_patterns.patterns import write_pattern
from extraction.algorithms.alignment.schema import Structure
from extraction.algorithms.dom.nodes import Location, elements, is_xml
from extraction.algorithms.dom.words import count_words
from extraction.algorithms.errors import AlignmentError
from extraction.models import Cluster
from extraction.services.core.runs import JobError
from extraction.services.lab import document_types
from extraction.services.templates import articles, sample_pages

WIDTH = 100

STEPS = 3
"""The number of steps in a short path."""

MARK = 24
"""The number of characters shown of an id or class. A generated id or class can have hundreds."""


@dataclass(frozen=True, slots=True)
class FoundStructure:
    """A structure that was found.

    urls: addresses of the pages, in the order of the structure's rows.
    seconds: time taken, without reading the pages.
    paths: {field: short path of the place of its first value}.
    """

    urls: tuple[str, ...]
    structure: Structure
    seconds: float
    paths: Mapping[str, str]


def find_structure(cluster: Cluster, method: str) -> FoundStructure:
    """Find the structure of a template's sample pages with a method of `METHODS`.

    Raises JobError when fewer than two pages can be read, or when the method gives up.
    """
    kept, roots = sample_pages.read_trees(sample_pages.read_samples(cluster).snapshots)
    if len(roots) < 2:
        raise JobError(
            ngettext(
                "%(cluster)s has %(roots)s readable sample page; a comparison needs at least two",
                "%(cluster)s has %(roots)s readable sample pages; a comparison needs at least two",
                len(roots),
            )
            % {"cluster": cluster.label, "roots": len(roots)}
        )
    started = time.perf_counter()
    try:
        structure = METHODS[method](roots)
    except AlignmentError as error:
        raise JobError(
            gettext("%(method)s gives up on %(cluster)s: %(error)s") % {"method": method, "cluster": cluster.label, "error": error}
        ) from error
    seconds = time.perf_counter() - started
    return FoundStructure(tuple(snapshot.page.url for snapshot in kept), structure, seconds, _paths(structure, roots))


def _paths(structure: Structure, roots: Sequence[etree._Element]) -> dict[str, str]:
    firsts = {name: next(iter(pages.items())) for name, pages in structure.columns().items() if pages}
    nodes = {number: elements(roots[number]) for number in {number for number, _ in firsts.values()}}
    return {name: _path(nodes[number][values[0].place.node], values[0].place) for name, (number, values) in firsts.items()}


def _path(element: etree._Element, place: Location) -> str:
    """Return the last steps to a place: ``div.offer > b``, ``a @href``."""
    steps = [element, *islice(element.iterancestors(), STEPS - 1)]
    path = " > ".join(_step(each) for each in reversed(steps))
    return f"{path} @{place.attribute}" if place.kind == "attribute" else path


def _step(element: etree._Element) -> str:
    """Return an element as its name with its id or, without one, its first class."""
    own, classes = (element.get("id") or "").split(), (element.get("class") or "").split()
    mark = "" if is_xml(element) else f"#{own[0]}" if own else f".{classes[0]}" if classes else ""
    return f"{element.tag!s}{mark[:MARK]}"


def _document_type(cluster: Cluster, *, tolerant: bool = False) -> Iterator[str]:
    """Yield the lines of the DTD that XTRACT infers for a template of XML pages."""
    found = document_types.find_document_type(cluster)
    if found is None:
        raise JobError(gettext("the pages of %(cluster)s are not XML") % {"cluster": cluster.label})
    yield from found.text(tolerant=tolerant).splitlines()


def _articles(cluster: Cluster) -> Iterator[str]:
    """Yield the node extraction pattern of the sample pages, then the title and the body of each page."""
    found = articles.find_articles(cluster)
    if found is None and document_types.holds_xml(cluster):
        raise JobError(
            gettext("the pages of %(cluster)s are XML, but rtdm-patterns reads HTML news pages. For XML, use --method xtract")
            % {"cluster": cluster.label}
        )
    if found is None:
        raise JobError(gettext("%(cluster)s has fewer than two readable sample pages of HTML") % {"cluster": cluster.label})
    yield write_pattern(found.pattern.tree)
    for snapshot in sample_pages.read_samples(cluster).snapshots:
        article = articles.find_article(cluster, snapshot)
        yield f"{snapshot.page.url}"
        yield f"  title  {Truncator(article.title.text).chars(WIDTH) if article.title else '–'}"
        words = f" ({count_words(article.body.text):,} words)" if article.body else ""
        yield f"  body   {Truncator(article.body.text).chars(WIDTH) if article.body else '–'}{words}"


DESCRIPTIONS: Mapping[str, Callable[[Cluster], Iterator[str]]] = {
    "xtract": _document_type,
    "xtract-tolerant": partial(_document_type, tolerant=True),
    "rtdm-patterns": _articles,
}
"""Methods that describe a template in lines of text, not as fields and sets. They raise JobError if they do not apply."""
