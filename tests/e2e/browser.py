"""The Chromium that the journeys use: VERTEX_CHROMIUM, else the system's, else Debian's package if we are root, else Playwright's download.

`python -m tests.e2e.browser` finds or installs it and prints which one it is; `executable()` and `launch` are what tests use.
"""

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from extraction.fetching import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

ARGUMENTS = [
    "--no-sandbox",  # a container's root has no user namespace; the pages here are ours or inert
    *chromium.ARGUMENTS,
]


def executable() -> str | None:
    """Return the path of a Chromium on this machine; None for Playwright's own download."""
    try:
        return chromium.find_executable()
    except chromium.NoChromium as error:
        sys.exit(str(error))


def launch(playwright: "Playwright") -> "Browser":
    """A headless Chromium."""
    return playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)


def bring() -> str:
    """Make sure that there is a Chromium, and return in words which one it is."""
    if found := executable():
        return f"Chromium: {found}"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Debian's chromium …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            ["apt-get", "install", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"], env=quiet, check=False
        )
        if done.returncode == 0 and (found := executable()):
            return f"Chromium: {found}"
    print("Downloading Playwright's Chromium …", flush=True)
    if subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False).returncode:
        sys.exit("No Chromium could be found or downloaded. Install one and name it with VERTEX_CHROMIUM=/path/to/chromium.")
    return "Chromium: Playwright's own"


if __name__ == "__main__":
    print(bring())
