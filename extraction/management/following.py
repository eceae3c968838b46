"""Runs on the command line: started like those of the dashboard, then watched, or worked on in this very process."""

import math
import time
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from extraction import pipeline
from extraction.models import Run, Site
from extraction.services.sites import sites
from extraction.views.core import run_words

LOOK_EVERY_S = 0.5

HINT_AFTER_S = 10.0
"""A worker that is there takes a run at once; after so long there is probably none."""


def add_arguments(parser: CommandParser) -> None:
    """The arguments that say what becomes of the run."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--wait", action="store_true", help="follow the run until it ends")
    group.add_argument("--here", action="store_true", help="do the work in this process, without a worker")


def follow(command: BaseCommand, run: Run, *, wait: bool, here: bool) -> Run:
    """Does or watches a run as asked and prints a line whenever something changed. Raises CommandError when it did not end well."""
    command.stdout.write(f"Run {run.pk}: {run.get_kind_display()}, site {run.site.name}")
    if here:
        pipeline.execute(run.pk)
        run.refresh_from_db()
    last, hint_at = "", time.monotonic() + HINT_AFTER_S
    while True:
        line = _line(run)
        if line != last:
            command.stdout.write(line)
            last = line
        if run.finished or not (wait or here):
            break
        if run.state == Run.State.QUEUED and time.monotonic() >= hint_at:
            command.stderr.write("  no worker has started the run yet; start one with make run, or use --here")
            hint_at = math.inf
        time.sleep(LOOK_EVERY_S)
        run.refresh_from_db()
    if run.finished and run.state != Run.State.DONE:
        raise CommandError(f"{run.get_kind_display()} {run.get_state_display().lower()}: {run.error or run.message}")
    return run


def site_named(text: str, *, create: bool = False) -> Site:
    """The site with this slug or name, in any case where no other is meant as well. Raises CommandError when several are, and when there
    is none and none is to be made.
    """
    slug = slugify(text)[:140]
    site = Site.objects.filter(slug=text).first() or Site.objects.filter(name=text).first()
    if site:
        return site
    meant = {each.pk: each for each in [*sites.same_named(text), *Site.objects.filter(slug=slug)]}
    if len(meant) > 1:
        which = ", ".join(f"{each.slug} ({each.name})" for each in meant.values())
        raise CommandError(f"{text!r} matches several sites. Name one of them: {which}")
    if meant:
        return next(iter(meant.values()))
    if not create:
        known = ", ".join(Site.objects.values_list("slug", flat=True)[:20]) or "none"
        raise CommandError(f"There is no site {text!r}. Sites: {known}")
    if not slug:
        raise CommandError(f"{text!r} cannot be a site's name, because it has no letter or digit")
    return Site.objects.create(name=text[:120], slug=slug)


def existing(text: str) -> Path:
    """A path that is there. Raises CommandError when it is not."""
    path = Path(text).expanduser()
    if not path.exists():
        raise CommandError(f"There is no file or folder {text}")
    return path


def _line(run: Run) -> str:
    total = f" of {run.total:,}" if run.total else ""
    text = f"  {run.get_state_display().lower()}: {run.done:,}{total} {run.unit} {run.message}".rstrip()
    if run.state == Run.State.DONE:
        problems = run.problems.count()
        text += f"; {run_words.sentence(run)}"
        text += f"; {problems:,} problem{'s' if problems > 1 else ''}, see the run's page" if problems else ""
        reason = run.read_summary().reason
        if run_words.outcome(run) != Run.State.DONE and reason:
            text += f"; most common reason: {reason}"
    return text
