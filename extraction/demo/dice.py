"""Draws that look random but are not. The demo's content depends only on its arguments.

A draw is a hash of its key, so it is the same on every machine and Python version. Adding a draw does not change the others, as it would
with a random generator.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")


def draw(sides: int, *key: object) -> int:
    """Return a number in [0, sides) that depends only on the key."""
    digest = blake2b("|".join(map(str, key)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % sides


def shuffled(items: Iterable[Item], *key: object) -> list[Item]:
    """Return the items in an order that depends on the key and on the items. Ties keep their order."""
    return sorted(items, key=lambda item: draw(1 << 60, *key, item))


def token(length: int, *key: object) -> str:
    """Return a name of hexadecimal digits, like the hashes that build tools put into class names."""
    return blake2b("|".join(map(str, key)).encode(), digest_size=16).hexdigest()[:length]
