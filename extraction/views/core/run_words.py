"""What came out of a run, in words: the dashboard and the command line say the same."""

from extraction.models import Run

MANY = 0.5
"""From this share of failed records on, a run that ended is not shown as one that went well."""


def name_outcome(run: Run) -> str:
    """The run's state; of a finished extraction that gave little: `no_records`, `many_failed` or `all_failed`; of a check that found
    broken rules: `found_broken`.
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
    """(what, how many) of the summary, what is 0 left out but for the first."""
    summary = run.read_summary()
    held = [(words, getattr(summary, name)) for name, words in _WORDS.get(run.kind, {}).items()]
    said = [(words, number) for words, number in held if number is not None]
    given = [(words, number) for place, (words, number) in enumerate(said) if number or not place]
    templates = summary.clusters or 0
    return [(_form(words, number, templates), number) for words, number in given]


def write_sentence(run: Run) -> str:
    """The figures as one text: "1 template, 6 pages in it, 4 without"."""
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
    },
}
"""How each figure is said, in the order of saying; the other entries of a summary are for the program."""


def _form(words: str, number: int, templates: int) -> str:
    return (
        words.replace("{s}", "" if number == 1 else "s")
        .replace("{es}", "" if number == 1 else "es")
        .replace("{them}", "it" if templates == 1 else "them")
    )
