"""The API in this process, without a server: for commands on the machine that has the database."""

import io
import os
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import urllib3

from vertex.client import ROOT, Vertex, VertexError
from vertex.client_rows import Run
from vertex.client_upload import Upload

TOKEN_HOURS = 24

TRIES = 5


def set_up() -> None:
    """Load Django. Raises VertexError if the settings or the database cannot be used."""
    import logging

    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")
    try:
        django.setup()
        for name in ("extraction", "django.request"):
            logging.getLogger(name).setLevel(logging.ERROR)  # the command prints progress and errors itself
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (ImproperlyConfigured, DatabaseError, OSError) as error:
        raise VertexError(0, f"The database cannot be used: {error}. “vertex doctor” says more.") from error
    if missing:
        raise VertexError(0, "The database is not up to date. Run “vertex manage migrate” first.")


class LocalVertex(Vertex):
    """The client with the API in this process. Runs are done by a worker or, with `here`, in this process."""

    def __init__(self, *, here: bool) -> None:
        from django.core.handlers.wsgi import WSGIHandler

        self._token = _make_token()
        super().__init__("this machine", self._token)
        self.here = here
        self._handler = WSGIHandler()

    def close(self) -> None:
        """Delete the token of this command."""
        from extraction.services.core import api_tokens

        if row := api_tokens.find_token(self._token):
            row.delete()
        super().close()

    def get_run(self, run_id: int) -> Run:
        """Return a run. With `here`, do its work first if no worker has it."""
        if self.here:
            from extraction import pipeline
            from extraction.services.core import audit

            with audit.acting_as(audit.name_command):
                pipeline.execute_run(run_id)
        return super().get_run(run_id)

    def _send(self, method: str, path: str, query: Mapping[str, Any] | None, **options: Any) -> urllib3.BaseHTTPResponse:
        for attempt in range(TRIES):
            answer = self._ask(method, path, query, options)
            wait_s = answer.headers.get("Retry-After", "")
            if answer.status not in (409, 429) or not wait_s.isdecimal() or attempt == TRIES - 1:
                return answer
            time.sleep(int(wait_s))
        raise AssertionError("the last attempt returns")

    def _ask(self, method: str, path: str, query: Mapping[str, Any] | None, options: Mapping[str, Any]) -> urllib3.BaseHTTPResponse:
        from django.conf import settings
        from django.test import RequestFactory

        from extraction.services.core import audit

        chosen = {name: value for name, value in (query or {}).items() if value not in (None, "")}
        body = options.get("body") or b""
        headers = dict(options["headers"])
        host = next((each.lstrip(".") for each in settings.ALLOWED_HOSTS if each not in ("*", "")), "localhost")
        environ = (
            RequestFactory(headers=headers)
            .generic(
                method,
                ROOT + path,
                secure=True,
                content_type=headers.get("Content-Type", "application/octet-stream"),
                QUERY_STRING=urlencode(chosen, doseq=True),
                SERVER_NAME=host,
            )
            .environ
        )
        if isinstance(body, Upload):
            environ |= {"wsgi.input": io.BufferedReader(body), "CONTENT_LENGTH": str(body.size_bytes)}
        else:
            environ |= {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        said: dict[str, Any] = {}

        def start(status: str, found: list[tuple[str, str]], *_: Any) -> Any:
            said.update(status=int(status.split()[0]), headers=found)

        with audit.acting_as(audit.name_command):
            answer = self._handler(environ, start)
            content = b"".join(answer)
        close = getattr(answer, "close", None)
        if close is not None:
            close()
        return urllib3.HTTPResponse(
            io.BytesIO(content), headers=dict(said["headers"]), status=said["status"], preload_content=options.get("preload_content", True)
        )


def _make_token() -> str:
    from django.utils import timezone

    from extraction.models import ApiScope
    from extraction.services.core import api_tokens, people

    try:
        user = people.find_command_account()
    except people.PersonError as error:
        raise VertexError(0, str(error)) from error
    return api_tokens.create_token(user, "vertex", list(ApiScope), expires_at=timezone.now() + timedelta(hours=TOKEN_HOURS), recorded=False)
