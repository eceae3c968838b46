"""The database, the broker and the object storage of an installation on servers, and what can happen to them."""

import contextlib
import logging
import random
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import boto3
import psycopg
import redis
from botocore.config import Config
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

from tests import servers
from tests.chaos.local import LOCKED_S, Later

REDIS_DATABASE = 14
"""The number of the database of Redis that is used and emptied."""

KEY = "chaos"
TABLES = ("extraction_run", "extraction_page", "extraction_record")


class ObjectStorage:
    """S3 as moto imitates it, on a port of its own. failing: it answers every request with 503."""

    def __init__(self) -> None:
        self.failing = False
        app = DomainDispatcherApplication(create_backend_app)

        def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            if not self.failing:
                found: Iterable[bytes] = app(environ, start_response)
                return found
            start_response("503 Slow Down", [("Content-Length", "0")])
            return []

        self._server = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=MotoRequestHandler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        logging.getLogger("werkzeug").setLevel(logging.ERROR)  # otherwise each request is a line
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        options = Config(retries={"max_attempts": 2})
        self.client = boto3.client(
            "s3", endpoint_url=self.url, aws_access_key_id=KEY, aws_secret_access_key=KEY, region_name="us-east-1", config=options
        )

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()


class Served:
    """A database of PostgreSQL, a database of Redis, and a bucket.

    name: of the database and the bucket.
    """

    def __init__(self, name: str, storage: ObjectStorage) -> None:
        self._name, self._storage = name, storage
        self._copies: list[Served] = []

    def create(self) -> None:
        """Make an empty database, queue and bucket. The tables are made by `manage.py migrate`."""
        self._make(f"create database {self._name}")

    def copy(self, folder: Path) -> "Served":
        """Return a copy with its own database, queue and bucket, named like the folder. Nobody may be connected to this one."""
        other = Served(f"{self._name}_{folder.name}", self._storage)
        self._copies.append(other)
        self._end_connections()
        other._make(f"create database {other._name} template {self._name}")
        for page in self._storage.client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket):
            for each in page.get("Contents", []):
                source = {"Bucket": self._bucket, "Key": each["Key"]}
                self._storage.client.copy_object(Bucket=other._bucket, Key=each["Key"], CopySource=source)
        return other

    def drop_all(self) -> None:
        """Delete the database, the queue, and those of the copies."""
        for each in (*self._copies, self):
            each._drop()

    def _drop(self) -> None:
        with _connect() as database:
            database.execute(f"drop database if exists {self._name} with (force)".encode())
        self._redis.flushdb()

    def environment(self) -> dict[str, str]:
        """Return the variables that name them."""
        return {
            "VERTEX_DATABASE_URL": self._url,
            "VERTEX_BROKER_URL": _replace_path(servers.REDIS, str(REDIS_DATABASE)),
            "VERTEX_STORAGE_BUCKET": self._bucket,
            "VERTEX_STORAGE_ENDPOINT_URL": self._storage.url,
            "VERTEX_STORAGE_ACCESS_KEY": KEY,
            "VERTEX_STORAGE_SECRET_KEY": KEY,
            "VERTEX_STORAGE_REGION": "us-east-1",
        }

    def query(self, text: str) -> list[tuple[object, ...]]:
        """Return rows of the database, or raise OSError while it is away."""
        try:
            with psycopg.connect(self._url) as database:
                return database.execute(text.encode()).fetchall()
        except psycopg.OperationalError as error:
            raise OSError(str(error)) from error

    def make_faults(self, source: random.Random, later: Later, seconds: float) -> dict[str, Callable[[], bool]]:
        """Return {name: what injects it and returns whether it did}."""
        return {
            "database restarted": self._end_connections,
            "database away": lambda: self._refuse_connections(later),
            "table locked": lambda: self._lock_table(source.choice(TABLES), source.uniform(*LOCKED_S), later),
            "broker restarted": self._end_broker_connections,
            "broker emptied": self._empty_broker,
            "storage fails": lambda: self._break_storage(later),
        }

    @property
    def _bucket(self) -> str:
        return self._name.replace("_", "-")

    @property
    def _url(self) -> str:
        return _replace_path(servers.POSTGRESQL, self._name)

    @property
    def _redis(self) -> "redis.Redis":
        return redis.Redis.from_url(_replace_path(servers.REDIS, str(REDIS_DATABASE)))

    def _make(self, statement: str) -> None:
        self._drop()
        with _connect() as database:
            database.execute(statement.encode())
        self._storage.client.create_bucket(Bucket=self._bucket)

    def _end_connections(self) -> bool:
        with _connect() as database:
            statement = "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s"
            return bool(database.execute(statement, (self._name,)).fetchall())

    def _refuse_connections(self, later: Later) -> bool:
        """Let nobody connect for a while, as a server does that starts or stops."""
        self._allow(False)
        later(lambda: self._allow(True))
        return self._end_connections()

    def _allow(self, allowed: bool) -> None:
        with _connect() as database:
            database.execute(f"alter database {self._name} with allow_connections {str(allowed).lower()}".encode())

    def _lock_table(self, table: str, seconds: float, later: Later) -> bool:
        def hold() -> None:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self._url) as database:
                database.execute(f"lock table {table} in access exclusive mode".encode())
                time.sleep(seconds)

        later(hold, 0)
        return True

    def _end_broker_connections(self) -> bool:
        ended = [each["id"] for each in self._redis.client_list() if each["db"] == str(REDIS_DATABASE)]
        for number in ended:
            with contextlib.suppress(redis.ResponseError):
                self._redis.client_kill_filter(_id=number)
        return bool(ended)

    def _empty_broker(self) -> bool:
        found = bool(self._redis.dbsize())
        self._redis.flushdb()
        return found

    def _break_storage(self, later: Later) -> bool:
        self._storage.failing = True
        later(self._mend_storage)
        return True

    def _mend_storage(self) -> None:
        self._storage.failing = False


def _connect() -> "psycopg.Connection[tuple[Any, ...]]":
    return psycopg.connect(servers.POSTGRESQL, autocommit=True)


def _replace_path(url: str, path: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{path}"))
