"""A mutant differs from its module in one place and is still a program; the share of killed ones is an estimate for all."""

import random
from math import comb
from pathlib import Path

import pytest

from tests.mutation.figures import estimate_share, write_share
from tests.mutation.mutants import Mutant, draw_mutants, find_statement
from tests.mutation.trial import PACKAGES, find_tests

SOURCE = '''"""A module."""

LIMIT = 3


@repeat(slots=True)
def choose(
    values: list[int] | None, *, most: int = 5
) -> int | None:
    """Return a number."""
    if values and (found := len({**dict.fromkeys(values)})) < most:
        return max(values[1:]) + sum(
            values
        ) * 2
    return None
'''


@pytest.fixture
def mutants(tmp_path: Path) -> list[Mutant]:
    (tmp_path / "big.py").write_text(SOURCE)
    (tmp_path / "small.py").write_text("def zero():\n    return 1 - 1\n")
    return list(draw_mutants(tmp_path, [Path("small.py"), Path("big.py")], random.Random(1)))


def test_each_mutant_differs_in_the_line_that_it_names_and_is_a_program(mutants: list[Mutant]) -> None:
    for mutant in mutants:
        compile(mutant.source, "mutant", "exec")
        if mutant.path == Path("big.py") and mutant.what != "RemoveDecorator":
            pairs = enumerate(zip(SOURCE.splitlines(), mutant.source.splitlines(), strict=True), start=1)
            assert [number for number, (old, new) in pairs if old != new] == [mutant.line], mutant.what
            assert mutant.line in mutant.lines


def test_all_parts_of_the_code_are_changed_but_annotations_constants_and_slots(mutants: list[Mutant]) -> None:
    big = [mutant for mutant in mutants if mutant.path == Path("big.py")]
    assert {mutant.line for mutant in big} == {6, 8, 11, 12, 14}
    assert {mutant.what for mutant in big} >= {"AddNot", "ReplaceAndWithOr", "NumberReplacer", "ReplaceComparisonOperator_Lt_LtE"}
    assert all("list[int] | None, *, most" in mutant.source and ") -> int | None" in mutant.source for mutant in big)


def test_no_mutant_comes_twice_and_those_of_a_big_module_are_as_likely_as_those_of_a_small_one(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_text(SOURCE)
    (tmp_path / "small.py").write_text("def zero():\n    return 1 - 1\n")
    paths = [Path("big.py"), Path("small.py")]
    draws = [list(draw_mutants(tmp_path, paths, random.Random(seed))) for seed in range(60)]
    assert {len(draw) for draw in draws} == {len({mutant.source for mutant in draws[0]})}
    small = sum(mutant.path == Path("small.py") for mutant in draws[0]) / len(draws[0])
    first = sum(mutant.path == Path("small.py") for draw in draws for mutant in draw[:5]) / 300
    assert first == pytest.approx(small, abs=0.05)


@pytest.mark.parametrize(("line", "lines"), [(3, range(3, 4)), (8, range(6, 10)), (11, range(11, 12)), (14, range(12, 15))])
def test_a_statement_is_all_its_lines_without_the_statements_inside(line: int, lines: range) -> None:
    assert find_statement(SOURCE, line) == lines


def test_the_interval_covers_the_true_share_as_often_as_it_says() -> None:
    """Counted exactly for 60 mutants: over shares of 70 to 95 %, between 92 and 98 % of the samples have it in their interval."""
    for percent in range(70, 96):
        share = percent / 100
        covered = sum(
            comb(60, killed) * share**killed * (1 - share) ** (60 - killed)
            for killed in range(61)
            if estimate_share(killed, 60)[0] <= share <= estimate_share(killed, 60)[1]
        )
        assert 0.92 < covered < 0.98, percent


def test_the_figures_are_written_with_their_interval() -> None:
    assert write_share(52, 60) == "52 of 60 killed (87%, 95% interval 76–93%)"
    assert write_share(0, 0) == "0 of 0 killed (0%, 95% interval 0–100%)"


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_has_tests_of_its_own(package: str) -> None:
    assert any(each.startswith(f"tests/algorithms/{package}/") for each in find_tests(package))
