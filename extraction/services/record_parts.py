"""Whose a record is now. A record belongs to its page, and a template's records are those of its pages as they stand there now.

What the pages have not got any more is kept and named apart, so that no count of one is taken for the other: records of earlier pages
(another content stands at the address since, and the rule has not been run over it, as it is not while it is broken), and records of
pages elsewhere (their page is of another template or of none since, by finding the templates anew or by adopting a clustering; when it
comes back, so do they). Since a page has one content at a time, a template has at most as many records as pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Case, Count, F, Q, QuerySet, TextChoices, Value, When

from extraction.models import Record


class Part(TextChoices):
    """Which records of a template."""

    NOW = "now", "of its pages"
    EARLIER = "earlier", "of earlier pages"
    ELSEWHERE = "elsewhere", "of pages elsewhere now"


HERE = Q(snapshot__page__current__cluster=F("cluster"))
"""Records whose page is of their template, in whatever content."""

NOW = Q(snapshot__page__current=F("snapshot"), snapshot__cluster=F("cluster"))
"""The same, of the content that stands there now."""

STANDING = Q(snapshot__page__current=F("snapshot"))
"""Records of a content that stands there now, whatever template the page is of: a site's records."""


_PART = Case(When(NOW, then=Value(Part.NOW)), When(HERE, then=Value(Part.EARLIER)), default=Value(Part.ELSEWHERE))


@dataclass(frozen=True, slots=True)
class Figures:
    """How many records a template has: of its pages by state; of earlier pages and of pages elsewhere those that hold anything."""

    complete: int = 0
    incomplete: int = 0
    failed: int = 0
    earlier: int = 0
    elsewhere: int = 0

    @property
    def given(self) -> int:
        """Pages that gave a record, complete or not."""
        return self.complete + self.incomplete

    @property
    def total(self) -> int:
        """Pages that the rule was run over."""
        return self.given + self.failed

    def health(self, pages: int) -> list[tuple[float, str]]:
        """Shares of so many pages by the state of their records, with the state's colour."""
        parts = ((self.complete, "ok"), (self.incomplete, "suspect"), (self.failed, "broken"))
        return [(count / max(1, pages), colour) for count, colour in parts]


def of(records: QuerySet[Record], part: str) -> QuerySet[Record]:
    """Those of the records that are of this part; what is no part is taken for NOW."""
    if part not in (Part.EARLIER, Part.ELSEWHERE):
        return records.filter(NOW)
    return records.alias(part=_PART).filter(part=part)


def figures(records: QuerySet[Record]) -> Mapping[int, Figures]:
    """{template: its figures} of these records, in one query; templates without any are missing."""
    found: dict[int, dict[str, int]] = {}
    rows = records.order_by().annotate(part=_PART)
    for cluster, part, state, n in rows.values_list("cluster", "part", "state").annotate(n=Count("pk")):
        counts = found.setdefault(cluster, {})
        if part == Part.NOW:
            counts[state] = n
        elif state != Record.State.FAILED:
            counts[part] = counts.get(part, 0) + n
    return {cluster: Figures(**counts) for cluster, counts in found.items()}
