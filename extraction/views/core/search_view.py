"""What the search of a site said to its terms: a table of states with examples, and the terms of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from extraction.models import Run, SearchTerm
from extraction.services.intake import search_terms
from extraction.views.core.keyset import ListPage, read_page

EXAMPLES = 5
PER_PAGE = 100
_STATES = {SearchTerm.State.FOUND: "ok", SearchTerm.State.FAILED: "suspect", SearchTerm.State.UNCLEAR: "suspect"}
"""{state of a term: the state whose colour is used}."""


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state of terms. share_fraction: their share of all terms. colour: the state whose colour is used; empty for none."""

    state: str
    word: str
    count: int
    share_fraction: float
    colour: str
    examples: list[SearchTerm]


def list_states(run: Run, *, examples: bool = False) -> list[StateRow]:
    """Return the states of the terms of a crawl; none if it has no search."""
    counts = search_terms.count_by_state(run)
    total = sum(counts.values())
    return [
        StateRow(
            state,
            str(SearchTerm.State(state).label),
            count,
            count / total,
            _STATES.get(SearchTerm.State(state), ""),
            list(search_terms.select_terms(run, state)[:EXAMPLES]) if examples else [],
        )
        for state, count in counts.items()
    ]


def list_terms(run: Run, state: str, asked: Mapping[str, Any]) -> ListPage[SearchTerm]:
    """Return one page of the terms of a crawl. state: "" for all. asked: the query of the address."""
    counts = search_terms.count_by_state(run)
    count = counts.get(state, 0) if state else sum(counts.values())
    return read_page(search_terms.select_terms(run, state), asked, per_page=PER_PAGE, count=count)
