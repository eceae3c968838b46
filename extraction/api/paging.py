"""Lists in pages, each of which begins after the last row of the one before (keyset paging).

Rows that are added or deleted meanwhile shift nothing: no row comes twice, and none that stays is left out.
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from django.db.models import QuerySet
from ninja import Field, Query, Schema
from pydantic import AwareDatetime, BeforeValidator

from extraction.api.problems import ProblemError

T = TypeVar("T")

MAX_LIMIT = 1_000


def _refuse_numbers(text: Any) -> Any:
    """Refuse a number, which pydantic would take for seconds since 1970."""
    if isinstance(text, str) and "-" not in text[1:]:
        raise ValueError("give a time such as 2026-11-29T08:00:00Z")
    return text


Time = Annotated[AwareDatetime, BeforeValidator(_refuse_numbers)]
"""A time with its zone, as ISO 8601."""


class Paging(Schema):
    """Which part of a list."""

    after: str = Field("", description="The `next` of the page before; empty for the first page.", max_length=100)
    limit: int = Field(100, ge=1, le=MAX_LIMIT, description="The largest number of items of this page.")


Asked = Annotated[Paging, Query()]


class Paged(Schema, Generic[T]):
    """One page of a list. next: give it as `after` for the next page; null if there is none."""

    items: list[T]
    next: str | None


def take_page(rows: "QuerySet[Any]", paging: Paging, make: Callable[[Any], Any], *, newest_first: bool = False) -> dict[str, Any]:
    """Return one page of rows, ordered by their id.

    make: row → item. It must not ask the database; where items need more than their row, use `take_page_at_once`.
    """
    return take_page_at_once(rows, paging, lambda shown: [make(each) for each in shown], newest_first=newest_first)


def take_page_at_once(
    rows: "QuerySet[Any]", paging: Paging, make: Callable[[list[Any]], list[Any]], *, newest_first: bool = False
) -> dict[str, Any]:
    """Return one page of rows, ordered by their id.

    make: all rows of the page → their items, in a constant number of queries.
    """
    ordered = rows.order_by("-pk" if newest_first else "pk")
    if paging.after:
        last = _read_cursor(paging.after)
        ordered = ordered.filter(pk__lt=last) if newest_first else ordered.filter(pk__gt=last)
    found = list(ordered[: paging.limit + 1])
    shown = found[: paging.limit]
    return {"items": make(shown), "next": _write_cursor(shown[-1].pk) if len(found) > len(shown) else None}


def take_slice(rows: Sequence[Any], paging: Paging, make: Callable[[Any], Any]) -> dict[str, Any]:
    """Return one page of rows that are in memory and have no ids, such as those of one record, in their order."""
    first = _read_cursor(paging.after) if paging.after else 0
    end = first + paging.limit
    return {"items": [make(each) for each in rows[first:end]], "next": _write_cursor(end) if end < len(rows) else None}


def _write_cursor(pk: int) -> str:
    return base64.urlsafe_b64encode(str(pk).encode()).decode().rstrip("=")


def _read_cursor(text: str) -> int:
    try:
        pk = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        pk = ""
    if not pk.isdecimal() or len(pk) > 18:
        raise ProblemError(422, "“after” is not the `next` of a page of this list.")
    return int(pk)
