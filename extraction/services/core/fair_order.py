"""Which waiting run a worker takes next, so that nobody who starts a hundred runs keeps the others waiting.

A message to a worker names a run, but means only that there is work. The worker takes the waiting run of the person who has the fewest runs
under way; of equals, that of the site with the fewest; of equals, the oldest. Runs that nobody started, such as scheduled checks, count for
their site. Previews come after everything else, whoever waits for them, because nobody's work depends on them. A run that is under way is
never interrupted, so a person can still hold all workers for a while: more workers shorten it.
"""

from collections import Counter

from django.utils import timezone

from extraction.models import Run

MAX_COMPARED = 1_000
"""How many of the oldest waiting runs are compared."""

LAST = (Run.Kind.PREVIEW,)
"""Kinds of runs that wait until no other run does."""


def choose_run() -> int | None:
    """Return the id of the run to take next; None if none waits. A run that failed and is tried again waits until its time (`sent_at`)."""
    queued = Run.objects.queued().filter(sent_at__lte=timezone.now()) | Run.objects.queued().filter(sent_at=None)
    waiting = queued.order_by("pk").values_list("pk", "created_by", "site")
    found = list(waiting.exclude(kind__in=LAST)[:MAX_COMPARED]) or list(waiting.filter(kind__in=LAST)[:MAX_COMPARED])
    people, sites = Counter[tuple[str, int]](), Counter[int]()
    for person, site in Run.objects.running().values_list("created_by", "site"):
        people[_find_owner(person, site)] += 1
        sites[site] += 1
    return min(found, key=lambda run: (people[_find_owner(run[1], run[2])], sites[run[2]], run[0]), default=(None,))[0]


def _find_owner(person: int | None, site: int) -> tuple[str, int]:
    return ("person", person) if person is not None else ("site", site)
