"""The reference pages say what the code says."""

import re

import pytest
from click import Command, Group
from django.core.management import get_commands

from extraction.api.application import api
from tests.guide.reference.pages import FOLDER, PAGES
from vertex.client import Vertex
from vertex.command_line.__main__ import main


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_the_code_gives_now(name: str) -> None:
    assert (FOLDER / name).read_text() == PAGES[name](), "out of date: run `make reference` and commit docs/reference/"


def test_no_other_pages_lie_beside_them() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


def list_names(group: Group, name: str) -> list[str]:
    found = []
    for each, command in group.commands.items():
        assert isinstance(command, Command)
        found += list_names(command, f"{name} {each}") if isinstance(command, Group) else [f"{name} {each}"]
    return found


def test_every_command_of_vertex_has_a_section() -> None:
    text = PAGES["command-line.md"]()
    for name in list_names(main, "vertex"):
        assert f"\n## {name}\n" in text


def test_every_management_command_of_ours_has_a_section_and_none_of_djangos() -> None:
    sections = {line[3:] for line in PAGES["management-commands.md"]().splitlines() if line.startswith("## ")}
    assert sections == {name for name, app in get_commands().items() if app in ("extraction", "annotations")}


def test_every_operation_of_the_api_is_there_with_its_address() -> None:
    text = PAGES["http-api.md"]()
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in text


def test_what_the_types_of_the_api_name_is_explained_with_its_fields() -> None:
    text = PAGES["http-api.md"]()
    named = set(re.findall(r"\| (?:list of )?([A-Z][A-Za-z]+)(?: or null)?(?: \(optional\))? \|", text))
    assert "AttributeIn" in named
    assert not [name for name in named if f"\n### {name}\n" not in text]
    assert "&#" not in text and "<code>" not in text


def test_every_public_method_of_the_client_has_a_section() -> None:
    text = PAGES["python-client.md"]()
    for name in vars(Vertex):
        assert name.startswith("_") or f"\n### {name}\n" in text


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_does_not_depend_on_the_machine(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert "/tmp" not in text and "/home/" not in text and "0x" not in text
