"""Receivers of deliveries on this machine: a web server, an SFTP server, and S3 as moto imitates it."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import paramiko

from extraction.models import DeliveryTarget, RecordType
from extraction.models.delivery import TargetContent, TargetPlace
from extraction.services.deliveries.secrets import seal_secrets
from extraction.services.deliveries.senders.sftp import name_fingerprint

KEY = "a signing key of some length"


@dataclass
class Hook:
    """A web server that receives a webhook.

    answers: statuses of the next requests; then 200. A status of 0 takes the request and breaks off without an answer.
    requests: (headers in lower case, body) of all requests.
    accepted: of those that were answered with 200, or taken.
    """

    url: str = ""
    answers: list[int] = field(default_factory=list)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    accepted: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def changes(self) -> list[dict[str, Any]]:
        """The changes that the receiver believes, each batch once by its id."""
        batches = {headers["webhook-id"]: body for headers, body in self.accepted}
        return [change for body in batches.values() for change in json.loads(body)["changes"]]


@contextmanager
def web_server() -> Iterator[Hook]:
    hook = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got = ({name.lower(): value for name, value in self.headers.items()}, self.rfile.read(int(self.headers["Content-Length"])))
            hook.requests.append(got)
            status = hook.answers.pop(0) if hook.answers else 200
            if status in (0, 200):
                hook.accepted.append(got)
            if status == 0:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            said = b"wait for sesame, please" if status >= 400 else b""
            self.send_response(status)
            if status == 301:
                self.send_header("Location", "http://127.0.0.1:1/")
            if status == 429:
                self.send_header("Retry-After", "7200")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    hook.url = f"http://127.0.0.1:{server.server_port}/hooks/sesame?token=opensesame"
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()


class _Files(paramiko.SFTPServerInterface):  # type: ignore[misc]
    """The files of a folder. log: what was done to them."""

    def __init__(self, server: Any, root: Path, log: list[str]) -> None:
        super().__init__(server)
        self.root, self.log = root, log

    def _path(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def stat(self, path: str) -> Any:
        try:
            return paramiko.SFTPAttributes.from_stat(self._path(path).stat())
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    lstat = stat

    def open(self, path: str, flags: int, attr: Any) -> Any:
        self.log.append(f"write {path}")
        handle = paramiko.SFTPHandle(flags)
        handle.writefile = handle.readfile = os.fdopen(os.open(self._path(path), flags, 0o644), "wb")
        handle.stat = lambda: self.stat(path)
        return handle

    def mkdir(self, path: str, attr: Any) -> int:
        self._path(path).mkdir()
        return int(paramiko.SFTP_OK)

    def remove(self, path: str) -> int:
        if not self._path(path).exists():
            return int(paramiko.SFTP_NO_SUCH_FILE)
        self._path(path).unlink()
        return int(paramiko.SFTP_OK)

    def rename(self, oldpath: str, newpath: str) -> int:
        if self._path(newpath).exists():
            return int(paramiko.SFTP_FAILURE)
        self._path(oldpath).rename(self._path(newpath))
        return int(paramiko.SFTP_OK)

    def posix_rename(self, oldpath: str, newpath: str) -> int:
        self.log.append(f"rename {oldpath} {newpath}")
        self._path(oldpath).replace(self._path(newpath))
        return int(paramiko.SFTP_OK)


class _Door(paramiko.ServerInterface):  # type: ignore[misc]
    def __init__(self, key: paramiko.PKey | None) -> None:
        self.key = key

    def get_allowed_auths(self, username: str) -> str:
        return "password,publickey"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return int(paramiko.AUTH_SUCCESSFUL if username == "ada" and key == self.key else paramiko.AUTH_FAILED)

    def check_auth_password(self, username: str, password: str) -> int:
        return int(paramiko.AUTH_SUCCESSFUL if (username, password) == ("ada", "opensesame") else paramiko.AUTH_FAILED)

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return int(paramiko.OPEN_SUCCEEDED)


@contextmanager
def sftp_server(root: Path, log: list[str], private_key: paramiko.PKey | None = None) -> Iterator[tuple[int, str]]:
    """Gives the port and the fingerprint of the server's key. The user is ada, the password opensesame.

    private_key: opens the server, too.
    """
    key = paramiko.ECDSAKey.generate()
    listening = socket.create_server(("127.0.0.1", 0))
    opened: list[paramiko.Transport] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            transport.add_server_key(key)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _Files, root, log)
            opened.append(transport)
            transport.start_server(server=_Door(private_key), event=threading.Event())

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listening.getsockname()[1], name_fingerprint(key)
    finally:
        listening.close()
        for each in opened:
            each.close()


def make_target(kind: RecordType, of: str, *, secrets: dict[str, str] | None = None, **values: Any) -> DeliveryTarget:
    """A target. Fields of `TargetPlace` and `TargetContent` may be given by name."""
    place = {name: values.pop(name) for name in list(values) if name in TargetPlace.__dataclass_fields__}
    content = {name: values.pop(name) for name in list(values) if name in TargetContent.__dataclass_fields__}
    made = {"name": f"To {of}", "record_type": kind, "kind": of, "secret": seal_secrets(secrets or {}), **values}
    return DeliveryTarget.objects.create(place=TargetPlace(**place).as_json(), content=TargetContent(**content).as_json(), **made)


def make_hook_target(kind: RecordType, hook: Hook, **values: Any) -> DeliveryTarget:
    return make_target(kind, "webhook", secrets={"url": hook.url, "key": KEY}, host="127.0.0.1", **values)
