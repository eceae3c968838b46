"""Draw the pictures on the templates' cards: the first sample page of each template, made inert as in the frame.

The header and navigation that the pages of the other templates begin with, too, are left out, so that a picture shows what differs.

A separate browser draws the page from a single file that contains its stored styles and pictures. The file's policy
allows no scripts and no requests.
"""

import contextlib
import hashlib
from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext

from extraction.algorithms.boilerplate.shared_beginning import find_shared_beginning
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

DRAWING = "5"
"""Version of the drawing method. Raise it to have all pictures drawn again."""

MOST_OTHERS = 6
"""The largest number of other templates whose pages show what the pages of a site begin with."""

MAX_BYTES = 8 * 1024**2
"""Bytes of styles and pictures written into one page. What comes later on the page is not visible on a card."""

WAITED_FOR = (Run.Kind.IMPORT, Run.Kind.CRAWL, Run.Kind.CLUSTER, Run.Kind.LEARN, Run.Kind.EXTRACT)
"""Runs that go before the drawing of further previews."""

POLICY = "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:"


def start_drawing(site: Site, user: User | None = None) -> Run | None:
    """Start drawing the site's outdated pictures; return None when there is no browser to draw them."""
    return runs.start_run(Run.Kind.PREVIEW, site, unit="templates", user=user) if can_draw() else None


def can_draw() -> bool:
    """Return whether a browser is installed. Without one, a card shows the page itself, scaled down."""
    try:
        return chromium.find_executable() is not None
    except chromium.NoChromium:
        return False


def run_drawing(run: Run, progress: Progress) -> RunSummary:
    """Draw the outdated pictures, or some of them if other work waits. The summary has the numbers of previews drawn and left."""
    rows = [row for row in clusters.list_templates(run.site).rows if row.preview and not row.cluster.ignored]
    drawn = 0
    for number, row in enumerate(rows):
        progress(number, total=len(rows), message=f"Drawing {row.cluster.label}")
        snapshot = Snapshot.objects.select_related("page").get(pk=row.preview.pk) if row.preview else None
        held = Preview.objects.filter(cluster=row.cluster).first()
        others = [each.preview for each in rows if each.preview and each is not row][:MOST_OTHERS]
        made_of = digest_inputs(row.cluster, snapshot, others=len(others)) if snapshot else ""
        if snapshot is None or (held and held.made_of == made_of):
            continue
        try:
            pictures = _draw_pictures(row.cluster, snapshot, _find_hidden(snapshot, others))
        except (DrawingError, PageError, FileNotFoundError) as error:
            progress.problem(row.cluster.label, str(error))
            continue
        Preview.objects.update_or_create(cluster=row.cluster, defaults={**pictures, "made_of": made_of})
        drawn += 1
        if _is_wanted_elsewhere():
            return RunSummary(drawn=drawn, left=len(rows) - number - 1)
    return RunSummary(drawn=drawn)


def _is_wanted_elsewhere() -> bool:
    """Whether work that people wait for is queued. The run ends then, and another one draws the rest."""
    return Run.objects.queued().filter(kind__in=WAITED_FOR, sent_at__lte=timezone.now()).exists()


def digest_inputs(cluster: Cluster, snapshot: Snapshot, *, others: int) -> str:
    """Return a digest of everything that the pictures of a template's page depend on.

    Of the pages that decide what is dimmed and left out, only their number is part of it, not which pages they are.
    """
    parts = (
        snapshot.sha256,
        snapshot.page.url,
        assets.get_version(snapshot.page.site_id),
        DRAWING,
        str(len(boilerplate.choose_pages(cluster))),
        str(others),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _draw_pictures(cluster: Cluster, snapshot: Snapshot, hidden: Sequence[int]) -> dict[str, str]:
    """Store the picture, and the one with the repeated parts of the template dimmed, and return their digests; "" if nothing is dimmed."""
    plain = stored_bytes.put_bytes(draw_page(write_document(snapshot, hidden=hidden)))
    nodes = boilerplate.find_dimmed(cluster, snapshot)
    dimmed = stored_bytes.put_bytes(draw_page(write_document(snapshot, dimmed=nodes, hidden=hidden))) if nodes else ""
    return {"sha256": plain, "dimmed": dimmed}


def _find_hidden(snapshot: Snapshot, others: Sequence[Snapshot]) -> list[int]:
    """Return the elements that are left out of the picture of a page. others: pages of other templates; unreadable ones do not count."""
    roots = []
    for each in others:
        with contextlib.suppress(PageError):
            roots.append(read_root(each))
    return find_shared_beginning(read_root(snapshot), roots) if roots else []


def write_document(snapshot: Snapshot, *, dimmed: Sequence[int] = (), hidden: Sequence[int] = ()) -> str:
    """Return the inert page as one self-contained file.

    Raises PageError, and FileNotFoundError when the bytes of a style sheet or picture are missing.
    """
    root = read_root(snapshot)
    site_id = snapshot.page.site_id
    inside = _Inside(assets.get_held(site_id, assets.get_version(site_id)))
    page = sanitize_page(root, inside.addresses(references.find_base(root, snapshot.page.url)))
    # A policy is obeyed in the first head of the document; the page's own head follows.
    policy = f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}"/></head>'
    opened = InertPage(page.opening + policy, page.content, page.elements, "", page.styled, page.xml)
    return framing.write_document(opened, nonce="", script=False, dimmed=dimmed, hidden=hidden)


def draw_page(text: str) -> bytes:
    """Return a PNG picture of a file made by `write_document`. Raises DrawingError, also when there is no browser."""
    program = chromium.find_executable() if can_draw() else None
    if program is None:
        raise DrawingError(gettext("there is no browser to draw it"))
    return draw_picture(text, program=program, arguments=chromium.ARGUMENTS)


class _Inside:
    """Writes stored files into the page until MAX_BYTES is reached."""

    def __init__(self, held: Mapping[str, Held]) -> None:
        self._held = held
        self._left = MAX_BYTES

    def addresses(self, base: str, *, depth: int = 0) -> Addresses:
        """Return the addresses for the page, or for a sheet at the given depth of imports."""

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
