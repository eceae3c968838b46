"""Runs on the command line. They start like those of the dashboard; then the command watches them or does the work in its own process."""

import math
import time
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q
from django.utils.text import slugify

from extraction import pipeline
from extraction.models import Record, RecordPart, Run, Site
from extraction.services.sites import sites
from extraction.views.core import run_words

LOOK_EVERY_S = 0.5

HINT_AFTER_S = 10.0
"""A worker takes a run at once. After this time there is probably no worker."""


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments --wait and --here."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--wait", action="store_true", help="follow the run until it ends")
    group.add_argument("--here", action="store_true", help="do the work in this process, without a worker")


def follow(command: BaseCommand, run: Run, *, wait: bool, here: bool) -> Run:
    """Do or watch a run, print a line whenever it changes, and return it.

    command: the command that prints.
    run: the run.
    wait: whether to watch the run until it ends.
    here: whether to do the work in this process.

    Raises CommandError if the run failed or was cancelled.
    """
    command.stdout.write(f"Run {run.pk}: {run.get_kind_display()}, site {run.site.name}")
    if here:
        pipeline.execute_run(run.pk)
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
            command.stderr.write(f"  no worker has started the run yet; start one with {settings.START_COMMAND}, or use --here")
            hint_at = math.inf
        time.sleep(LOOK_EVERY_S)
        run.refresh_from_db()
    if run.finished and run.state != Run.State.DONE:
        raise CommandError(f"{run.get_kind_display()} {run.get_state_display().lower()}: {run.error or run.message}")
    return run


def follow_renewal(command: BaseCommand, run: Run, *, wait: bool, here: bool) -> None:
    """Follow what an import or a crawl started: the check of the rules, the search for templates and the new records.

    Then say what is left out or outdated. Raises CommandError if one of these runs failed or was cancelled.
    """
    mine = Run.objects.filter(site=run.site, pk__gt=run.pk).order_by("pk")
    for wanted in (Q(kind=Run.Kind.CHECK), Q(kind=Run.Kind.CLUSTER, parameters__after=run.pk), Q(kind=Run.Kind.EXTRACT)):
        for each in mine.filter(wanted):
            follow(command, each, wait=wait, here=here)
    records = Record.objects.filter(cluster__site=run.site).given()
    outdated, gone = records.shown().outdated().count(), records.in_part(RecordPart.GONE).count()
    if outdated:
        command.stderr.write(f"  {outdated:,} records are outdated: no live rule has made them from the present content of their pages")
    if gone:
        command.stderr.write(f"  {gone:,} records are left out, because their pages are gone. export_records --of gone writes them")


def find_site(text: str, *, create: bool = False) -> Site:
    """Return the site with this slug or name. Upper and lower case only matter if several sites are named alike.

    create: whether to create the site if there is none.

    Raises CommandError if several sites match, or if there is none and it is not or cannot be created.
    """
    slug = slugify(text)[:140]
    site = Site.objects.filter(slug=text).first() or Site.objects.filter(name=text).first()
    if site:
        return site
    meant = {each.pk: each for each in [*sites.find_sites_named_alike(text), *Site.objects.filter(slug=slug)]}
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


def find_path(text: str) -> Path:
    """Return the path of an existing file or folder. Raises CommandError if there is none."""
    path = Path(text).expanduser()
    if not path.exists():
        raise CommandError(f"There is no file or folder {text}")
    return path


def _line(run: Run) -> str:
    total = f" of {run.total:,}" if run.total else ""
    figures = f"{run.done:,}{total} {run.unit}"
    if run.kind == Run.Kind.CRAWL and run.total and not run.finished:  # many addresses lead to no page or to one that is known
        figures = f"{run.done:,} {run.unit}, {run.total:,} addresses so far"
    text = f"  {run.get_state_display().lower()}: {figures} {run.message}".rstrip()
    if run.state == Run.State.DONE:
        problems = run.problems.count()
        text += f"; {run_words.write_sentence(run)}"
        text += f"; {problems:,} problem{'s' if problems > 1 else ''}, see the run's page" if problems else ""
        reason = run.read_summary().reason
        if run_words.name_outcome(run) != Run.State.DONE and reason:
            text += f"; most common reason: {reason}"
    return text
