"""Tokens with which programs read the latest files and the feed of a record type."""

from django.contrib.auth.models import User
from django.db import transaction

from extraction.models import AuditKind, ReaderToken, RecordType
from extraction.services.core import secret_tokens

PREFIX = "vxr_"


def create_token(record_type: RecordType, name: str, user: User | None) -> str:
    """Make a token and return it. It cannot be found out again."""
    new = secret_tokens.make_token(PREFIX)
    with transaction.atomic():
        row = ReaderToken.objects.create(record_type=record_type, name=name, digest=new.digest, hint=new.hint, created_by=user)
        secret_tokens.record_token(AuditKind.TOKEN_CREATED, row, f"reads the latest files of {record_type}")
    return new.text


def find_token(record_type: RecordType, text: str) -> ReaderToken | None:
    """Return the valid token of a record type, and note that it is used."""
    digest = secret_tokens.digest_token(text)
    found = ReaderToken.objects.filter(record_type=record_type, digest=digest, revoked_at=None).first()
    if found is not None:
        secret_tokens.note_use(found)
    return found
