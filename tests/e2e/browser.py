"""Which Chromium the journeys use: VERTEX_CHROMIUM, else the system's, else Debian's package when root, else Playwright's download.

`python -m tests.e2e.browser` finds or brings it and says which; `executable()` and `launch` are what tests use.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

ARGUMENTS = [
    "--no-sandbox",  # a container's root has no user namespace; the pages here are ours or inert
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def executable() -> str | None:
    """The path of a Chromium on this machine, None for Playwright's own download."""
    named = os.environ.get("VERTEX_CHROMIUM")
    if named:
        if not Path(named).exists():
            sys.exit(f"VERTEX_CHROMIUM={named}: there is no such file")
        return named
    return next((found for found in map(shutil.which, NAMES) if found), None)


def launch(playwright: "Playwright") -> "Browser":
    """A headless Chromium."""
    return playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)


def bring() -> str:
    """Makes sure that there is a Chromium; in words, which."""
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
