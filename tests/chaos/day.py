"""The scripted day: people and programs bring pages, mark values, extract records and take them, through the API and by commands."""

import contextlib
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.chaos.faults import Faults
from tests.chaos.installation import Installation
from tests.chaos.receiver import Receiver
from tests.demo.zipped import write_zip
from vertex.client import Vertex, VertexError

T = TypeVar("T")

QUIET_S = 240.0
"""How long the runs may take to come to their end after the last fault. A run that takes longer counts as stuck."""

GIVE_UP_S = 120.0
"""How long a person tries again what does not work."""

SIDE_RUNS = ("preview",)
"""Runs that the next step of the day does not wait for."""

SITE, LIVE = "shop", "live"

SET_UP = """
from django.contrib.auth.models import User
from extraction.models import *
from extraction.services.core.people import give_role
from extraction.services.core import api_tokens
user = User.objects.create(username="chaos", password="!")
give_role(user, Role.OPERATOR)
print(api_tokens.create_token(user, "chaos", list(ApiScope), expires_at=None))
"""

FAILED = """
from extraction.models import Run
from extraction.services.core import runs
failed = list(Run.objects.filter(state="failed").exclude(kind__in=["preview", "assets"]))
given_up = [run for run in failed if run.attempts >= runs.MAX_ATTEMPTS]
resumed = sum(runs.resume_run(run) is runs.Resumption.RESUMED for run in given_up)
print(resumed, *[f"{run}: {run.error}" for run in failed if run not in given_up], sep="\t")
"""
"""Resumes the runs that were given up after they had been tried five times, as a person does. Prints how many, and the other failures."""

TARGET = """
from extraction.models import *
from extraction.models.delivery import Selection, TargetContent, TargetPlace
from extraction.services.deliveries.secrets import seal_secrets
DeliveryTarget.objects.create(
    name="Receiver",
    record_type=RecordType.objects.get(),
    kind="webhook",
    mode="runs",
    place=TargetPlace(host="127.0.0.1").as_json(),
    content=TargetContent(selection=Selection.CHANGES).as_json(),
    secret=seal_secrets({"url": ADDRESS, "key": "a signing key of some length"}),
)
print()
"""
"""Lets every change of the records go to the receiver."""

DELIVER = """
from django.utils import timezone
from extraction.models import *
from extraction.services.deliveries import outbox
for each in Delivery.objects.filter(state__in=("queued", "failed")):
    outbox.retry_delivery(each, timezone.now())
outbox.queue_by_hand(DeliveryTarget.objects.get(), None)
print()
"""
"""Does what a person does who wants the records now: try again what waits or has failed, and press *Deliver now*."""


@dataclass
class Day:
    """A day on an installation.

    faults: None on a calm day.
    resumed: how many runs were given up and resumed by hand.
    failures: runs that failed for a reason of their own, which no fault explains.
    stuck: whether a run did not come to its end.
    """

    place: Installation
    folder: Path
    token: str
    faults: Faults | None = None
    resumed: int = 0
    failures: list[str] = field(default_factory=list)
    stuck: bool = False

    def run(self, rounds: int | None = None) -> int:
        """Live through so many rounds, or through as many as the faults last. Return how many."""
        self.place.keep()
        if not self.place.answers_soon():
            raise RuntimeError("the dashboard did not start")
        done = 0
        while not self.stuck and (done < rounds if rounds is not None else not done or self._tick()):
            done += 1
            self._do_round(done)
        if self.faults:
            self.faults.end()
        for _ in range(3):
            self._wait(but=())
            if not self._resume_failed():
                break
        self._do(lambda vertex: vertex.start_crawl(LIVE, "renew"))
        self._wait()
        self._do(lambda vertex: vertex.extract(SITE))
        self._wait(but=())
        self.place.run_script(DELIVER)
        self.stuck |= not self.place.wait_until_delivered(limit_s=QUIET_S)
        return done

    def _do_round(self, number: int) -> None:
        self._do(lambda vertex: vertex.upload_archive(SITE, make_archive(self.folder, number)))
        self._wait()
        self._do(lambda vertex: vertex.start_crawl(LIVE, "renew"))
        self._do(lambda vertex: self._mark(vertex, number))
        self._manage("extract", "Shop")
        self._wait()

    def _mark(self, vertex: Vertex, number: int) -> None:
        """Mark the title of a page of the template, as the page shows it, as an editor's program does."""
        template = next(each for each in vertex.list_templates(SITE) if each.record_type)
        records = sorted(vertex.list_records(SITE, template.number), key=lambda record: record.url)
        record = records[number % len(records)]
        vertex.mark(SITE, template.number, record.page, "title", [{"text": str(record.value("title")), "occurrence": 1}])

    def _wait(self, *, but: tuple[str, ...] = SIDE_RUNS) -> None:
        self.stuck |= not self.place.wait_until_quiet(self._tick, limit_s=QUIET_S, but=but)

    def _tick(self) -> bool:
        return self.faults.tick() if self.faults else False

    def _do(self, ask: Callable[[Vertex], T]) -> T:
        """Ask for something through the API, again and again if that does not work, as a person does."""
        end = time.monotonic() + GIVE_UP_S
        while True:
            self.place.keep()
            self._tick()
            try:
                with contextlib.closing(Vertex(f"http://127.0.0.1:{self.place.port}", self.token, timeout_s=20, retries=0)) as vertex:
                    return ask(vertex)
            except VertexError as error:
                if time.monotonic() > end or (400 <= error.status < 500 and error.status not in (409, 429)):
                    raise
            time.sleep(0.5)

    def _manage(self, *arguments: str) -> str:
        end = time.monotonic() + GIVE_UP_S
        while True:
            try:
                return self.place.manage(*arguments)
            except subprocess.CalledProcessError as error:
                if time.monotonic() > end:
                    raise RuntimeError(f"{arguments} failed: {error.stderr[-800:]}") from error
            self.place.keep()
            self._tick()
            time.sleep(0.5)

    def _resume_failed(self) -> int:
        resumed, *self.failures = self.place.run_script(FAILED).split("\t")
        self.resumed += int(resumed)
        return int(resumed)


def prepare(place: Installation, folder: Path, shop: str, receiver: Receiver) -> str:
    """Import the shop, find its templates, publish a rule, extract, and crawl the live shop. Return a token for the API."""
    token = place.run_script(SET_UP)
    for words in (("import_pages", "Shop", str(make_archive(folder, 0))), ("cluster_site", "Shop")):
        place.manage(*words, "--here")
    place.run_module("tests.e2e.live_rule")
    place.manage("extract", "Shop", "--here")
    place.manage("crawl_site", "Live", f"{shop}/", "--whole", "--delay", "0", "--here")
    place.run_script(TARGET.replace("ADDRESS", repr(receiver.url)))
    return token


def make_archive(folder: Path, day: int) -> Path:
    """Return the archive with the shop's pages of a day."""
    path = folder / f"shop-{day}.zip"
    if not path.exists():
        write_zip(path, day=day)
    return path
