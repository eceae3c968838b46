"""Files, sections and commands that the documents name exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [
    *sorted((ROOT / "extraction").rglob("*.py")),
    *sorted((ROOT / "annotations").rglob("*.py")),
    *sorted((ROOT / "vertex").rglob("*.py")),
    *sorted((ROOT / "vertex_spark").rglob("*.py")),
]

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PATH = re.compile(r"`((?:extraction|annotations|vertex|tests|templates|static|docs)/[\w./-]*|[\w-]+/[\w/-]+\.(?:py|js|css|html))`")
_COMMAND = re.compile(r"manage\.py ([a-z_]+)")
_DOCUMENT_IN_SOURCE = re.compile(r"docs/([\w-]+\.md)(?:#([\w-]+))?")


def anchors(document: Path) -> set[str]:
    """The anchors that a Markdown host makes of a document's headings."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE):
        text = re.sub(r"[`*]", "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def names(document: Path) -> Iterator[str]:
    yield from _PATH.findall(document.read_text())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    for target in _LINK.findall(document.read_text()):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (document.parent / name) if name else document
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_that_is_named_is_there(document: Path) -> None:
    roots = (ROOT, ROOT / "extraction", ROOT / "extraction" / "algorithms")
    missing = [name for name in names(document) if not any((root / name).exists() for root in roots)]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_is_there(document: Path) -> None:
    assert set(_COMMAND.findall(document.read_text())) <= set(get_commands())


def test_what_the_code_refers_to_in_the_documents_is_there() -> None:
    for source in SOURCES:
        for name, anchor in _DOCUMENT_IN_SOURCE.findall(source.read_text()):
            document = ROOT / "docs" / name
            assert document.exists(), f"{source}: {name}"
            assert not anchor or anchor in anchors(document), f"{source}: {name}#{anchor}"


def test_no_source_refers_to_a_document_that_is_not_here() -> None:
    gone = re.compile(r"ALGORITHMS|ARCHITECTURE|\b00[0-4]_")
    found = [
        f"{source}:{number}" for source in SOURCES for number, line in enumerate(source.read_text().split("\n"), 1) if gone.search(line)
    ]
    assert not found
