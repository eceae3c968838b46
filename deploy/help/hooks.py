"""What MkDocs does besides: the files at the top of the repository become pages, and links to them lead there."""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT_PAGES = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
}
"""Files beside docs/, and the pages that they become."""

_LINK = re.compile(r"\]\((?P<target>[^)\s:#]+\.md)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the repository's root."""
    root = Path(config.config_file_path).parent
    for name, place in ROOT_PAGES.items():
        files.append(File.generated(config, place, content=(root / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Change links between the repository's root and docs/ so that they lead from page to page."""
    is_of_root = page.file.src_uri in ROOT_PAGES.values()
    up = "../" * page.file.src_uri.count("/")

    def change(link: re.Match[str]) -> str:
        name = link["target"].removeprefix("../" * (page.file.src_uri.count("/") + 1)) if not is_of_root else link["target"]
        anchor = link["anchor"] or ""
        if name in ROOT_PAGES and (is_of_root or name != link["target"]):
            return f"]({up}{ROOT_PAGES[name]}{anchor})"
        if is_of_root and name.startswith("docs/"):
            return f"]({up}{name.removeprefix('docs/')}{anchor})"
        return link[0]

    return _LINK.sub(change, markdown)
