"""The product on PostgreSQL, with Redis or RabbitMQ for messages: from an archive to records, done by a real worker."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests import servers
from tests.demo.zipped import write_zip
from tests.e2e.conftest import ROOT, environment

pytestmark = pytest.mark.e2e

STATE = "from extraction.models import *; print(Page.objects.count(), Record.objects.filter(state='complete').count())"


@dataclass(frozen=True)
class Product:
    """An installation with its own database and broker."""

    variables: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """What `manage.py` prints; fails the test when the command fails."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextlib.contextmanager
    def worker(self) -> Iterator[None]:
        """A worker that runs meanwhile."""
        command = [sys.executable, "manage.py", "worker", "--processes", "1"]
        with subprocess.Popen(
            command, cwd=ROOT, env=self.variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            try:
                yield
            finally:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(params=["redis", "rabbitmq"])
def product(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Product]:
    broker = {"redis": servers.REDIS, "rabbitmq": servers.RABBITMQ}[request.param]
    for url in (servers.POSTGRESQL, broker):
        if not servers.answers(url):
            pytest.skip(f"no server answers at {servers.shown(url)}")
    name = f"vertex_e2e_{os.getpid()}"
    with psycopg.connect(servers.POSTGRESQL, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
        try:
            parts = urlsplit(servers.POSTGRESQL)
            (tmp_path / "var").mkdir()
            own = {"VERTEX_DATABASE_URL": parts._replace(path=f"/{name}").geturl(), "VERTEX_BROKER_URL": broker}
            made = Product(environment(tmp_path / "var") | own)
            made.manage("migrate", "--verbosity", "0")
            yield made
        finally:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def test_an_archive_becomes_records(product: Product, tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    write_zip(archive)
    with product.worker():
        product.manage("import_pages", "Shop", str(archive), "--wait")
        product.manage("cluster_site", "Shop", "--wait")
        subprocess.run([sys.executable, "-m", "tests.e2e.live_rule"], cwd=ROOT, env=product.variables, check=True)
        product.manage("extract", "Shop", "--wait")
    pages, records = (int(word) for word in product.manage("shell", "--no-imports", "-c", STATE).split())
    assert pages > 100
    assert records > 50
