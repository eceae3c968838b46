"""The language that a page says it is in."""

from lxml import etree


def read_language(root: etree._Element) -> str:
    """Return the language of a page's root without its country, such as "de"; "" if the page does not say it."""
    said = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    return said.replace("_", "-").split("-")[0].strip().lower()
