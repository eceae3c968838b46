"""What the tests of import and clustering share: small sites as archives, and all tables as values."""

import io
import zipfile
from pathlib import Path
from typing import Any

from extraction import pipeline
from extraction.models import Page, Run, RunProblem, Site, Snapshot
from extraction.services.intake import import_pages


def detail(n: int, *, extra: str = "") -> bytes:
    """A book's page: the same tags on every one."""
    rows = "".join(f"<tr><th>{label}</th><td>{label} {n}</td></tr>" for label in ("ISBN", "Pages", "Publisher", "Year"))
    head = f"<!doctype html><html><head><meta charset=utf-8><title> Book\n {n} </title></head>"
    return (
        f"{head}<body><nav><ul><li><a href=/>Home</a></li></ul></nav><h1>Book {n}</h1>{extra}<table>{rows}</table></body></html>".encode()
    )


def listing(n: int) -> bytes:
    """A list's page: other tags than a book's."""
    items = "".join(f"<article><h2><a href=/book/{i}>{i}</a></h2><p><b>{n}</b><span>{i}</span></p></article>" for i in range(6))
    return f"<!doctype html><html><head><title>List {n}</title></head><body><main><section>{items}</section></main></body></html>".encode()


def site_files(details: int = 12, listings: int = 6) -> dict[str, bytes]:
    """A site of two templates."""
    files = {f"book/{n:04}.html": detail(n) for n in range(details)}
    return files | {f"list/{n:04}.html": listing(n) for n in range(listings)}


def zip_at(path: Path, files: dict[str, bytes]) -> Path:
    """The files as a zip file at a path."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def manifest(files: dict[str, bytes], base: str = "https://example.com/") -> dict[str, bytes]:
    """The files with a manifest that gives them addresses."""
    rows = io.StringIO()
    rows.write("file,url\r\n")
    for name in files:
        rows.write(f"{name},{base}{name.removesuffix('.html')}\r\n")
    return files | {"manifest.csv": rows.getvalue().encode()}


def done(run: Run) -> Run:
    """Do the job of a run in this process, and return the run."""
    pipeline.execute_run(run.pk)
    run.refresh_from_db()
    return run


def bring(site: Site, path: Path) -> Run:
    """An import, done."""
    return done(import_pages.start_import(site, path, name=path.name))


def cluster_all(site: Site) -> list[Run]:
    """Do the waiting clusterings, and return them."""
    return [done(run) for run in Run.objects.filter(kind=Run.Kind.CLUSTER, site=site, state=Run.State.QUEUED).order_by("pk")]


def tables(site: Site, *, times: bool = True) -> dict[str, Any]:
    """Everything that imports and clusterings write, as values. times: include keys and times, which differ between two equal runs."""
    pages = Page.objects.filter(site=site).select_related("current").order_by("url")
    snapshots = Snapshot.objects.filter(page__site=site).order_by("page__url", "sha256")
    fields = ["page__url", "sha256", "size_bytes", "content_type", "vector", "scheme", "title", "error", "cluster__number"]
    keys = ["pk", "fetched_at"] if times else []
    return {
        "pages": [(page.url, page.current.sha256 if page.current else None, *([page.pk] if times else [])) for page in pages],
        "snapshots": list(snapshots.values_list(*fields, *keys)),
        "clusters": list(site.clusters.values_list("number", "name", "masks", "url_patterns", "ignored", *(["pk"] if times else []))),
    }


def problems(run: Run) -> dict[str, str]:
    """A run's problems by name."""
    return dict(RunProblem.objects.filter(run=run).values_list("name", "reason"))
