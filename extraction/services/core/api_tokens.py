"""Tokens with which programs use the API."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from extraction.models import ApiToken, AuditKind, Site
from extraction.services.core import secret_tokens

PREFIX = "vxa_"


def create_token(
    user: User,
    name: str,
    scopes: Sequence[str],
    *,
    sites: Iterable[Site] | None = None,
    expires_at: datetime | None = None,
    recorded: bool = True,
) -> str:
    """Make a token and return it. It cannot be found out again.

    sites: those that it is limited to; None for no limit.
    expires_at: None for a token that holds until it is revoked.
    recorded: whether the audit log tells of it. Not so the token that a command makes for
        itself and deletes when it ends: what it changes is recorded under the command.
    """
    new = secret_tokens.make_token(PREFIX)
    with transaction.atomic():
        row = ApiToken.objects.create(
            user=user,
            name=name,
            digest=new.digest,
            hint=new.hint,
            scopes=list(scopes),
            every_site=sites is None,
            expires_at=expires_at,
        )
        row.sites.set(sites or ())
        named = "all sites" if sites is None else ", ".join(sorted(each.name for each in row.sites.all())) or "no site"
        until = f"until {expires_at:%Y-%m-%d}" if expires_at else "until it is revoked"
        if recorded:
            secret_tokens.record_token(AuditKind.TOKEN_CREATED, row, f"may: {', '.join(scopes)}; for {named}; {until}")
    return new.text


def find_token(text: str) -> ApiToken | None:
    """Return a valid token of a person who may sign in, and note that it is used."""
    holds = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    digest = secret_tokens.digest_token(text)
    found = ApiToken.objects.filter(holds, digest=digest, revoked_at=None, user__is_active=True).select_related("user").first()
    if found is not None:
        secret_tokens.note_use(found)
    return found
