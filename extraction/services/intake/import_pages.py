"""Import a site's pages from an archive or a folder."""

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext

from extraction.fetching.archives import Archive, ArchiveError, Limits, PageItem, Refused, Skipped
from extraction.fetching.items import AssetItem
from extraction.fetching.names import make_printable
from extraction.models import Run, Site
from extraction.models.run_values import RunParameters, RunSummary
from extraction.services.core import runs, stored_bytes, stored_texts
from extraction.services.core.percent import write_number
from extraction.services.core.runs import Cancelled, JobError, Progress
from extraction.services.intake import absent_pages, assets
from extraction.services.intake.import_assets import WantedAssets
from extraction.services.sites import page_store
from extraction.services.templates import cluster_pages

BATCH_PAGES = 100
"""The number of pages per transaction. A batch takes about ten queries, and a killed worker repeats at most one batch."""

ASSETS_AMONG = frozenset({"picture", "style", "font", "not HTML"})
"""Kinds of skipped files that a page may need."""

LOOK_ITEMS = 200
"""The number of files of an upload that are searched for a page while the user waits."""

BATCH_BYTES = 16 * 1024**2
"""Bytes per batch. All pages of a batch are in memory together."""

UPLOADS = "uploads"
ORPHAN_AGE = timedelta(days=1)
"""An upload without a run is deleted after this time. Its request died before the run was written."""


def start_import(site: Site, file: File[bytes] | Path, *, name: str, user: User | None = None) -> Run:
    """Store an upload, or a copy of an archive on this machine, and start its import.

    If an import of the same bytes into the site is unfinished, that one is returned. Raises JobError when the file is
    too large.

    name: the name of the archive as people know it.
    """
    if isinstance(file, Path):
        with file.open("rb") as opened:
            return start_import(site, File(opened, name=file.name), name=name, user=user)
    if file.size > settings.VERTEX_UPLOAD_MAX_BYTES:
        raise JobError(
            gettext("%(name)s has %(size)s bytes; at most %(vertex_upload_max_bytes)s are accepted")
            % {"name": name, "size": write_number(file.size), "vertex_upload_max_bytes": write_number(settings.VERTEX_UPLOAD_MAX_BYTES)}
        )
    sha256 = _digest(file)
    same = Run.objects.unfinished().filter(kind=Run.Kind.IMPORT, site=site, parameters__sha256=sha256).first()
    if same:
        return same
    upload = default_storage.save(f"{UPLOADS}/{uuid.uuid4().hex}", file)
    parameters = RunParameters(name=make_printable(name)[:200], upload=upload, sha256=sha256)
    run = runs.start_run(Run.Kind.IMPORT, site, parameters=parameters, user=user)
    if run.read_parameters().upload != upload:  # another request uploaded the same bytes at the same time
        _delete(upload)
    return run


def start_folder_import(site: Site, path: Path, *, user: User | None = None) -> Run:
    """Start the import of a folder. The worker must be able to read it until the import ends.

    Raises JobError when there is no such folder.
    """
    if not path.is_dir():
        raise JobError(gettext("there is no folder %(path)s") % {"path": path})
    parameters = RunParameters(name=make_printable(path.name)[:200], folder=str(path.resolve()))
    return runs.start_run(Run.Kind.IMPORT, site, parameters=parameters, user=user)


def check_archive(file: File[bytes]) -> None:
    """Check an upload before anything is stored.

    Raises ArchiveError when it cannot be opened or has no page. Only its first LOOK_ITEMS files are looked at.
    """
    seen, reason = 0, ""
    archive = Archive(cast(BinaryIO, file), name=file.name or "", limits=get_limits())
    for seen, item in enumerate(islice(archive, LOOK_ITEMS), 1):  # noqa: B007 - `seen` is used after the loop
        if isinstance(item, PageItem):
            break
        if isinstance(item, Refused):
            reason = reason or f"; {item.name}: {stored_texts.tell(item.reason)}"
    else:
        if seen < LOOK_ITEMS:
            raise ArchiveError(gettext("no page was found in it%(reason)s") % {"reason": reason})
    file.seek(0)


def get_limits() -> Limits:
    """Return the limits of an import from the settings."""
    return Limits(
        pages=settings.VERTEX_IMPORT_MAX_PAGES,
        page_bytes=settings.VERTEX_PAGE_MAX_BYTES,
        total_bytes=settings.VERTEX_IMPORT_MAX_BYTES,
        expansion=settings.VERTEX_IMPORT_MAX_EXPANSION,
    )


def run_import(run: Run, progress: Progress) -> RunSummary:
    """Import all pages, then start clustering if something changed.

    The summary has these figures:

    pages: pages in the archive; of these new, changed, unchanged, unreadable and partly (read in part).
    refused: files that could not be read.
    skipped: {kind: number} of files that are not pages.

    Raises JobError when the upload is missing or cannot be read.
    """
    parameters = run.read_parameters()
    upload, archive_name = parameters.upload or "", parameters.name or ""
    if upload and not default_storage.exists(upload):
        if run.read_summary().pages is not None:  # the worker died after the last page, before the run was marked as done
            return _finish(run)
        stored_bytes.check_storage()
        raise JobError(gettext("the uploaded file is gone; upload it again"))
    _delete_orphans()
    try:
        with _open_source(parameters) as source:
            wanted = WantedAssets()
            with Archive(source, name=archive_name, limits=get_limits()) as archive:
                _import_all(run, archive, progress, wanted)
            _import_assets(run, source, progress, wanted)
    except ArchiveError as error:
        _delete(upload)
        raise JobError(f"{archive_name}: {error}") from error
    except Cancelled:
        # Delete the upload only if a person cancelled the run. A worker that took it over still needs the upload.
        if Run.objects.filter(pk=run.pk, state=Run.State.CANCELLED).exists():
            _delete(upload)
        raise
    _delete(upload)
    return _finish(run)


@dataclass(slots=True)
class _Tally:
    """What has been read from the archive so far."""

    pages: int = 0
    unreadable: int = 0
    partly: int = 0
    refused: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def _import_all(run: Run, archive: Archive, progress: Progress, wanted: WantedAssets) -> None:
    tally, seen = _Tally(), set[str]()
    progress(0, message="Reading the archive")
    for batch in _read_batches(archive, tally, progress):
        stored = page_store.store_pages(run, batch, look=wanted.note_page)
        tally.pages += len(batch)
        seen.update(map(page_store.find_address, batch))
        tally.unreadable += len(stored.unreadable)
        tally.partly += len(stored.partly)
        for name, reason in (*stored.unreadable, *stored.partly):
            progress.problem(name, reason)
        # The total is known only at the end. Until then it is estimated from the share of the archive that was read.
        progress(tally.pages, total=max(tally.pages, round(tally.pages / max(archive.fraction, 0.001))))
    for kind, number in sorted(tally.skipped.items()):
        if kind.startswith("HTTP "):
            progress.problem(kind, f"pages not imported because the server had answered with this status: {number:,}")
    if not tally.pages:
        raise ArchiveError(gettext("no page was found in it"))
    progress(tally.pages, total=tally.pages, now=True)
    summary = _summarize(run, tally)
    # What comes after the point at which an archive was cut off is unknown, so nothing is absent from it.
    cut_off = run.problems.filter(reason__startswith="it was cut off").exists()
    absent = 0 if cut_off else absent_pages.note_absent(run, seen, new=summary.new or 0)
    run.write_summary(replace(summary, absent=absent or None))


def _import_assets(run: Run, source: Path | BinaryIO, progress: Progress, wanted: WantedAssets) -> None:
    """Read the archive again and store the styles, pictures and fonts that its pages need."""
    summary, name = run.read_summary(), run.read_parameters().name or ""
    if not ASSETS_AMONG & (summary.skipped or {}).keys():
        return
    room, kept = assets.Room.of(run.site), 0
    while wanted.needs_pass():
        with Archive(source, name=name, limits=get_limits(), wanted=wanted.find) as archive:
            for item in archive:
                if isinstance(item, AssetItem) and (asset := assets.keep_asset(run.site, item.need, item.content, room)):
                    wanted.note_kept(item, asset)
                    kept += not asset.error
                progress(summary.pages or 0, message="Keeping styles and pictures")
    if kept:
        run.write_summary(replace(summary, assets=kept))


def _summarize(run: Run, tally: _Tally) -> RunSummary:
    # Pages of an earlier attempt that died count as new or changed, as they did then.
    so_far = run.read_summary()
    new, changed = so_far.new or 0, so_far.changed or 0
    return RunSummary(
        pages=tally.pages,
        new=new,
        changed=changed,
        unchanged=tally.pages - new - changed,
        unreadable=tally.unreadable,
        partly=tally.partly,
        refused=tally.refused,
        skipped=dict(sorted(tally.skipped.items())),
    )


def _read_batches(archive: Archive, tally: _Tally, progress: Progress) -> Iterator[list[PageItem]]:
    """Yield the archive's pages in batches, and count the files that are not pages."""
    batch: list[PageItem] = []
    size_bytes = 0
    for item in archive:
        if isinstance(item, PageItem):
            batch.append(item)
            size_bytes += len(item.content)
            if len(batch) >= BATCH_PAGES or size_bytes >= BATCH_BYTES:
                yield batch
                batch, size_bytes = [], 0
            continue
        if isinstance(item, Refused):
            tally.refused += 1
            progress.problem(item.name, item.reason)
        elif isinstance(item, Skipped):
            tally.skipped[item.kind] += 1
        # An archive may have a gigabyte of pictures between two pages. The run must report progress meanwhile.
        progress(tally.pages)
    if batch:
        yield batch


def _finish(run: Run) -> RunSummary:
    """Start clustering if pages changed, and return the summary."""
    summary = run.read_summary()
    if summary.new or summary.changed:
        cluster_pages.start_clustering(run.site, after=run, user=run.created_by)
    return summary


@contextmanager
def _open_source(parameters: RunParameters) -> Iterator[Path | BinaryIO]:
    """Yield the folder, or the upload as a local file. An upload in a remote storage is copied to this machine."""
    if parameters.folder is not None:
        yield Path(parameters.folder)
        return
    upload = parameters.upload or ""
    try:
        yield Path(default_storage.path(upload))
    except NotImplementedError:
        with TemporaryFile() as copy, default_storage.open(upload) as remote:
            for chunk in remote.chunks():
                copy.write(chunk)
            yield cast(BinaryIO, copy)


def _digest(file: File[bytes]) -> str:
    sha256 = hashlib.sha256()
    for chunk in file.chunks():
        sha256.update(chunk)
    file.seek(0)
    return sha256.hexdigest()


def _delete(upload: str) -> None:
    if upload:
        default_storage.delete(upload)


def _delete_orphans() -> None:
    """Delete old uploads that no unfinished import needs, such as those of runs that were cancelled while queued."""
    try:
        names = default_storage.listdir(UPLOADS)[1]
    except FileNotFoundError:  # no upload yet
        return
    imports = Run.objects.unfinished().filter(kind=Run.Kind.IMPORT)
    needed = {run.read_parameters().upload for run in imports.only("parameters")}
    for name in names:
        upload = f"{UPLOADS}/{name}"
        if upload not in needed and default_storage.get_modified_time(upload) < timezone.now() - ORPHAN_AGE:
            default_storage.delete(upload)
