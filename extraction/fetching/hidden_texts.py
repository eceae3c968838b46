"""Takes passwords, keys and tokens out of texts that people or logs will see."""

import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "••••"

SHORTEST = 4
"""Secrets with fewer characters are not taken out of messages: they would take letters out of ordinary words."""

SHORTEST_IN_SELECTOR = 3
"""Secrets with fewer characters may stand in a selector: nearly every selector has them by chance."""


def hide_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """Return a text without any of the secrets, also as they are written in addresses."""
    parts = {form for secret in secrets.values() for form in _list_forms(secret) if len(form) >= SHORTEST}
    for part in sorted(parts, key=len, reverse=True):
        text = text.replace(part, HIDDEN)
    return text


def shows_secret(selector: str, secrets: Mapping[str, str]) -> bool:
    """Return whether a CSS selector contains one of the secrets: pages put names into addresses and ids, and selectors are shown."""
    texts = [text for text in secrets.values() if len(text) >= SHORTEST_IN_SELECTOR]
    return hide_secrets(selector, secrets) != selector or any(text in selector for text in texts)


def _list_forms(secret: str) -> set[str]:
    """Return the ways in which a secret may be written. Of an address, these are all parts behind its host."""
    scheme, _, rest = secret.partition("://")
    behind = rest.partition("/")[2] if scheme.isalpha() else ""
    parts = {secret, behind, *re.split(r"[/?&=:@,;#]+", behind), *(line.strip() for line in secret.splitlines())}
    return {form for part in parts for form in (part, unquote(part), quote(part, safe=""), quote(part), quote_plus(part))}
