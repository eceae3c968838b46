"""Branches are added up by package, and a share under its floor is named."""

from pathlib import Path

from tests.branches.table import FLOORS, Branches, add_up, list_below, write_table

FILES = [
    (Path("/home/x/extraction/algorithms/dom/parse.py"), 9, 10),
    (Path("/home/x/extraction/algorithms/dom/deep/tree.py"), 1, 10),
    (Path("/home/x/extraction/algorithms/errors.py"), 0, 0),
    (Path("extraction/services/core/runs.py"), 96, 100),
    (Path("/home/x/extraction/views/core/runs.py"), 0, 100),
]


def test_branches_are_added_up_by_package_and_by_root() -> None:
    assert add_up(FILES) == {
        "extraction/algorithms": Branches(10, 20),
        "extraction/algorithms/dom": Branches(10, 20),
        "extraction/algorithms/errors.py": Branches(0, 0),
        "extraction/services": Branches(96, 100),
        "extraction/services/core": Branches(96, 100),
    }


def test_the_packages_with_most_misses_come_first_and_the_roots_last() -> None:
    assert write_table(add_up(FILES)).splitlines() == [
        "extraction/algorithms/dom            10 missed of     20    50.0%",
        "extraction/services/core              4 missed of    100    96.0%",
        "extraction/algorithms/errors.py       0 missed of      0   100.0%",
        "extraction/algorithms                10 missed of     20    50.0%",
        "extraction/services                   4 missed of    100    96.0%",
    ]
    assert write_table({}) == ""


def test_a_root_under_its_floor_or_not_measured_is_named() -> None:
    assert list_below(add_up(FILES)) == ["extraction/algorithms"]
    assert list_below({}) == list(FLOORS)
    assert list_below({root: Branches(round(100 * floor), 100) for root, floor in FLOORS.items()}) == []
