"""The documentation builds without a warning, loads nothing from elsewhere, and every page of docs/ is in it."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.guide.diagrams import DRAWINGS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built into a folder of the tests."""
    folder = tmp_path_factory.mktemp("help")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, env={"NO_MKDOCS_2_WARNING": "1", "PATH": ""})
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


class Loaded(HTMLParser):
    """The addresses that a browser loads by itself when it shows a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.handlers += [name for name in given if name.startswith("on") or name == "style"]
        if tag in {"script", "img", "iframe", "source", "video"}:
            self.addresses.append(given.get("src", ""))
        if tag == "link" and given.get("rel") != "canonical":
            self.addresses.append(given.get("href", ""))


def test_nothing_is_loaded_from_elsewhere_and_nothing_needs_inline_styles(site: Path) -> None:
    for page in site.rglob("*.html"):
        found = Loaded(page.read_text())
        assert not [each for each in found.addresses if re.match(r"(?:https?:)?//", each)], page
        assert not found.handlers, page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheet.read_text()), sheet


def test_every_text_of_docs_is_a_page(site: Path) -> None:
    for document in (ROOT / "docs").rglob("*.md"):
        place = document.relative_to(ROOT / "docs").with_suffix("")
        folder = place.parent if place.name == "index" else place
        assert (site / folder / "index.html").exists(), document


def test_the_files_at_the_top_of_the_repository_are_pages_with_links_between_pages(site: Path) -> None:
    assert 'href="../../security/"' in (site / "project" / "changelog" / "index.html").read_text()
    assert 'href="../project/security/"' in (site / "security" / "index.html").read_text()


def test_anchors_are_those_of_a_markdown_host(site: Path) -> None:
    # Links to sections must work both in the repository and on the site.
    assert 'id="where-to-look"' in (site / "design" / "index.html").read_text()
    assert 'id="how-to-add-"' in (site / "project" / "contributing" / "index.html").read_text()


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_what_its_script_draws(name: str) -> None:
    assert (ROOT / "docs" / "pictures" / name).read_text() == DRAWINGS[name](), "out of date: run `python -m tests.guide.diagrams`"


def test_the_pictures_are_small_and_each_is_used() -> None:
    texts = "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert picture.stat().st_size < 150_000, picture
        assert f"pictures/{picture.name}" in texts, picture


def test_the_packages_that_build_it_are_those_of_the_development_lock() -> None:
    pin = re.compile(r"^([\w.-]+==\S+)", re.MULTILINE)
    pinned = set(pin.findall((ROOT / "requirements-dev.lock").read_text()))
    needed = set(pin.findall((ROOT / "deploy" / "help" / "requirements.lock").read_text()))
    assert needed and needed <= pinned
