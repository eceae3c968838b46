"""The command that runs the demo: it serves a site and takes it from its address to a CSV file, with Vertex's own services and workers."""

import itertools
import logging
import os
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.utils.text import Truncator, slugify

from extraction.algorithms.dom.nodes import Location, locate
from extraction.demo.bundled import Annotations, annotations
from extraction.demo.server import DemoServer
from extraction.management import processes
from extraction.management.vertex_command import VertexCommand
from extraction.models import Cluster, Label, Page, RecordType, Role, Run, Site, Source
from extraction.services.core import stored_pages
from extraction.services.core.people import save_person
from extraction.services.core.sign_ins import find_demo_password_file
from extraction.services.intake import crawl_site
from extraction.services.labels import labelling
from extraction.services.learning import learn_rule
from extraction.services.records import export_csv, extract_records
from extraction.services.rules import rules
from extraction.services.schema.record_types import AttributeDraft, create_record_type
from extraction.services.templates import clusters

SITE_NAME = "Inkhorn Lane"
USER_NAME = "demo"
LINES_SHOWN = 5
LINE_WIDTH = 150


class Command(VertexCommand):
    help = "Take the demo site from pages to a CSV file, then keep the dashboard running."

    def add_arguments(self, parser: CommandParser) -> None:
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--no-serve", action="store_true", help="stop after the CSV file")
        how.add_argument("--by-hand", action="store_true", help="only serve the shop and the dashboard: you do the steps")

    def handle(self, *, no_serve: bool, by_hand: bool = False, **_: Any) -> None:
        logging.getLogger("extraction").setLevel(logging.WARNING)  # the command prints the progress itself
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # otherwise the child processes would outlive the command
        folder = Path(settings.VAR_DIR) / "demo"
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "processes.log"
        try:
            port = processes.find_free_port(settings.PORT)
            names = ["worker", "beat"] if no_serve else ["web", "worker", "beat"]
            with (
                _serve_shop() as address,
                processes.started(names, port=port, log=log, environment=_allow_fetching(address)) as process,
            ):
                self.stdout.write(f"The shop: {address}/")
                if by_hand:
                    _save_demo_user()
                else:
                    self._run_steps(folder, address)
                if no_serve:
                    start, both = settings.START_COMMAND, "make demo" if settings.IS_CHECKOUT else "vertex demo"
                    self.stdout.write(f"`{start}` starts the dashboard; sign in as {USER_NAME} with the password {_read_password()}")
                    self.stdout.write(f"It does not serve the shop; `{both}` serves both.")
                else:
                    processes.wait_for_port(process, port)
                    self._serve(process, port, address, by_hand=by_hand)
        except processes.ProcessError as error:
            raise CommandError(f"{error}; their output is in {log}") from error
        except KeyboardInterrupt:
            self.stdout.write("\nStopped.")

    def _run_steps(self, folder: Path, address: str) -> None:
        user = _save_demo_user()
        site = _find_or_create_site(address)
        self._follow(crawl_site.start_crawl(site, user))
        for run in site.runs.unfinished().filter(kind=Run.Kind.CLUSTER):
            self._follow(run)
        for bundle in annotations(base_url=address):
            cluster = annotate(site, bundle, user)
            if not cluster.rules.serving().exists():
                self._follow(learn_rule.start_learning(cluster, user))
                rules.publish_rule(cluster.rules.latest("version"), user)
            self._follow(extract_records.start_extraction(cluster, user))
            self._write_csv(cluster, bundle, folder / f"{slugify(bundle.record_type)}s.csv")

    def _follow(self, run: Run) -> None:
        """Show the progress of a run until it ends. Raises CommandError if it failed."""
        started = time.monotonic()
        while not run.finished:
            self._print_progress(run, "")
            time.sleep(0.1)
            run.refresh_from_db()
        self._print_progress(run, f"{time.monotonic() - started:5.1f} s\n")
        if run.state != Run.State.DONE:
            raise CommandError(f"{run.get_kind_display()} failed: {run.error or run.message}")

    def _print_progress(self, run: Run, ending: str) -> None:
        if not ending and not self.stdout.isatty():
            return
        what = f"{run.get_kind_display()}{f' for {run.cluster}' if run.cluster else ''}"
        self.stdout.write(
            f"\r{what:36} {run.get_state_display().lower():8} {run.done:5}/{run.total or '?':<5} {run.unit:8} {ending}", ending=""
        )
        self.stdout.flush()

    def _write_csv(self, cluster: Cluster, bundle: Annotations, path: Path) -> None:
        lines = 0
        with path.open("w", encoding="utf-8", newline="") as file:
            for line in export_csv.write_rows(cluster):
                file.write(line)
                lines += 1
        self.stdout.write(f"\n{lines - 1} records of {bundle.record_type} in {path}:")
        with path.open(encoding="utf-8") as file:
            for line in itertools.islice(file, LINES_SHOWN):
                self.stdout.write(f"  {Truncator(line.rstrip()).chars(LINE_WIDTH)}")
        self.stdout.write("")

    def _serve(self, process: Any, port: int, address: str, *, by_hand: bool) -> None:
        self.stdout.write(f"The dashboard: http://127.0.0.1:{port}/")
        self.stdout.write(f"Sign in as {USER_NAME} with the password {_read_password()}")
        if by_hand:
            self.stdout.write("The home page shows the first steps.")
        self.stdout.write("To see a rule break, switch the shop to its other design, then choose Monitoring and press Check now:")
        self.stdout.write(f"  curl -X POST '{address}/-/switch?design=2'    # design=1 restores the old design, day=3 changes the prices")
        self.stdout.write("Press Ctrl-C to stop.")
        self.stdout.flush()
        process.wait()
        raise processes.ProcessError(f"the dashboard ended with exit code {process.returncode}")


@contextmanager
def _serve_shop() -> Iterator[str]:
    """Serve the shop on this machine while the block runs. Gives its address, which is the same in every demo. Raises ProcessError."""
    known = Site.objects.filter(slug=slugify(SITE_NAME)).values_list("address", flat=True).first()
    port = urlsplit(known or "").port
    if port:
        # The stored pages have addresses with this port, so another port would be another site.
        advice = (
            "the shop was served there, and its pages are known by that address: stop what listens there, or delete the site "
            f"{SITE_NAME} in the dashboard to serve the shop on another port"
        )
        port = processes.find_free_port(port, tries=1, advice=advice)
    else:
        advice = f"the shop needs one of them: stop what listens on {settings.DEMO_PORT}, or set VERTEX_DEMO_PORT to a free port"
        port = processes.find_free_port(settings.DEMO_PORT, advice=advice)
    with DemoServer(port=port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()


def _allow_fetching(address: str) -> dict[str, str]:
    """Return environment variables that let the workers fetch from the shop, although it is on this machine, and name it."""
    hosts = [*settings.VERTEX_CRAWL_PRIVATE_HOSTS, urlsplit(address).netloc]
    return {**os.environ, "VERTEX_CRAWL_PRIVATE_HOSTS": ",".join(hosts), "VERTEX_DEMO_SITE": f"{address}/"}


def _find_or_create_site(address: str) -> Site:
    """Return the demo's site. All of its pages are fetched without delays, because the shop has no other visitors."""
    site, _ = Site.objects.get_or_create(slug=slugify(SITE_NAME), defaults={"name": SITE_NAME})
    if not site.address or not urlsplit(site.address).port:
        Site.objects.filter(pk=site.pk).update(address=f"{address}/")
    Source.objects.get_or_create(site=site, defaults={"addresses": [f"{address}/"], "whole": True, "delay_s": 0.0, "concurrency": 8})
    return site


def _read_password() -> str:
    """Return the demo's password. It is kept in a file that only its owner can read, so that it is the same in every demo."""
    kept = find_demo_password_file()
    if not kept.exists():
        kept.touch(mode=0o600)
        kept.write_text(secrets.token_urlsafe(12))
    return kept.read_text()


def _save_demo_user() -> User:
    user = User.objects.filter(username=USER_NAME).first() or User(username=USER_NAME)
    return save_person(user, password=_read_password(), role=Role.ADMIN)


def annotate(site: Site, bundle: Annotations, user: User) -> Cluster:
    """Save the bundled annotations as if a person had made them, and return their template."""
    pages = {page.url: page for page in Page.objects.filter(site=site, url__in=bundle.pages).select_related("current__cluster")}
    cluster = _find_cluster(bundle, pages)
    record_type = _find_or_create_record_type(bundle)
    if cluster.record_type_id != record_type.pk:
        clusters.set_record_type(cluster, record_type)
    schema = {attribute.name: attribute for attribute in record_type.attributes.all()}
    for url, marks in bundle.pages.items():
        snapshot = pages[url].current
        if snapshot is None or Label.objects.filter(cluster=cluster, snapshot=snapshot).exists():
            continue
        nodes = stored_pages.read_elements(snapshot)
        index = {element: number for number, element in enumerate(nodes)}
        for name, found in marks.items():
            places = [_locate_mark(nodes[0], mark.xpath, index) for mark in found]
            labelling.set_labels(cluster, snapshot, schema[name], places or None, user, nodes=nodes)
    return cluster


def _find_cluster(bundle: Annotations, pages: dict[str, Page]) -> Cluster:
    """Return the template of the annotated pages. If they are in several templates, these are merged, as a person would do."""
    found = {page.current.cluster for page in pages.values() if page.current and page.current.cluster}
    if not found:
        raise CommandError(f"no template was found for the pages of {bundle.record_type}")
    cluster, *others = sorted(found, key=lambda each: each.number)
    if others:
        clusters.merge_templates(cluster, others)
    if not cluster.name:
        clusters.rename_template(cluster, bundle.record_type)
    return cluster


def _find_or_create_record_type(bundle: Annotations) -> RecordType:
    known = RecordType.objects.filter(slug=slugify(bundle.record_type)).first()
    drafts = [
        AttributeDraft(None, each.name, each.type, each.multiple, each.mandatory, hotkey=str(position + 1) if position < 9 else "")
        for position, each in enumerate(bundle.attributes)
    ]
    return known or create_record_type(bundle.record_type, "", drafts)


def _locate_mark(root: Any, xpath: str, index: dict[Any, int]) -> Location:
    selected = root.getroottree().xpath(xpath)
    place = locate(selected[0], index) if len(selected) == 1 else None
    if place is None:
        raise CommandError(f"the demo's annotation {xpath} selects {len(selected)} places, not one")
    return place
