"""Find the place of a text on a page, for marks that name a value instead of clicking on it."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext
from lxml import etree

from extraction.algorithms.dom.nodes import Location, clean, raw_text, texts
from extraction.algorithms.dom.whole_text import whole_text
from extraction.algorithms.dom.xpath import XPath, located
from extraction.services.labels.labelling import LabelError

NAMED = 3
"""Places that an error names."""


def find_text(nodes: Sequence[etree._Element], text: str, *, occurrence: int | None = None) -> Location:
    """Return the place of a value on a page, compared as cleaned text.

    A place whose whole text it is comes before one of which it is a part. Text that readers see comes before attributes, such as the
    address of a link.

    occurrence: which place, from 1 in the order of the page; None if there must be only one.
    Raises LabelError if the text is not there, or is there more than once without a choice.
    """
    wanted = clean(text)
    if not wanted:
        raise LabelError(gettext("the text of a value is empty"))
    for find in (_find_whole_texts, _find_elements, _find_attributes, _find_parts):
        if found := list(find(nodes, wanted)):
            return _choose(found, nodes, wanted, occurrence)
    raise LabelError(gettext("“%(wanted)s” is not on this page") % {"wanted": wanted[:60]})


def find_xpath(nodes: Sequence[etree._Element], xpath: str, *, text: str = "") -> Location:
    """Return the one place that an XPath selects on a page. Raises LabelError for none or several, and XPathError.

    text: what is there; empty if that does not matter.
    """
    root = nodes[0]
    found = located(XPath(xpath).select(root), {element: number for number, element in enumerate(nodes)})
    if len(found) != 1:
        raise LabelError(
            gettext("the XPath %(xpath)s selects %(found)s places on this page, not one") % {"xpath": xpath[:100], "found": len(found)}
        )
    place, value = found[0]
    if text and value != clean(text):
        raise LabelError(
            gettext("the XPath %(xpath)s selects “%(value)s” on this page, not “%(clean)s”")
            % {"xpath": xpath[:100], "value": value[:60], "clean": clean(text)[:60]}
        )
    return place


def _choose(found: list[Location], nodes: Sequence[etree._Element], wanted: str, occurrence: int | None) -> Location:
    if occurrence is not None:
        if not 1 <= occurrence <= len(found):
            raise LabelError(
                gettext("“%(wanted)s” is on this page %(found)s times, so there is no occurrence %(occurrence)s")
                % {"wanted": wanted[:60], "found": len(found), "occurrence": occurrence}
            )
        return found[occurrence - 1]
    if len(found) > 1:
        tags = ", ".join(str(nodes[each.node].tag) for each in found[:NAMED])
        raise LabelError(
            gettext("“%(wanted)s” is on this page %(found)s times (%(tags)s…); say which occurrence is meant, from 1")
            % {"wanted": wanted[:60], "found": len(found), "tags": tags}
        )
    return found[0]


def _list_texts(nodes: Sequence[etree._Element]) -> Iterator[tuple[int, int, str]]:
    unseen = raw_text(nodes[0]) if nodes else frozenset()
    for number, element in enumerate(nodes):
        if element.tag not in unseen:
            for place, each in enumerate(texts(element), 1):
                yield number, place, clean(each)


def _find_whole_texts(nodes: Sequence[etree._Element], wanted: str) -> Iterator[Location]:
    for number, place, text in _list_texts(nodes):
        if text == wanted:
            yield Location(number, "text", text=place)


def _find_elements(nodes: Sequence[etree._Element], wanted: str) -> Iterator[Location]:
    """Yield the innermost elements whose whole text it is."""
    unseen = raw_text(nodes[0]) if nodes else frozenset()
    equal = [n for n, element in enumerate(nodes) if element.tag not in unseen and clean(whole_text(element)) == wanted]
    outer = {ancestor for n in equal for ancestor in nodes[n].iterancestors()}
    yield from (Location(n) for n in equal if nodes[n] not in outer)


def _find_attributes(nodes: Sequence[etree._Element], wanted: str) -> Iterator[Location]:
    for number, element in enumerate(nodes):
        for name, value in element.attrib.items():
            if clean(str(value)) == wanted:
                yield Location(number, "attribute", attribute=str(name))


def _find_parts(nodes: Sequence[etree._Element], wanted: str) -> Iterator[Location]:
    for number, place, text in _list_texts(nodes):
        start = text.find(wanted)
        while start >= 0:
            yield Location(number, "text", text=place, start=start, end=start + len(wanted))
            start = text.find(wanted, start + len(wanted))
