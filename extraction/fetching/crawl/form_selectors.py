"""CSS selectors of the fields and buttons of a form, as people write them."""

import re
from collections.abc import Iterator

from cssselect import GenericTranslator, SelectorError
from lxml import etree

MAX_AROUND = 6
"""How many elements around a control a selector may begin with: those with an id, and those with a shadow root."""

SHADOW = "vertex-shadow"
"""What `reading.py` writes for a shadow root. Selectors reach through it: Playwright's do that, too."""

_UNWRITABLE = re.compile(r"[\"\\\n\r\f]| = |>>")
_OWN = re.compile(r"vertex-|html$|body$")


def list_selectors(root: etree._Element, element: etree._Element) -> Iterator[str]:
    """Yield the CSS selectors that find an element only in the tree of a root, the shortest of those that people write first."""
    tag, form = str(element.tag), next(element.iterancestors("form"), None)
    own = [f"{tag}{each}" for each in _attributes(element, "id", "name", "type", "class", "autocomplete", "placeholder", "aria-label")]
    outer = [] if form is None else [f"form{each}" for each in (*_attributes(form, "id", "name", "action", "class"), "")]
    inside = [f"{around} {each}" for around in (*outer, *_list_around(element)) for each in (*own, tag)]
    return (each for each in (*own, *inside) if _finds_only(root, each, element))


def _finds_only(root: etree._Element, selector: str, element: etree._Element) -> bool:
    try:
        found = root.xpath(GenericTranslator().css_to_xpath(selector))
    except (SelectorError, etree.XPathError, ValueError):
        return False
    return isinstance(found, list) and len(found) == 1 and found[0] is element


def _list_around(element: etree._Element) -> Iterator[str]:
    """Yield selectors of the elements around an element by which people tell it from others, the nearest first."""
    found = 0
    for each in element.iterancestors():
        tag = str(each.tag)
        is_host = any(child.tag == SHADOW for child in each)
        if found == MAX_AROUND or _OWN.match(tag) or not (is_host or each.get("id")):
            continue
        found += 1
        yield from (f"{tag}{part}" for part in _attributes(each, "id", *(("name", "type", "class") if is_host else ())))
        if is_host:
            yield tag


def _attributes(element: etree._Element, *names: str) -> list[str]:
    """Return the attributes as parts of a selector. A value that a selector or a step of a sign-in cannot hold is left out."""
    found = ((name, element.get(name) or "") for name in names)
    return [f'[{name}="{value}"]' for name, value in found if value and not _UNWRITABLE.search(value)]
