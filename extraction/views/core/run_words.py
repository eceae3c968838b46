"""The results of a run in words, for the dashboard and the command line."""

from django.utils.translation import ngettext_lazy
from django_stubs_ext import StrPromise

from extraction.models import Run
from extraction.services.core.percent import write_number

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
    figures = [(name, words, getattr(summary, name)) for name, words in _WORDS.get(run.kind, {}).items()]
    known = [(name, words, number) for name, words, number in figures if number is not None]
    shown = [figure for place, figure in enumerate(known) if figure[2] or not place]
    return [
        (_inflect(_IN_ONE if name == "clustered" and summary.clusters == 1 else words, number), number) for name, words, number in shown
    ]


def write_sentence(run: Run) -> str:
    """Return the figures as one text: "1 template, 6 pages in it, 4 pages without a template"."""
    return ", ".join(f"{write_number(number)} {words}" for words, number in list_figures(run))


_WORDS: dict[str, dict[str, StrPromise]] = {
    Run.Kind.IMPORT: {
        "pages": ngettext_lazy("page read", "pages read"),
        "new": ngettext_lazy("new", "new"),
        "changed": ngettext_lazy("changed", "changed"),
        "unchanged": ngettext_lazy("unchanged", "unchanged"),
        "unreadable": ngettext_lazy("unreadable", "unreadable"),
        "partly": ngettext_lazy("read in part", "read in part"),
        "refused": ngettext_lazy("file refused", "files refused"),
        "assets": ngettext_lazy("style and pictures", "styles and pictures"),
    },
    Run.Kind.CRAWL: {
        "pages": ngettext_lazy("page fetched", "pages fetched"),
        "new": ngettext_lazy("new", "new"),
        "changed": ngettext_lazy("changed", "changed"),
        "unchanged": ngettext_lazy("unchanged", "unchanged"),
        "records": ngettext_lazy("record", "records"),
        "unmatched": ngettext_lazy("page without a template", "pages without a template"),
        "unreadable": ngettext_lazy("unreadable", "unreadable"),
        "partly": ngettext_lazy("read in part", "read in part"),
        "gone": ngettext_lazy("gone", "gone"),
        "repeated": ngettext_lazy("left out as the same page as another", "left out as the same pages as others"),
        "left": ngettext_lazy("new address left for later", "new addresses left for later"),
        "missed": ngettext_lazy("address without a page", "addresses without a page"),
        "empty_terms": ngettext_lazy("search term that found nothing", "search terms that found nothing"),
        "unasked_terms": ngettext_lazy("search term without an answer", "search terms without an answer"),
    },
    Run.Kind.CLUSTER: {
        "clusters": ngettext_lazy("template", "templates"),
        "clustered": ngettext_lazy("page in them", "pages in them"),
        "small": ngettext_lazy("small template", "small templates"),
        "unclustered": ngettext_lazy("page without a template", "pages without a template"),
    },
    Run.Kind.COMPARE: {
        "pairs": ngettext_lazy("pair of templates compared", "pairs of templates compared"),
        "proposals": ngettext_lazy("found to be the same template", "found to be the same template"),
    },
    Run.Kind.LAB: {
        "methods": ngettext_lazy("clustering compared", "clusterings compared"),
        "pages": ngettext_lazy("page in each", "pages in each"),
        "gave_up": ngettext_lazy("gave up", "gave up"),
    },
    Run.Kind.ASSETS: {"loaded": ngettext_lazy("file loaded", "files loaded"), "failed": ngettext_lazy("not loaded", "not loaded")},
    Run.Kind.PREVIEW: {"drawn": ngettext_lazy("preview drawn", "previews drawn")},
    Run.Kind.CHECK: {
        "checked": ngettext_lazy("template checked", "templates checked"),
        "ok": ngettext_lazy("OK", "OK"),
        "broken": ngettext_lazy("broken", "broken"),
        "unreachable": ngettext_lazy("unreachable", "unreachable"),
    },
    Run.Kind.LEARN: {
        "attributes": ngettext_lazy("attribute learned", "attributes learned"),
        "failed": ngettext_lazy("not learned", "not learned"),
    },
    Run.Kind.REUSE: {
        "templates": ngettext_lazy("new template", "new templates"),
        "reused": ngettext_lazy("with a reused rule", "with a reused rule"),
        "relearned": ngettext_lazy("with a relearned rule", "with a relearned rule"),
        "live": ngettext_lazy("live", "live"),
    },
    Run.Kind.EXTRACT: {
        "records": ngettext_lazy("record", "records"),
        "complete": ngettext_lazy("complete", "complete"),
        "incomplete": ngettext_lazy("incomplete", "incomplete"),
        "failed": ngettext_lazy("failed", "failed"),
        "unmatched": ngettext_lazy("page without a template", "pages without a template"),
        "unreadable": ngettext_lazy("page unreadable", "pages unreadable"),
        "removed": ngettext_lazy("old record removed", "old records removed"),
        "settled": ngettext_lazy("of them up to date already", "of them up to date already"),
    },
    Run.Kind.JOIN: {
        "joined": ngettext_lazy("row joined with a page", "rows joined with a page"),
        "row_alone": ngettext_lazy("row without a page", "rows without a page"),
        "page_alone": ngettext_lazy("page without a row", "pages without a row"),
        "conflicts": ngettext_lazy("with conflicts", "with conflicts"),
    },
    Run.Kind.PLACE: {
        "placed": ngettext_lazy("page sorted into templates", "pages sorted into templates"),
        "unplaced": ngettext_lazy("page without a template", "pages without a template"),
    },
}
"""The words for each figure, in the order shown. Other entries of a summary are not shown."""

_IN_ONE = ngettext_lazy("page in it", "pages in it")
"""The words for the pages of a single template."""

_UNITS: dict[str, StrPromise] = {
    "addresses": ngettext_lazy("address", "addresses"),
    "clusterings": ngettext_lazy("clustering", "clusterings"),
    "files": ngettext_lazy("file", "files"),
    "pages": ngettext_lazy("page", "pages"),
    "pairs": ngettext_lazy("pair", "pairs"),
    "records": ngettext_lazy("record", "records"),
    "steps": ngettext_lazy("step", "steps"),
    "templates": ngettext_lazy("template", "templates"),
}


def name_unit(unit: str, count: int | None = None) -> str:
    """Return a run's unit as the reader calls it, for one or for several of it."""
    return _inflect(_UNITS[unit], 2 if count is None else count) if unit in _UNITS else unit


def _inflect(words: StrPromise, number: int) -> str:
    return str(words % number)
