"""No module of the project imports a module that imports it, directly or indirectly."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("vertex", "vertex_spark", "extraction", "annotations")


def find_modules() -> dict[str, Path]:
    """{name: file} of the project's modules."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def find_imports(name: str, tree: ast.AST, modules: Mapping[str, object]) -> set[str]:
    """The modules that a module imports: also inside functions, for type checkers only, and packages by their names alone."""
    return {found for node in ast.walk(tree) for found in _named(node, modules)} - {name}


def _named(node: ast.AST, modules: Mapping[str, object]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            if inner in modules or node.module in modules:
                yield inner if inner in modules else node.module


def test_no_two_modules_import_each_other() -> None:
    modules = find_modules()
    graph = {name: find_imports(name, ast.parse(file.read_text(encoding="utf-8")), modules) for name, file in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" is imported by ".join(error.args[1]))


def test_imports_inside_functions_and_for_type_checkers_count() -> None:
    checked = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a.b\n"
    code = checked + "def f():\n    from a import c, nothing\n"
    assert find_imports("x", ast.parse(code), dict.fromkeys(["a", "a.b", "a.c", "x"])) == {"a", "a.b", "a.c"}


def test_no_module_uses_relative_imports() -> None:
    """The other tests see absolute imports only."""
    trees = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in find_modules().items()}
    dotted = [name for name, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert dotted == []
