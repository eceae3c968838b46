"""Texts that are values although they are the same on all pages seen, such as the team on pages of one team's players.

Such a text follows a label that looks like one, or it is a heading that the page's title contains or that is next to the page's own name.
"""

from collections.abc import Mapping, Sequence

from extraction.algorithms.suggestion.groups import Group, Key
from extraction.algorithms.suggestion.labels import TemplateLabels, make_label_key
from extraction.algorithms.suggestion.units import PageUnits, UnitPaths

NEAR = 4
"""How many texts before and after the page's name count as next to it."""

EMPHASIS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "th", "dt", "caption", "strong", "b"))


class Constants:
    """Decides which constants may be values."""

    def __init__(self, groups: Mapping[Key, Group], pages: Sequence[PageUnits], labels: TemplateLabels, paths: UnitPaths) -> None:
        self.labels, self.paths = labels, paths
        self.beside = [_find_places_near_name(page) for page in pages]
        firsts = [(key, group) for key, group in groups.items() if key.kind == "first after"]
        self.naming = {key.label for key, group in firsts if all(found.gap == 0 for row in group.values() for found in row)}

    def may_be_value(self, key: Key, group: Group, titled: float) -> bool:
        """Return whether a constant may be a value. titled: share of pages whose title contains it."""
        if key.label in self.labels.marked:
            return make_label_key(next(iter(group.values()))[0].unit.text) not in self.naming
        if not self._is_emphasised(key.path):
            return False
        beside = sum(any(found.unit.first in self.beside[page] for found in row) for page, row in group.items())
        return 2 * beside > len(group) or titled > 0.5

    def _is_emphasised(self, path: int) -> bool:
        for _ in range(3):
            if path >= 0:
                if self.paths.tags[path] in EMPHASIS:
                    return True
                path = self.paths.above[path]
        return False


def _find_places_near_name(page: PageUnits) -> set[int]:
    """Return the places around the longest texts that the title contains."""
    title = page.title.casefold()
    inside = [unit for unit in page.texts if len(unit.text) > 3 and unit.text.casefold() in title]
    longest = max((len(unit.text) for unit in inside), default=0)
    places = [unit.first for unit in inside if len(unit.text) == longest]
    return {near for place in places for near in range(place - NEAR, place + NEAR + 1)}
