"""Which Chromium draws pages: the one in VERTEX_CHROMIUM, else the system's, else the one that `playwright install chromium` installed."""

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
    """No browser was found; the message says what is wrong."""


def find_executable() -> str | None:
    """Return the path of a Chromium on this machine, or None to use Playwright's own.

    Raises NoChromium if VERTEX_CHROMIUM names a file that does not exist.
    """
    named = os.environ.get("VERTEX_CHROMIUM")
    if named:
        if not Path(named).exists():
            raise NoChromium(f"VERTEX_CHROMIUM={named}: there is no such file")
        return named
    return next((found for found in map(shutil.which, NAMES) if found), None)
