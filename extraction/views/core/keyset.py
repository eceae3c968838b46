"""Pages of a long list. The next page begins after the last row of this one, so that a far page costs no more than the first.

Rows are not counted to show a page. The number beside a list is a kept count, or it is counted up to `MOST_COUNTED`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext

from extraction.services.core.percent import write_number

Row = TypeVar("Row", bound=Model)

MOST_COUNTED = 1_000
"""Rows up to which the matches of a search are counted."""

MOST_LOOKED = 10_000
"""Rows, the first ones of a list, that a filter or a sort order looks through if no index knows its values."""

MAX_NUMBER = 200
"""The last page of a list that is sorted by a value. Its rows before the page have to be read."""


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Row]):
    """One page of a list.

    count: the number of rows of the whole list; if not `exact`, there are more.
    before, after: the ids where the previous and the next page begin, None if there is no such page or pages are numbered.
    previous, next: the numbers of these pages, if pages are numbered; else None.
    cut: there are more pages than are shown.
    among: the rows are those of the first so many of the list; None if all were looked through.
    """

    rows: list[Row]
    count: int
    exact: bool = True
    before: int | None = None
    after: int | None = None
    previous: int | None = None
    next: int | None = None
    cut: bool = False
    among: int | None = None

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def count_words(self) -> str:
        """The number of rows for display, such as "12" or "more than 1,000"."""
        return f"{self.count:,}" if self.exact else gettext("more than %(count)s") % {"count": write_number(self.count)}

    @property
    def has_other_pages(self) -> bool:
        """Whether there is a previous or a next page."""
        return any(each is not None for each in (self.before, self.after, self.previous, self.next))


def read_page(
    found: QuerySet[Row],
    asked: Mapping[str, Any],
    *,
    per_page: int,
    newest_first: bool = False,
    count: int | None = None,
    ids_first: bool = False,
) -> ListPage[Row]:
    """Return a page of rows by id.

    found: the rows, in any order.
    asked: the query of the address: `after` or `before` the id of a row. Anything else gives the first page.
    newest_first: the largest id comes first.
    count: the number of rows, if it is known.
    ids_first: ask for the ids of the rows first. An index knows them, where PostgreSQL would look for whole rows by reading the table.
    """
    again = partial(read_page, found, {}, per_page=per_page, newest_first=newest_first, count=count, ids_first=ids_first)
    after, before = _read_id(asked.get("after")), _read_id(asked.get("before"))
    back = before is not None and after is None
    place = before if back else after
    larger = newest_first is back
    part = found if place is None else found.filter(pk__gt=place) if larger else found.filter(pk__lt=place)
    ordered = part.order_by("pk" if larger else "-pk")
    if ids_first:
        ordered = ordered.filter(pk__in=list(ordered.values_list("pk", flat=True)[: per_page + 1]))
    rows = list(ordered[: per_page + 1])
    more, rows = len(rows) > per_page, rows[:per_page]
    if back:
        if not more:  # the beginning is near: show the first page in full
            return again()
        rows.reverse()
    elif place is not None and not rows:
        return again()
    if count is None and place is None and not more:
        count = len(rows)  # these are all
    number, exact = (count, True) if count is not None else count_up_to(found)
    earlier = rows[0].pk if rows and (more if back else place is not None) else None
    later = rows[-1].pk if rows and (back or more) else None
    return ListPage(rows, number, exact, before=earlier, after=later)


def read_numbered_page(found: QuerySet[Row], asked: Mapping[str, Any], *, per_page: int, count: int | None = None) -> ListPage[Row]:
    """Return a page of rows in their own order, by its number. Anything but a number gives the first page."""
    text = str(asked.get("page", ""))
    number = min(max(1, int(text)), MAX_NUMBER) if text.isdecimal() and len(text) < 10 else 1
    rows = list(found[(number - 1) * per_page : number * per_page + 1])
    if not rows and number > 1:
        return read_numbered_page(found, {}, per_page=per_page, count=count)
    more, rows = len(rows) > per_page, rows[:per_page]
    if count is None and number == 1 and not more:
        count = len(rows)  # these are all
    total, exact = (count, True) if count is not None else count_up_to(found)
    return ListPage(
        rows,
        total,
        exact,
        previous=number - 1 if number > 1 else None,
        next=number + 1 if more and number < MAX_NUMBER else None,
        cut=more and number == MAX_NUMBER,
    )


def find_last_looked(listed: QuerySet[Any], most: int | None = None) -> int | None:
    """Return the id of the last row that is looked through, None if there are fewer rows, so that all are.

    listed: the rows of the list that an index knows.
    most: how many rows are looked through, by default MOST_LOOKED.
    """
    most = MOST_LOOKED if most is None else most
    return listed.order_by("pk").values_list("pk", flat=True)[most - 1 : most].first()


def count_up_to(found: QuerySet[Any], most: int = MOST_COUNTED) -> tuple[int, bool]:
    """Return (number of rows, True), or (most, False) if there are more."""
    number = len(found.order_by().values_list("pk", flat=True)[: most + 1])
    return (number, True) if number <= most else (most, False)


def _read_id(text: Any) -> int | None:
    text = str(text or "")
    return int(text) if text.isdecimal() and len(text) < 19 else None
