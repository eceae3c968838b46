"""Limits on failed sign-ins, so that nobody can try passwords by the thousand.

Failures are counted in fixed periods for three things: a name tried from one address, an address, and a name tried from anywhere. The last
limit is higher, because a stranger who reaches it also keeps the real person out until the period ends. The counts are in a cache in files
that all web processes of a machine share (`CACHES` in the settings); deleting the folder forgets them.
"""

import hashlib
import hmac
import ipaddress
import time
from pathlib import Path
from threading import Lock

from django.conf import settings
from django.core.cache import caches

PERIOD_S = 900
"""How long failures are counted. A period begins every quarter of an hour."""

MOST_BY_NAME_AND_ADDRESS = 8
MOST_BY_ADDRESS = 40
MOST_BY_NAME = 120

_lock = Lock()


def take_attempt(*, name: str, address: str) -> float:
    """Count an attempt before its password is checked. Return the seconds to wait if there were too many failures; 0 if it may go on.

    Counting first means that attempts that arrive at the same time count, too.

    name: as typed; upper and lower case do not matter.
    address: the IP address of the person.
    """
    counts = caches["sign_ins"]
    with _lock:
        used = {key: counts.get(key, 0) for key in _list_limits(name, address)}
        if any(used[key] >= most for key, most in _list_limits(name, address).items()):
            return PERIOD_S - time.time() % PERIOD_S
        for key, number in used.items():
            counts.set(key, number + 1, PERIOD_S)
    return 0.0


def give_back_attempt(*, name: str, address: str) -> None:
    """Take back the attempt that succeeded, and forget the person's failures from this address."""
    counts = caches["sign_ins"]
    with _lock:
        together, *others = _list_limits(name, address)
        counts.delete(together)
        for key in others:
            counts.set(key, max(0, counts.get(key, 1) - 1), PERIOD_S)


def is_demo_password(password: str) -> bool:
    """Return whether a password is the one that the demo made (`find_demo_password_file`). Only a laptop may be entered with it."""
    try:
        made = find_demo_password_file().read_text(encoding="utf-8").strip()
    except OSError:
        return False
    return bool(made) and hmac.compare_digest(made.encode(), password.encode())


def find_demo_password_file() -> Path:
    """Return the file in which the demo keeps its password."""
    return Path(settings.VAR_DIR) / "demo" / "password"


def _list_limits(name: str, address: str) -> dict[str, int]:
    """Return {key of a count in this period: the most failures}."""
    name, address, period = name.casefold(), _group_address(address), int(time.time() // PERIOD_S)
    limits = {(name, address): MOST_BY_NAME_AND_ADDRESS, ("", address): MOST_BY_ADDRESS, (name, ""): MOST_BY_NAME}
    return {hashlib.sha256(repr((period, *key)).encode()).hexdigest(): most for key, most in limits.items()}


def _group_address(address: str) -> str:
    """Return the address under which failures are counted. A person has a whole /64 network of IPv6 addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else str(parsed)
