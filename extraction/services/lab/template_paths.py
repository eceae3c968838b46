"""The template paths of groups of pages, from the pages' bytes. This module does not need Django, so a child process can use it."""

from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.clustering.group_templates import GroupTemplates, find_group_templates
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.errors import PageError
from extraction.algorithms.methods import Pages


def find_paths(pages: Pages, groups: Sequence[Sequence[str]]) -> GroupTemplates:
    """Return the template paths of groups, in their order. Pages that are gone or cannot be read do not count; a group without any other
    page has no paths."""
    readable = find_readable(pages)
    kept = [[name for name in group if name in readable] for group in groups]

    def read(name: str) -> etree._Element:
        return parse(pages[name]).root

    found = find_group_templates([group for group in kept if group], read)
    each = iter(found.templates)
    return GroupTemplates(tuple(next(each) if group else () for group in kept), found.frame)


def find_readable(pages: Pages) -> set[str]:
    """Return the pages that can be parsed. The trees of hundreds of pages would take too much memory to keep them."""
    found = set()
    for name, content in pages.items():
        try:
            parse(content)
        except PageError:
            continue
        found.add(name)
    return found
