"""Finds the title and the body of news pages from their pattern (data labelling, Reis et al. 2004, section 4.4).

The wildcards match data, and the rest belongs to the site. The *body* consists of long passages that are close together. The
elements around paragraphs are compared by their number of words outside of links on the median page. The body is the first that has at
least half as many as the longest. The *title* is a passage of 1 to 20 words above the body that agrees with the page's <title> element.
If no <title> tells the pages apart, it is the heading nearest above the body. Both are chosen on the pattern, so they are at the same
place on every page.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from extraction.algorithms.alignment.node_patterns.page_trees import PlacedTree, is_wildcard
from extraction.algorithms.alignment.node_patterns.patterns import Pattern, PatternMatch
from extraction.algorithms.alignment.schema import Value
from extraction.algorithms.dom.words import count_words, split_words

MAX_TITLE_WORDS = 20

MIN_AGREEMENT = 0.4
"""Least agreement (F1) of the words of a passage with those of <title>. The name of the site beside a short title halves it."""

HEADING_BONUS = 0.2
"""Added for a heading. Breadcrumbs and links to the page itself often agree with <title> word for word, while the heading says more."""

MIN_BODY_WORDS = 20
"""Least number of words of a body on the median page. A shorter text is a teaser."""

FIRST_FRACTION = 0.5
"""An earlier place with this share of the longest one's words is the body, because the comments below it can be longer."""

MAX_LINK_FRACTION = 0.5
"""Largest share of a passage's words that may be in links. With more it is a list of links."""

HEADINGS = frozenset(("h1", "h2", "h3"))
INLINE = frozenset(("a", "b", "i", "em", "strong", "span", "u", "small", "sup", "sub", "font", "time", "abbr", "q", "cite", "mark", "br"))
PARAGRAPHS = frozenset(("p", "li", "blockquote", "h2", "h3", "h4", "h5", "h6", "pre", "dd", "figcaption"))
HEAD = frozenset(("head", "title", "meta", "link"))


@dataclass(frozen=True, slots=True)
class NewsLabels:
    """The numbers of the pattern's nodes that match the title and the body, None for one that was not found.

    title: a wildcard.
    body: the element around the paragraphs.
    """

    title: int | None
    body: int | None


@dataclass(frozen=True, slots=True)
class NewsArticle:
    """The title and body of a page. The body's place is the element around it, and its text is the text of its passages."""

    title: Value | None
    body: Value | None


@dataclass(frozen=True, slots=True)
class _Passage:
    """What a page holds at a wildcard.

    node: the number of the wildcard.
    words: the different words of the text (`split_words`).
    length: how many words a reader sees in it.
    linked: how many of these are in links.
    """

    node: int
    placed: tuple[PlacedTree, ...]
    words: frozenset[str]
    length: int
    linked: int

    @property
    def is_prose(self) -> bool:
        """Return whether the passage holds more than links."""
        return bool(self.words) and self.linked <= MAX_LINK_FRACTION * self.length


def label_pattern(pattern: Pattern, matches: Sequence[PatternMatch], titles: Sequence[str]) -> NewsLabels:
    """Return which nodes match the title and the body, judged by the matched pages.

    titles: the text of each page's <title>, "" if there is none.
    """
    passages = _Passages(pattern, matches)
    body = passages.find_body()
    return NewsLabels(passages.find_title(body, titles), body)


def extract_article(pattern: Pattern, labels: NewsLabels, found: PatternMatch) -> NewsArticle:
    """Return title and body of a page."""
    passages = _Passages(pattern, [found])
    title = next((each for each in passages.pages[0] if each.node == labels.title), None)
    held = [each for each in passages.pages[0] if labels.body is not None and passages.is_inside(each.node, labels.body) and each.is_prose]
    around = found.taken.get(labels.body or 0, ())
    return NewsArticle(
        Value(_text(title.placed), title.placed[0].place) if title and title.placed else None,
        Value(" ".join(_text(each.placed) for each in held), around[0].place) if held and around else None,
    )


class _Passages:
    """The passages of some pages. Finds the body and the title from all pages together."""

    def __init__(self, pattern: Pattern, matches: Sequence[PatternMatch]) -> None:
        self.nodes = pattern.nodes()
        self._wild = [number for number, (tree, _) in enumerate(self.nodes) if is_wildcard(tree) and not self._in_head(number)]
        self.pages = [list(self._read(found)) for found in matches]

    def find_body(self) -> int | None:
        """Return the element around the paragraphs."""
        counts: dict[int, list[int]] = defaultdict(lambda: [0] * len(self.pages))
        for page, passages in enumerate(self.pages):
            for each in passages:
                if each.is_prose:
                    counts[self._container(each.node)][page] += each.length - each.linked
        typical = {node: median(row) for node, row in counts.items()}
        most = max(typical.values(), default=0)
        if most < MIN_BODY_WORDS:
            return None
        return next(node for node in sorted(typical) if typical[node] >= FIRST_FRACTION * most)

    def find_title(self, body: int | None, titles: Sequence[str]) -> int | None:
        """Return the wildcard of the title."""
        rows: dict[int, dict[int, _Passage]] = defaultdict(dict)
        first = self._first_of_body(body)
        for page, passages in enumerate(self.pages):
            for each in passages:
                if 1 <= each.length <= MAX_TITLE_WORDS and (first is None or each.node < first):
                    rows[each.node][page] = each
        usual = {node: row for node, row in rows.items() if 2 * len(row) >= len(self.pages)}
        if len(set(titles)) > 1:
            agreeing = {node: fmean(_agreement(row[page].words, titles[page]) for page in row) for node, row in usual.items()}
            best = max(agreeing, key=lambda node: (round(agreeing[node] + HEADING_BONUS * self._is_heading(node), 2), node), default=None)
            if best is not None and agreeing[best] >= MIN_AGREEMENT:
                return best
        return max(filter(self._is_heading, usual), default=None)

    def is_inside(self, node: int, other: int) -> bool:
        """Return whether a node of the pattern is in another."""
        return other <= node < other + self.nodes[other][0].size

    def _first_of_body(self, body: int | None) -> int | None:
        """Return the first node of the body's prose. The same element may hold the title before that node."""
        if body is None:
            return None
        long = (each.node for row in self.pages for each in row if each.is_prose and each.length > MAX_TITLE_WORDS)
        return min((node for node in long if self.is_inside(node, body)), default=body)

    def _read(self, found: PatternMatch) -> Iterator[_Passage]:
        for node in self._wild:
            placed = found.taken.get(node, ())
            text = _text(placed)
            if words := frozenset(split_words(text)):
                within, length = any(tag == "a" for tag in self._chain(node)), count_words(text)
                yield _Passage(node, placed, words, length, length if within else sum(map(_linked, placed)))

    def _container(self, node: int) -> int:
        """Return the element around the paragraph that holds a wildcard."""
        at = self.nodes[node][1]
        while at > 0 and self.nodes[at][0].label in INLINE:
            at = self.nodes[at][1]
        return self.nodes[at][1] if at > 0 and self.nodes[at][0].label in PARAGRAPHS else max(at, 0)

    def _is_heading(self, node: int) -> bool:
        return any(tag in HEADINGS for tag in self._chain(node))

    def _in_head(self, node: int) -> bool:
        return any(tag in HEAD for tag in self._chain(node))

    def _chain(self, node: int) -> Iterator[str]:
        """Yield the names of the elements around a node, the innermost first."""
        while (node := self.nodes[node][1]) >= 0:
            yield self.nodes[node][0].label


def _agreement(words: frozenset[str], title: str) -> float:
    """Return the F1 score of the words that a passage and a title share."""
    other = frozenset(split_words(title))
    return 2 * len(words & other) / (len(words) + len(other)) if words and other else 0.0


def _text(placed: Sequence[PlacedTree]) -> str:
    return " ".join(text.tree.label[1:] for each in placed for text in each.texts())


def _linked(placed: PlacedTree) -> int:
    """Return how many words of a tree are in links."""
    if placed.tree.label == "a":
        return count_words(_text((placed,)))
    return sum(map(_linked, placed.children))
