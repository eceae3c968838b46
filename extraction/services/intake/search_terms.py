"""What the search of a site said to each term, as rows of the crawl that asked it."""

from collections.abc import Iterable, Sequence

from django.db.models import Count, QuerySet

from extraction.fetching.crawl.messages import Searched, SearchedTerm, TermState
from extraction.fetching.names import MAX_LENGTH, make_printable
from extraction.models import Run, RunProblem, SearchTerm, Source

CHUNK = 500
"""The number of rows per statement. Databases limit the number of parameters."""

PROBLEM = "search"
"""The name of the problem of a search that cannot be asked."""


def write_terms(run: Run, events: Sequence[Searched]) -> None:
    """Write what is known of terms. A term that is waiting changes nothing that is known of it."""
    for event in events:
        waiting = [_make_row(run, each) for each in event.terms if each.state is TermState.WAITING]
        asked = {each.term: _make_row(run, each) for each in event.terms if each.state is not TermState.WAITING}
        if event.terms or event.problem:
            RunProblem.objects.filter(run=run, name=PROBLEM).delete()  # of an earlier start of the crawl
        SearchTerm.objects.bulk_create(waiting, ignore_conflicts=True, batch_size=CHUNK)
        SearchTerm.objects.bulk_create(
            asked.values(),
            update_conflicts=True,
            unique_fields=["run", "term"],
            update_fields=["url", "state", "links", "message"],
            batch_size=CHUNK,
        )
        if event.problem:
            RunProblem.objects.create(run=run, name=PROBLEM, reason=make_printable(f"No term was asked: {event.problem}.")[:500])


def count_by_state(run: Run) -> dict[str, int]:
    """Return {state: number of terms} of a crawl, in the order of the states, without those that have none."""
    rows = SearchTerm.objects.filter(run=run).order_by().values_list("state").annotate(Count("pk"))
    counts = dict(rows)
    return {state: counts[state] for state in SearchTerm.State.values if state in counts}


def select_terms(run: Run, state: str = "") -> "QuerySet[SearchTerm]":
    """Return the terms of a crawl. state: "" for all."""
    rows = SearchTerm.objects.filter(run=run).order_by("pk")
    return rows.filter(state=state) if state else rows


def find_problem(run: Run) -> str:
    """Return why the search of a crawl could not be asked; "" if it could."""
    return RunProblem.objects.filter(run=run, name=PROBLEM).values_list("reason", flat=True).first() or ""


def forget_terms(run: Run, source: Source) -> None:
    """Forget terms that are no longer in the list. A crawl that goes on may have another list than when it began."""
    known = frozenset(source.search_terms) if source.searches else frozenset[str]()
    stale = [pk for pk, term in SearchTerm.objects.filter(run=run).values_list("pk", "term") if term not in known]
    for start in range(0, len(stale), CHUNK):
        SearchTerm.objects.filter(pk__in=stale[start : start + CHUNK]).delete()


def _make_row(run: Run, each: SearchedTerm) -> SearchTerm:
    return SearchTerm(
        run=run,
        term=make_printable(each.term)[:200],
        url=each.url if len(each.url) <= MAX_LENGTH else "",
        state=each.state.value,
        links=each.links,
        message=make_printable(each.message)[: SearchTerm.MESSAGE_LENGTH],
    )


def write_lines(run: Run, examples: int = 10) -> Iterable[str]:
    """Yield what the search said to the terms, a line for each state, for the command line."""
    for state, number in count_by_state(run).items():
        label = str(SearchTerm.State(state).label).lower()
        names = list(select_terms(run, state).values_list("term", flat=True)[:examples]) if state != SearchTerm.State.FOUND else []
        more = f" and {number - len(names):,} more" if names and number > len(names) else ""
        yield f"{number:,} search {'term' if number == 1 else 'terms'}: {label}{': ' if names else ''}{', '.join(names)}{more}"
