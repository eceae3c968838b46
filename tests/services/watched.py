"""A watched template whose rule breaks on demand, and a webhook that records what it receives."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from extraction.models import Check, Cluster
from extraction.services.monitoring import breakages
from extraction.services.rules import rules
from tests.services import factory
from tests.views import world


def cluster(count: int = 4) -> Cluster:
    """A shop with a live rule and no record yet."""
    found = factory.shop(count)
    rules.publish_rule(world.draft(found))
    return found


def check(cluster: Cluster, at: datetime, *broken: str, confirmed: bool = True) -> Check:
    """Write what a check writes that found these attributes broken; without attributes, one that found everything in order."""
    rule = cluster.rules.serving().get()
    made = Check.objects.create(
        cluster=cluster,
        rule=rule,
        checked_at=at,
        verdict="null" if broken else "ok",
        confirmed=confirmed,
        asked=4,
        reached=4,
        attributes={name: {"kind": "null" if name in broken else "ok", "pages": 4, "fraction": 0.75} for name in ("title", "price")},
        evidence=[{"attribute": name, "url": "https://shop.example/book/2", "kind": "null"} for name in broken],
    )
    breakages.follow_check(made)
    return made


class Webhook:
    """A webhook: the JSON it received, and `status`, which it answers."""

    def __init__(self, port: int) -> None:
        self.url = f"json://user:hunter2secret@127.0.0.1:{port}/T0ken/path"
        self.status, self.came = 200, list[dict[str, Any]]()


@contextmanager
def webhook() -> Iterator[Webhook]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if found.status == 200:
                found.came.append(json.loads(body))
            self.send_response(found.status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Webhook(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
