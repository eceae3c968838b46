"""Draws the picture on a template's card: its first sample page, inert as in the frame, by a browser of its own.

What the browser opens is one file with all that is held of the page's look written into it. Its policy allows no script
and no load, and the browser has no way out: names resolve to nothing and its proxy is a closed port.
"""

import hashlib
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotations import addresses, framing, stylesheets
from annotations.addresses import Addresses
from annotations.inert import InertPage
from annotations.sanitize import sanitize
from extraction.algorithms.dom import references
from extraction.algorithms.dom.parse import parse
from extraction.algorithms.dom.references import Kind
from extraction.algorithms.errors import PageError
from extraction.fetching import chromium
from extraction.models import Cluster, Preview, Run, Snapshot
from extraction.services import assets, boilerplate, clusters, contents, previews
from extraction.services.assets import Held
from extraction.services.runs import Progress

DRAWING = "4"
"""Of how pictures are drawn; a higher one has all of them drawn again."""

WIDTH_PX, HEIGHT_PX = 1200, 600
"""The window: about as wide as pages are made for, so that a centred one has little margin. A card shows its whole width."""

SCALE = 0.5
TIME_S = 60.0
MAX_BYTES = 8 * 1024**2
"""Styles and pictures written into one page. What comes later on the page is not seen on a card anyway."""

POLICY = "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:"
ALONE = ("--headless=new", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:9")


class DrawingError(Exception):
    """There is no picture; the message says why."""


def run(run: Run, progress: Progress) -> dict[str, Any]:
    """Draws what is out of date. Summary: previews drawn."""
    rows = [row for row in clusters.overview(run.site).rows if row.preview and not row.cluster.ignored]
    drawn = 0
    for number, row in enumerate(rows):
        progress(number, total=len(rows), message=f"Drawing {row.cluster.label}")
        snapshot = Snapshot.objects.select_related("page").get(pk=row.preview.pk) if row.preview else None
        held = Preview.objects.filter(cluster=row.cluster).first()
        if snapshot is None or (held and held.made_of == made_of(row.cluster, snapshot)):
            continue
        try:
            pictures = {"sha256": contents.put(draw(document(snapshot))), "dimmed": _dimmed(row.cluster, snapshot)}
        except (DrawingError, PageError, FileNotFoundError) as error:
            progress.problem(row.cluster.label, str(error))
            continue
        Preview.objects.update_or_create(cluster=row.cluster, defaults={**pictures, "made_of": made_of(row.cluster, snapshot)})
        drawn += 1
    return {"drawn": drawn}


def made_of(cluster: Cluster, snapshot: Snapshot) -> str:
    """What the pictures of a template's page depend on, as one digest: also how many pages tell what to dim, not which they are."""
    parts = (snapshot.sha256, snapshot.page.url, assets.version(snapshot.page.site_id), DRAWING, str(len(boilerplate.looked_at(cluster))))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _dimmed(cluster: Cluster, snapshot: Snapshot) -> str:
    """The picture with what is template dimmed; empty where nothing is."""
    nodes = boilerplate.dimmed(cluster, snapshot)
    return contents.put(draw(document(snapshot, dimmed=nodes))) if nodes else ""


def document(snapshot: Snapshot, *, dimmed: Sequence[int] = ()) -> str:
    """The inert page as one file that needs nothing else. Raises PageError, FileNotFoundError."""
    root = parse(contents.get(snapshot.sha256), content_type=snapshot.content_type or None).root
    site_id = snapshot.page.site_id
    inside = _Inside(assets.held(site_id, assets.version(site_id)))
    page = sanitize(root, inside.addresses(references.base_of(root, snapshot.page.url)))
    # The first head of the document is where a policy counts; the page's own comes after it.
    policy = f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}"/></head>'
    opened = InertPage(page.opening + policy, page.content, page.elements, "", page.styled, page.xml)
    return framing.document(opened, nonce="", script=False, dimmed=dimmed)


def draw(text: str) -> bytes:
    """The page's picture, a PNG. Raises DrawingError."""
    program = chromium.executable() if previews.available() else None
    if program is None:
        raise DrawingError("there is no browser to draw it")
    with tempfile.TemporaryDirectory(prefix="vertex-preview-") as name:
        page, picture = Path(name, "page.xhtml"), Path(name, "page.png")
        page.write_text(text, encoding="utf-8", errors="replace")
        size = (f"--window-size={WIDTH_PX},{HEIGHT_PX}", f"--force-device-scale-factor={SCALE}", f"--screenshot={picture}")
        # No sandbox of its own: in a container its user may not make one, and what it opens runs nothing.
        command = [program, *chromium.ARGUMENTS, *ALONE, "--no-sandbox", f"--user-data-dir={name}/profile", *size, page.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIME_S, check=False, env={"HOME": name, "PATH": "/usr/bin:/bin"})  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DrawingError(f"the browser did not draw it: {error}") from error
        if not picture.exists():
            raise DrawingError(f"the browser drew nothing: {done.stderr.decode('utf-8', 'replace')[-300:]}")
        return picture.read_bytes()


class _Inside:
    """Writes held files into the page, as long as there is room."""

    def __init__(self, held: Mapping[str, Held]) -> None:
        self._held = held
        self._left = MAX_BYTES

    def addresses(self, base: str, *, depth: int = 0) -> Addresses:
        """The addresses of the page, or of a sheet that stands so deep."""

        def written(found: Held, kind: Kind) -> str | None:
            if depth > addresses.MAX_IMPORTED:
                return None
            content = contents.get(found.sha256)
            if kind is Kind.STYLE:
                text = assets.sheet_text(content)[: stylesheets.MAX_CHARS]
                content = stylesheets.sheet(text, self.addresses(found.url, depth=depth + 1)).encode("utf-8", "replace")
            self._left -= len(content)
            return addresses.data_address(content, found.content_type) if self._left > 0 else None

        return Addresses(base, self._held, written)
