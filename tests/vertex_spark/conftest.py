"""A Spark session for the tests that need one. They start a JVM, so they run only when they are asked for."""

import os
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="pyspark is not installed; `make test-spark` installs it", exc_type=ImportError)
    if not os.environ.get("VERTEX_TEST_SPARK"):
        pytest.skip("tests on Spark start a JVM; run them with `make test-spark`")
    from vertex_spark.hadoop import open_session

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = open_session(
        "tests",
        master="local[2]",
        conf=("spark.ui.enabled=false", "spark.sql.shuffle.partitions=2", "spark.driver.bindAddress=127.0.0.1"),
    )
    yield session
    session.stop()
