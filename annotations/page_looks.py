"""What the workbench says about a page's look: which styles and pictures are missing, and the progress of loading them."""

from typing import Any

from extraction.models import Run, Snapshot
from extraction.services.intake import load_assets


def count_missing_files(snapshot: Snapshot) -> dict[str, Any]:
    """Return {missing: how many files were never loaded, possible: whether they can be loaded}. If they cannot, `missing` is 0."""
    possible = load_assets.can_load(snapshot.page.site)
    return {"missing": len(load_assets.find_missing([snapshot])) if possible else 0, "possible": possible}


def describe_loading(run: Run) -> dict[str, Any]:
    """Describe the progress of a loading run."""
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
