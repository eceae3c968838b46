"""What all tokens of programs have in common. A token is shown once; only its digest is stored."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from extraction.models import ApiToken, AuditKind, ReaderToken
from extraction.services.core import audit

RANDOM_BYTES = 32

HINT = 8
"""How many characters after the prefix people see of a token, so that they recognise it."""

NOTED_EVERY = timedelta(minutes=5)
"""How often it is noted that a token is used."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made. text: what its person copies; it cannot be found out again. digest, hint: what is stored."""

    text: str
    digest: str
    hint: str


def make_token(prefix: str) -> NewToken:
    """Make a token. Its random part is too long to be guessed, also from timings.

    prefix: what it begins with, so that people and scanners recognise one that was published by mistake.
    """
    text = prefix + secrets.token_urlsafe(RANDOM_BYTES)
    return NewToken(text, digest_token(text), text[: len(prefix) + HINT])


def digest_token(text: str) -> str:
    """Return the digest under which a token is stored."""
    # The token is random, so a slow hash would add nothing.
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def revoke_token(token: ApiToken | ReaderToken) -> None:
    """Revoke a token. It is refused from now on."""
    with transaction.atomic():
        if type(token)._default_manager.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
            record_token(AuditKind.TOKEN_REVOKED, token)


def record_token(kind: AuditKind, token: ApiToken | ReaderToken, text: str = "") -> None:
    """Record what happened to a token, in the caller's transaction. Only what people see of it is in the log."""
    audit.record(kind, f"{token.name} ({token.hint}…)", text=text)


def note_use(token: ApiToken | ReaderToken) -> None:
    """Note that a token is used."""
    now = timezone.now()
    seldom = Q(used_at=None) | Q(used_at__lt=now - NOTED_EVERY)
    type(token)._default_manager.filter(seldom, pk=token.pk).update(used_at=now)
