"""Groups of the pages of a template that may be built a little differently: languages, sections of the site, values of a parameter.

A rule that was taught on pages of one group may fail on all pages of another, and a share over all pages hides that. Groups are read off
the pages' languages and addresses; a division counts only if it has a few groups of several pages each.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

MIN_PAGES = 3
"""The smallest number of pages of a group. Of fewer pages, a share says nothing."""

MAX_GROUPS = 12
"""A division into more groups than this does not tell kinds of pages apart but the pages themselves."""

IN_GROUPS = 0.9
"""The share of the pages that must be in groups of at least MIN_PAGES."""

MAX_DEPTH = 3
"""How many steps of a path are looked at."""

IN_LANGUAGE = "in the language "
"""How the names of the groups by language begin."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What tells the group of a page. language: as a tag, None if it is not known."""

    url: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class PageGroup:
    """A group of pages. name: in words, to be put after "pages"; pages: their numbers."""

    name: str
    pages: frozenset[int]


def group_pages(facts: Mapping[int, PageFacts]) -> tuple[PageGroup, ...]:
    """Return the groups of every division of the pages, the languages first. Two divisions into the same groups are given once.

    facts: {number of a page: what is known of it}.
    """
    parts = {page: urlsplit(each.url) for page, each in facts.items()}
    steps = {page: each.path.strip("/").split("/")[:MAX_DEPTH] for page, each in parts.items()}
    asked = {page: dict(parse_qsl(each.query)) for page, each in parts.items()}
    languages = {page: (each.language or "").split("-")[0].lower() for page, each in facts.items()}
    found = _divide(languages, IN_LANGUAGE)
    for depth in range(MAX_DEPTH - 1):
        # The last step of a path names the page itself.
        section = {page: each[depth] if depth < len(each) - 1 else "" for page, each in steps.items()}
        before = "/…" * depth
        found += _divide(section, f"under {before}/", "/")
        if len(set(section.values())) > 1:
            break
    for name in sorted({name for each in asked.values() for name in each}):
        values = {page: each.get(name, "") for page, each in asked.items()}
        found += _divide(values, f"with {name}=")
    return tuple({group.pages: group for group in reversed(found)}.values())[::-1]


def _divide(keys: Mapping[int, str], before: str, after: str = "") -> list[PageGroup]:
    """Return the groups of pages with equal keys; none if that is no division. Pages with an empty key are in no group.

    before, after: the words around the key in the name of a group.
    """
    sizes = Counter(key for key in keys.values() if key)
    large = [key for key, size in sizes.items() if size >= MIN_PAGES]
    covered = sum(sizes[key] for key in large)
    divides = len(large) > 1 or (len(large) == 1 and len(keys) - covered >= MIN_PAGES)
    if not divides or len(sizes) > MAX_GROUPS or (len(large) > 1 and covered < IN_GROUPS * len(keys)):
        return []
    return [PageGroup(f"{before}{key}{after}", frozenset(page for page, each in keys.items() if each == key)) for key in sorted(large)]
