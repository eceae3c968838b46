"""How a rule does over the pages of a cluster, counted page by page as time allows."""

from dataclasses import dataclass, field

from extraction.services.core.stored_pages import StoredPage

MAX_LISTED = 200
"""Pages named in a coverage or a report; the rest is only counted."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an attribute's rule gives over the pages of its cluster, as far as they have been looked at.

    checked: pages looked at, in all, not only by this call. total: pages there are. hits: pages with a value. several:
    pages with more than one different value. without, several_on: ids of pages without and with several, at most
    MAX_LISTED. complete: all were looked at.
    """

    checked: int
    total: int
    hits: int
    several: int
    without: tuple[int, ...]
    several_on: tuple[int, ...]
    complete: bool


@dataclass(slots=True)
class Survey:
    """How far one rule was looked at over a cluster's pages: those before `at` in `order`."""

    order: list[StoredPage]
    at: int = 0
    without: list[int] = field(default_factory=list)
    several: list[int] = field(default_factory=list)

    @property
    def next_source(self) -> StoredPage | None:
        """The page to look at next, None when all were."""
        return self.order[self.at] if self.at < len(self.order) else None

    def note(self, count: int) -> None:
        """The next page has so many different values."""
        if count != 1:
            (self.several if count else self.without).append(self.order[self.at].snapshot_id)
        self.at += 1

    def summary(self) -> Coverage:
        """What was found so far."""
        return Coverage(
            checked=self.at,
            total=len(self.order),
            hits=self.at - len(self.without),
            several=len(self.several),
            without=tuple(sorted(self.without[:MAX_LISTED])),
            several_on=tuple(sorted(self.several[:MAX_LISTED])),
            complete=self.next_source is None,
        )
