"""Passwords and keys of targets: encrypted in the database, opened only where they are used, taken out of every message.

They are encrypted with a key that is derived from VERTEX_SECRET_KEY, which is not in the database: a copy of the database or a backup alone
reveals nothing. Environment variables would need an administrator and a new start of all workers for each target. And a variable named by
an operator could be any variable of the process, the secret key of Vertex among them.
"""

import base64
import json
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus, unquote

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from extraction.models import DeliveryTarget

HIDDEN = "••••"

SHORTEST = 4
"""Secrets with fewer characters are not taken out of messages: they would take letters out of ordinary words."""


class SecretError(Exception):
    """A secret cannot be read. The message is for users."""


def seal_secrets(secrets: Mapping[str, str]) -> str:
    """Return the secrets, encrypted; "" if all are empty."""
    kept = {name: text for name, text in secrets.items() if text}
    return _make_fernet().encrypt(json.dumps(kept).encode()).decode("ascii") if kept else ""


def open_secrets(target: DeliveryTarget) -> dict[str, str]:
    """Return {name: secret} of a target. Raises SecretError."""
    if not target.secret:
        return {}
    try:
        found: dict[str, str] = json.loads(_make_fernet().decrypt(target.secret.encode("ascii")))
    except (InvalidToken, ValueError) as error:
        raise SecretError(
            f"The password or key of {target.name} cannot be read, because VERTEX_SECRET_KEY is not the one it was entered with. "
            "Enter it again."
        ) from error
    return found


def hide_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """Return a text without any of the secrets, also as they are written in addresses."""
    parts = {form for secret in secrets.values() for form in _list_forms(secret) if len(form) >= SHORTEST}
    for part in sorted(parts, key=len, reverse=True):
        text = text.replace(part, HIDDEN)
    return text


def _list_forms(secret: str) -> set[str]:
    """Return the ways in which a secret may be written. Of an address, these are all parts behind its host."""
    scheme, _, rest = secret.partition("://")
    behind = rest.partition("/")[2] if scheme.isalpha() else ""
    parts = {secret, behind, *re.split(r"[/?&=:@,;#]+", behind), *(line.strip() for line in secret.splitlines())}
    return {form for part in parts for form in (part, unquote(part), quote(part, safe=""), quote(part), quote_plus(part))}


def _make_fernet() -> Fernet:
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"vertex delivery secrets").derive(settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
