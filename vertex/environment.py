"""Typed readers of environment variables. An invalid value stops the start with an error that names the variable and the problem."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

PREFIX = "VERTEX_"


def text(name: str, default: str = "") -> str:
    """Return the text of a variable, or the default if it is unset or empty."""
    return os.environ.get(PREFIX + name) or default


def boolean(name: str, default: bool) -> bool:
    """Return whether a variable is on. Accepts 1/0, true/false, yes/no and on/off in any case."""
    raw = text(name).lower()
    if not raw:
        return default
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{PREFIX}{name}={raw!r}: give 1 or 0")


def integer(name: str, default: int, *, least: int = 0) -> int:
    """Return a whole number that is at least `least`."""
    raw = text(name)
    if not raw:
        return default
    try:
        number = int(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{PREFIX}{name}={raw!r}: give a whole number") from None
    if number < least:
        raise ImproperlyConfigured(f"{PREFIX}{name}={raw!r}: give at least {least}")
    return number


def listed(name: str, default: list[str]) -> list[str]:
    """Return the values of a variable, which are separated by commas."""
    raw = text(name)
    return [part.strip() for part in raw.split(",") if part.strip()] if raw else default


def path(name: str, default: Path) -> Path:
    """Return an absolute path, with `~` expanded."""
    raw = text(name)
    return Path(raw).expanduser().resolve() if raw else default


def secret(name: str, *, keep_in: Path) -> str:
    """Return a secret: the variable's or, if it is unset, a random one that is kept in a file that only its owner can read."""
    raw = text(name)
    if raw:
        return raw
    from django.core.management.utils import get_random_secret_key

    try:
        keep_in.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(keep_in, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return keep_in.read_text().strip()
    with os.fdopen(handle, "w") as file:
        key = get_random_secret_key()
        file.write(key)
    return key


MIN_SECRET_CHARS = 32


def refuse_development_values(*, debug: bool, secret_key: str, allowed_hosts: list[str]) -> None:
    """Raise ImproperlyConfigured for values that suit a laptop and not a dashboard that others reach.

    secret_key: the generated one passes; one that somebody typed must be as long as a random one.
    """
    if debug:
        raise ImproperlyConfigured(f"{PREFIX}DEBUG and {PREFIX}HTTPS: Django's debug pages show settings to everybody; set {PREFIX}DEBUG=0")
    if len(secret_key) < MIN_SECRET_CHARS or len(set(secret_key)) < 8:
        raise ImproperlyConfigured(
            f"{PREFIX}SECRET_KEY: with {PREFIX}HTTPS, give at least {MIN_SECRET_CHARS} random characters, or leave it to Vertex"
        )
    if "*" in allowed_hosts:
        raise ImproperlyConfigured(f"{PREFIX}ALLOWED_HOSTS=*: with {PREFIX}HTTPS, name the hosts, separated by commas")
