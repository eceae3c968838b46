"""Header cells found for all tables at once are those found by walking each table."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.dom.nodes import clean, whole_text
from extraction.algorithms.learning.columns import find_header_cells
from extraction.algorithms.learning.corpus import Corpus
from extraction.algorithms.learning.page_table import PageTable
from tests.algorithms.learning.pages import page

CELL = st.sampled_from(["<td>a</td>", "<td>b</td>", "<th>c</th>", "<td></td>", "<th>a</th>"])


@st.composite
def tables(draw: st.DrawFn, depth: int = 1) -> str:
    cells = st.one_of(CELL, st.builds("<td>{}</td>".format, tables(depth - 1))) if depth else CELL
    rows = draw(st.lists(st.lists(cells, max_size=4), max_size=3))
    inner = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table>{inner}</table>"


def walked(table: PageTable, row: int) -> int | None:
    """The header of the cell in a row, by walking the tree."""
    cell = table.nodes[row]
    above = next((up for up in cell.iterancestors() if up.tag == "table"), None)
    first = next(above.iter("tr"), None) if above is not None else None
    if first is None:
        return None
    texts = [clean(whole_text(header)) for header in first]
    place = len(list(cell.itersiblings(preceding=True)))
    if place >= len(first) or not texts[place] or texts[place] in texts[:place]:
        return None
    return table.nodes.index(first[place])


@settings(max_examples=60, deadline=None)
@given(st.lists(tables(), min_size=1, max_size=3))
def test_header_cells(bodies: list[str]) -> None:
    pages = [page(f"<div>{body}</div><p>x</p>") for body in bodies]
    corpus = Corpus(pages)
    for number, one in enumerate(pages):
        rows = [row for row, element in enumerate(one.nodes) if element.tag in ("td", "th")]
        found = find_header_cells(corpus, np.array(rows, np.int32) + corpus.offsets[number])
        wanted = [walked(one, row) for row in rows]
        assert [int(row) for row in found] == [
            int(corpus.offsets[1]) - 1 if row is None else row + int(corpus.offsets[number]) for row in wanted
        ]
