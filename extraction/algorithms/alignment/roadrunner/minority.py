"""Strings that are values although most pages have the same one.

RoadRunner sees a field where two pages differ. If nine of ten pages say "no" and the wrapper is made from five of the nine, "no" becomes a
part of the template, and the tenth page does not match. So strings are first compared over all pages, at two kinds of place: after a string
that half of the pages have once ("Sold:"), and at a position in the tree. Another string at the same place is a value there, and so is the
usual one, if it takes the usual one's place: the same string follows on that page as on most others, or the page does not have the usual
string at all and few pages have the other. Otherwise something was inserted before the usual string, such as a further line of a menu.
Labels are never values, and neither are pieces of running text: a string has to be alone in its element or to follow a label.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from extraction.algorithms.alignment.roadrunner.wrapper import Text

COMMON = 0.5
"""Share of the pages that the usual string of a place needs, and a string by which places are told. Rarer strings differ between the pages
that a wrapper is made from anyway."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A string on a page.

    tag: of its element.
    position: identifies its position in the tree, the same on all pages.
    alone: whether its element holds nothing else.
    """

    tag: str
    text: Text
    position: int
    alone: bool

    @property
    def key(self) -> tuple[str, str]:
        """Its element's tag and its text."""
        return self.tag, self.text.text


@dataclass(frozen=True, slots=True)
class _Placed:
    """An occurrence at a place. page: number of its page. following: the string after it, None at the end of the page."""

    occurrence: Occurrence
    page: int
    following: tuple[str, str] | None


def find_minority_values(pages: Sequence[Sequence[Occurrence]], *, is_label: Callable[[str, str], bool]) -> set[Text]:
    """Return the strings that are values because another page has another string in their place. Time: linear in the strings.

    pages: the strings of each page, in document order.
    is_label: returns whether a text in a tag looks like a label.
    """
    counts = Counter(key for page in pages for key in {each.key for each in page})
    held = [frozenset(each.key for each in page) for page in pages]
    found: set[Text] = set()
    for occupants in _group_by_place(pages, counts, is_label).values():
        usual, times = max(Counter(each.occurrence.key for each in occupants).items(), key=lambda item: (item[1], item[0]))
        if times < max(2, COMMON * len(pages)) or times == len(occupants) or is_label(*usual):
            continue
        after = Counter(each.following for each in occupants if each.occurrence.key == usual and each.following)
        following, follows = max(after.items(), key=lambda item: (item[1], item[0]), default=(None, 0))
        others = {
            each.occurrence.key
            for each in occupants
            if each.occurrence.key != usual
            and not is_label(*each.occurrence.key)
            and (
                (2 * follows > times and each.following == following)
                or (usual not in held[each.page] and counts[each.occurrence.key] < COMMON * len(pages))
            )
        }
        if others:
            found.update(each.occurrence.text for each in occupants if each.occurrence.key in {usual, *others})
    return found


def _group_by_place(
    pages: Sequence[Sequence[Occurrence]], counts: Counter[tuple[str, str]], is_label: Callable[[str, str], bool]
) -> dict[Hashable, list[_Placed]]:
    """Return {place: what the pages have there}. A place is the tag and what identifies its position."""
    places: dict[Hashable, list[_Placed]] = defaultdict(list)
    common = {key for key, count in counts.items() if count >= COMMON * len(pages)}
    for number, page in enumerate(pages):
        for place, placed in _list_places(number, page, common, is_label):
            places[place].append(placed)
    return places


def _list_places(
    number: int, page: Sequence[Occurrence], common: set[tuple[str, str]], is_label: Callable[[str, str], bool]
) -> Iterator[tuple[Hashable, _Placed]]:
    times = Counter(each.key for each in page)
    for n, each in enumerate(page):
        before = page[n - 1].key if n else None
        told = before in common and times[before] == 1
        if not (each.alone or (before and told and is_label(*before))) or not any(map(str.isalnum, each.text.text)):
            continue
        placed = _Placed(each, number, page[n + 1].key if n + 1 < len(page) else None)
        yield (each.tag, each.position), placed
        if told:
            yield (each.tag, before), placed
