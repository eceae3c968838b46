"""The database and broker servers that tests may use when they answer: PostgreSQL, Redis, RabbitMQ.

`python -m tests.servers` prints the address of PostgreSQL, or says on standard error that it does not answer and ends with 1.
"""

import os
import socket
import sys
from urllib.parse import urlsplit

POSTGRESQL = os.environ.get("VERTEX_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("VERTEX_TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
RABBITMQ = os.environ.get("VERTEX_TEST_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672//")

ANSWER_S = 1.0
"""How long a server on this machine may take to accept a connection."""


def answers(url: str) -> bool:
    """Whether something accepts connections at the host and port of a URL."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 0), timeout=ANSWER_S):
            return True
    except OSError:
        return False


def shown(url: str) -> str:
    """A URL without its user and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}{parts.path}"


if __name__ == "__main__":
    if not answers(POSTGRESQL):
        sys.exit(f"PostgreSQL does not answer at {shown(POSTGRESQL)}; VERTEX_TEST_DATABASE_URL names another one.")
    print(POSTGRESQL)
