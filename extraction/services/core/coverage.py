"""The coverage of a rule: how many pages of a cluster it gives values on, counted page by page as time allows."""

from dataclasses import dataclass, field

from extraction.services.core.stored_pages import StoredPage

MAX_LISTED = 200
"""The largest number of pages that a coverage or a report names. Further pages are only counted."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an attribute's rule gives on the pages of its cluster, as far as they have been read.

    checked: number of pages read so far, including those that earlier calls read.
    total: number of pages.
    hits: number of pages with a value.
    several: number of pages with more than one different value.
    without, several_on: ids of pages without a value and with several, at most MAX_LISTED each.
    complete: all pages were read.
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
    """The progress of one rule over the pages of a cluster.

    at: the pages before this place in `order` have been read.
    """

    order: list[StoredPage]
    at: int = 0
    without: list[int] = field(default_factory=list)
    several: list[int] = field(default_factory=list)

    @property
    def next_source(self) -> StoredPage | None:
        """The page to read next, None after the last one."""
        return self.order[self.at] if self.at < len(self.order) else None

    def note(self, count: int) -> None:
        """Record that the next page has `count` different values."""
        if count != 1:
            (self.several if count else self.without).append(self.order[self.at].snapshot_id)
        self.at += 1

    def summary(self) -> Coverage:
        """Return the coverage so far."""
        return Coverage(
            checked=self.at,
            total=len(self.order),
            hits=self.at - len(self.without),
            several=len(self.several),
            without=tuple(sorted(self.without[:MAX_LISTED])),
            several_on=tuple(sorted(self.several[:MAX_LISTED])),
            complete=self.next_source is None,
        )
