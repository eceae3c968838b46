"""Columns are stored as bytes that are the same on every machine, and nothing else is read as columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.algorithms.sketches.serialization import pack_columns, unpack_columns

numbers = st.integers(0, 2**64 - 1)


def column(*values: int) -> np.ndarray:
    return np.array(values, np.uint64)


def test_a_number_is_eight_bytes_from_the_least_to_the_most_significant() -> None:
    stored = pack_columns(b"s/1\n", column(1, 258), column(2**64 - 2, 0))
    assert stored == b"s/1\n" + bytes.fromhex("0100000000000000 0201000000000000 feffffffffffffff 0000000000000000")


@given(st.lists(st.tuples(numbers, numbers, numbers), max_size=5))
def test_columns_are_read_back_in_their_order(rows: list[tuple[int, int, int]]) -> None:
    columns = [column(*(row[place] for row in rows)) for place in range(3)]
    back = unpack_columns(b"s/1\n", pack_columns(b"s/1\n", *columns), columns=3)
    assert [each.tolist() for each in back] == [each.tolist() for each in columns]
    assert all(each.dtype == np.uint64 and each.flags.writeable for each in back)


@pytest.mark.parametrize("stored", [b"", b"s/1", b"s/2\n" + bytes(16), b"s/1\n" + bytes(15), b"s/1\n" + bytes(8), b"s/1\n" + bytes(24)])
def test_bytes_of_another_scheme_or_of_no_whole_rows_are_refused_with_what_they_are(stored: bytes) -> None:
    with pytest.raises(ValueError, match=r"not stored by the scheme s/1: b.*, \d+ bytes"):
        unpack_columns(b"s/1\n", stored, columns=2)
