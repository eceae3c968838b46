"""What came of the addresses of a crawl, for people to look at: a table of outcomes with examples, and the list behind each."""

from dataclasses import dataclass

from django.core.paginator import Page as Pages
from django.core.paginator import Paginator
from django.db.models import QuerySet

from extraction.fetching.crawl.messages import Outcome
from extraction.models import CrawlAddress, Run
from extraction.services.intake import crawl_frontier
from extraction.services.intake.outcome_words import QUEUED, WORDS

EXAMPLES = 3
PER_PAGE = 100
_BAD = frozenset({Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.UNREACHABLE, Outcome.LOGIN_OR_BOT, Outcome.TOO_LARGE})
"""Outcomes that a person may want to do something about."""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One outcome: how many addresses, their share of all that are done, some of them. state: the colour's, empty for none."""

    outcome: str
    word: str
    count: int
    share_fraction: float
    state: str
    examples: list[CrawlAddress]


def list_outcomes(run: Run, *, examples: bool = False) -> list[OutcomeRow]:
    """The outcomes of a crawl so far: pages first, then the commonest."""
    counts = crawl_frontier.count_by_outcome(run)
    total = sum(counts.values())
    order = sorted(counts, key=lambda outcome: (outcome not in crawl_frontier.HARMLESS, -counts[outcome], outcome))
    return [
        OutcomeRow(
            outcome,
            WORDS.get(outcome, outcome),
            counts[outcome],
            counts[outcome] / total,
            "ok" if outcome in crawl_frontier.PAGES else "suspect" if outcome in _BAD else "",
            list(_of(run, outcome)[:EXAMPLES]) if examples else [],
        )
        for outcome in order
    ]


def list_addresses(run: Run, outcome: str, page_number: str | int, *, query: str = "") -> "Pages[CrawlAddress]":
    """One page of the addresses of an outcome, or of those that wait. What is no page number gives the first page."""
    found = _of(run, outcome)
    return Paginator(found.filter(url__icontains=query) if query else found, PER_PAGE).get_page(page_number)


def _of(run: Run, outcome: str) -> "QuerySet[CrawlAddress]":
    rows = CrawlAddress.objects.filter(run=run).order_by("pk")
    if outcome == QUEUED:
        return rows.queued()
    return rows.done().filter(outcome=outcome)
