"""Draws that look random and are not: the demo's content is a function of its arguments alone.

A draw is a hash of its key, so it is the same on every machine and Python, and inserting one draw changes no other, as it
would with a generator that is read in sequence.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")


def draw(sides: int, *key: object) -> int:
    """A number in [0, sides) that depends on the key only."""
    digest = blake2b("|".join(map(str, key)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % sides


def shuffled(items: Iterable[Item], *key: object) -> list[Item]:
    """The items in an order that depends on the key and on what they are; ties keep their order."""
    return sorted(items, key=lambda item: draw(1 << 60, *key, item))


def token(length: int, *key: object) -> str:
    """A hashed-looking name of lower-case letters and digits, as build tools put into class names."""
    return blake2b("|".join(map(str, key)).encode(), digest_size=16).hexdigest()[:length]
