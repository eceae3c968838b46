"""The reference pages and where they lie."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.guide.reference import command_line, http_api, management, python_client

FOLDER = Path(__file__).parents[3] / "docs" / "reference"

PAGES: Mapping[str, Callable[[], str]] = {
    "command-line.md": command_line.write_page,
    "management-commands.md": management.write_page,
    "http-api.md": http_api.write_page,
    "python-client.md": python_client.write_page,
}
"""Each page and the function that returns its text."""
