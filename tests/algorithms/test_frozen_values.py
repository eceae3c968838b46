"""Values that algorithms take and return cannot be changed by whoever holds them."""

import importlib
import pkgutil
from dataclasses import is_dataclass

import pytest

MODULES = {
    "extraction.algorithms.sketches": ("minhash", "shingles"),
    "extraction.algorithms.clustering": (
        "contrast",
        "group_templates",
        "masked_shingles",
        "measures",
        "odd_pages",
        "page_steps",
        "random_projection",
        "refinement",
        "template_core",
        "text_mdl",
        "text_paths",
    ),
    "extraction.algorithms.sampling": ("greedy",),
    "extraction.algorithms.rules": (
        "agreement",
        "apply",
        "cleanup_xslt",
        "matching",
        "page_record",
        "page_values",
        "readings",
        "reuse",
        "rule",
        "shared",
        "url_patterns",
        "xslt",
    ),
    "extraction.algorithms.monitoring": (
        "attribute_changes",
        "chance",
        "constancy",
        "drift",
        "evidence",
        "list_places",
        "list_relearning",
        "moved_places",
        "places",
        "profiles",
        "relearning",
        "row_extents",
        "verdict",
    ),
}
"""{package: its modules with values}."""

CHANGING = {"_Path"}
"""Notes that a function takes while it works, and that nobody else sees."""


def list_values(module: str) -> list[type]:
    found = importlib.import_module(module)
    return [each for each in vars(found).values() if isinstance(each, type) and is_dataclass(each) and each.__module__ == module]


@pytest.mark.parametrize("package", MODULES)
def test_every_value_is_frozen(package: str) -> None:
    names = [each.name for each in pkgutil.iter_modules(importlib.import_module(package).__path__)]
    assert tuple(name for name in names if list_values(f"{package}.{name}")) == MODULES[package]
    for name in MODULES[package]:
        for each in list_values(f"{package}.{name}"):
            assert each.__dataclass_params__.frozen or each.__name__ in CHANGING, each  # type: ignore[attr-defined]
