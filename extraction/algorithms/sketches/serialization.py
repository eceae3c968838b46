"""Columns of 64-bit numbers as bytes, for caches: what is known about a page is computed once and kept beside it.

The bytes begin with the name of the scheme that made the numbers, so that those of another release are refused instead of misread.
"""

import numpy as np

from extraction.algorithms.arrays import U64


def pack_columns(scheme: bytes, *columns: U64) -> bytes:
    """Return the scheme and the columns, each of shape (n,), as bytes. The same numbers give the same bytes on every machine."""
    return scheme + b"".join(column.astype("<u8").tobytes() for column in columns)


def unpack_columns(scheme: bytes, stored: bytes, *, columns: int) -> list[U64]:
    """Return the columns that `pack_columns` wrote. Raises ValueError for anything else, including those of another scheme."""
    body = stored[len(scheme) :]
    if not stored.startswith(scheme) or len(body) % (8 * columns):
        raise ValueError(f"not stored by the scheme {scheme.decode().strip()}: {stored[:16]!r}, {len(stored)} bytes")
    return [part.astype(np.uint64) for part in np.frombuffer(body, "<u8").reshape(columns, -1)]
