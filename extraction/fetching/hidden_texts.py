"""Takes passwords, keys and tokens out of texts that people or logs will see."""

import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "••••"

SHORTEST = 4
"""Secrets with fewer characters are not taken out of messages: they would take letters out of ordinary words."""


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
