"""Tokens with which programs read the latest files and the feed of a record type. A token is shown once; only its digest is stored."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from extraction.models import ReaderToken, RecordType

PREFIX = "vxr_"
"""What tokens begin with, so that people and scanners recognise one that was published by mistake."""

RANDOM_BYTES = 32

NOTED_EVERY = timedelta(minutes=5)
"""How often it is noted that a token is used."""


def create_token(record_type: RecordType, name: str, user: User | None) -> str:
    """Make a token and return it. It cannot be found out again."""
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    ReaderToken.objects.create(
        record_type=record_type, name=name, digest=_digest(token), hint=token[: len(PREFIX) + ReaderToken.HINT], created_by=user
    )
    return token


def revoke_token(token: ReaderToken) -> None:
    """Revoke a token. It is refused from now on."""
    ReaderToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def find_token(record_type: RecordType, text: str) -> ReaderToken | None:
    """Return the valid token of a record type, and note that it is used. Its random part is too long to be guessed from timings."""
    found = ReaderToken.objects.filter(record_type=record_type, digest=_digest(text), revoked_at=None).first()
    if found is not None:
        now = timezone.now()
        seldom = Q(used_at=None) | Q(used_at__lt=now - NOTED_EVERY)
        ReaderToken.objects.filter(seldom, pk=found.pk).update(used_at=now)
    return found


def _digest(token: str) -> str:
    # The token is random, so a slow hash would add nothing.
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
