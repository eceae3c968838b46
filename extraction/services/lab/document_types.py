"""The document type of a template whose pages are XML: what XTRACT makes of its pages, kept in memory for the templates looked at last."""

from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from extraction.algorithms.alignment.xtract.dtd import DocumentType, TooManyNamesError, infer_document_type
from extraction.algorithms.dom.nodes import is_xml
from extraction.algorithms.errors import PageError
from extraction.models import Cluster
from extraction.services.core.runs import JobError
from extraction.services.core.stored_pages import StoredPage, read_root, read_xml_as_written

PAGES = 200
"""Pages looked at, spread evenly over the template: more bring no further elements, and some seconds are enough to wait."""

MAX_BYTES = 30 * 1024**2
"""Of all pages looked at."""


@dataclass(frozen=True, slots=True)
class Told:
    """The document type of the whole pages among those looked at. broken: pages left out, since no document type fits broken XML."""

    type: DocumentType
    broken: int

    def text(self) -> str:
        """The DTD as a file."""
        left_out = f"<!-- {self.broken} page{'' if self.broken == 1 else 's'} of broken XML left out -->\n" if self.broken else ""
        return left_out + self.type.text()


def find_document_type(cluster: Cluster) -> Told | None:
    """The document type of a template's pages; None where they are HTML, or where there is none that can be read.

    Raises JobError where the pages have more names than a document type can say, or where all of them are broken.
    """
    rows = cluster.snapshots.learnable().order_by("pk").values_list("pk", "sha256", "content_type", "size_bytes")
    found = list({page.sha256: page for page in (StoredPage(*row) for row in rows)}.values())
    try:
        told = _of(tuple(found[:: max(1, -(-len(found) // PAGES))]))
    except TooManyNamesError as error:
        raise JobError(str(error)) from error
    if told and told.broken and not told.type.pages:
        raise JobError(f"the XML of every page of {cluster.label} is broken, so no document type can be derived from them")
    return told


def holds_xml(cluster: Cluster) -> bool:
    """Whether the template's pages are XML, by the first that can be read."""
    first = cluster.snapshots.learnable().order_by("pk").first()
    try:
        return first is not None and is_xml(read_root(first))
    except PageError:
        return False


@lru_cache(maxsize=8)
def _of(pages: tuple[StoredPage, ...]) -> Told | None:
    roots: list[etree._Element] = []
    left, broken = MAX_BYTES, 0
    for stored in pages:
        left -= stored.size_bytes
        if left < 0 and roots:
            break
        try:
            page = read_xml_as_written(stored)
        except PageError:
            continue
        if page is None and not (roots or broken):
            return None  # a template's pages are all of one kind
        if page and page.notices:
            broken += 1
        elif page:
            roots.append(page.root)
    return Told(infer_document_type(roots), broken) if roots or broken else None
