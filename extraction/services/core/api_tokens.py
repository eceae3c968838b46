"""Tokens with which programs use the API. A token is shown once; only its digest is stored."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from extraction.models import ApiToken, Site

PREFIX = "vxa_"
"""What tokens begin with, so that people and scanners recognise one that was published by mistake."""

RANDOM_BYTES = 32

NOTED_EVERY = timedelta(minutes=5)
"""How often it is noted that a token is used."""


def create_token(
    user: User, name: str, scopes: Sequence[str], *, sites: Iterable[Site] | None = None, expires_at: datetime | None = None
) -> str:
    """Make a token and return it. It cannot be found out again.

    sites: those that it is limited to; None for no limit.
    expires_at: None for a token that holds until it is revoked.
    """
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    with transaction.atomic():
        row = ApiToken.objects.create(
            user=user,
            name=name,
            digest=_digest(token),
            hint=token[: len(PREFIX) + ApiToken.HINT],
            scopes=list(scopes),
            every_site=sites is None,
            expires_at=expires_at,
        )
        row.sites.set(sites or ())
    return token


def revoke_token(token: ApiToken) -> None:
    """Revoke a token. It is refused from now on."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def find_token(text: str) -> ApiToken | None:
    """Return a valid token of a person who may sign in, and note that it is used."""
    # Its random part is too long to be guessed from timings.
    now = timezone.now()
    holds = Q(expires_at=None) | Q(expires_at__gt=now)
    found = ApiToken.objects.filter(holds, digest=_digest(text), revoked_at=None, user__is_active=True).select_related("user").first()
    if found is not None:
        seldom = Q(used_at=None) | Q(used_at__lt=now - NOTED_EVERY)
        ApiToken.objects.filter(seldom, pk=found.pk).update(used_at=now)
    return found


def _digest(token: str) -> str:
    # The token is random, so a slow hash would add nothing.
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
