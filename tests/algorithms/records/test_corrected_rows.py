"""The row of a list that a person corrected is found again for certain, or not at all."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.algorithms.records.corrected_rows import RowFound, RowLost, RowPlace, describe_row, find_row

Texts = dict[str, tuple[str, ...]]

A, B, C = {"k": ("1",), "v": ("x",)}, {"k": ("2",), "v": ("x",)}, {"k": ("3",), "v": ("y",)}


@pytest.mark.parametrize(
    ("before", "position", "key", "after", "wanted"),
    [
        ([A, B], 1, (), [B, A], 0),  # it moved
        ([A, B], 1, (), [A, B, B], None),  # now there are two
        ([A, A], 1, (), [A, A], 1),  # nothing changed
        ([A, A], 1, (), [A, A, A], None),
        ([A, A], 1, (), [A], None),
        ([A, B], 1, ("k",), [C, {**B, "v": ("z",)}], 1),  # known by its key
        ([A, B], 1, (), [C, {**B, "v": ("z",)}], None),
        ([A, B], 1, ("k",), [B, {**B, "v": ("z",)}], None),  # two with the key
        ([B, B], 1, ("k",), [B], None),  # its key was not its own
        ([A, {"v": ("x",)}], 1, ("k",), [{"v": ("x",)}], 0),  # it has no key
        ([A], 0, (), [], None),
    ],
)
def test_a_row_is_found_only_where_no_other_can_be_meant(
    before: list[dict[str, tuple[str, ...]]],
    position: int,
    key: tuple[str, ...],
    after: list[dict[str, tuple[str, ...]]],
    wanted: int | None,
) -> None:
    place = RowPlace.from_json(json.loads(json.dumps(describe_row(before, position, key=key).as_json())))
    found = find_row(after, place)
    assert found == RowFound(wanted) if wanted is not None else isinstance(found, RowLost) and found.reason


def test_there_must_be_such_a_row() -> None:
    with pytest.raises(IndexError):
        describe_row([A], 1)


rows = st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("xy")), min_size=1, max_size=5)


@settings(max_examples=200)
@given(kept=rows, data=st.data())
def test_a_row_that_moved_never_gets_the_correction_of_another(kept: list[tuple[str, str]], data: st.DataObject) -> None:
    """Every row has a hidden name; rows are shuffled, dropped and doubled. A row that is found must be the one that was corrected."""
    named = [(n, {"k": (k,), "v": (v,)}) for n, (k, v) in enumerate(kept)]
    position = data.draw(st.integers(0, len(named) - 1))
    after = data.draw(st.lists(st.sampled_from(named), max_size=6)) if data.draw(st.booleans()) else data.draw(st.permutations(named))
    place = describe_row([row for _, row in named], position, key=data.draw(st.sampled_from([(), ("k",), ("k", "v")])))
    found = find_row([row for _, row in after], place)
    if isinstance(found, RowFound):
        name, row = after[found.position]
        assert row == named[position][1]
        assert name == position or [row for _, row in after] == [row for _, row in named]  # then nobody could tell them apart
