"""Chooses one place for each marked value so that together they form a list (docs/algorithms.md#rule-learning).

The values of a list often stand elsewhere as well: a tab with other units repeats most ingredients, and a group of instructions has
the name of a group of ingredients. An editor may click any of these places. The learner finds the smallest element of the page that
holds all values, and chooses the places inside it that have similar paths.
"""

from collections import Counter
from collections.abc import Sequence

from lxml import etree

from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.marks import MarkedNode, find_other_places

Path = tuple[str, ...]
"""Tags from a node up to the root."""


def align_marks(corpus: Corpus, marks: Sequence[MarkedNode]) -> list[MarkedNode]:
    """Return the marks. A mark is replaced by another place of the same value if that place fits the other marks better."""
    choices = [[mark, *find_other_places(corpus, mark)] for mark in marks]
    for page in {mark.page for mark in marks}:
        mine = [n for n, mark in enumerate(marks) if mark.page == page]
        if len(mine) > 2:  # any two values share a smallest element, so it shows nothing
            _narrow(corpus, choices, mine)
    paths = [[_list_paths(corpus, place) for place in row] for row in choices]
    counts = Counter(path for row in paths for path in set().union(*row))
    clicked = Counter(path for row in paths for path in row[0])
    best = max(counts, key=lambda path: (counts[path], clicked[path], path))
    return [
        next((place for place, own in zip(row, ways, strict=True) if best in own), row[0]) for row, ways in zip(choices, paths, strict=True)
    ]


def read_path(corpus: Corpus, mark: MarkedNode) -> Path:
    """Return the tags from the marked node up to the root."""
    nodes = corpus.pages[mark.page].nodes
    return tuple(str(nodes[row].tag) for row in _list_rows_above(corpus, mark))


def find_paths(corpus: Corpus, page: int, text: str) -> set[Path]:
    """The paths of all elements on a page that directly contain a text node with exactly this text."""
    table = corpus.pages[page]
    rows = table.texts.owner[corpus.list_equal_texts(page, text)]
    return {_element_path(table.nodes[row]) for row in rows.tolist()}


def _narrow(corpus: Corpus, choices: list[list[MarkedNode]], mine: Sequence[int]) -> None:
    """Keeps only those places of a page's marks that lie in the smallest element containing a place of every mark."""
    holds: dict[int, set[int]] = {}
    for n in mine:
        for place in choices[n]:
            for row in _list_rows_above(corpus, place):
                holds.setdefault(row, set()).add(n)
    end = corpus.pages[choices[mine[0]][0].page].elements.end
    common = [row for row, held in holds.items() if len(held) == len(mine)]
    smallest = min(common, key=lambda row: (int(end[row]) - row, row))
    for n in mine:
        choices[n] = [place for place in choices[n] if smallest <= place.location.node < end[smallest]]


def _list_rows_above(corpus: Corpus, mark: MarkedNode) -> list[int]:
    """Rows, in the mark's page, of its element and all elements above it."""
    parent = corpus.pages[mark.page].elements.parent
    row, rows = mark.location.node, []
    while row < len(parent) - 1:
        rows.append(row)
        row = int(parent[row])
    return rows


def _list_paths(corpus: Corpus, mark: MarkedNode) -> set[Path]:
    """The paths of all nodes that could be meant by the mark."""
    offset = int(corpus.offsets[mark.page])
    nodes, found = corpus.pages[mark.page].nodes, {read_path(corpus, mark)}
    for target, (row, _) in mark.nodes.items():
        if target.kind == "element":
            found.add(_element_path(nodes[row - offset]))
    return found


def _element_path(element: etree._Element) -> Path:
    return (str(element.tag), *(str(above.tag) for above in element.iterancestors()))
