"""Infer the document type of a template of XML pages with XTRACT.

The most recent results are cached.
"""

from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.alignment.xtract.dtd import DocumentType, TooManyNamesError, infer_document_type
from extraction.algorithms.dom.nodes import is_xml
from extraction.algorithms.errors import PageError
from extraction.models import Cluster, Page
from extraction.services.core.runs import JobError
from extraction.services.core.spread_pages import select_current
from extraction.services.core.stored_pages import StoredPage, read_root, read_xml_as_written

PAGES = 200
"""The number of pages read, spread evenly over the template. More pages rarely add elements, and reading these takes some seconds."""

MAX_BYTES = 30 * 1024**2
"""Bytes of all pages read together."""


@dataclass(frozen=True, slots=True)
class FoundDocumentType:
    """The document type of the well-formed pages. broken: the number of pages left out because their XML is broken."""

    type: DocumentType
    broken: int

    def text(self, *, tolerant: bool = False) -> str:
        """Return the text of the DTD file. tolerant: whether further pages may lack what all these pages have."""
        left_out = f"<!-- {self.broken} page{'' if self.broken == 1 else 's'} of broken XML left out -->\n" if self.broken else ""
        return left_out + self.type.text(tolerant=tolerant)


def find_document_type(cluster: Cluster) -> FoundDocumentType | None:
    """Return the document type of a template's pages; None when they are HTML or none of them can be read.

    Raises JobError when the pages have too many different names for a document type, or when all of them are broken.
    """
    rows = select_current(cluster, most=PAGES).filter(error="").order_by("pk").values_list("pk", "sha256", "content_type", "size_bytes")
    pages = list({page.sha256: page for page in (StoredPage(*row) for row in rows)}.values())
    try:
        inferred = _infer(tuple(pages[:: max(1, -(-len(pages) // PAGES))]))
    except TooManyNamesError as error:
        raise JobError(str(error)) from error
    if inferred and inferred.broken and not inferred.type.pages:
        raise JobError(
            gettext("the XML of every page of %(cluster)s is broken, so no document type can be derived from them")
            % {"cluster": cluster.label}
        )
    return inferred


def holds_xml(cluster: Cluster) -> bool:
    """Return whether the template's pages are XML, judged by the first page."""
    page = (
        Page.objects.filter(cluster=cluster, kept=True)
        .exclude(reading=Page.Reading.UNREADABLE)
        .order_by("pk")
        .select_related("current")
        .first()
    )
    first = page.current if page else None
    try:
        return first is not None and is_xml(read_root(first))
    except PageError:
        return False


@lru_cache(maxsize=8)
def _infer(pages: tuple[StoredPage, ...]) -> FoundDocumentType | None:
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
            return None  # all pages of a template are either XML or HTML
        if page and page.notices:
            broken += 1
        elif page:
            roots.append(page.root)
    return FoundDocumentType(infer_document_type(roots), broken) if roots or broken else None
