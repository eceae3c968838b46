"""Passwords, keys and tokens: encrypted in the database and opened only where they are used.

They are encrypted with a key that is derived from VERTEX_SECRET_KEY, which is not in the database: a copy of the database or a backup alone
reveals nothing. Environment variables would need an administrator and a new start of all workers for each secret. And a variable named by
an operator could be any variable of the process, the secret key of Vertex among them.
"""

import base64
import json
from collections.abc import Mapping
from enum import StrEnum

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.translation import gettext


class Purpose(StrEnum):
    """What secrets are for. Each purpose has a key of its own. A value must never change: what was sealed with it could not be opened."""

    DELIVERIES = "vertex delivery secrets"
    FETCHING = "vertex fetching secrets"
    SIGN_IN = "vertex sign-in secrets"


class SecretError(Exception):
    """A secret cannot be read. The message is for users."""


def seal_secrets(secrets: Mapping[str, str], purpose: Purpose) -> str:
    """Return the secrets, encrypted; "" if all are empty."""
    kept = {name: text for name, text in secrets.items() if text}
    return _make_fernet(purpose).encrypt(json.dumps(kept).encode()).decode("ascii") if kept else ""


def open_secrets(sealed: str, purpose: Purpose, *, what: str) -> dict[str, str]:
    """Return {name: secret}. what: what cannot be read if the key is another one, for the message. Raises SecretError."""
    if not sealed:
        return {}
    try:
        found: dict[str, str] = json.loads(_make_fernet(purpose).decrypt(sealed.encode("ascii")))
    except (InvalidToken, ValueError) as error:
        raise SecretError(
            gettext("%(what)s cannot be read, because VERTEX_SECRET_KEY is not the one that was set when it was entered. Enter it again.")
            % {"what": what}
        ) from error
    return found


def _make_fernet(purpose: Purpose) -> Fernet:
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose.value.encode()).derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
