"""The results of a run in words, for the dashboard and the command line."""

from extraction.models import Run

MANY = 0.5
"""From this share of failed records on, a finished run is shown as `many_failed`."""


def name_outcome(run: Run) -> str:
    """Return the run's state, or a more exact name if the run is done but needs attention.

    That is `no_records`, `many_failed` or `all_failed` for an extraction, and `found_broken` for a check.
    """
    summary = run.read_summary()
    if run.state == Run.State.DONE and run.kind == Run.Kind.CHECK and summary.broken:
        return "found_broken"
    if run.state != Run.State.DONE or run.kind != Run.Kind.EXTRACT:
        return run.state
    records, failed = summary.records or 0, summary.failed or 0
    if not records:
        return "no_records"
    if failed == records:
        return "all_failed"
    return "many_failed" if failed >= MANY * records else run.state


def list_figures(run: Run) -> list[tuple[str, int]]:
    """Return (words, number) for each figure of the summary. Figures that are 0 are left out, except the first."""
    summary = run.read_summary()
    figures = [(words, getattr(summary, name)) for name, words in _WORDS.get(run.kind, {}).items()]
    known = [(words, number) for words, number in figures if number is not None]
    shown = [(words, number) for place, (words, number) in enumerate(known) if number or not place]
    templates = summary.clusters or 0
    return [(_inflect(words, number, templates), number) for words, number in shown]


def write_sentence(run: Run) -> str:
    """Return the figures as one text: "1 template, 6 pages in it, 4 pages without a template"."""
    return ", ".join(f"{number:,} {words}" for words, number in list_figures(run))


_WORDS: dict[str, dict[str, str]] = {
    Run.Kind.IMPORT: {
        "pages": "page{s} read",
        "new": "new",
        "changed": "changed",
        "unchanged": "unchanged",
        "unreadable": "unreadable",
        "partly": "read in part",
        "refused": "file{s} refused",
        "assets": "style{s} and pictures",
    },
    Run.Kind.CRAWL: {
        "pages": "page{s} fetched",
        "new": "new",
        "changed": "changed",
        "unchanged": "unchanged",
        "records": "record{s}",
        "unreadable": "unreadable",
        "partly": "read in part",
        "gone": "gone",
        "left": "new address{es} left for later",
        "missed": "address{es} without a page",
    },
    Run.Kind.CLUSTER: {
        "clusters": "template{s}",
        "clustered": "page{s} in {them}",
        "small": "small template{s}",
        "unclustered": "page{s} without a template",
    },
    Run.Kind.COMPARE: {"pairs": "pair{s} of templates compared", "proposals": "found to be the same template"},
    Run.Kind.LAB: {"methods": "clustering{s} compared", "pages": "page{s} in each", "gave_up": "gave up"},
    Run.Kind.ASSETS: {"loaded": "file{s} loaded", "failed": "not loaded"},
    Run.Kind.PREVIEW: {"drawn": "preview{s} drawn"},
    Run.Kind.CHECK: {"checked": "template{s} checked", "ok": "OK", "broken": "broken", "unreachable": "unreachable"},
    Run.Kind.LEARN: {"attributes": "attribute{s} learned", "failed": "not learned"},
    Run.Kind.REUSE: {"templates": "new template{s}", "reused": "with a reused rule", "relearned": "with a relearned rule", "live": "live"},
    Run.Kind.EXTRACT: {
        "records": "record{s}",
        "complete": "complete",
        "incomplete": "incomplete",
        "failed": "failed",
        "unmatched": "page{s} without a template",
        "unreadable": "page{s} unreadable",
        "removed": "old record{s} removed",
        "settled": "of them up to date already",
    },
    Run.Kind.JOIN: {
        "joined": "row{s} joined with a page",
        "row_alone": "row{s} without a page",
        "page_alone": "page{s} without a row",
        "conflicts": "with conflicts",
    },
    Run.Kind.PLACE: {"placed": "page{s} sorted into templates", "unplaced": "page{s} without a template"},
}
"""The words for each figure, in the order shown. Other entries of a summary are not shown."""


def _inflect(words: str, number: int, templates: int) -> str:
    return (
        words.replace("{s}", "" if number == 1 else "s")
        .replace("{es}", "" if number == 1 else "es")
        .replace("{them}", "it" if templates == 1 else "them")
    )
