"""Title and body of news pages, told from their pattern (data labelling of Reis et al. 2004).

What stands at the wildcards is data; the rest is the site. The *body* are the long passages that stand together: of the elements
around paragraphs, the first that holds, on the median page, at least half as many words outside of links as the one with most. The
*title* is a passage of 1 to 20 words above the body that agrees with the page's <title> element; without a <title> that tells pages
apart, the heading nearest above the body. Both are chosen on the pattern, so they are the same place on each page.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from extraction.algorithms.alignment.node_patterns.patterns import Match, Pattern
from extraction.algorithms.alignment.node_patterns.trees import Placed
from extraction.algorithms.alignment.schema import Value

MAX_TITLE_WORDS = 20

MIN_AGREEMENT = 0.4
"""Of the words of a passage and of <title>, taken together as F1: a site's name beside a short title halves it."""

HEADING_BONUS = 0.2
"""For a heading: crumbs and links to the page itself often agree with <title> word for word, where the heading says more."""

MIN_BODY_WORDS = 20
"""Words of a body on the median page; less is a teaser."""

FIRST_FRACTION = 0.5
"""A place above with so large a share of the longest one's words is the body: below it comments can be longer."""

MAX_LINK_FRACTION = 0.5
"""Of a passage's words; where more are in links it is a list of links."""

HEADINGS = frozenset(("h1", "h2", "h3"))
INLINE = frozenset(("a", "b", "i", "em", "strong", "span", "u", "small", "sup", "sub", "font", "time", "abbr", "q", "cite", "mark", "br"))
PARAGRAPHS = frozenset(("p", "li", "blockquote", "h2", "h3", "h4", "h5", "h6", "pre", "dd", "figcaption"))
HEAD = frozenset(("head", "title", "meta", "link"))

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Labels:
    """Numbers of nodes of a pattern; None for what there is not. title: a wildcard. body: the element around the paragraphs."""

    title: int | None
    body: int | None


@dataclass(frozen=True, slots=True)
class Article:
    """What a page holds at the labels. The body's place is the element around it; its text are its passages."""

    title: Value | None
    body: Value | None


@dataclass(frozen=True, slots=True)
class _Passage:
    """node: of the wildcard. words: of its text; linked: how many of them are in links."""

    node: int
    placed: tuple[Placed, ...]
    words: tuple[str, ...]
    linked: int

    @property
    def is_prose(self) -> bool:
        """Whether it is more than links."""
        return bool(self.words) and self.linked <= MAX_LINK_FRACTION * len(self.words)


def label(pattern: Pattern, matches: Sequence[Match], titles: Sequence[str]) -> Labels:
    """Where title and body stand, by pages that match. titles: the text of each page's <title>, "" for none."""
    told = _Told(pattern, matches)
    body = told.body()
    return Labels(told.title(body, titles), body)


def article(pattern: Pattern, labels: Labels, found: Match) -> Article:
    """Title and body of a page."""
    told = _Told(pattern, [found])
    title = next((each for each in told.pages[0] if each.node == labels.title), None)
    held = [each for each in told.pages[0] if labels.body is not None and told.inside(each.node, labels.body) and each.is_prose]
    around = found.taken.get(labels.body or 0, ())
    return Article(
        Value(_text(title.placed), title.placed[0].place) if title and title.placed else None,
        Value(" ".join(_text(each.placed) for each in held), around[0].place) if held and around else None,
    )


class _Told:
    """The passages of pages, and what is asked of all of them."""

    def __init__(self, pattern: Pattern, matches: Sequence[Match]) -> None:
        self.nodes = pattern.nodes()
        self._wild = [number for number, (tree, _) in enumerate(self.nodes) if tree.is_wildcard and not self._in_head(number)]
        self.pages = [list(self._passages(found)) for found in matches]

    def body(self) -> int | None:
        """The element around the paragraphs."""
        counts: dict[int, list[int]] = defaultdict(lambda: [0] * len(self.pages))
        for page, passages in enumerate(self.pages):
            for each in passages:
                if each.is_prose:
                    counts[self._container(each.node)][page] += len(each.words) - each.linked
        typical = {node: median(row) for node, row in counts.items()}
        most = max(typical.values(), default=0)
        if most < MIN_BODY_WORDS:
            return None
        return next(node for node in sorted(typical) if typical[node] >= FIRST_FRACTION * most)

    def title(self, body: int | None, titles: Sequence[str]) -> int | None:
        """The wildcard of the title."""
        rows: dict[int, dict[int, _Passage]] = defaultdict(dict)
        first = self._first_of_body(body)
        for page, passages in enumerate(self.pages):
            for each in passages:
                if 1 <= len(each.words) <= MAX_TITLE_WORDS and (first is None or each.node < first):
                    rows[each.node][page] = each
        usual = {node: row for node, row in rows.items() if 2 * len(row) >= len(self.pages)}
        if len(set(titles)) > 1:
            agreeing = {node: fmean(_agreement(row[page].words, titles[page]) for page in row) for node, row in usual.items()}
            best = max(agreeing, key=lambda node: (round(agreeing[node] + HEADING_BONUS * self._is_heading(node), 2), node), default=None)
            if best is not None and agreeing[best] >= MIN_AGREEMENT:
                return best
        return max(filter(self._is_heading, usual), default=None)

    def inside(self, node: int, other: int) -> bool:
        """Whether a node of the pattern is in another."""
        return other <= node < other + self.nodes[other][0].size

    def _first_of_body(self, body: int | None) -> int | None:
        """The first node of the body's prose: a title may stand in the same element before it."""
        if body is None:
            return None
        long = (each.node for row in self.pages for each in row if each.is_prose and len(each.words) > MAX_TITLE_WORDS)
        return min((node for node in long if self.inside(node, body)), default=body)

    def _passages(self, found: Match) -> Iterator[_Passage]:
        for node in self._wild:
            placed = found.taken.get(node, ())
            words = tuple(_WORD.findall(_text(placed).lower()))
            if words:
                within = any(tag == "a" for tag in self._chain(node))
                yield _Passage(node, placed, words, len(words) if within else sum(map(_linked, placed)))

    def _container(self, node: int) -> int:
        """The element around the paragraph that a wildcard is in."""
        at = self.nodes[node][1]
        while at > 0 and self.nodes[at][0].label in INLINE:
            at = self.nodes[at][1]
        return self.nodes[at][1] if at > 0 and self.nodes[at][0].label in PARAGRAPHS else max(at, 0)

    def _is_heading(self, node: int) -> bool:
        return any(tag in HEADINGS for tag in self._chain(node))

    def _in_head(self, node: int) -> bool:
        return any(tag in HEAD for tag in self._chain(node))

    def _chain(self, node: int) -> Iterator[str]:
        """Names of the elements around a node, from within."""
        while (node := self.nodes[node][1]) >= 0:
            yield self.nodes[node][0].label


def _agreement(words: Sequence[str], title: str) -> float:
    """F1 of the words of a passage and of a title."""
    one, other = set(words), set(_WORD.findall(title.lower()))
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _text(placed: Sequence[Placed]) -> str:
    return " ".join(text.tree.label[1:] for each in placed for text in each.texts())


def _linked(placed: Placed) -> int:
    """Words in links."""
    if placed.tree.label == "a":
        return len(_WORD.findall(_text((placed,))))
    return sum(map(_linked, placed.children))
