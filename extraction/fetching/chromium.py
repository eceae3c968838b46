"""Which Chromium draws pages: that of VERTEX_CHROMIUM, else the system's, else what `playwright install chromium` brought."""

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class NoChromium(Exception):  # noqa: N818
    """There is no browser to be had; the message says what to do."""


def find_executable() -> str | None:
    """The path of a Chromium on this machine, None for Playwright's own download. Raises NoChromium for a name without a file."""
    named = os.environ.get("VERTEX_CHROMIUM")
    if named:
        if not Path(named).exists():
            raise NoChromium(f"VERTEX_CHROMIUM={named}: there is no such file")
        return named
    return next((found for found in map(shutil.which, NAMES) if found), None)
