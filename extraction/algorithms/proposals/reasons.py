"""Why a column is proposed for an attribute, in words that an editor can check on the pages."""

from collections.abc import Callable, Mapping

from extraction.algorithms.proposals.evidence import Sought, match_name, share_phrase
from extraction.algorithms.proposals.surroundings import Spot, View
from extraction.algorithms.suggestion.words import Phrase

MOST = 3
"""The largest number of reasons given."""

LEAST = 0.5
"""Share of the pages on which a reason must hold."""

Written = Mapping[Phrase, str]
"""How the pages write the words of a label."""


def find_reasons(
    evidence: Mapping[str, float], weights: Mapping[str, float], view: View, sought: Sought, pages: int, written: Written
) -> tuple[str, ...]:
    """Return the strongest reasons.

    evidence, weights: by kind.
    pages: how many pages were compared.
    written: how the pages write labels.
    """
    told = _Telling(view, sought, pages, written)
    ranked = sorted(TELLING, key=lambda kind: (-evidence[kind] * max(weights[kind], 0.05), kind))
    said = (TELLING[kind](told, evidence[kind]) for kind in ranked if evidence[kind] >= LEAST)
    return tuple(dict.fromkeys(filter(None, said)))[:MOST]


class _Telling:
    """Writes reasons down."""

    def __init__(self, view: View, sought: Sought, pages: int, written: Written) -> None:
        self.view, self.phrases, self.pages, self.written = view, sought.meaning.phrases, pages, written

    def on(self, share: float) -> str:
        """Return on how many pages something holds, given the share of those looked at."""
        return f"on {round(share * self.view.coverage * self.pages)} of {self.pages} pages"

    def label(self, share: float) -> str:
        """Return the reason of a label before the values."""
        words = self._find(lambda spot: (spot.label, spot.second), exact=True)
        return f"the label “{words}” stands before it {self.on(share)}" if words else ""

    def label_part(self, share: float) -> str:
        """Return the reason of a label that holds the attribute's name among other words."""
        words = self._find(lambda spot: (spot.label,), exact=False)
        return f"the label “{words}” stands before it {self.on(1.0)}" if words and share else ""

    def heading(self, share: float) -> str:
        """Return the reason of a heading above the values."""
        words = self._find(lambda spot: (spot.heading,), exact=False)
        return f"it stands below the heading “{words}” {self.on(1.0)}" if words and share else ""

    def header(self, share: float) -> str:
        """Return the reason of a column's header."""
        words = self._find(lambda spot: (spot.header,), exact=False)
        return f"its column is headed “{words}” {self.on(1.0)}" if words and share else ""

    def prefix(self, share: float) -> str:
        """Return the reason of a label within the values."""
        words = self._find(lambda spot: (spot.prefix, *spot.begins), exact=True)
        return f"the values begin with “{words}” {self.on(share)}" if words else ""

    def name(self, share: float) -> str:
        """Return the reason of a class name or the like."""
        names = (words for spot in self._spots() for near in spot.names for words in sorted(near) if match_name(words, self.phrases))
        words = next(names, None)
        return f"its element, or one around it, is called “{'-'.join(words)}”" if words and share else ""

    def markup(self, share: float) -> str:
        """Return the reason of structured markup."""
        return f"the markup of its element names the property {self.on(share)}"

    def data(self, share: float) -> str:
        """Return the reason of the pages' own data."""
        return f"the page’s own data has the same value {self.on(min(1.0, share / 0.95))}"

    def form(self, share: float) -> str:
        """Return the reason of what values look like."""
        return f"{round(100 * share)} % of the values have its usual form"

    def learned(self, share: float) -> str:
        """Return the reason of values on other sites."""
        return "the values look like those of other sites" if share else ""

    def known(self, share: float) -> str:
        """Return the reason of values that other sites have, too."""
        return f"{round(100 * share)} % of the values are known from other sites"

    def title(self, share: float) -> str:
        """Return the reason of the page's title."""
        return f"it is in the page’s title {self.on(share)}"

    def top_heading(self, share: float) -> str:
        """Return the reason of a heading."""
        return f"it is a heading {self.on(share)}"

    def _spots(self) -> list[Spot]:
        return [spot for spots in self.view.spots for spot in spots]

    def _find(self, choose: Callable[[Spot], tuple[Phrase, ...]], *, exact: bool) -> str:
        """Return the first words that match, as the pages write them."""
        for spot in self._spots():
            for words in choose(spot):
                if words and (words in self.phrases if exact else share_phrase(words, self.phrases) > 0):
                    return self.written.get(words, " ".join(words))
        return ""


TELLING: Mapping[str, Callable[[_Telling, float], str]] = {
    "label": _Telling.label,
    "second label": _Telling.label,
    "label far": _Telling.label,
    "label part": _Telling.label_part,
    "heading above": _Telling.heading,
    "column header": _Telling.header,
    "prefix": _Telling.prefix,
    "begins with": _Telling.prefix,
    "own name": _Telling.name,
    "own name part": _Telling.name,
    "name around": _Telling.name,
    "property": _Telling.markup,
    "page data": _Telling.data,
    "form": _Telling.form,
    "learned form": _Telling.learned,
    "known values": _Telling.known,
    "title of the page": _Telling.title,
    "top heading": _Telling.top_heading,
    "heading": _Telling.top_heading,
}
"""The kinds of evidence that are told, with what writes them down."""
