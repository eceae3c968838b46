"""The outcomes of the addresses of a crawl: a table of outcomes with examples, and the addresses of each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from extraction.fetching.crawl.messages import Outcome
from extraction.models import AddressCount, CrawlAddress, Run
from extraction.services.intake import crawl_frontier
from extraction.services.intake.outcome_words import QUEUED, WORDS
from extraction.views.core.keyset import MOST_LOOKED, ListPage, find_last_looked, read_page

EXAMPLES = 3
PER_PAGE = 100
_BAD = frozenset({Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.UNREACHABLE, Outcome.LOGIN_OR_BOT, Outcome.SIGNED_OUT, Outcome.TOO_LARGE})
"""Outcomes that a person may want to act on."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One outcome of addresses.

    word: its name on the screen.
    count: the number of addresses.
    share_fraction: their share of all addresses that are done.
    state: the state whose colour is used; empty for none.
    examples: some of the addresses.
    """

    outcome: str
    word: str
    count: int
    share_fraction: float
    state: str
    examples: list[CrawlAddress]


def list_outcomes(run: Run, *, examples: bool = False) -> list[OutcomeRow]:
    """Return the outcomes of a crawl so far: harmless ones first, each kind by the number of addresses."""
    counts = crawl_frontier.count_by_outcome(run)
    total = sum(counts.values())
    order = sorted(counts, key=lambda outcome: (outcome not in crawl_frontier.HARMLESS, -counts[outcome], outcome))
    return [
        OutcomeRow(
            outcome,
            str(WORDS.get(outcome, outcome)),
            counts[outcome],
            counts[outcome] / total,
            "ok" if outcome in crawl_frontier.PAGES else "suspect" if outcome in _BAD else "",
            list(_select_addresses(run, outcome)[:EXAMPLES]) if examples else [],
        )
        for outcome in order
    ]


def list_addresses(run: Run, outcome: str, asked: Mapping[str, Any], *, query: str = "") -> ListPage[CrawlAddress]:
    """Return one page of the addresses with an outcome, or of those waiting. asked: the query of the address."""
    found = _select_addresses(run, outcome)
    if query:
        last = find_last_looked(found)
        among = found if last is None else found.filter(pk__lte=last)
        page = read_page(among.filter(url__icontains=query), asked, per_page=PER_PAGE)
        return replace(page, among=None if last is None else MOST_LOOKED)
    counts = AddressCount.objects.filter(run=run)
    state = CrawlAddress.State.QUEUED if outcome == QUEUED else CrawlAddress.State.DONE
    kept = counts.filter(state=state) if outcome == QUEUED else counts.filter(state=state, outcome=outcome)
    return read_page(found, asked, per_page=PER_PAGE, count=kept.total(), ids_first=True)


def _select_addresses(run: Run, outcome: str) -> "QuerySet[CrawlAddress]":
    rows = CrawlAddress.objects.filter(run=run).order_by("pk")
    if outcome == QUEUED:
        return rows.queued()
    return rows.done().filter(outcome=outcome)
