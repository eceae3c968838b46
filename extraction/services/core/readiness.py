"""Whether this process can serve requests: what load balancers and container systems ask."""

import logging
import uuid

from celery import current_app
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

logger = logging.getLogger(__name__)

FOLDER = "readiness"
"""Where a file is stored for a moment to see whether that works."""

BROKER_S = 3


def find_obstacles() -> dict[str, str]:
    """Return {part: what is wrong with it}, without details that strangers should not read; empty if requests can be served.

    The details are logged.
    """
    found = {}
    for part, look in {"database": _look_at_database, "storage": _look_at_storage, "broker": _look_at_broker}.items():
        try:
            if problem := look():
                found[part] = problem
        except Exception as error:
            logger.warning("the %s cannot be used", part, exc_info=True)
            found[part] = type(error).__name__
    return found


def _look_at_database() -> str:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return "migrations are missing" if missing else ""


def _look_at_storage() -> str:
    name = default_storage.save(f"{FOLDER}/{uuid.uuid4().hex}", ContentFile(b"ready"))
    default_storage.delete(name)
    return ""


def _look_at_broker() -> str:
    with current_app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, timeout=BROKER_S)
    return ""
