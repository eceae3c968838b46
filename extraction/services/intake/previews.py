"""Pictures for the templates' cards: each template's first sample page, inert as in the frame, drawn by a browser of its own.

What the browser opens is one file with all that is held of the page's look written into it. Its policy allows no script and no load.
"""

import hashlib
from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User

from extraction.algorithms.dom import references
from extraction.algorithms.dom.references import ResourceKind
from extraction.algorithms.errors import PageError
from extraction.display import addresses, framing, stylesheets
from extraction.display.addresses import Addresses, Held
from extraction.display.inert import InertPage
from extraction.display.pictures import DrawingError, draw_picture
from extraction.display.sanitize import sanitize_page
from extraction.fetching import chromium
from extraction.models import Cluster, Preview, Run, Site, Snapshot
from extraction.models.run_values import RunSummary
from extraction.services.core import runs, stored_bytes
from extraction.services.core.runs import Progress
from extraction.services.core.stored_pages import read_root
from extraction.services.intake import assets
from extraction.services.templates import boilerplate, clusters

DRAWING = "4"
"""Of how pictures are drawn; a higher one has all of them drawn again."""

MAX_BYTES = 8 * 1024**2
"""Styles and pictures written into one page. What comes later on the page is not seen on a card anyway."""

POLICY = "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:"


def start_drawing(site: Site, user: User | None = None) -> Run | None:
    """Draws the pictures of the site's templates that are out of date; None where no browser is there to draw them."""
    return runs.start_run(Run.Kind.PREVIEW, site, unit="templates", user=user) if can_draw() else None


def can_draw() -> bool:
    """Whether a browser is there. Without one a card shows the page itself, made small."""
    try:
        return chromium.find_executable() is not None
    except chromium.NoChromium:
        return False


def run_drawing(run: Run, progress: Progress) -> RunSummary:
    """Draws what is out of date. Summary: previews drawn."""
    rows = [row for row in clusters.list_templates(run.site).rows if row.preview and not row.cluster.ignored]
    drawn = 0
    for number, row in enumerate(rows):
        progress(number, total=len(rows), message=f"Drawing {row.cluster.label}")
        snapshot = Snapshot.objects.select_related("page").get(pk=row.preview.pk) if row.preview else None
        held = Preview.objects.filter(cluster=row.cluster).first()
        if snapshot is None or (held and held.made_of == digest_inputs(row.cluster, snapshot)):
            continue
        try:
            pictures = {"sha256": stored_bytes.put_bytes(draw_page(write_document(snapshot))), "dimmed": _dimmed(row.cluster, snapshot)}
        except (DrawingError, PageError, FileNotFoundError) as error:
            progress.problem(row.cluster.label, str(error))
            continue
        Preview.objects.update_or_create(cluster=row.cluster, defaults={**pictures, "made_of": digest_inputs(row.cluster, snapshot)})
        drawn += 1
    return RunSummary(drawn=drawn)


def digest_inputs(cluster: Cluster, snapshot: Snapshot) -> str:
    """What the pictures of a template's page depend on, as one digest: also how many pages tell what to dim, not which they are."""
    parts = (
        snapshot.sha256,
        snapshot.page.url,
        assets.get_version(snapshot.page.site_id),
        DRAWING,
        str(len(boilerplate.choose_pages(cluster))),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _dimmed(cluster: Cluster, snapshot: Snapshot) -> str:
    """The picture with what is template dimmed; empty where nothing is."""
    nodes = boilerplate.find_dimmed(cluster, snapshot)
    return stored_bytes.put_bytes(draw_page(write_document(snapshot, dimmed=nodes))) if nodes else ""


def write_document(snapshot: Snapshot, *, dimmed: Sequence[int] = ()) -> str:
    """The inert page as one file that needs nothing else. Raises PageError, FileNotFoundError (of a style sheet or picture)."""
    root = read_root(snapshot)
    site_id = snapshot.page.site_id
    inside = _Inside(assets.get_held(site_id, assets.get_version(site_id)))
    page = sanitize_page(root, inside.addresses(references.find_base(root, snapshot.page.url)))
    # The first head of the document is where a policy counts; the page's own comes after it.
    policy = f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}"/></head>'
    opened = InertPage(page.opening + policy, page.content, page.elements, "", page.styled, page.xml)
    return framing.write_document(opened, nonce="", script=False, dimmed=dimmed)


def draw_page(text: str) -> bytes:
    """The picture of such a file, a PNG. Raises DrawingError, also when there is no browser."""
    program = chromium.find_executable() if can_draw() else None
    if program is None:
        raise DrawingError("there is no browser to draw it")
    return draw_picture(text, program=program, arguments=chromium.ARGUMENTS)


class _Inside:
    """Writes held files into the page, as long as there is room."""

    def __init__(self, held: Mapping[str, Held]) -> None:
        self._held = held
        self._left = MAX_BYTES

    def addresses(self, base: str, *, depth: int = 0) -> Addresses:
        """The addresses of the page, or of a sheet that stands so deep."""

        def written(found: Held, kind: ResourceKind) -> str | None:
            if depth > addresses.MAX_IMPORTED:
                return None
            content = stored_bytes.get_bytes(found.sha256)
            if kind is ResourceKind.STYLE:
                text = assets.decode_sheet(content)[: stylesheets.MAX_CHARS]
                content = stylesheets.clean_sheet(text, self.addresses(found.url, depth=depth + 1)).encode("utf-8", "replace")
            self._left -= len(content)
            return addresses.make_data_address(content, found.content_type) if self._left > 0 else None

        return Addresses(base, self._held, written)
