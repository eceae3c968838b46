"""Draws an inert page with a separate browser.

The browser opens one file that contains everything. It cannot reach the network: no name resolves and its proxy is a closed port.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

WIDTH_PX, HEIGHT_PX = 1200, 600
"""The size of the window. It is about as wide as most pages, so that centred pages have small margins. A card shows the whole width."""

SCALE = 0.5
TIME_S = 60.0
ALONE = ("--headless=new", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:9")


class DrawingError(Exception):
    """The page could not be drawn; the message says why."""


def draw_picture(text: str, *, program: str, arguments: Sequence[str]) -> bytes:
    """Return a picture of the page as PNG.

    text: the page as XHTML.
    program: the path of the browser.
    arguments: its first arguments.

    Raises DrawingError.
    """
    with tempfile.TemporaryDirectory(prefix="vertex-preview-") as name:
        page, picture = Path(name, "page.xhtml"), Path(name, "page.png")
        page.write_text(text, encoding="utf-8", errors="replace")
        size = (f"--window-size={WIDTH_PX},{HEIGHT_PX}", f"--force-device-scale-factor={SCALE}", f"--screenshot={picture}")
        # Without the browser's sandbox: a container may not allow one, and the page runs nothing.
        command = [program, *arguments, *ALONE, "--no-sandbox", f"--user-data-dir={name}/profile", *size, page.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIME_S, check=False, env={"HOME": name, "PATH": "/usr/bin:/bin"})  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DrawingError(f"the browser did not draw it: {error}") from error
        if not picture.exists():
            raise DrawingError(f"the browser drew nothing: {done.stderr.decode('utf-8', 'replace')[-300:]}")
        return picture.read_bytes()
