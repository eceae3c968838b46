"""One place for each marked value, so that together they are a list (ALGORITHMS 4.3, "which place of a value to learn from").

The values of a list often stand elsewhere as well: a tab with other units repeats most ingredients, a group of
instructions is called what a group of ingredients is called. An editor may click any of them; learned from is the
smallest element of the page that holds them all, and in it the places that are alike.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.marks import MarkedNode, find_other_places
from extraction.algorithms.learning.page_table import hash_text

Path = tuple[str, ...]
"""Tags from a node up to the root."""


def align_marks(corpus: Corpus, marks: Sequence[MarkedNode]) -> list[MarkedNode]:
    """The marks, each replaced by another place of its value where that stands better among the others."""
    choices = [[one, *find_other_places(corpus, one)] for one in marks]
    for page in {one.page for one in marks}:
        mine = [n for n, one in enumerate(marks) if one.page == page]
        if len(mine) > 2:  # two values have a smallest element wherever they stand
            _narrow(corpus, choices, mine)
    paths = [[_paths(corpus, place) for place in row] for row in choices]
    counts = Counter(path for row in paths for path in set().union(*row))
    clicked = Counter(path for row in paths for path in row[0])
    best = max(counts, key=lambda path: (counts[path], clicked[path], path))
    return [
        next((place for place, own in zip(row, ways, strict=True) if best in own), row[0]) for row, ways in zip(choices, paths, strict=True)
    ]


def _narrow(corpus: Corpus, choices: list[list[MarkedNode]], mine: Sequence[int]) -> None:
    """Keeps the places of a page's marks that are in the smallest element which holds one of each."""
    holds: dict[int, set[int]] = {}
    for n in mine:
        for place in choices[n]:
            for row in list_rows_above(corpus, place):
                holds.setdefault(row, set()).add(n)
    table = corpus.pages[choices[mine[0]][0].page]
    end = np.asarray(table.elements["end"])
    whole = [row for row, held in holds.items() if len(held) == len(mine)]
    smallest = min(whole, key=lambda row: (int(end[row]) - row, row))
    for n in mine:
        choices[n] = [place for place in choices[n] if smallest <= place.location.node < end[smallest]]


def list_rows_above(corpus: Corpus, one: MarkedNode) -> list[int]:
    """Rows, in the mark's page, of its element and all elements above it."""
    parent = np.asarray(corpus.pages[one.page].elements["parent"])
    row, rows = one.location.node, []
    while row < len(parent) - 1:
        rows.append(row)
        row = int(parent[row])
    return rows


def read_path(corpus: Corpus, one: MarkedNode) -> Path:
    """Tags from the marked node to the root."""
    nodes = corpus.pages[one.page].nodes
    return tuple(str(nodes[row].tag) for row in list_rows_above(corpus, one))


def find_paths(corpus: Corpus, page: int, text: str) -> set[Path]:
    """The paths of all elements on a page that hold a text node of just this text."""
    table = corpus.pages[page]
    rows = np.asarray(table.texts["owner"])[np.asarray(table.texts["text"]) == np.uint64(hash_text(text))]
    return {(str(element.tag), *(str(up.tag) for up in element.iterancestors())) for element in (table.nodes[row] for row in rows.tolist())}


def _paths(corpus: Corpus, one: MarkedNode) -> set[Path]:
    """The paths of all nodes that the mark may mean."""
    own = read_path(corpus, one)
    offset = int(corpus.offsets[one.page])
    nodes, found = corpus.pages[one.page].nodes, {own}
    for target, (row, _) in one.nodes.items():
        if target.kind == "element":
            element = nodes[row - offset]
            found.add((str(element.tag), *(str(up.tag) for up in element.iterancestors())))
    return found
