"""What the workbench says of a page's look: what is missing of its styles and pictures, and how loading them goes."""

from typing import Any

from extraction.models import Run, Snapshot
from extraction.services.intake import load_assets


def missing(snapshot: Snapshot) -> dict[str, Any]:
    """{missing: how many files were never loaded, possible: whether they can be}. Nothing is read where they cannot."""
    possible = load_assets.possible(snapshot.page.site)
    return {"missing": len(load_assets.missing([snapshot])) if possible else 0, "possible": possible}


def progress(run: Run) -> dict[str, Any]:
    """Where a loading run stands."""
    summary = run.read_summary()
    return {
        "finished": run.finished,
        "state": run.state,
        "done": run.done,
        "total": run.total,
        "loaded": summary.loaded or 0,
        "failed": summary.failed or 0,
        "message": run.error or run.message,
    }
