"""The program that takes the records of the day: it gets the changes of a webhook, and believes each batch once."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver(ThreadingHTTPServer):
    """A web server for the batches of a webhook.

    away: it answers 503.
    silent: it takes batches, but the answer is lost.
    doubled: changes that told what it knew already, and batches that came again with other bytes.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.away = self.silent = False
        self._lock = threading.Lock()
        self.forget()

    @property
    def url(self) -> str:
        """Where batches are sent."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def forget(self) -> None:
        """Begin again without records."""
        self._batches: dict[str, bytes] = {}
        self._held: dict[int, tuple[str, dict[str, Any] | None]] = {}
        self.doubled = 0

    def take(self, name: str, body: bytes) -> None:
        """Believe a batch, if it is a new one."""
        with self._lock:
            if name in self._batches:
                self.doubled += self._batches[name] != body
                return
            self._batches[name] = body
            for change in json.loads(body)["changes"]:
                known, _ = self._held.get(change["record_id"], ("", None))
                self.doubled += known == change["id"]
                present = change["kind"] in ("added", "changed", "back")
                self._held[change["record_id"]] = (change["id"], change["record"] if present else None)

    def list_records(self) -> list[str]:
        """Return the records that are present, as far as it knows, without their numbers."""
        present = ({**record, "record_id": None} for _, record in self._held.values() if record is not None)
        return sorted(json.dumps(record, sort_keys=True) for record in present)


class _Answer(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.away:
            self.send_error(503)
            return
        self.server.take(self.headers["webhook-id"], body)
        if self.server.silent:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing: the figures are printed in the end."""
