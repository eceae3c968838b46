"""Requests that must not be done twice: a program that got no answer sends the same request again with the same key."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from extraction.models import ApiOutcome, ApiToken

KEPT = timedelta(hours=24)
"""How long an outcome is kept. A key may be used for another request after that."""

ABANDONED_AFTER = timedelta(minutes=15)
"""A request without an answer after this time was interrupted, for example because its process was killed. It may be sent again."""


class OtherRequest(Exception):  # noqa: N818
    """The key was used for a request that differs in its address or body."""


class BeingHandled(Exception):  # noqa: N818
    """The first request with this key has not been answered yet."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered."""

    status: int
    content_type: str
    location: str
    body: str


def begin_request(token: ApiToken, key: str, digest: str, *, now: datetime) -> ApiOutcome | Answer:
    """Return a row for the outcome of a new request, or the answer that the request got before.

    Raises OtherRequest and BeingHandled.
    """
    ApiOutcome.objects.filter(token=token, key=key, created_at__lt=now - KEPT).delete()
    ApiOutcome.objects.filter(token=token, key=key, status=None, created_at__lt=now - ABANDONED_AFTER).delete()
    try:
        with transaction.atomic():
            return ApiOutcome.objects.create(token=token, key=key, digest=digest, created_at=now)
    except IntegrityError:
        found = ApiOutcome.objects.filter(token=token, key=key).first()
    if found is None or (found.digest == digest and found.status is None):
        raise BeingHandled
    if found.digest != digest:
        raise OtherRequest
    return Answer(found.status or 0, found.content_type, found.location, found.body)


def end_request(row: ApiOutcome, answer: Answer) -> None:
    """Store what a request was answered. After an error of the server, the request may be sent again, so nothing is stored."""
    if answer.status >= 500:
        row.delete()
        return
    ApiOutcome.objects.filter(pk=row.pk).update(
        status=answer.status, content_type=answer.content_type, location=answer.location, body=answer.body
    )


def tidy_outcomes(now: datetime) -> int:
    """Delete outcomes that are no longer kept, and return how many."""
    return ApiOutcome.objects.filter(created_at__lt=now - KEPT).delete()[0]
