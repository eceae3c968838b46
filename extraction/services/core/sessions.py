"""Where people are signed in: noted as they use the dashboard, listed, and ended."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from extraction.models import AuditKind, SignedInSession
from extraction.services.core import audit

NOTED_EVERY = timedelta(minutes=5)
"""How often it is noted that a session is used."""


def note_session(session_key: str, user: User, *, address: str, agent: str, now: datetime) -> None:
    """Note that a person uses a session. A session that was ended meanwhile stays ended."""
    with transaction.atomic():
        if not Session.objects.filter(pk=session_key).exists():
            return
        seen = {"user": user, "seen_at": now, "address": address[:45], "agent": agent.replace("\0", "")[:300]}
        SignedInSession.objects.update_or_create(session_id=session_key, defaults=seen, create_defaults={**seen, "started_at": now})


def list_sessions(user: User | None = None) -> QuerySet[SignedInSession]:
    """Return the sessions that have not expired, of one person or of everybody, the last used first."""
    found = SignedInSession.objects.filter(session__expire_date__gt=timezone.now()).select_related("user")
    return found.filter(user=user) if user else found


def end_session(row: SignedInSession) -> None:
    """Sign a person out in one browser. Its next request leads to the sign-in page."""
    with transaction.atomic():
        audit.record(AuditKind.SESSION_ENDED, row.user.get_username(), text=f"last used from {row.address}" if row.address else "")
        Session.objects.filter(pk=row.session_id).delete()


def end_sessions(user: User, *, but: str | None = None) -> int:
    """Sign a person out everywhere, except in the session with the key `but`. Return how many sessions ended."""
    with transaction.atomic():
        keys = list(SignedInSession.objects.filter(user=user).exclude(session=but).values_list("session", flat=True))
        if keys:
            audit.record(AuditKind.SESSION_ENDED, user.get_username(), text=f"sessions: {len(keys)}")
            Session.objects.filter(pk__in=keys).delete()
    return len(keys)


def tidy_sessions(now: datetime) -> int:
    """Delete the sessions that have expired, and return how many."""
    return Session.objects.filter(expire_date__lt=now).delete()[0]
