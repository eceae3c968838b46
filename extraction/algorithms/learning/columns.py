"""Finds the header above a table cell: the cell at the same column position in the table's first row.

Array operations handle all tables at once, because a page may have a hundred thousand small ones.
"""

import numpy as np

from extraction.algorithms.learning.corpus import Corpus, HeaderCells
from extraction.algorithms.learning.page_table import TOO_LONG, Ints, hash_text

MAX_CELL_DEPTH = 40
"""The largest number of levels looked up from a cell to its table. It takes two, but broken pages have more."""


def find_header_cells(corpus: Corpus, cells: Ints) -> Ints:
    """Return the row of the header cell above each cell.

    Returns the guard row for a cell without a header, or whose header repeats an earlier header's text: the label then means the earlier.
    """
    if corpus.header_cells is None:
        corpus.header_cells = _header_cells(corpus)
    known, none = corpus.header_cells, int(corpus.offsets[1]) - 1
    tables = _tables(corpus, cells)
    inside = np.flatnonzero(tables >= 0)
    found = np.full(len(cells), none, np.int32)
    if not len(inside) or not len(known.rows):
        return found
    wanted = _place_key(tables[inside], corpus.elements.place[cells[inside]])
    places = np.minimum(np.searchsorted(known.keys, wanted), len(known.keys) - 1)
    found[inside] = np.where(known.keys[places] == wanted, known.rows[places], none)
    return found


def _tables(corpus: Corpus, cells: Ints) -> Ints:
    """The nearest table that contains each cell, -1 where there is none."""
    tags, parent, table_tag = corpus.elements.tag, corpus.elements.parent, np.uint64(hash_text("table"))
    tables = np.full(len(cells), -1, np.int32)
    left, above = np.arange(len(cells)), cells
    for _ in range(MAX_CELL_DEPTH):
        above = parent[above]
        is_table = tags[above] == table_tag
        tables[left[is_table]] = above[is_table]
        going = ~is_table & (tags[above] != 0)
        left, above = left[going], above[going]
    return tables


def _header_cells(corpus: Corpus) -> HeaderCells:
    """The cells of each table's first row whose text no earlier cell of that row has, by table and position."""
    tags, parent = corpus.elements.tag, corpus.elements.parent
    rows = np.flatnonzero(tags == np.uint64(hash_text("tr"))).astype(np.int32)
    tables = np.flatnonzero(tags == np.uint64(hash_text("table"))).astype(np.int32)
    at = np.searchsorted(rows, tables)
    tables, at = tables[at < len(rows)], at[at < len(rows)]
    own = rows[at] < corpus.elements.end[tables] if len(rows) else np.zeros(0, np.bool_)
    first, tables = rows[at[own]], tables[own]
    order = np.argsort(first, kind="stable")
    first, tables = first[order], tables[order]  # a table in another's first row has that row, too
    cells = np.flatnonzero((tags != 0) & np.isin(parent, first)).astype(np.int32)
    texts = corpus.elements.whole[cells]
    cells, texts = cells[texts > TOO_LONG], texts[texts > TOO_LONG]
    by_text = np.lexsort((cells, texts, parent[cells]))
    fresh = np.ones(len(cells), np.bool_)
    same = (parent[cells][by_text][1:] == parent[cells][by_text][:-1]) & (texts[by_text][1:] == texts[by_text][:-1])
    fresh[by_text[1:][same]] = False
    cells = cells[fresh]
    begin, end = np.searchsorted(first, parent[cells], "left"), np.searchsorted(first, parent[cells], "right")
    which = np.repeat(np.arange(len(cells)), end - begin)
    table = tables[np.repeat(begin, end - begin) + np.arange(len(which)) - np.repeat(np.cumsum(end - begin) - (end - begin), end - begin)]
    keys = _place_key(table, corpus.elements.place[cells[which]])
    order = np.argsort(keys)
    return HeaderCells(keys[order], cells[which][order])


def _place_key(tables: Ints, places: Ints) -> np.ndarray:
    """Combines a table and a position in its rows into one number."""
    return tables.astype(np.int64) << 32 | places
