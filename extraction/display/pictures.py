"""Draws an inert page by a browser of its own.

The browser opens one file that holds everything. It has no way out: names resolve to nothing and its proxy is a closed port.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

WIDTH_PX, HEIGHT_PX = 1200, 600
"""The window: about as wide as pages are made for, so that a centred one has little margin. A card shows its whole width."""

SCALE = 0.5
TIME_S = 60.0
ALONE = ("--headless=new", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:9")


class DrawingError(Exception):
    """There is no picture; the message says why."""


def draw_picture(text: str, *, program: str, arguments: Sequence[str]) -> bytes:
    """The page's picture, a PNG. program, arguments: the browser and how it is started. Raises DrawingError."""
    with tempfile.TemporaryDirectory(prefix="vertex-preview-") as name:
        page, picture = Path(name, "page.xhtml"), Path(name, "page.png")
        page.write_text(text, encoding="utf-8", errors="replace")
        size = (f"--window-size={WIDTH_PX},{HEIGHT_PX}", f"--force-device-scale-factor={SCALE}", f"--screenshot={picture}")
        # No sandbox of its own: in a container its user may not make one, and what it opens runs nothing.
        command = [program, *arguments, *ALONE, "--no-sandbox", f"--user-data-dir={name}/profile", *size, page.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIME_S, check=False, env={"HOME": name, "PATH": "/usr/bin:/bin"})  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DrawingError(f"the browser did not draw it: {error}") from error
        if not picture.exists():
            raise DrawingError(f"the browser drew nothing: {done.stderr.decode('utf-8', 'replace')[-300:]}")
        return picture.read_bytes()
