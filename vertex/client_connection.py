"""Requests to the API, their answers and errors: what all parts of the client share."""

import contextlib
import json
import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode

import urllib3
from urllib3.util import Retry

from vertex.client_rows import Run, read_row
from vertex.client_upload import Upload

T = TypeVar("T")

ROOT = "/api/v1"

RETRIES = 4
"""How often a request is sent again after a broken connection, an overloaded server or a limit."""

PIECE_BYTES = 256 * 1024


class VertexError(Exception):
    """The server refused a request, or could not be reached.

    status: of the answer; 0 if there was none.
    detail: what happened and what to do.
    errors: (part of the request, what is wrong with it).
    """

    def __init__(self, status: int, detail: str, errors: Sequence[tuple[str, str]] = ()) -> None:
        self.status, self.detail, self.errors = status, detail, tuple(errors)
        super().__init__(" ".join([detail, *(f"{field}: {message}." for field, message in self.errors if message not in detail)]))


class RunFailed(VertexError):  # noqa: N818 - it is told apart from a request that was refused
    """A run that was waited for failed or was cancelled."""

    def __init__(self, run: Run) -> None:
        super().__init__(0, f"Run {run.id} ({run.kind}) {run.state}: {run.error or run.message or 'no reason was given'}")
        self.run = run


class _Retry(Retry):
    # 409 with Retry-After: the first request with this idempotency key is still being handled.
    RETRY_AFTER_STATUS_CODES = frozenset({409, 429, 503})


class Connection:
    """A server and a token.

    url: of the dashboard, such as https://vertex.example.org.
    timeout_s: how long each answer may take.
    """

    def __init__(self, url: str, token: str, *, timeout_s: float = 120.0, retries: int = RETRIES) -> None:
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json", "User-Agent": "vertex-client/1"}
        again = _Retry(
            total=retries,
            backoff_factor=0.5,
            status_forcelist=(502, 503, 504),
            allowed_methods=None,
            raise_on_status=False,
            redirect=False,
        )
        self._pool = urllib3.PoolManager(timeout=urllib3.Timeout(connect=10.0, read=timeout_s), retries=again)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()

    # Requests

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None, upload: Upload | None = None
    ) -> Any:
        """Send a request and return the JSON of its answer, None if it has none. path: below /api/v1. Raises VertexError."""
        headers = dict(self._headers)
        data: Any = None
        if method == "POST":
            headers["Idempotency-Key"] = uuid.uuid4().hex
        if upload is not None:
            data = upload
            headers |= {"Content-Type": upload.content_type, "Content-Length": str(upload.size_bytes)}
        elif body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        answer = self._send(method, path, query, body=data, headers=headers)
        if answer.status >= 400 or answer.status in range(300, 304):
            raise _read_problem(answer.status, answer.data)
        return json.loads(answer.data) if answer.data else None

    def download(self, path: str, target: Path, *, query: Mapping[str, Any] | None = None) -> int:
        """Write a file of the API to a path, which takes its name when it is complete. Return its size in bytes. Raises VertexError."""
        answer = self._send("GET", path, query, headers=self._headers, preload_content=False)
        try:
            if answer.status != 200:
                raise _read_problem(answer.status, answer.read())
            handle, aside = tempfile.mkstemp(dir=target.parent, prefix=".vertex-")
            try:
                with os.fdopen(handle, "wb") as file:
                    for piece in answer.stream(PIECE_BYTES):
                        file.write(piece)
                    size_bytes = file.tell()
                Path(aside).replace(target)
            except BaseException:
                Path(aside).unlink(missing_ok=True)
                raise
        except urllib3.exceptions.HTTPError as error:
            raise VertexError(0, f"The download from {self.url} broke off: {error}") from error
        finally:
            answer.release_conn()
        return size_bytes

    def list_all(self, path: str, kind: type[T], query: Mapping[str, Any] | None = None) -> Iterator[T]:
        """Yield all rows of a list, page by page. Raises VertexError."""
        after: str | None = ""
        while after is not None:
            found = self.request("GET", path, query={**(query or {}), "after": after})
            for row in found["items"]:
                yield read_row(kind, row)
            after = found["next"]

    def _send(self, method: str, path: str, query: Mapping[str, Any] | None, **options: Any) -> urllib3.BaseHTTPResponse:
        chosen = {name: value for name, value in (query or {}).items() if value not in (None, "")}
        address = f"{self.url}{ROOT}{path}" + (f"?{urlencode(chosen, doseq=True)}" if chosen else "")
        try:
            return self._pool.request(method, address, redirect=False, **options)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise VertexError(0, f"{self.url} cannot be reached: {error}") from error


def join_path(*parts: str | int) -> str:
    """Return a path. Parts come from people, so everything that is special in an address is escaped."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def _read_problem(status: int, content: bytes) -> VertexError:
    with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
        said = json.loads(content)
        errors = [(str(each["field"]), str(each["message"])) for each in said.get("errors", ())]
        return VertexError(status, str(said["detail"]), errors)
    return VertexError(status, f"The server answered with status {status} and no reason. Is this the address of a Vertex dashboard?")
