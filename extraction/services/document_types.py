"""The document type of a template whose pages are XML: what XTRACT makes of its pages, kept in memory for the templates looked at last."""

from functools import lru_cache

from lxml import etree

from extraction.algorithms.alignment.xtract.dtd import DocumentType, TooManyNamesError, document_type
from extraction.algorithms.dom.nodes import is_xml
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.models import Cluster
from extraction.services import clusters, contents
from extraction.services.runs import JobError

PAGES = 200
"""Pages looked at, spread evenly over the template: more bring no further elements, and some seconds are enough to wait."""

MAX_BYTES = 30 * 1024**2
"""Of all pages looked at."""


def of(cluster: Cluster) -> DocumentType | None:
    """The document type of a template's pages; None where they are HTML, or where there is none that can be read.

    Raises JobError where the pages have more names than a document type can say.
    """
    rows = clusters.members(cluster).filter(error="").order_by("pk").values_list("sha256", "content_type", "size_bytes")
    found = list({sha256: (sha256, kind, size) for sha256, kind, size in rows}.values())
    try:
        return _of(tuple(found[:: max(1, -(-len(found) // PAGES))]))
    except TooManyNamesError as error:
        raise JobError(str(error)) from error


def holds_xml(cluster: Cluster) -> bool:
    """Whether the template's pages are XML, by the first that can be read."""
    first = clusters.members(cluster).filter(error="").order_by("pk").values_list("sha256", "content_type").first()
    root = _root(*first) if first else None
    return root is not None and is_xml(root)


@lru_cache(maxsize=8)
def _of(pages: tuple[tuple[str, str, int], ...]) -> DocumentType | None:
    roots: list[etree._Element] = []
    left = MAX_BYTES
    for sha256, content_type, size_bytes in pages:
        left -= size_bytes
        if left < 0 and roots:
            break
        root = _root(sha256, content_type)
        if root is not None and is_xml(root):
            roots.append(root)
        elif not roots:
            return None  # a template's pages are all of one kind
    return document_type(roots) if roots else None


def _root(sha256: str, content_type: str) -> etree._Element | None:
    try:
        return parse(contents.get(sha256), content_type=content_type or None).root
    except (PageError, FileNotFoundError):
        return None
