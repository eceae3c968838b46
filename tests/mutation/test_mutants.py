"""A mutant differs from its module in one place and is still a program."""

import random

from tests.mutation.mutants import Mutant, find_changes, make_mutant

SOURCE = '''"""A module."""

LIMIT = 3


def choose(values: list[int] | None, most: int = 5) -> int | None:
    """Return a number."""
    if values and len(values) < most:
        return max(values[1:]) + sum(values) * 2
    return None
'''


def make(seeds: int) -> list[Mutant]:
    changes = find_changes(SOURCE)
    return [make_mutant(SOURCE, changes, random.Random(seed)) for seed in range(seeds)]


def test_each_mutant_differs_in_the_line_that_it_names_and_is_a_program() -> None:
    for mutant in make(100):
        pairs = enumerate(zip(SOURCE.splitlines(), mutant.source.splitlines(), strict=True), start=1)
        assert [number for number, (old, new) in pairs if old != new] == [mutant.line], mutant.what
        compile(mutant.source, "mutant", "exec")


def test_all_parts_of_the_code_are_changed_but_annotations_and_constants() -> None:
    mutants = make(300)
    assert {mutant.line for mutant in mutants} == {6, 8, 9}
    assert {mutant.what for mutant in mutants} >= {"AddNot", "ReplaceAndWithOr", "NumberReplacer", "ReplaceComparisonOperator_Lt_LtE"}
    signatures = {mutant.source.splitlines()[5] for mutant in mutants}
    assert all("list[int] | None" in each and "-> int | None" in each for each in signatures)
